package use_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/transcripts"
	"hence/memory/use"
)

// counted counts what was judged rightly and wrongly.
type counted struct{ right, wrong, missed int }

func (c counted) precision() float64 { return float64(c.right) / float64(max(1, c.right+c.wrong)) }
func (c counted) recall() float64    { return float64(c.right) / float64(max(1, c.right+c.missed)) }

// judgeGenerated judges conversations of some seeds, and counts uses, corrections, and mistakes by their kind.
func judgeGenerated(t *testing.T, seeds []uint64, heldOut bool) (used, corrected counted, mistakes map[string]int) {
	mistakes = map[string]int{}
	for _, seed := range seeds {
		g := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), lists: listsOf(heldOut)}
		for range 30 {
			g.files = append(g.files, fmt.Sprintf("pkg/%s/%s.go", g.pick(common), g.pick(common)))
		}
		all, byID := []planted{}, map[string]use.Memory{}
		d := dbtest.New(t)
		s := memory.Store(ref.View{DB: d, Caller: ref.Caller{Actor: "agent", Origin: "agent"}})
		for range []int{6, 15, 30, 90}[seed%4] + g.IntN(10) {
			m := g.memory()
			stored, err := s.Remember(t.Context(), memory.StoreArgs{Title: &m.Title, Content: m.Content, Dedup: "off"}, nil)
			if err != nil {
				continue // of a title that is taken
			}
			m.ID = stored.Memory.ID
			all, byID[m.ID] = append(all, m), m.Memory
			byID[m.ID] = use.Memory{ID: m.ID, Title: m.Title, Content: m.Content}
		}
		err := d.Read(t.Context(), func(r *db.Reader) error {
			rarity, err := use.RarityIn(t.Context(), r)
			if err != nil {
				return err
			}
			for range 12 {
				made := g.session(all)
				read := transcripts.NewReader(made.format, "s")
				read.KeepSteps()
				for n, line := range made.lines {
					if err := read.Line(n+1, []byte(line)); err != nil {
						t.Fatal(err, line)
					}
				}
				judged := use.Judge(use.Merge(read.Conversation().Steps, made.receipts), byID, rarity.IsRare)
				for _, u := range judged {
					how := made.used[u.ID]
					used.count(len(u.How) > 0, how != "")
					corrected.count(u.Corrected != "", made.corrected[u.ID])
					switch {
					case len(u.How) > 0 && how == "":
						mistakes[fmt.Sprintf("wrong: %v, decoy %q", u.How, made.decoys[u.ID])]++
					case len(u.How) == 0 && how != "":
						mistakes["missed: "+how]++
					}
					if (u.Corrected != "") != made.corrected[u.ID] {
						mistakes[fmt.Sprintf("corrected %q", u.Corrected)]++
					}
				}
			}
			return rarity.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return used, corrected, mistakes
}

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

// Of conversations with words that the judge was not made by, it finds the uses.
func TestPlantedUsesAreFound(t *testing.T) {
	for _, heldOut := range []bool{false, true} {
		seeds := []uint64{}
		for i := range uint64(8) {
			seeds = append(seeds, 100*uint64(len(seeds))+i)
		}
		used, corrected, mistakes := judgeGenerated(t, seeds, heldOut)
		t.Logf("held out %v: uses %+v, precision %.3f, recall %.3f; corrections %+v, precision %.3f, recall %.3f", heldOut, used, used.precision(), used.recall(), corrected, corrected.precision(), corrected.recall())
		kinds := []string{}
		for kind, n := range mistakes {
			kinds = append(kinds, fmt.Sprintf("%4d %s", n, kind))
		}
		slices.Sort(kinds)
		for _, kind := range kinds {
			t.Log(kind)
		}
		if used.precision() < .95 || used.recall() < .80 {
			t.Error("the bar is a precision of .95 and a recall of .80")
		}
	}
}
