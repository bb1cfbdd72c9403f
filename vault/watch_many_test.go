package vault_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
)

// churn changes a folder of notes as people and programs do: single edits, and bursts of them.
type churn struct {
	folder
	chance *rand.Rand
	notes  []string // paths of the notes that are there
	made   int
}

func (c *churn) text() string {
	return fmt.Sprintf("---\ntags: [t%d]\n---\nText %d, see [[n%d]].\n", c.chance.IntN(9), c.chance.IntN(1_000_000), c.chance.IntN(c.made+1))
}

func (c *churn) add() {
	path := fmt.Sprintf("d%d/n%d.md", c.made/100, c.made)
	c.made++
	c.save(path, c.text())
	c.notes = append(c.notes, path)
}

func (c *churn) step() {
	n := c.chance.IntN(len(c.notes))
	switch c.chance.IntN(8) {
	case 0, 1:
		c.add()
	case 2:
		c.Remove(c.notes[n])
		c.notes[n] = c.notes[len(c.notes)-1]
		c.notes = c.notes[:len(c.notes)-1]
	case 3: // moved into a folder that may be new
		to := fmt.Sprintf("m%d/%s", c.chance.IntN(50), filepath.Base(c.notes[n]))
		if to != c.notes[n] {
			c.Move(c.notes[n], to)
			c.notes[n] = to
		}
	default:
		c.save(c.notes[n], c.text())
	}
}

// wait waits until a condition holds.
func (c *churn) wait(what string, holds func() bool) time.Duration {
	c.T.Helper()
	begin := time.Now()
	for limit := 10 * patience; !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > limit {
			c.T.Fatalf("%s: not after %v", what, limit)
		}
	}
	return time.Since(begin)
}

// A folder of many notes is watched: nothing happens when nothing changes, an edit comes in, and after a time in which
// files are written, moved and removed faster than they are imported, the store is what an import from nothing makes.
// HENCE_WATCHED says how many notes there are, instead of a few hundred.
func TestWatchOfManyNotesUnderChurn(t *testing.T) {
	dbtest.SkipOnCluster(t, "it is about files")
	number, _ := strconv.Atoi(cmp.Or(os.Getenv("HENCE_WATCHED"), "300"))
	c := &churn{folder: newFolder(t, nil), chance: rand.New(rand.NewPCG(1, 2))}
	for range number {
		c.add()
	}
	begin := time.Now()
	reports := c.watchFor(10 * patience)
	t.Logf("%d notes were imported in %v", number, time.Since(begin))

	idle := min(time.Duration(number)*3*time.Millisecond, 30*time.Second)
	before := cpuTime()
	time.Sleep(idle)
	t.Logf("nothing changed for %v: %v of CPU", idle, cpuTime()-before)
	select {
	case r := <-reports:
		t.Errorf("nothing changed, and it reports %+v", r)
	default:
	}

	db := c.Importer.DB
	for n := range 5 {
		text := fmt.Sprint("Edit ", n)
		c.save(c.notes[number/2], text)
		t.Logf("an edit came in after %v", c.wait("an edit", func() bool {
			return dbtest.Count(t, db, `select count(*) from memories where content = ?`, text) > 0
		}))
	}

	begin, before = time.Now(), cpuTime()
	for n := range max(number/10, 200) {
		c.step()
		if n%50 == 49 { // a burst is over
			time.Sleep(time.Duration(c.chance.IntN(60)) * time.Millisecond)
		}
	}
	made := time.Since(begin)
	fresh := newFolder(t, nil)
	fresh.Dir = c.Dir
	fresh.Imports()
	want, got := contents(t, fresh.Importer.DB), map[string][]string(nil)
	begin = time.Now()
	took := c.wait("the changes", func() bool {
		if n := dbtest.Count(t, db, `select count(*) from memories where status <> 'forgotten'`); n != len(c.notes) {
			return false
		}
		got = contents(t, db)
		return gocmp.Equal(want, got) || time.Since(begin) > 5*patience
	})
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the watched store (-fresh +watched):\n%.3000s", diff)
	}
	t.Logf("%d changes in %v were in %v later, with %v of CPU", max(number/10, 200), made, took, cpuTime()-before)
}
