package question

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/internal/spelling"
	"hence/memory"
)

// The endings are those that the tokenizer of the index removes.
func TestSpelling_KnowsTheEndingsOfTheStemmer(t *testing.T) {
	all := strings.Fields(`
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing
fizzed failing filing happy sky relational conditional rational valency hesitancy digitizer conformably radically differently vilely
analogously vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility
triplicate formative formalize electricity electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable
defensible irritant replacement adjustment dependent adoption communism activate angularity homologous effective bowdlerize
probate rate cease controlling rolling generalizations oscillators reservation reservations organization organizing harbour
memories memory embedding embeddings vectors retrieval decisions deciding decided database databases connection connections
easily happiness happier busier carried carrying studies studying stopped stopping runner running possibility possibilities
arguments argument dependencies dependency consistently consistency automatically readable writable writings beautifully`)
	d := dbtest.New(t)
	batch := []db.Stmt{db.S(`create virtual table stems using fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')`)}
	for i, word := range all {
		batch = append(batch, db.S(`insert into stems (rowid, word) values (?, ?)`, i+1, word))
	}
	batch = append(batch, db.S(`create virtual table terms using fts5vocab (stems, instance)`))
	if _, err := d.Write(t.Context(), "tester", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	for i, stem := range dbtest.Texts(t, d, `select term from terms order by doc`) {
		if got := spelling.NewRuler(all[i]).OfStem([]rune(stem), 1); got != 0 {
			t.Errorf("%s is not thought of as a form of its stem %s", all[i], stem)
		}
	}
}

// naiveMistakes returns the Damerau distance by its definition.
func naiveMistakes(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	last := naiveMistakes(a[:i], b[:j])
	if a[i] != b[j] {
		last++
	}
	least := last
	if last > 0 {
		least = min(last, naiveMistakes(a[:i], b)+1, naiveMistakes(a, b[:j])+1)
	}
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		least = min(least, naiveMistakes(a[:i-1], b[:j-1])+1)
	}
	return least
}

// naiveNear returns the nearest words among all words of the texts that a caller may read.
func naiveNear(word string, texts []string) []string {
	allowed := 1
	if len(word) >= 8 {
		allowed = 2
	}
	type one struct {
		word          string
		swapped, most int
		times         int
	}
	all := map[string]one{}
	for _, text := range texts {
		seen := strings.Fields(text)
		slices.Sort(seen)
		for _, other := range slices.Compact(seen) {
			n := one{word: other, most: naiveMistakes(word, other), times: all[other].times + 1}
			switch {
			case other[0] == word[0] && strings.ContainsAny(other[1:3], word[1:3]): // one mistake in the second letter at most
			case other[0] == word[1] && other[1] == word[0]:
				n.swapped = 1
			default:
				continue
			}
			if n.most > 0 && n.most <= allowed {
				all[other] = n
			}
		}
	}
	best := []one{}
	for _, n := range all {
		best = append(best, n)
	}
	slices.SortFunc(best, func(a, b one) int {
		return cmp.Or(cmp.Compare(a.most, b.most), cmp.Compare(a.swapped, b.swapped), cmp.Compare(b.times, a.times), cmp.Compare(a.word, b.word))
	})
	var near []string
	for _, n := range best {
		if n.most == best[0].most && n.swapped == best[0].swapped {
			near = append(near, n.word)
		}
	}
	return near
}

// The nearest words are those that a naive search in all texts finds which the caller may read.
func TestNearWords_AgreeWithANaiveReference(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	word := rapid.StringMatching(`[pqr]?[uv][mn]{1,2}[ab]{1,4}[gk]`) // the stemmer unifies none of them
	rapid.Check(t, func(rt *rapid.T) {
		s := memory.Store{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
		mine, all := []string{}, []string{}
		for i := range rapid.IntRange(1, 12).Draw(rt, "memories") {
			text := strings.Join(rapid.SliceOfN(word, 1, 5).Draw(rt, "words"), " ")
			namespace := rapid.SampledFrom([]string{"mine", "yours"}).Draw(rt, "namespace")
			title := fmt.Sprintf("%d", i)
			got, err := s.Remember(context.Background(), memory.StoreArgs{Title: &title, Content: text, Namespace: namespace, Dedup: "off"}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 4).Draw(rt, "forgotten") == 0 {
				if _, err := s.Forget(context.Background(), memory.ForgetArgs{ID: got.Memory.ID}); err != nil {
					rt.Fatal(err)
				}
				continue
			}
			all = append(all, text)
			if namespace == "mine" {
				mine = append(mine, text)
			}
		}
		for range 3 {
			misspelt := word.Draw(rt, "misspelt")
			for namespace, texts := range map[string][]string{"mine": mine, "": all} {
				var got []string
				err := s.DB.Read(context.Background(), func(r *db.Reader) (err error) {
					got, err = nearWords(context.Background(), r, misspelt, Filter{Namespace: namespace, Status: memory.Current})
					return err
				})
				if err != nil {
					rt.Fatal(err)
				}
				if diff := gocmp.Diff(naiveNear(misspelt, texts), got); diff != "" {
					rt.Errorf("near %s in %q (-naive +got):\n%s", misspelt, namespace, diff)
				}
			}
		}
	})
}
