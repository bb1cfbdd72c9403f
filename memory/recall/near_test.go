package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

func nearTitles(t testing.TB, s recall.Searcher, text string) []string {
	t.Helper()
	near, err := near.Finder(s).Near(t.Context(), "default", text)
	if err != nil {
		t.Fatal(err)
	}
	nearest := []string{}
	for _, n := range near {
		nearest = append(nearest, n.Title)
	}
	return nearest
}

func TestNear(t *testing.T) {
	s := storeItems(t,
		item("Backend", "the backend listens at localhost:8090"),
		item("Retries", "A login is refused after 5 attempts."),
		item("Batches", "The importer reads twenty-five notes together."),
		item("Ferry", "The night ferry leaves the northern harbour at eleven."),
		item("Other ferry", "The day ferry leaves the southern harbour at 4."),
		item("東京", "東京の倉庫は夜に閉まる"),
		item("Cake", "Cake is served at noon in the hall by the quay."))
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"ANumberInBoth", "PocketBase runs on port 8090", []string{"Backend"}},
		{"FiguresSeeWords", "We lock the account after five attempts", []string{"Retries"}},
		{"WordsSeeFigures", "Importer: 25", []string{"Batches"}},
		{"WordsOfTwo", "Importer: twenty five", []string{"Batches"}},
		{"TheNearestFirst", "The night ferry leaves the northern harbour at twelve.", []string{"Ferry", "Other ferry"}},
		{"WithoutSpaces", "倉庫は夜に開く", []string{"東京"}},
		{"NothingShared", "Zebras graze", []string{}},
		{"OneWordShared", "The night is long.", []string{}},
		{"OrdinaryWordsShared", "We read two notes together after eleven.", []string{}},
		{"ATitleInTheText", "No cake today", []string{"Cake"}},
		{"OnlyStopwords", "it is what it is", []string{}},
		{"NoWords", "!?", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, nearTitles(t, s, c.text)); diff != "" {
				t.Errorf("near %q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

// Memories of another namespace, and superseded, ended or long ones, hide no near memory.
func TestNear_NothingHidesANeighbour(t *testing.T) {
	const text = "The night ferry leaves the northern harbour at eleven"
	for name, hidden := range map[string]string{
		"OfAnotherNamespace": `select 'Like', 'other', 'current', null, '` + text + ` on day ' || i from n;`,
		"Superseded":         `select 'Like', 'default', 'superseded', null, '` + text + ` on day ' || i from n;`,
		"Ended":              `select 'Like', 'default', 'current', '2020-01-01T00:00:00.000Z', '` + text + ` on day ' || i from n;`,
		"Long":               `select 'Like', 'default', 'current', null, '` + text + ` ' || replace(printf('%500d', i), ' ', 'and other words ') from n;`,
	} {
		t.Run(name, func(t *testing.T) {
			s := storeItems(t, item("Ferry", text+", it says on page 1."))
			dbtest.Script(t, s.DB.Path(), `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 60)
insert into memories (title, namespace, status, valid_to, content) `+hidden)
			if got := nearTitles(t, s, text+" on page 2"); len(got) == 0 || got[0] != "Ferry" || name != "Long" && len(got) != 1 {
				t.Errorf("near is %v", got)
			}
		})
	}
}

// The order among the memories of a namespace does not depend on those of others.
func TestNear_OthersDoNotChangeTheOrder(t *testing.T) {
	s := storeItems(t,
		item("a", "The crane of the harbour"), item("b", "The harbour and the mole"), item("c", "A crane"),
		item("d", "mole"), item("e", "The crane, the harbour, the mole and the tide of the year"))
	before := nearTitles(t, s, "harbour crane mole tide")
	dbtest.Script(t, s.DB.Path(), `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 400)
insert into memories (title, namespace, content) select 'x', 'other', iif(i % 3 = 0, 'crane', iif(i % 3 = 1, 'mole tide', 'harbour crane')) from n`)
	if diff := cmp.Diff(before, nearTitles(t, s, "harbour crane mole tide")); diff != "" {
		t.Errorf("others change it (-without +with):\n%s", diff)
	}
}

func TestNear_Snippets(t *testing.T) {
	long := "Zeppelin\n\n" + strings.Repeat("flies over the  town ", 40)
	s := storeItems(t, item("Ship", long))
	near, err := near.Finder(s).Near(t.Context(), "default", "The zeppelin flies over a town")
	if err != nil || len(near) != 1 || len(near[0].Snippet) > 120 || !strings.HasPrefix(near[0].Snippet, "Zeppelin flies over the town flies") {
		t.Errorf("%+v, %v", near, err)
	}
}

func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := storeItems(b)
			dbtest.Script(b, s.DB.Path(), fmt.Sprintf(`
with recursive n (i) as (select 1 union all select i + 1 from n where i < %d)
insert into memories (title, content) select 'Fact ' || i, 'The service s' || (i %% 500) || ' of the team t' || (i %% 40) || ' listens on port ' || (8000 + i %% 1000) || ' and waits for ' || (i %% 60) || ' seconds.' from n`, n))
			for b.Loop() {
				if _, err := near.Finder(s).Near(b.Context(), "default", "Service s17 now listens on port 8123, and the team t3 waits for twenty seconds."); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var _ memory.Neighbours = near.Finder{}.Near

// The last memory that states the same attribute of the same subject comes first, before
// memories that share more words.
func TestNear_WhatStatesTheSameComesFirst(t *testing.T) {
	said := []memory.StoreArgs{
		item("Ada Quill lives in Porto.", "Ada Quill lives in Porto."),
		item("Home", "Ada Quill's home is in Lisbon."),
		item("Ada Quill's home is in Riga.", "Ada Quill's home is in Riga."),
	}
	for i := range 9 {
		said = append(said, item(fmt.Sprintf("Other %d", i), fmt.Sprintf("The town where Bea Quill %d lives is Ghent, and the town where Ada Marsh %d lives is Ghent.", i, i)))
	}
	s := storeItems(t, said...)
	if got := nearTitles(t, s, "The town where Ada Quill lives is Ghent."); got[0] != "Ada Quill's home is in Riga." {
		t.Errorf("near is %q", got)
	}
}

// A text with two names is near memories with the one and memories with the other.
func TestNear_EachNameHasANeighbour(t *testing.T) {
	said := []memory.StoreArgs{}
	for i := range 6 {
		said = append(said, item(fmt.Sprintf("Ada %d", i), fmt.Sprintf("Ada Quill painted the shed number %d.", i)))
	}
	s := storeItems(t, append(said, item("Ferry", "The Northern Ferry is late."))...)
	if got := nearTitles(t, s, "Ada Quill painted the Northern Ferry."); len(got) < 2 || got[0] != "Ferry" && got[1] != "Ferry" {
		t.Errorf("near is %q", got)
	}
}

// A key is masked before the text is cut, so that no part of it is shown.
func TestNear_KeysAreMasked(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	s := storeItems(t)
	dbtest.Script(t, s.DB.Path(), `insert into memories (title, content) values ('Quay', 'The quay `+strings.Repeat("of the harbour ", 12)+key+`')`)
	near, err := near.Finder(s).Near(t.Context(), "default", "A quay")
	if err != nil || len(near) != 1 || strings.Contains(near[0].Snippet, "ghp_") {
		t.Errorf("%+v, %v", near, err)
	}
}

// One pair of words makes a fact near, but not a note of a vault, which needs another rare word.
func TestNear_OneNameIsNotEnoughForANote(t *testing.T) {
	for text, want := range map[string]int{"The mobile app supports Android.": 0, "The mobile app has a dark mode.": 1} {
		for _, origin := range []string{"agent", "vault"} {
			s := storeItems(t)
			dbtest.Fill(t, s.DB, db.S(`insert into memories (title, content, origin) values ('Roadmap', 'A mobile app with dark colours comes later.', ?)`, origin))
			for i := range 6 {
				dbtest.Fill(t, s.DB, db.S(`insert into memories (title, content) values (?, ?)`, fmt.Sprint("Call ", i), []string{"A mobile phone rang.", "An app crashed."}[i%2]),
					db.S(`insert into memories (title, content) values (?, ?)`, fmt.Sprint("Crash ", i), []string{"A mobile phone rang.", "An app crashed."}[i%2]))
			}
			near, err := near.Finder(s).Near(t.Context(), "default", text)
			near = slices.DeleteFunc(near, func(n memory.Near) bool { return n.Title != "Roadmap" })
			if err != nil || origin == "vault" && len(near) != want || origin == "agent" && len(near) != 1 {
				t.Errorf("%s beside %s: %+v, %v, want %d of a note", text, origin, near, err, want)
			}
		}
	}
}
