package db_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// If the file of one node is damaged, the other nodes still have all the data.
func TestADamagedFileOfANodeIsMadeAgainFromTheOthers(t *testing.T) {
	d, _ := onFake(t)
	err := d.Read(t.Context(), func(*db.Reader) error { return sqlite3.Error{Code: sqlite3.ErrCorrupt} })
	if fault.CodeOf(err) != fault.Unavailable || !db.IsDamaged(err) || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("it is answered with %s: %v", fault.CodeOf(err), err)
	}
}

// A server never reads an older state than it has read before, unless that state is permanent.
func TestAReaderWaitsForAFileThatIsBeingMadeAnew(t *testing.T) {
	d, f := onFake(t)
	for _, id := range []string{"one", "two", "three"} {
		if _, err := store(t, d, id); err != nil {
			t.Fatal(err)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 3 {
		t.Fatal(n)
	}
	restarted := make(chan error)
	go func() { restarted <- f.Restart(300 * time.Millisecond) }()
	for running := true; running; {
		select {
		case err := <-restarted:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		var n int
		err := d.Read(t.Context(), func(r *db.Reader) (err error) {
			n, _, err = db.One[int](context.Background(), r, `select count(*) from memories`)
			return err
		})
		switch {
		case err == nil && n != 3:
			t.Fatalf("a read finds %d memories", n)
		case err != nil && (fault.CodeOf(err) != fault.Unavailable || strings.Contains(err.Error(), "malformed")):
			t.Fatal(err)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 3 {
		t.Errorf("%d memories after the restart", n)
	}
}

func TestReadBackReadsAgainWhereTheNodeHasOtherFiles(t *testing.T) {
	d, f := onFake(t)
	if _, err := store(t, d, "one"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		restarts int // of the node, each while it is read
		patience time.Duration
		isGone   bool // the caller
		code     fault.Code
	}{
		"Never":  {0, time.Minute, false, ""},
		"Once":   {1, time.Minute, false, ""},
		"Always": {math.MaxInt, 100 * time.Millisecond, false, fault.OutcomeUnknown},
		"Gone":   {0, time.Minute, true, fault.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			d.Cluster().Patience = c.patience
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.isGone {
				cancel()
			}
			calls, id := 0, ""
			err := d.ReadBack(ctx, func(r *db.Reader) (err error) {
				if calls++; calls <= c.restarts {
					if err := f.Restart(0); err != nil {
						t.Fatal(err)
					}
				}
				id, _, err = db.One[string](ctx, r, `select id from memories`)
				return err
			})
			var known *fault.Error
			if fault.CodeOf(err) != c.code || errors.As(err, &known) && known.Details["written"] != true {
				t.Errorf("after %d calls: %v", calls, err)
			}
			if c.code == "" && (calls != c.restarts+1 || id != "one") {
				t.Errorf("it reads %q in %d calls", id, calls)
			}
		})
	}
}
