package recall_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// The benchmarks of retrieval on LoCoMo (Maharana et al., Evaluating very
// long-term conversational memory of LLM agents, 2024): for each question,
// which part of the turns that hold its evidence is among the best k.

// told is what one item of a conversation says.
func (t turn) told() string { return t.Speaker + ": " + t.Text }

func (s session) told() string {
	lines := []string{}
	for _, t := range s.turns {
		lines = append(lines, t.told())
	}
	return strings.Join(lines, "\n")
}

// layout is what is stored, and where.
type layout struct {
	items    string
	kind     string // of what is searched for
	turns    bool   // beside the sessions
	together bool   // all conversations in one store, a namespace each
}

var layouts = []layout{
	{items: "turns", kind: "turn", turns: true},
	{items: "turns, one store", kind: "turn", turns: true, together: true},
	{items: "sessions", kind: "session", turns: true},
	{items: "sessions, one store", kind: "session", turns: true, together: true},
	{items: "sessions alone", kind: "session"},
}

// stores returns the store of each conversation, and the bare table.
func (l layout) stores(b *testing.B, all []conversation) (stores []recall.Searcher, plain []yardstick) {
	for i, c := range all {
		if i == 0 || !l.together {
			stores, plain = append(stores, recall.Searcher{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "agent"}}), append(plain, newYardstick(b))
		} else {
			stores, plain = append(stores, stores[0]), append(plain, plain[0])
		}
		c.store(b, memory.Store(stores[i]), l.turns)
		c.insert(b, plain[i], l.kind)
	}
	return stores, plain
}

