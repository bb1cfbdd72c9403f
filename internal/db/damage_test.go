package db_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// smallDisk mounts a file system of a few megabytes.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "hence-test", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return dir
}

func TestAFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	dir := smallDisk(t)
	d, err := db.Open(t.Context(), filepath.Join(dir, "hence.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	store := func(title string) error {
		_, err := d.Write(t.Context(), "", db.Now(), db.S(`insert into memories (title, content) values (?, hex(randomblob(20000)))`, title))
		return err
	}
	kept := []string{}
	for n := 0; err == nil; n++ {
		title := fmt.Sprintf("m%04d", n)
		if err = store(title); err == nil {
			kept = append(kept, title)
		}
	}
	if fault.CodeOf(err) != fault.Unavailable || len(kept) == 0 {
		t.Fatalf("on a full disk, after %d memories: %v; want unavailable", len(kept), err)
	}
	if !strings.Contains(err.Error(), "disk is full") && !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("the error says %q", err)
	}
	if err := d.Backup(t.Context(), filepath.Join(dir, "backup")); err == nil {
		t.Error("a backup fitted on a full disk")
	}
	if _, err := os.Stat(filepath.Join(dir, "backup")); !os.IsNotExist(err) {
		t.Error("half a backup is left")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := store("m9999"); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if got := dbtest.Texts(t, d, `select title from memories order by title`); !slices.Equal(got, append(kept, "m9999")) {
		t.Errorf("%d memories are there, want %d", len(got), len(kept)+1)
	}
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("Check = %q, %v", problems, err)
	}
}

// logged returns a copy of a store that was not closed: the file, and the log that has the last
// memories.
func logged(t *testing.T) (path string, all []string) {
	t.Helper()
	d := dbtest.New(t)
	for n := range 20 {
		all = append(all, fmt.Sprintf("m%02d", n))
		insert(t, d, all[n])
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		from, err := os.Open(d.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		to, err := os.Create(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(to, from); err != nil {
			t.Fatal(err)
		}
		from.Close()
		to.Close()
	}
	return path, all
}

// opensWhole opens the damaged copy, and returns the memories in it.
func opensWhole(t *testing.T, path string) []string {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("Check = %q, %v", problems, err)
	}
	insert(t, d, "z")
	return dbtest.Texts(t, d, `select title from memories order by title`)
}

func TestAKilledProcessLeavesItsLog(t *testing.T) {
	path, all := logged(t)
	if got := opensWhole(t, path); !slices.Equal(got, append(all, "z")) {
		t.Errorf("the memories are %q", got)
	}
}

// A truncated log still has its first transactions, complete, in order and without gaps.
func TestATruncatedLogLeavesWholeBatches(t *testing.T) {
	for _, part := range []int64{4, 3, 2} {
		path, all := logged(t)
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path+"-wal", info.Size()-info.Size()/part); err != nil {
			t.Fatal(err)
		}
		got := opensWhole(t, path)
		if n := len(got) - 1; n >= len(all) || !slices.Equal(got[:n], all[:n]) {
			t.Errorf("of a log without its last %d-th, these are left: %q", part, got)
		}
	}
}

func TestADeletedLogLeavesTheFileWhole(t *testing.T) {
	path, _ := logged(t)
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	opensWhole(t, path)
}

func TestAFileThatIsCutIsRefused(t *testing.T) {
	d := dbtest.New(t)
	insert(t, d, "m")
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 40_000); err != nil {
		t.Fatal(err)
	}
	cut, err := db.Open(t.Context(), path, db.Options{})
	if err == nil {
		defer cut.Close()
		_, err = cut.Write(t.Context(), "", db.Now(), db.S(`insert into memories (title) values ('n')`))
	}
	if fault.CodeOf(err) != fault.Internal || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a file that was cut: %v, want one that says so", err)
	}
}

func TestAFileThatTurnsReadOnlyIsSaidToBe(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	d := dbtest.New(t)
	insert(t, d, "m")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Path(), 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), d.Path(), db.Options{}); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("Open: %v, want read_only", err)
	}
}
