package recall_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

var confinedToOurs = ref.Caller{Actor: "claude", Origin: "agent", Namespace: "ours", Confined: true}

// words are those of our memories and of theirs. Theirs have the last ones most often.
var words = strings.Fields("anchor bollard crane dock eddy ferry gale harbor inlet jetty keel lantern mole")

// othersScript is a script that stores memories of somebody else: many, some of them long, with the
// words that are rare in ours.
const othersScript = `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 11000)
insert into memories (title, namespace, origin, content)
select
  'theirs',
  'theirs',
  iif(i %% 2, 'person', 'agent'),
  iif(i %% 3, 'mole lantern', 'harbor inlet jetty') || iif(i %% 50, '', ' crane dock' || replace(printf('%%400d', 0), ' ', ' gale')) || ' %d'
from n`

// storeOurs stores memories with fixed ids, the same in each store: some alone, some as a
// conversation, some with sections. It calls between after each tenth.
func storeOurs(t *testing.T, d *db.DB, between func(n int)) {
	draw := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		some := []string{}
		for range n {
			some = append(some, words[min(draw.IntN(len(words)), draw.IntN(len(words)))])
		}
		return strings.Join(some, " ")
	}
	for i := range 80 {
		origin := []string{"person", "agent"}[i%2]
		batch := []db.Stmt{db.S(`
insert into memories (id, title, content, namespace, kind, origin, sectioned, created_at, updated_at)
values (?1, ?2, ?3, 'ours', ?4, ?5, ?6, ?7, ?7)`,
			fmt.Sprintf("ours-%03d", i), text(2), text(4+draw.IntN(40)), []string{"fact", "message"}[i%3/2], origin, i%7/6, fmt.Sprintf("2026-03-01T00:%02d:00.000Z", i%60))}
		if i%7 == 6 {
			for ordinal := range 3 {
				batch = append(batch, db.S(`insert into sections (memory, ordinal, heading, body) select key, ?2, ?3, ?4 from memories where id = ?1`, fmt.Sprintf("ours-%03d", i), ordinal, text(1), text(9)))
			}
		}
		if i%3 == 2 && i > 3 {
			batch = append(batch, db.S(`insert into edges (from_key, to_key, kind) select a.key, b.key, 'follows' from memories a, memories b where a.id = ?1 and b.id = ?2`, fmt.Sprintf("ours-%03d", i), fmt.Sprintf("ours-%03d", i-3)))
		}
		dbtest.Fill(t, d, batch...)
		if i%10 == 5 {
			between(i)
		}
	}
}

// The results of a confined caller, their order and their scores do not depend on the memories
// of others in the same file: neither on how often these have a word, nor on their length,
// their number and their times.
func TestConfined_OthersMoveNothing(t *testing.T) {
	dbtest.SkipUnderRace(t)
	alone, shared := dbtest.New(t), dbtest.New(t)
	storeOurs(t, alone, func(int) {})
	storeOurs(t, shared, func(n int) {
		if n < 30 {
			dbtest.Script(t, shared.Path(), fmt.Sprintf(othersScript, n))
		}
	})
	dbtest.Fill(t, shared, db.S(`update memories set namespace = 'moved' where namespace = 'theirs' and key % 1000 = 0`))
	questions := append([]string{"crane mole", "harbor dock lantern keel", `"dock crane" mole`, "-keel mole", "lantrn", "what did we say of the mole in March"}, words...)
	for _, question := range questions {
		for _, args := range []recall.SearchArgs{{}, {Limit: 3}, {Limit: 60}, {Graph: new(bool)}, {Kinds: []string{"fact", "file"}}} {
			args.Query = question
			want, got := search(t, recall.Searcher{DB: alone, Caller: confinedToOurs}, args), search(t, recall.Searcher{DB: shared, Caller: confinedToOurs}, args)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%+v (-alone +shared):\n%s", args, diff)
			}
			if args.Limit == 60 && !strings.Contains(question, "lantrn") && len(got.Results) == 0 {
				t.Errorf("%+v finds nothing", args)
			}
		}
		nearest := [2][]string{}
		for i, d := range []*db.DB{alone, shared} {
			similar, err := near.Finder{DB: d, Caller: confinedToOurs}.Near(t.Context(), "ours", question)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range similar {
				nearest[i] = append(nearest[i], one.ID)
			}
		}
		if diff := cmp.Diff(nearest[0], nearest[1]); diff != "" {
			t.Errorf("near %q (-alone +shared):\n%s", question, diff)
		}
	}
	for i := range 80 {
		related := [2]recall.RelatedResult{}
		for j, d := range []*db.DB{alone, shared} {
			var err error
			if related[j], err = (recall.Searcher{DB: d, Caller: confinedToOurs}).FindRelated(t.Context(), recall.RelatedArgs{ID: fmt.Sprintf("ours-%03d", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(related[0], related[1]); diff != "" {
			t.Fatalf("related to %d (-alone +shared):\n%s", i, diff)
		}
	}
	// A caller who may read the others does get another order.
	everyone := ref.Caller{Actor: "tester", Origin: "person"}
	a, b := search(t, recall.Searcher{DB: alone, Caller: everyone}, recall.SearchArgs{Query: "crane mole", Namespace: "ours"}), search(t, recall.Searcher{DB: shared, Caller: everyone}, recall.SearchArgs{Query: "crane mole", Namespace: "ours"})
	if cmp.Equal(titles(a), titles(b)) {
		t.Error("the order is the same for a caller who may see others, so that this test cannot fail")
	}
}

// The same holds for results by meaning.
func TestConfined_OthersMoveNothingInMeaning(t *testing.T) {
	alone, shared, name := dbtest.New(t), dbtest.New(t), newWords(t)
	for _, d := range []*db.DB{alone, shared} {
		storeOurs(t, d, func(n int) {
			if d == shared && n == 15 {
				dbtest.Script(t, d.Path(), strings.ReplaceAll(fmt.Sprintf(othersScript, n), "11000", "900"))
			}
		})
		setEmbedder(t, recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "person"}}, name)
	}
	for _, question := range words {
		for _, mode := range []string{"hybrid", "semantic"} {
			args := recall.SearchArgs{Query: question + " mole", Mode: mode, Limit: 5}
			want, got := search(t, recall.Searcher{DB: alone, Caller: confinedToOurs}, args), search(t, recall.Searcher{DB: shared, Caller: confinedToOurs}, args)
			if diff := cmp.Diff(want, got); diff != "" || len(got.Results) != 5 {
				t.Fatalf("%+v: %d results (-alone +shared):\n%s", args, len(got.Results), diff)
			}
		}
	}
}