// store remembers a conversation: its sessions, and its turns where asked
// for, each turn part-of its session, and each item following the one before.
func (c conversation) store(b *testing.B, s memory.Store, turns bool) {
	remember := func(kind, id, title, content string, links ...memory.NewLink) string {
		got, err := s.Remember(b.Context(), memory.StoreArgs{
			Namespace: c.name, Kind: kind, Title: &title, Content: content, Links: links, Dedup: "off", Properties: map[string]any{"of": id},
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		return got.Memory.ID
	}
	before := []memory.NewLink{}
	for _, one := range c.sessions {
		whole := remember("session", one.name, one.date, one.told(), before...)
		before = []memory.NewLink{{To: whole, Type: "follows"}}
		links := []memory.NewLink{{To: whole, Type: "part-of"}}
		for _, t := range one.turns {
			if turns {
				id := remember("turn", t.ID, one.date, t.told(), links...)
				links = []memory.NewLink{{To: whole, Type: "part-of"}, {To: id, Type: "follows"}}
			}
		}
	}
}

// yardstick is a bare FTS5 table.
type yardstick struct{ *sql.DB }

func newYardstick(b *testing.B) yardstick {
	bare, err := sql.Open("sqlite3", filepath.Join(b.TempDir(), "plain.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { bare.Close() })
	if _, err := bare.Exec(`
create virtual table plain using fts5 (
  id unindexed,
  conversation unindexed,
  title,
  body,
  tokenize = 'porter unicode61 remove_diacritics 2'
)`); err != nil {
		b.Fatal(err)
	}
	return yardstick{bare}
}

// insert puts the texts of a conversation into a bare table.
func (c conversation) insert(b *testing.B, plain yardstick, kind string) {
	insert := func(id, title, text string) {
		if _, err := plain.Exec(`insert into plain values (?, ?, ?, ?)`, id, c.name, title, text); err != nil {
			b.Fatal(err)
		}
	}
	for _, s := range c.sessions {
		if kind == "session" {
			insert(s.name, s.date, s.told())
			continue
		}
		for _, t := range s.turns {
			insert(t.ID, s.date, t.told())
		}
	}
}

// search asks a bare table for any of the question's words, or for any but
// stopwords.
func (plain yardstick) search(b *testing.B, conversation, text string, stopwords bool) []string {
	words := aWord.FindAllString(text, -1)
	if telling := slices.DeleteFunc(slices.Clone(words), isNotAsked); !stopwords && len(telling) > 0 {
		words = telling
	}
	return ids(b, plain.DB, `
select id
from plain
where plain match ?
  and conversation = ?
order by bm25(plain), rowid
limit 20`, `"`+strings.Join(words, `" OR "`)+`"`, conversation)
}

func ids(b *testing.B, bare *sql.DB, query string, args ...any) []string {
	rows, err := bare.Query(query, args...)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	all := []string{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			b.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}

// searched asks the product.
func searched(b *testing.B, s recall.Searcher, a recall.SearchArgs) []string {
	got, err := s.Search(b.Context(), a)
	if err != nil {
		b.Fatal(err)
	}
	ids := []string{}
	for _, one := range got.Results {
		ids = append(ids, dbtest.Texts(b, s.DB, `select properties ->> '$.of' from memories where id = ?`, one.ID)...)
	}
	return ids
}

// tally is the evidence recall of many questions.
type tally struct {
	sum       map[share]float64
	questions map[string]int // by what they are of
}

// share is what is counted: the questions of one category, of one
// conversation, or all, and the first k results.
type share struct {
	of string
	k  int
}

var cuts = []int{1, 5, 10, 20}

func (t *tally) count(conversation string, q question, found []string, wanted []string) {
	if t.sum == nil {
		t.sum, t.questions = map[share]float64{}, map[string]int{}
	}
	for _, of := range []string{"all", strconv.Itoa(q.category), conversation} {
		t.questions[of]++
		for _, k := range cuts {
			hits := 0
			for _, id := range found[:min(k, len(found))] {
				if slices.Contains(wanted, id) {
					hits++
				}
			}
			t.sum[share{of, k}] += float64(hits) / float64(len(wanted))
		}
	}
}

// BenchmarkLocomo prints a row of a table for each way to search:
//
//	go test ./memory/recall -run '^$' -bench Locomo -benchtime 1x
func BenchmarkLocomo(b *testing.B) {
	conversations := readLocomo(b)
	b.Logf("| items | search | of | questions | @1 | @5 | @10 | @20 |")
	for _, l := range layouts {
		stores, plain := l.stores(b, conversations)
		for _, way := range ways {
			b.Run(l.items+"/"+way.name, func(b *testing.B) {
				var t tally
				for b.Loop() {
					t = tally{}
					for i, c := range conversations {
						for _, q := range c.questions {
							t.count(c.name, q, way.search(b, asked{q, c.name, l.kind, plain[i], stores[i]}), c.wanted(l.kind, q))
						}
					}
				}
				t.report(b, l.items, way.name)
			})
		}
	}
}

// wanted are the items that hold the evidence of a question.
func (c conversation) wanted(kind string, q question) []string {
	if kind == "turn" {
		return q.evidence
	}
	names := []string{}
	for _, s := range c.sessions {
		if slices.ContainsFunc(s.turns, func(t turn) bool { return slices.Contains(q.evidence, t.ID) }) {
			names = append(names, s.name)
		}
	}
	return names
}

// asked is one question of one conversation.
type asked struct {
	question
	conversation string
	kind         string
	plain        yardstick
	s            recall.Searcher
}

// ways are the ways to search.
var ways = []struct {
	name   string
	search func(b *testing.B, a asked) []string
}{
	{"plain FTS5 OR", func(b *testing.B, a asked) []string { return a.plain.search(b, a.conversation, a.text, true) }},
	{"plain FTS5 OR, no stopwords", func(b *testing.B, a asked) []string { return a.plain.search(b, a.conversation, a.text, false) }},
	{"keyword", func(b *testing.B, a asked) []string { return a.product(b, a.text, false) }},
	{"keyword and graph", func(b *testing.B, a asked) []string { return a.product(b, a.text, true) }},
	{"plain, misspelt", func(b *testing.B, a asked) []string { return a.plain.search(b, a.conversation, a.misspelt, false) }},
	{"keyword and graph, misspelt", func(b *testing.B, a asked) []string { return a.product(b, a.misspelt, true) }},
}

// product asks the product. The text goes in as it is: a question of LoCoMo
// holds no operator.
func (a asked) product(b *testing.B, text string, graph bool) []string {
	return searched(b, a.s, recall.SearchArgs{Query: text, Namespace: a.conversation, Kinds: []string{a.kind}, Graph: &graph, Limit: 20, Detail: "index"})
}

func (t tally) report(b *testing.B, items, name string) {
	of := slices.Sorted(maps.Keys(t.questions))
	for _, one := range of {
		row := fmt.Sprintf("| %s | %s | %s | %d |", items, name, one, t.questions[one])
		for _, k := range cuts {
			recalled := t.sum[share{one, k}] / float64(t.questions[one])
			row += fmt.Sprintf(" %.3f |", recalled)
			if one == "all" {
				b.ReportMetric(recalled, fmt.Sprintf("recall@%d", k))
			}
		}
		b.Log(row)
	}
}
