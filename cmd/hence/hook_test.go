package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// hookOf runs the hook of a session's start against a store, and returns what it says.
func hookOf(t testing.TB, store string, in io.Reader, flags ...string) string {
	t.Helper()
	program, err := exec.LookPath("hence")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "hook", "SessionStart", "--client", "claude-code", "--db", store)
	c.Args = append(c.Args, flags...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	c.Stdin = in
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("the hook ends with %v and says %q", err, errs.String())
	}
	return out.String()
}

// storeWith makes a store with a pinned memory.
func storeWith(t testing.TB) string {
	file := filepath.Join(dbtest.Folder(t), "hence.db")
	d, err := db.Open(t.Context(), file, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write(t.Context(), "ada", db.Now(), db.S(`insert into memories (title, content, pinned) values ('Deploy day', 'Fridays.', 1)`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// A writer does not keep the hook from its briefing, and who has the file for himself
// makes it say that it had no time, but neither makes it fail.
func TestHook_LockedStore(t *testing.T) {
	store := storeWith(t)
	for _, c := range []struct {
		name, lock, says string
	}{
		{"AWriter", `begin immediate; insert into memories (title, content) values ('Not yet', 'x')`, "Deploy day"},
		{"Alone", `pragma locking_mode = exclusive; begin immediate; insert into memories (title, content) values ('Not yet', 'x')`, "memory_brief gives it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := sql.Open("sqlite3", store)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			d.SetMaxOpenConns(1)
			if _, err := d.Exec(c.lock); err != nil {
				t.Skipf("the lock cannot be had by the plain engine: %v", err)
			}
			said := hookOf(t, store, strings.NewReader("{}"), "--within", "1m")
			if !strings.Contains(said, c.says) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// Hooks of the settings of several clients run at the same moment, and one of them briefs; so
// with a prompt, the end of a turn, and a new context.
func TestHook_AtTheSameMoment(t *testing.T) {
	store, state := storeWith(t), t.TempDir()
	clients := map[string]string{"claude-code": "SessionStart", "cursor": "sessionStart", "codex": "SessionStart", "gemini": "SessionStart", "copilot": "sessionStart"}
	for _, source := range []string{"startup", "resume", "clear", "compact", "fork", "odd"} {
		input := fmt.Sprintf(`{"session_id": %q, "source": %q}`, "session "+source, source)
		var all sync.WaitGroup
		var said atomic.Int32
		for client, event := range clients {
			all.Go(func() {
				c := exec.Command("hence", "hook", event, "--client", client, "--db", store, "--within", "1m")
				c.Env, c.Stdin = append(os.Environ(), "XDG_STATE_HOME="+state), strings.NewReader(input)
				out, err := c.Output()
				if err != nil {
					t.Error(err)
				}
				if len(out) > 0 {
					said.Add(1)
				}
			})
		}
		all.Wait()
		if said.Load() != 1 {
			t.Errorf("%s: %d hooks brief the session", source, said.Load())
		}
	}
}

// A client that never ends its input is not waited for.
func TestHook_EndlessInput(t *testing.T) {
	dbtest.SkipUnderRace(t)
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	defer in.Close()
	began := time.Now()
	if said := hookOf(t, storeWith(t), in); !strings.Contains(said, "memory_brief gives it") {
		t.Errorf("it says %q", said)
	}
	// 3 s, and more for a machine that is busy with other tests.
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A file that is cut off, or whose pages are noise, is not talked about.
func TestHook_DamagedStore(t *testing.T) {
	whole, err := os.ReadFile(storeWith(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"CutOff": func(b []byte) []byte { return b[:len(b)/2] },
		"Noise": func(b []byte) []byte {
			b = bytes.Clone(b)
			for i := 4096; i < len(b); i++ {
				b[i] = byte(i * 7)
			}
			return b
		},
		"Empty": func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "hence.db")
			if err := os.WriteFile(file, damage(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			if said := hookOf(t, file, strings.NewReader("{}"), "--within", "1m"); said != "" {
				t.Errorf("it says %q", said)
			}
		})
	}
}
