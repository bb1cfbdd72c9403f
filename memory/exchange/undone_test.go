package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
)

// lastSeq returns the number that the log shows for the last batch.
func (p person) lastSeq() int64 {
	p.t.Helper()
	log, err := journal.Journal{DB: p.DB, Caller: p.caller()}.Log(p.t.Context(), journal.LogArgs{Limit: 1, Batches: true})
	if err != nil {
		p.t.Fatal(err)
	}
	return log.Changes[0].Seq
}

func (p person) undo(seq int64) error {
	_, err := journal.Journal{DB: p.DB, Caller: p.caller()}.Undo(p.t.Context(), journal.UndoArgs{Seq: seq})
	return err
}

// A merge that is written in groups is undone as a whole too, and its undo is not a decision
// that a later merge spreads.
func TestUndoTakesALargeMergeBack(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "the undo has thousands of statements")
	one, other := newPerson(t), newPerson(t)
	const many = 2300
	var lines strings.Builder
	for n := range many {
		fmt.Fprintf(&lines, `{"type":"memory","id":"m%d","title":"M %d"}`+"\n", n, n)
		if n > 0 {
			fmt.Fprintf(&lines, `{"type":"edge","from":"m%d","to":"m0","edge_type":"relates-to"}`+"\n", n)
		}
	}
	other.take(lines.String())
	mergeFrom(t, one.DB, other.DB)
	merged := export(t, one.DB)
	if err := one.undo(one.lastSeq()); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, one.DB, `select count(*) from memories where status <> 'forgotten'`); n > 0 {
		t.Errorf("undo leaves %d memories", n)
	}
	mergeFrom(t, one.DB, other.DB)
	if n := dbtest.Count(t, one.DB, `select count(*) from memories where status = 'current'`); n != many {
		t.Errorf("another merge brings %d of %d memories again", n, many)
	}
	if again := export(t, one.DB); len(strings.Split(again, "\n")) != len(strings.Split(merged, "\n")) {
		t.Error("another merge does not bring all again")
	}
}

// A merge is undone as a whole, by the number that the log shows.
func TestAMergeIsUndoneByItsNumberInTheLog(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	one.store("Plan")
	mergeFrom(t, other.DB, one.DB)
	one.edit("Plan", "here")
	other.edit("Plan", "there")
	other.store("Next", memory.NewLink{To: "Plan", Type: "supersedes"})
	mergeFrom(t, one.DB, other.DB)
	seq := one.lastSeq()
	one.store("Later")
	if err := one.undo(seq); err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, one.DB, `select content from memories where status = 'current' order by 1`); fmt.Sprint(got) != "[Later. here]" {
		t.Errorf("%q", got)
	}
}

// The state that undo needs is kept for the last merges only. Without it, an undo would be a
// decision that the next merge carries to the other store.
func TestAMergeOfLongAgoIsNotUndone(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	first := int64(0)
	for n := range 22 {
		other.store(fmt.Sprint("M ", n))
		mergeFrom(t, one.DB, other.DB)
		if n == 0 {
			first = one.lastSeq()
		}
	}
	if err := one.undo(first); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "the last 20 merges") {
		t.Errorf("%v", err)
	}
	if err := one.undo(one.lastSeq()); err != nil {
		t.Error(err)
	}
}

// The undo of a merge does not list as undone the memories that the merge purged, and says how many stay purged.
func TestUndoOfAMergeSaysWhatStaysPurged(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	one.store("Plan")
	one.store("Key")
	mergeFrom(t, other.DB, one.DB)
	if _, err := (memory.Store{DB: other.DB, Caller: other.caller()}).Forget(t.Context(), memory.ForgetArgs{ID: "Key", Purge: true}); err != nil {
		t.Fatal(err)
	}
	other.edit("Plan", "there")
	mergeFrom(t, one.DB, other.DB)
	undone, err := journal.Journal{DB: one.DB, Caller: one.caller()}.Undo(t.Context(), journal.UndoArgs{Seq: one.lastSeq()})
	if err != nil || undone.Purged != 1 {
		t.Fatalf("%+v, %v; want one memory that stays purged", undone, err)
	}
	for _, c := range undone.Undone {
		if c.Action == "purge" {
			t.Errorf("the purge is said to be undone: %+v", c)
		}
	}
}
