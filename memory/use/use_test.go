package use_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/transcripts"
	"hence/memory/use"
)

// counted counts what was judged rightly and wrongly.
type counted struct{ right, wrong, missed int }

func (c *counted) count(got, want bool) {
	switch {
	case got && want:
		c.right++
	case got:
		c.wrong++
	case want:
		c.missed++
	}
}

func (c counted) precision() float64 { return float64(c.right) / float64(max(1, c.right+c.wrong)) }
func (c counted) recall() float64    { return float64(c.right) / float64(max(1, c.right+c.missed)) }

func (c counted) String() string {
	return fmt.Sprintf("%d right, %d wrong, %d missed: precision %.3f, recall %.3f", c.right, c.wrong, c.missed, c.precision(), c.recall())
}

// judgement is how conversations were judged, and the mistakes by their kind.
type judgement struct {
	used, corrected counted
	mistakes        map[string]int
}

// add compares how a conversation was judged with what is true of it.
func (j *judgement) add(made *session, uses []use.Use) {
	for _, u := range uses {
		how := made.used[u.ID]
		j.used.count(len(u.How) > 0, how != "")
		j.corrected.count(u.Corrected != "", made.corrected[u.ID])
		switch {
		case len(u.How) > 0 && how == "":
			j.mistakes[fmt.Sprintf("%v is wrong, a decoy by %q", u.How, made.decoys[u.ID])]++
		case len(u.How) == 0 && how != "":
			j.mistakes["missed: "+how]++
		}
		if (u.Corrected != "") != made.corrected[u.ID] {
			j.mistakes[fmt.Sprintf("corrected %q, %v", u.Corrected, made.corrected[u.ID])]++
		}
	}
}

func (j judgement) tell(t *testing.T, what string) {
	t.Logf("%s: uses %v; corrections %v", what, j.used, j.corrected)
	for _, kind := range slices.Sorted(maps.Keys(j.mistakes)) {
		t.Logf("  %3d %s", j.mistakes[kind], kind)
	}
}

// judgeGenerated judges conversations of a store of some size by all that was said and done in them, and by receipts alone.
func judgeGenerated(t *testing.T, seed uint64, heldOut bool, heard, receipted *judgement) {
	g := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), lists: listsOf(heldOut)}
	for range 30 {
		g.files = append(g.files, fmt.Sprintf("pkg/%s/%s.go", g.pick(common), g.pick(common)))
	}
	d := dbtest.New(t)
	book, err := receipts.Open(t.Context(), d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	reader, all, stamp := use.Reader{DB: d, Caller: ref.Caller{Actor: "agent", Origin: "agent"}}, []planted{}, receipts.Stamp{}
	for range []int{6, 15, 30, 90}[seed%4] + g.IntN(10) {
		m := g.memory()
		stored, err := memory.Store(reader).Remember(t.Context(), memory.StoreArgs{Title: &m.Title, Content: m.Content, Dedup: "off"}, nil)
		if err != nil {
			continue // the title is taken
		}
		m.ID = stored.Memory.ID
		if stamp, err = receipts.StampOf(t.Context(), d, receipts.Written, []ref.Shown{{ID: m.ID, Why: "results"}}); err != nil {
			t.Fatal(err)
		}
		m.Shown = stamp.Shown[0]
		all = append(all, m)
	}
	made := map[string]*session{}
	for range 12 {
		s := g.session(all)
		made[s.id] = s
		for _, r := range s.receipts {
			r.Store = stamp.Store
			if err := book.Add(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	byReceipts, err := reader.JudgeReceipts(t.Context(), book)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := reader.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, s := range made {
		receipted.add(s, byReceipts[id])
		file := transcripts.NewReader(s.format, id)
		file.KeepSteps()
		for n, line := range s.lines {
			if err := file.Line(n+1, []byte(line)); err != nil {
				t.Fatal(err, line)
			}
		}
		if c := file.Conversation(); c.ID != id {
			t.Fatal(c.ID)
		} else if err := listener.Hear(t.Context(), id, c.Steps); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := book.Uses(t.Context(), stamp.Store)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]use.Use{}
	for _, u := range kept {
		m := all[slices.IndexFunc(all, func(m planted) bool { return m.Key == u.Key })]
		if uses[u.Conversation] == nil {
			uses[u.Conversation] = map[string]use.Use{}
		}
		uses[u.Conversation][m.ID] = use.Use{ID: m.ID, How: strings.Fields(u.How), Corrected: u.Corrected}
	}
	for id, s := range made {
		heard.add(s, slices.Collect(maps.Values(uses[id])))
	}
}

// Of conversations in words by which the judge was not made, it finds the uses, if it heard the conversations; and what is
// sure by receipts alone is so.
func TestPlantedUsesAreFound(t *testing.T) {
	for _, heldOut := range []bool{false, true} {
		heard, receipted := judgement{mistakes: map[string]int{}}, judgement{mistakes: map[string]int{}}
		for seed := range uint64(8) {
			judgeGenerated(t, seed, heldOut, &heard, &receipted)
		}
		heard.tell(t, fmt.Sprintf("heard, held out %v", heldOut))
		receipted.tell(t, fmt.Sprintf("by receipts, held out %v", heldOut))
		if receipted.used.precision() < .95 {
			t.Error("what is sure by receipts alone needs a precision of .95")
		}
		if heard.used.precision() < .95 || heard.used.recall() < .80 {
			t.Error("the bar is a precision of .95 and a recall of .80")
		}
	}
}
