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
// long-term conversational memory of LLM agents, 2024): for each question, the share of the
// turns with its evidence that is among the best k.

// memoryText returns the text of a turn as a memory.
func (t turn) memoryText() string { return t.Speaker + ": " + t.Text }

// memoryText returns the text of a session as a memory.
func (s session) memoryText() string {
	lines := []string{}
	for _, t := range s.turns {
		lines = append(lines, t.memoryText())
	}
	return strings.Join(lines, "\n")
}

// layout says which memories are stored, and in how many stores.
type layout struct {
	items    string
	kind     string // of the memories that are searched
	turns    bool   // store turns besides the sessions
	together bool   // all conversations in one store, a namespace each
}

var layouts = []layout{
	{items: "turns", kind: "turn", turns: true},
	{items: "turns, one store", kind: "turn", turns: true, together: true},
	{items: "sessions", kind: "session", turns: true},
	{items: "sessions, one store", kind: "session", turns: true, together: true},
	{items: "sessions alone", kind: "session"},
}

// stores returns the store and the bare table of each conversation.
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

// store imports a conversation: its sessions and, if turns is true, its turns. Each turn is
// part-of its session, and each item follows the one before.
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
		whole := add("session", one.name, one.date, one.memoryText(), "", one.at)
		tie(whole, "follows", before)
		before = whole
		last := ""
		for i, t := range one.turns {
			if turns {
				id := add("turn", t.ID, one.date, t.memoryText(), t.Speaker, one.at.Add(time.Duration(i)*time.Minute))
				tie(id, "part-of", whole)
				tie(id, "follows", last)
				last = id
			}
		}
	}
	importLines(b, s, lines)
}

// id returns the id of an item in the store.
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

// insert inserts the texts of a conversation into a bare table.
func (c conversation) insert(b *testing.B, plain yardstick, kind string) {
	insert := func(id, title, text string) {
		if _, err := plain.Exec(`insert into plain values (?, ?, ?, ?)`, id, c.name, title, text); err != nil {
			b.Fatal(err)
		}
	}
	for _, s := range c.sessions {
		if kind == "session" {
			insert(c.id(s.name), s.date, s.memoryText())
			continue
		}
		for _, t := range s.turns {
			insert(c.id(t.ID), s.date, t.memoryText())
		}
	}
}

// search searches a bare table for any of the question's words, with or without stopwords.
func (plain yardstick) search(b *testing.B, conversation, text string, stopwords bool) []string {
	words := aWord.FindAllString(text, -1)
	if telling := slices.DeleteFunc(slices.Clone(words), isNLTKStopword); !stopwords && len(telling) > 0 {
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

// tally is the recall of evidence over many questions.
type tally struct {
	sum       map[share]float64
	any       map[share]int  // questions with any of their evidence
	questions map[string]int // number of questions by group
}

// share is the key of a count: a group of questions and the first k results.
type share struct {
	group string
	k     int
}

var cuts = []int{1, 5, 10, 20}

// count adds one question to groups of questions.
func (t *tally) count(answer, wanted []string, groups ...string) {
	if t.sum == nil {
		t.sum, t.any, t.questions = map[share]float64{}, map[share]int{}, map[string]int{}
	}
	for _, group := range groups {
		t.questions[group]++
		for _, k := range cuts {
			hits := 0
			for _, id := range answer[:min(k, len(answer))] {
				if slices.Contains(wanted, id) {
					hits++
				}
			}
			t.sum[share{group, k}] += float64(hits) / float64(len(wanted))
			t.any[share{group, k}] += min(1, hits)
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
							answer := way.search(b, benchQuestion{q, c.name, l.kind, plain[i], stores[i]})
							t.count(answer, c.evidenceOf(l.kind, q), "all", strconv.Itoa(q.category), c.name)
							halves.count(answer, c.evidenceOf(l.kind, q), nameHalf(i))
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

// nameHalf names the half of a conversation: newer constants were chosen on the first half.
func nameHalf(conversation int) string {
	if conversation < 2 {
		return "conversations 1–2, looked at"
	}
	return "conversations 3–4, held out"
}

// evidenceOf returns the ids of the items with the evidence of a question.
func (c conversation) evidenceOf(kind string, q question) []string {
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

// benchQuestion is one question of one conversation.
type benchQuestion struct {
	question
	conversation string
	kind         string
	plain        yardstick
	s            recall.Searcher
}

// ways are the ways to search.
var ways = []struct {
	name   string
	search func(b *testing.B, a benchQuestion) []string
}{
	{"plain FTS5 OR", func(b *testing.B, a benchQuestion) []string { return a.plain.search(b, a.conversation, a.text, true) }},
	{"plain FTS5 OR, no stopwords", func(b *testing.B, a benchQuestion) []string { return a.plain.search(b, a.conversation, a.text, false) }},
	{"keyword", func(b *testing.B, a benchQuestion) []string { return a.search(b, a.text, false) }},
	{"keyword and graph", func(b *testing.B, a benchQuestion) []string { return a.search(b, a.text, true) }},
	{"plain, misspelt", func(b *testing.B, a benchQuestion) []string {
		return a.plain.search(b, a.conversation, a.misspelt, false)
	}},
	{"keyword and graph, misspelt", func(b *testing.B, a benchQuestion) []string { return a.search(b, a.misspelt, true) }},
}

// search returns the ids that Search finds. Questions of LoCoMo have no operators, so the text
// needs no quoting.
func (a benchQuestion) search(b *testing.B, text string, graph bool) []string {
	return searchIDs(b, a.s, recall.SearchArgs{Query: text, Mode: "keyword", Namespace: a.conversation, Kinds: []string{a.kind}, Graph: &graph, Limit: 20, Detail: "index"})
}

// report logs a row for each group of questions.
func (t tally) report(b *testing.B, items, name string) {
	for _, row := range t.rows(b, items, name) {
		b.Log(row)
	}
}

// reportAny does the same and adds how often any of the evidence is among the first ten.
func (t tally) reportAny(b *testing.B, items, name string) {
	for group, row := range t.rows(b, items, name) {
		any := float64(t.any[share{group, 10}]) / float64(t.questions[group])
		b.Logf("%s %.3f |", row, any)
		if strings.HasPrefix(group, "all") {
			b.ReportMetric(any, "any@10")
		}
	}
}

// rows yields each group of questions and its row of the table.
func (t tally) rows(b *testing.B, items, name string) iter.Seq2[string, string] {
	return func(yield func(group, row string) bool) {
		for _, group := range slices.Sorted(maps.Keys(t.questions)) {
			row := fmt.Sprintf("| %s | %s | %s | %d |", items, name, group, t.questions[group])
			for _, k := range cuts {
				recalled := t.sum[share{group, k}] / float64(t.questions[group])
				row += fmt.Sprintf(" %.3f |", recalled)
				if strings.HasPrefix(group, "all") {
					b.ReportMetric(recalled, fmt.Sprintf("recall@%d", k))
				}
			}
			if !yield(group, row) {
				return
			}
		}
	}
}
