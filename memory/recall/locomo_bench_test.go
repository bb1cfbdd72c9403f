package recall_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
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

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
}

type session struct {
	name, date string
	turns      []turn
}

type question struct {
	text     string
	misspelt string // one of its telling words is not as it should be
	category int
	evidence []string // ids of turns
}

type conversation struct {
	name      string
	sessions  []session
	questions []question
}

// sharedFile finds a file in the folder shared/ beside the project.
func sharedFile(b *testing.B, name string) []byte {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "shared", name))
		if err == nil {
			return text
		}
		if !errors.Is(err, fs.ErrNotExist) {
			b.Fatal(err)
		}
		if dir == filepath.Dir(dir) {
			b.Skipf("shared/%s is not beside the project", name)
		}
	}
}

var turnID = regexp.MustCompile(`D\d+:\d+`)

func readLocomo(b *testing.B) []conversation {
	var raw []struct {
		Name         string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		Questions    []struct {
			Question string   `json:"question"`
			Category int      `json:"category"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
	}
	file := "locomo/dev.json"
	if other := os.Getenv("LOCOMO"); other != "" { // held-out conversations
		file = other
	}
	if err := json.Unmarshal(sharedFile(b, file), &raw); err != nil {
		b.Fatal(err)
	}
	all := []conversation{}
	for _, one := range raw {
		c := conversation{name: one.Name}
		known := map[string]bool{}
		for n := 1; n < 100; n++ {
			s := session{name: fmt.Sprintf("session_%d", n)}
			if one.Conversation[s.name] == nil {
				continue
			}
			if err := errors.Join(
				json.Unmarshal(one.Conversation[s.name], &s.turns),
				json.Unmarshal(one.Conversation[s.name+"_date_time"], &s.date),
			); err != nil {
				b.Fatal(err)
			}
			for _, t := range s.turns {
				known[t.ID] = true
			}
			c.sessions = append(c.sessions, s)
		}
		for _, q := range one.Questions {
			ids := turnID.FindAllString(strings.Join(q.Evidence, " "), -1)
			ids = slices.DeleteFunc(ids, func(id string) bool { return !known[id] })
			slices.Sort(ids)
			if ids = slices.Compact(ids); len(ids) > 0 {
				c.questions = append(c.questions, question{q.Question, misspell(q.Question), q.Category, ids})
			}
		}
		all = append(all, c)
	}
	return all
}

// told is what one item of a conversation says.
func (t turn) told() string { return t.Speaker + ": " + t.Text }

func (s session) told() string {
	lines := []string{}
	for _, t := range s.turns {
		lines = append(lines, t.told())
	}
	return strings.Join(lines, "\n")
}

// store remembers a conversation: its sessions, and its turns where asked
// for, each turn part-of its session, and each item following the one before.
func (c conversation) store(b *testing.B, turns bool) recall.Searcher {
	s := memory.Store{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "agent"}}
	remember := func(kind, id, title, content string, links ...memory.NewLink) string {
		got, err := s.Remember(b.Context(), memory.StoreArgs{
			Kind: kind, Title: &title, Content: content, Links: links, Dedup: "off", Properties: map[string]any{"of": id},
		})
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
	return recall.Searcher(s)
}

// notAsked are the English stopwords of NLTK, which a yardstick leaves out of
// the question.
var notAsked = strings.Fields(`i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be been
being have has had having do does did doing a an the and but if or because as until while of at by for with about against
between into through during before after above below to from up down in out on off over under again further then once here
there when where why how all any both each few more most other some such no nor not only own same so than too very s t can
will just don should now`)

var aWord = regexp.MustCompile(`[\pL\pN]+`)

func isNotAsked(word string) bool { return slices.Contains(notAsked, strings.ToLower(word)) }

// misspell makes one mistake in one telling word of five letters or more:
// a letter too few, too many, wrong, or two in the wrong order, never the
// first. The same question gets the same mistake.
func misspell(text string) string {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(text))
	random := rand.New(rand.NewPCG(seed.Sum64(), 1))
	words := slices.DeleteFunc(aWord.FindAllStringIndex(text, -1), func(at []int) bool {
		return at[1]-at[0] < 5 || isNotAsked(text[at[0]:at[1]])
	})
	if len(words) == 0 {
		return text
	}
	at := words[random.IntN(len(words))]
	word, i := []byte(text[at[0]:at[1]]), 1+random.IntN(at[1]-at[0]-2)
	switch letter := byte('a' + random.IntN(26)); random.IntN(4) {
	case 0:
		word = slices.Delete(word, i, i+1)
	case 1:
		word = slices.Insert(word, i, letter)
	case 2:
		word[i] = letter
	default:
		word[i], word[i+1] = word[i+1], word[i]
	}
	return text[:at[0]] + string(word) + text[at[1]:]
}

// plain is the yardstick: a bare FTS5 table of the same texts, searched for
// any of the question's words, or for any but stopwords.
func (c conversation) plain(b *testing.B, kind string) yardstick {
	bare, err := sql.Open("sqlite3", filepath.Join(b.TempDir(), "plain.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { bare.Close() })
	if _, err := bare.Exec(`create virtual table plain using fts5 (id unindexed, title, body, tokenize = 'porter unicode61 remove_diacritics 2')`); err != nil {
		b.Fatal(err)
	}
	insert := func(id, title, text string) {
		if _, err := bare.Exec(`insert into plain values (?, ?, ?)`, id, title, text); err != nil {
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
	return func(text string, stopwords bool) []string {
		words := aWord.FindAllString(text, -1)
		if telling := slices.DeleteFunc(slices.Clone(words), isNotAsked); !stopwords && len(telling) > 0 {
			words = telling
		}
		return ids(b, bare, `select id from plain where plain match ? order by bm25(plain), rowid limit 20`, `"`+strings.Join(words, `" OR "`)+`"`)
	}
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

// yardstick searches a bare table.
type yardstick func(text string, stopwords bool) []string

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
	for _, items := range []string{"turns", "sessions", "sessions alone"} {
		kind := "session"
		if items == "turns" {
			kind = "turn"
		}
		stores, plains := []recall.Searcher{}, []yardstick{}
		for _, c := range conversations {
			stores, plains = append(stores, c.store(b, items != "sessions alone")), append(plains, c.plain(b, kind))
		}
		for _, way := range ways {
			if way.embedder != "" {
				embedAll(b, stores, way.embedder)
			}
			b.Run(items+"/"+way.name, func(b *testing.B) {
				var t tally
				for b.Loop() {
					t = tally{}
					for i, c := range conversations {
						for _, q := range c.questions {
							t.count(c.name, q, way.search(b, asked{q, kind, plains[i], stores[i]}), c.wanted(kind, q))
						}
					}
				}
				t.report(b, items, way.name)
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

// asked is one question of one store.
type asked struct {
	question
	kind  string
	plain yardstick
	s     recall.Searcher
}

// ways are the ways to search, in order: an embedder stays in force for what
// follows it.
var ways = []struct {
	name, embedder string
	search         func(b *testing.B, a asked) []string
}{
	{"plain FTS5 OR", "", func(_ *testing.B, a asked) []string { return a.plain(a.text, true) }},
	{"plain FTS5 OR, no stopwords", "", func(_ *testing.B, a asked) []string { return a.plain(a.text, false) }},
	{"keyword", "", func(b *testing.B, a asked) []string { return a.product(b, a.text, false) }},
	{"keyword and graph", "", func(b *testing.B, a asked) []string { return a.product(b, a.text, true) }},
	{"plain, misspelt", "", func(_ *testing.B, a asked) []string { return a.plain(a.misspelt, false) }},
	{"keyword and graph, misspelt", "", func(b *testing.B, a asked) []string { return a.product(b, a.misspelt, true) }},
	{"builtin", "builtin", func(b *testing.B, a asked) []string { return a.product(b, a.text, false) }},
	{"builtin and graph", "builtin", func(b *testing.B, a asked) []string { return a.product(b, a.text, true) }},
	{"builtin and graph, misspelt", "builtin", func(b *testing.B, a asked) []string { return a.product(b, a.misspelt, true) }},
}

// product asks the product. The text goes in as it is: a question of LoCoMo
// holds no operator.
func (a asked) product(b *testing.B, text string, graph bool) []string {
	return searched(b, a.s, recall.SearchArgs{Query: text, Kinds: []string{a.kind}, Graph: &graph, Limit: 20, Detail: "index"})
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

// embedAll puts an embedder into force in every store.
func embedAll(b *testing.B, stores []recall.Searcher, name string) {
	for _, s := range stores {
		if _, err := s.EmbedSet(b.Context(), recall.EmbedArgs{Embedder: name}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.EmbedRun(b.Context(), func(_, _ int) {}); err != nil {
			b.Fatal(err)
		}
	}
}
