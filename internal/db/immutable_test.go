//go:build unix

package db

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const unwritable = "HENCE_TEST_UNWRITABLE"

// A server reads a store in a folder that it may not write, and goes on after its owner has written.
func TestOpen_ReadOnlyInAFolderThatMayNotBeWritten(t *testing.T) {
	if path := os.Getenv(unwritable); path != "" {
		d, err := Open(t.Context(), path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "s.db")
	owner, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "test")
	if err := os.WriteFile(other, program, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o755, folder: 0o555, path: 0o444} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	c := exec.Command(other, "-test.run=^"+t.Name()+"$", "-test.count=1")
	c.Env, c.Dir = append(os.Environ(), unwritable+"="+path), "/"
	if os.Getuid() == 0 { // who may write everywhere
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}

// A file read as immutable is opened again when its owner has written to it.
func TestImmutable_FollowsItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	reader := &DB{}
	count := func() (n int) {
		t.Helper()
		n, err := ask[int](t.Context(), reader.engine.read, `select count(*) from memories`)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for round := range 3 {
		owner, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Write(t.Context(), "", Now(), S(`insert into memories (title) values (?)`, round)); err != nil {
			t.Fatal(err)
		}
		if err := owner.Close(); err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			reader = openAnyVersion(t.Context(), path, Options{ReadOnly: true})
			if err := reader.openImmutable(Options{ReadOnly: true}, nil); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { reader.Close() })
		}
		if n := count(); n != round+1 {
			t.Errorf("round %d: %d memories", round, n)
		}
	}
}
