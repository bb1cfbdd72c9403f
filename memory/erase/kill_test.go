package erase_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/erase"
)

// With these the test's program erases a memory, and kills itself when the store refuses a statement.
const envStore, envID = "HENCE_TEST_ERASE_STORE", "HENCE_TEST_ERASE_ID"

func TestMain(m *testing.M) {
	if path := os.Getenv(envStore); path != "" {
		if err := eraseAt(path, os.Getenv(envID)); err != nil {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			time.Sleep(time.Hour)
		}
		return
	}
	os.Exit(m.Run())
}

// eraseAt erases a memory with all that is below it, or what an earlier run has left of it.
func eraseAt(path, id string) error {
	ctx, no := context.Background(), false
	d, err := db.Open(ctx, path, db.Options{State: path + "-state"})
	if err != nil {
		return err
	}
	s := erase.Store{DB: d, Caller: person}
	done, err := s.Erase(ctx, erase.Args{ID: id, All: true, DryRun: &no})
	if fault.CodeOf(err) == fault.NotFound { // the rows are gone, and Erase has finished the rest
		err = nil
	}
	if err == nil && done.Receipt != nil && done.Receipt.Unfinished != "" {
		err = fault.New(fault.Unavailable, "%s", done.Receipt.Unfinished)
	}
	if err != nil {
		return err // without closing, as a process that is killed
	}
	return d.Close()
}

// soaks reports whether there is time for more, as make soak has.
func soaks() bool { return len(os.Getenv("HENCE_CHECKS")) > 2 }

// killedWorld returns a world with all that an erasure reaches, and the id of the memory to erase.
func killedWorld(t *testing.T, seed uint64) (*world, string) {
	w := newWorld(t, t.TempDir(), seed)
	for range 40 {
		w.store(memory.StoreArgs{Content: w.text(&w.stays, 20)})
	}
	id := w.fill(func(most int, what string) int {
		return map[string]int{"others": 2, "size": 2, "edits": 1, "forgotten": 1, "receipts": 2}[what] // else 0: all of it
	})
	return w, id
}

func (w *world) close() {
	if err := w.v.DB.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// runErase runs the program, and kills it after a time, 0: only it kills itself.
func runErase(t *testing.T, w *world, id string, after time.Duration) (killed bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Env = append(os.Environ(), envStore+"="+w.v.DB.Path(), envID+"="+id)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		time.AfterFunc(after, func() { _ = c.Process.Kill() })
	}
	return c.Wait() != nil
}

func (w *world) checkAfterKill(t *testing.T, id, when string) {
	t.Helper()
	if err := eraseAt(w.v.DB.Path(), id); err != nil {
		t.Fatalf("killed %s, and erased again: %v", when, err)
	}
	if left := w.left(w.gone); len(left) > 0 {
		t.Errorf("killed %s, and erased again: left %q", when, left[:min(3, len(left))])
	}
	d, err := db.Open(t.Context(), w.v.DB.Path(), db.Options{State: w.v.DB.Path() + "-state"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("killed %s: the file is not whole: %q, %v", when, problems, err)
	}
	if n := dbtest.Count(t, d, `select count(*) from erasures where receipt is null or plan ->> '$.marks' is not null`); n != 0 {
		t.Errorf("killed %s: %d erasures are not finished", when, n)
	}
	all, err := erase.Store{DB: d, Caller: person}.Receipts(t.Context())
	if err != nil || len(all) != 1 || len(all[0].Found) > 0 || all[0].Counts.Backups == 0 || all[0].Counts.Folders != 1 {
		t.Errorf("killed %s: %v, %+v", when, err, all)
	}
}

// The program is killed where a statement of the batch, or of what follows it, comes to a table.
func TestAnErasureKilledAtAnyStatementIsFinishedByTheNext(t *testing.T) {
	dbtest.SkipOnCluster(t, "a node keeps its own log")
	for n, at := range []string{
		"insert on erasures", "delete on memories", "update of last_at on writer", "update of plan on erasures",
		"delete on sections", "delete on edges", "insert on purged", "delete on stamps", "update on journal", "delete on vectors_waiting",
	} {
		t.Run(at, func(t *testing.T) {
			if n > 3 && !soaks() {
				t.Skip("make soak has the time")
			}
			w, id := killedWorld(t, uint64(n))
			refuse := fmt.Sprintf(`create trigger refusing before %s begin select raise(abort, 'here it is killed'); end`, at)
			w.close()
			dbtest.Script(t, w.v.DB.Path(), refuse)
			if !runErase(t, w, id, 0) {
				t.Error("it was not killed: there is no such statement")
			}
			dbtest.Script(t, w.v.DB.Path(), `drop trigger refusing`)
			w.checkAfterKill(t, id, "at "+at)
		})
	}
}

// The program is killed between two of its batches.
func TestAnErasureKilledBetweenBatchesIsFinishedByTheNext(t *testing.T) {
	dbtest.SkipOnCluster(t, "a node keeps its own log")
	for n, killed := 0, true; killed; n++ {
		w, id := killedWorld(t, 100+uint64(n))
		w.close()
		end := dbtest.RefuseAfter(t, w.v.DB.Path(), n)
		killed = runErase(t, w, id, 0)
		if end(); killed && n%3 > 0 && !soaks() {
			continue
		}
		w.checkAfterKill(t, id, fmt.Sprint("after ", n, " batches"))
		if n > 20 {
			t.Fatal("it is killed for ever")
		}
	}
}

// The program is killed at some moment: while it rewrites a file, empties a log, or reads.
func TestAnErasureKilledAtAnyMomentIsFinishedByTheNext(t *testing.T) {
	dbtest.SkipOnCluster(t, "a node keeps its own log")
	times := 3
	if soaks() {
		times = 100
	}
	w, id := killedWorld(t, 1000)
	w.close()
	start := time.Now()
	if runErase(t, w, id, 0) {
		t.Fatal("it was killed")
	}
	took, killed := time.Since(start), 0
	for n := range times {
		w, id := killedWorld(t, 1001+uint64(n))
		w.close()
		after := took * time.Duration(n+1) / time.Duration(times+1)
		if runErase(t, w, id, after) {
			killed++
		}
		w.checkAfterKill(t, id, "after "+after.String())
	}
	t.Logf("%d of %d were killed, each within %v", killed, times, took)
}
