package recall_test

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/near"
)

// unrelated is a hundred facts, each about another thing.
//
//go:embed testdata/unrelated.txt
var unrelated string

// Of 300 pairs of facts about different things, at most 5 % show one another, and of a hundred
// such facts in one store, at most five show anything.
func TestNear_NothingIsNearWhatIsUnrelated(t *testing.T) {
	dbtest.SkipUnderRace(t)
	facts := strings.Split(strings.TrimSpace(unrelated), "\n")
	newStore := func() memory.Store {
		return memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	}
	store := func(s memory.Store, text string) (shown []string) {
		got, err := s.Remember(t.Context(), memory.StoreArgs{Content: text}, near.Finder(s).Near)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range got.Near {
			shown = append(shown, fmt.Sprintf("%s\n    %s", text, n.Title))
		}
		return shown
	}
	r, pairs, shown := rand.New(rand.NewPCG(36, 18)), 300, []string{}
	s := newStore()
	for range pairs {
		order := r.Perm(len(facts))
		dbtest.Fill(t, s.DB, db.S(`delete from memories`))
		store(s, facts[order[0]])
		shown = append(shown, store(s, facts[order[1]])...)
	}
	if len(shown) > pairs*5/100 {
		t.Errorf("%d of %d pairs:\n%s", len(shown), pairs, strings.Join(shown, "\n"))
	}
	s, shown = newStore(), nil
	for _, fact := range facts {
		if near := store(s, fact); len(near) > 0 {
			shown = append(shown, near[0])
		}
	}
	if len(shown) > 5 {
		t.Errorf("%d of %d in one store:\n%s", len(shown), len(facts), strings.Join(shown, "\n"))
	}
	t.Log(len(shown))
}
