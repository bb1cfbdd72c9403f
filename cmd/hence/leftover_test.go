package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// A command is killed while it writes a copy of the store. The doctor finds
// what it left, and removes it when it is old.
func TestTheDoctorFindsWhatAKilledCommandLeft(t *testing.T) {
	dbtest.SkipUnderRace(t)
	hence, err := exec.LookPath("hence")
	if err != nil {
		t.Fatal(err)
	}
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "ada", db.Now(), db.S(`
insert into memories (title, content)
with n (i) as (select 1 union all select i + 1 from n where i < 4000)
select 'm' || i, hex(randomblob(1000)) from n`)); err != nil {
		t.Fatal(err)
	}
	small := dbtest.New(t) // the doctor looks in the folders that it is told, whatever the store
	for _, command := range []string{"backup", "export"} {
		t.Run(command, func(t *testing.T) {
			folder := t.TempDir()
			left := killedLeaving(t, folder, hence, "--db", d.Path(), command, filepath.Join(folder, "copy"))
			doctor := func(words ...string) string {
				// The sickness of other checks is not our matter: only its words count.
				out, _ := exec.Command(hence, append([]string{"--db", small.Path(), "doctor", folder}, words...)...).CombinedOutput()
				return string(out)
			}
			if said := doctor("--fix"); !strings.Contains(said, left) {
				t.Errorf("%s\ndoes not name %s", said, left)
			}
			if _, err := os.Stat(left); err != nil {
				t.Fatalf("what may be in use: %v", err)
			}
			long := time.Now().Add(-2 * time.Hour)
			if err := os.Chtimes(left, long, long); err != nil {
				t.Fatal(err)
			}
			if said := doctor(); !strings.Contains(said, "wrong   unfinished files") || !strings.Contains(said, left) {
				t.Errorf("%s\ndoes not name %s", said, left)
			}
			if said := doctor("--fix"); !strings.Contains(said, "fixed   unfinished files") {
				t.Errorf("%s\ndoes not say that it mended it", said)
			}
			if _, err := os.Stat(left); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", left, err)
			}
		})
	}
}

// killedLeaving kills a command as soon as it has made a hidden file in the
// folder, and returns the file. A command that was faster is started again.
func killedLeaving(t *testing.T, folder string, command ...string) string {
	t.Helper()
	const tries = 100
	hidden := func() string {
		paths, err := filepath.Glob(filepath.Join(folder, ".hence-*[0-9]"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			return ""
		}
		return paths[0]
	}
	for range tries {
		c := exec.Command(command[0], command[1:]...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		for ended := false; !ended && hidden() == ""; {
			select {
			case <-done:
				ended = true
				done <- nil
			case <-time.After(200 * time.Microsecond):
			}
		}
		_ = c.Process.Kill()
		<-done
		if left := hidden(); left != "" {
			return left
		}
		_ = os.Remove(filepath.Join(folder, "copy"))
	}
	t.Fatalf("%s was never killed in time", strings.Join(command, " "))
	return ""
}
