package recall_test

import (
	"database/sql"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
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
		c.store(b, stores[i], l.turns)
		c.insert(b, plain[i], l.kind)
	}
	return stores, plain
}

// store imports a conversation: its sessions, and its turns where asked for, each
// turn part-of its session, said by its speaker, and each item following the one
// before.
func (c conversation) store(b *testing.B, s recall.Searcher, turns bool) {
	lines, before := []any{}, ""
	add := func(kind, id, title, content, actor string, at time.Time) string {
		id = c.id(id)
		lines = append(lines, memoryLine{
			Type: "memory", ID: id, Namespace: c.name, Kind: kind, Title: title, Content: content,
			Origin: "person", Actor: actor, CreatedAt: at.Format(time.RFC3339),
		})
		return id
	}
	tie := func(from, kind, to string) {
		if to != "" {
			lines = append(lines, edgeLine{Type: "edge", From: from, To: to, EdgeType: kind})
		}
	}
	for _, one := range c.sessions {
		whole := add("session", one.name, one.date, one.told(), "", one.at)
		tie(whole, "follows", before)
		before = whole
		last := ""
		for i, t := range one.turns {
			if turns {
				id := add("turn", t.ID, one.date, t.told(), t.Speaker, one.at.Add(time.Duration(i)*time.Minute))
				tie(id, "part-of", whole)
				tie(id, "follows", last)
				last = id
			}
		}
	}
	importLines(b, s, lines)
}

// id names an item in the store.
func (c conversation) id(item string) string { return c.name + " " + item }

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
			insert(c.id(s.name), s.date, s.told())
			continue
		}
		for _, t := range s.turns {
			insert(c.id(t.ID), s.date, t.told())
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

// tally is the evidence recall of many questions.
type tally struct {
	sum       map[share]float64
	any       map[share]int  // questions with any of their evidence
	questions map[string]int // by what they are of
}

// share is what is counted: some of the questions, and the first k results.
type share struct {
	of string
	k  int
}

var cuts = []int{1, 5, 10, 20}

// count counts one question among some groups of questions.
func (t *tally) count(answer, wanted []string, groups ...string) {
	if t.sum == nil {
		t.sum, t.any, t.questions = map[share]float64{}, map[share]int{}, map[string]int{}
	}
	for _, of := range groups {
		t.questions[of]++
		for _, k := range cuts {
			hits := 0
			for _, id := range answer[:min(k, len(answer))] {
				if slices.Contains(wanted, id) {
					hits++
				}
			}
			t.sum[share{of, k}] += float64(hits) / float64(len(wanted))
			t.any[share{of, k}] += min(1, hits)
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
			var t, halves tally
			b.Run(l.items+"/"+way.name, func(b *testing.B) {
				for b.Loop() {
					t, halves = tally{}, tally{}
					for i, c := range conversations {
						for _, q := range c.questions {
							answer := way.search(b, asked{q, c.name, l.kind, plain[i], stores[i]})
							t.count(answer, c.wanted(l.kind, q), "all", strconv.Itoa(q.category), c.name)
							halves.count(answer, c.wanted(l.kind, q), half(i))
						}
					}
				}
				t.report(b, l.items, way.name)
			})
			b.Run(l.items+"/"+way.name+"/halves", func(b *testing.B) { // one benchmark logs ten rows at most
				for b.Loop() {
				}
				halves.report(b, l.items, way.name)
			})
		}
	}
}

// half says which conversations newer constants were chosen on.
func half(conversation int) string {
	if conversation < 2 {
		return "conversations 1–2, looked at"
	}
	return "conversations 3–4, held out"
}

// wanted are the items that hold the evidence of a question.
func (c conversation) wanted(kind string, q question) []string {
	names := []string{}
	for _, s := range c.sessions {
		for _, t := range s.turns {
			if !slices.Contains(q.evidence, t.ID) {
				continue
			}
			if kind == "session" {
				names = append(names, c.id(s.name))
				break
			}
			names = append(names, c.id(t.ID))
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
	return found(b, a.s, recall.SearchArgs{Query: text, Namespace: a.conversation, Kinds: []string{a.kind}, Graph: &graph, Limit: 20, Detail: "index"})
}

// report logs a row for each group of questions.
func (t tally) report(b *testing.B, items, name string) {
	for _, row := range t.rows(b, items, name) {
		b.Log(row)
	}
}

// reportAny is report with how often any of the evidence is among the first ten.
func (t tally) reportAny(b *testing.B, items, name string) {
	for of, row := range t.rows(b, items, name) {
		any := float64(t.any[share{of, 10}]) / float64(t.questions[of])
		b.Logf("%s %.3f |", row, any)
		if strings.HasPrefix(of, "all") {
			b.ReportMetric(any, "any@10")
		}
	}
}

// rows writes a row for each group of questions.
func (t tally) rows(b *testing.B, items, name string) iter.Seq2[string, string] {
	return func(yield func(of, row string) bool) {
		for _, of := range slices.Sorted(maps.Keys(t.questions)) {
			row := fmt.Sprintf("| %s | %s | %s | %d |", items, name, of, t.questions[of])
			for _, k := range cuts {
				recalled := t.sum[share{of, k}] / float64(t.questions[of])
				row += fmt.Sprintf(" %.3f |", recalled)
				if strings.HasPrefix(of, "all") {
					b.ReportMetric(recalled, fmt.Sprintf("recall@%d", k))
				}
			}
			if !yield(of, row) {
				return
			}
		}
	}
}
