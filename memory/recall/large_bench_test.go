//go:build unix

package recall_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/embed/embedtest"
	"hence/memory/recall"
	"hence/memory/recall/vectors"
)

// The benchmark of speed: a store of 100,000 memories with a vector each, whose words are
// distributed as in a language (Zipf), and questions that mix common words with rarer ones.
// Every figure is printed next to a yardstick from the same run.

const (
	largeSize     = 100_000
	largeAsked    = 200
	largeVectors  = 384
	largeClusters = 2000
	vocabulary    = 50_000
)

// large is the store, its questions, and the vector of each question.
type large struct {
	path      string
	db        *db.DB
	s         recall.Searcher
	questions []string
	vectors   [][]float32
}

func wordNumber(n int) string {
	// Words alternate consonants and vowels, so that the stemmer unifies none of them.
	const consonants, vowels = "bdfgklmnprtvz", "aiou"
	word := ""
	for n += 60; n > 0; n /= len(consonants) * len(vowels) {
		rest := n % (len(consonants) * len(vowels))
		word += string(consonants[rest/len(vowels)]) + string(vowels[rest%len(vowels)])
	}
	return word + "k"
}

// storeSize returns the number of memories in the store: BENCH_SIZE or largeSize. A store of a
// hundred or more has two hundred questions.
func storeSize(b *testing.B) int {
	value := os.Getenv("BENCH_SIZE")
	if value == "" {
		return largeSize
	}
	size, err := strconv.Atoi(value)
	if err != nil || size < 1 {
		b.Fatalf("BENCH_SIZE is %q; it must be a number of memories, at least 1", value)
	}
	return size
}

func newLarge(b *testing.B) large {
	size := storeSize(b)
	distance := max(1, 997*size/largeSize) // distance in memories from one with a question to the next
	l := large{path: filepath.Join(b.TempDir(), "large.db")}
	d, err := db.Open(b.Context(), l.path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close() })
	l.db, l.s = d, recall.Searcher{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "agent"}}
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.07, 8, vocabulary)
	centres := make([][]float32, largeClusters)
	for i := range centres {
		centres[i] = randomVector(random, nil)
	}
	batch := []db.Stmt{db.S(`delete from embedders`), db.S(`insert into embedders (key, name, state, dimensions) values (1, ?, 'in force', ?)`, embedtest.Server(b, func() bool { return true }, func(text string) []float32 { return l.vectors[slices.Index(l.questions, text)] }), largeVectors)}
	for key := 1; key <= size; key++ {
		words := make([]string, 20+random.IntN(60))
		for i := range words {
			words[i] = wordNumber(int(zipf.Uint64()))
		}
		v := randomVector(random, centres[random.IntN(largeClusters)])
		batch = append(batch,
			db.S(`insert into memories (key, title, content, content_hash) values (?1, ?2, ?3, ?1)`, key, fmt.Sprintf("memory %d", key), strings.Join(words, " ")),
			db.S(`insert into vectors (section, vector) select key, ?2 from sections where memory = ?1`, key, vectors.Blob(v)))
		batch = append(batch, edgesOf(random, key)...)
		if key%distance == 0 && len(l.questions) < largeAsked {
			l.ask(random, zipf, words, v)
		}
		if key == size {
			batch = append(batch, db.S(`delete from vectors_waiting`))
		}
		if len(batch) > 6000 || key == size {
			if _, err := d.Write(b.Context(), "bench", db.Now(), batch...); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	return l
}

const partsOfOne = 50 // memories of one whole

// randomKinds lists the kinds of the random edges.
var randomKinds = []edges.Kind{edges.Causes, edges.Supports, edges.DerivedFrom, edges.RelatesTo, edges.LinksTo, edges.RefersTo}

// edgesOf returns the edges of a memory to its whole, to the one before it and to a random one
// before it: about three.
func edgesOf(random *rand.Rand, key int) []db.Stmt {
	tie := func(to int, kind edges.Kind) db.Stmt {
		return db.S(`insert or ignore into edges (from_key, to_key, kind) values (?, ?, ?)`, key, to, kind)
	}
	ties := []db.Stmt{}
	whole := key - key%partsOfOne
	if whole > 0 && whole < key {
		ties = append(ties, tie(whole, edges.PartOf))
	}
	if key-1 > whole {
		ties = append(ties, tie(key-1, edges.Follows))
	}
	if key > 1 {
		ties = append(ties, tie(1+random.IntN(key-1), randomKinds[random.IntN(len(randomKinds))]))
	}
	return ties
}

// ask adds questions about a memory, of some of its words and some random words of the language.
func (l *large) ask(random *rand.Rand, zipf *rand.Zipf, memoryWords []string, v []float32) {
	for range 2 {
		words := []string{}
		for range 3 + random.IntN(4) {
			words = append(words, memoryWords[random.IntN(len(memoryWords))])
		}
		for range 2 {
			words = append(words, wordNumber(int(zipf.Uint64())))
		}
		slices.Sort(words) // each word once, because a plain query would count it twice
		words = slices.Compact(words)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		l.questions = append(l.questions, strings.Join(words, " "))
		l.vectors = append(l.vectors, randomVector(random, v))
	}
}

// randomVector returns a random unit vector, near a centre if it is not nil.
func randomVector(random *rand.Rand, centre []float32) []float32 {
	v, sum := make([]float32, largeVectors), 0.0
	for i := range v {
		v[i] = float32(random.NormFloat64() / math.Sqrt(largeVectors))
		if centre != nil {
			v[i] = centre[i] + 0.8*v[i]
		}
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// BenchmarkLarge prints a row of a table for each figure:
//
//	go test ./memory/recall -run '^$' -bench Large -benchtime 1x -timeout 30m
func BenchmarkLarge(b *testing.B) {
	l := newLarge(b)
	bare, err := sql.Open("hence", "file:"+l.path+"?mode=ro&_query_only=on&_cache_size=-16000")
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	bare.SetMaxOpenConns(1)
	no := false
	plain := func(i int) []string {
		return ids(b, bare, `
select m.id
from section_search
join sections s on s.key = section_search.rowid
join memories m on m.key = s.memory
where section_search match ?
order by bm25(section_search), s.key
limit 10`, `"`+strings.Join(strings.Fields(l.questions[i]), `" OR "`)+`"`)
	}
	weighted := func(i int) []string {
		return ids(b, bare, `
select m.id
from section_search
join sections s on s.key = section_search.rowid
join memories m on m.key = s.memory
where section_search match ?
order by bm25(section_search, 8.0, 4.0, 6.0, 3.0, 1.0), s.key
limit 10`, `"`+strings.Join(strings.Fields(l.questions[i]), `" OR "`)+`"`)
	}
	exact := func(i int) []string {
		return ids(b, bare, `
select m.id
from vectors v
join sections s on s.key = v.section
join memories m on m.key = s.memory
order by vec_distance_cosine(vec_int8(v.vector), vec_int8(?)), m.key
limit 10`, vectors.Blob(l.vectors[i]))
	}
	product := func(mode string, graph *bool) func(i int) []string {
		return func(i int) []string {
			return l.searchIDs(b, recall.SearchArgs{Query: l.questions[i], Mode: mode, Graph: graph})
		}
	}
	misspelt := func(i int) []string {
		return l.searchIDs(b, recall.SearchArgs{Query: misspell(l.questions[i]), Mode: "keyword"})
	}
	l.measure(b, []timedWay{
		{name: "plain FTS5 OR", truth: -1, search: plain},
		{name: "plain FTS5 OR, our weights", search: weighted, truth: 0},
		{name: "keyword, no graph step", search: product("keyword", &no), truth: 0},
		{name: "keyword", search: product("keyword", nil), truth: 0},
		{name: "keyword, misspelt", search: misspelt, truth: 0},
		{name: "exact vector scan", truth: -1, search: exact},
		{name: "semantic", search: product("semantic", &no), truth: 5},
		{name: "hybrid", truth: -1, search: product("hybrid", nil)},
	})
	if info, err := os.Stat(l.path); err == nil {
		b.Logf("file: %d MB", info.Size()>>20)
	}
	b.Logf("memory of its own at the end, some of it the benchmark's: %.0f MB", dbtest.OwnMegabytes())
}

// searchIDs returns the ids that Search finds. A word that no memory has is corrected, with a
// warning.
func (l large) searchIDs(b *testing.B, a recall.SearchArgs) []string {
	got, err := l.s.Search(context.Background(), a)
	if err != nil || slices.ContainsFunc(got.Warnings, func(warning string) bool { return !strings.HasPrefix(warning, "no memory has the word") }) {
		b.Fatal(err, got.Warnings)
	}
	answer := []string{}
	for _, one := range got.Results {
		answer = append(answer, one.ID)
	}
	return answer
}

// timedWay is one way to search.
type timedWay struct {
	name   string
	truth  int // index of the way whose first ten results it should find; -1: none
	search func(i int) []string
	times  []time.Duration
	cpu    []time.Duration
	found  [][]string
}

const warming = 10 // questions that are asked before any is timed

// measure times each question in every way before the next question, so that other load on the
// machine affects all ways.
func (l large) measure(b *testing.B, ways []timedWay) {
	for i := range min(warming, len(l.questions)) {
		for _, w := range ways {
			w.search(i)
		}
	}
	for i := range l.questions {
		for n := range ways {
			w := &ways[n]
			start, used := time.Now(), cpuTime(b)
			answer := w.search(i)
			w.times, w.cpu, w.found = append(w.times, time.Since(start)), append(w.cpu, cpuTime(b)-used), append(w.found, answer)
		}
	}
	b.Logf("| search | p50 ms | p99 ms | p50 ms of CPU | p99 ms of CPU | top ten shared |")
	for _, w := range ways {
		slices.Sort(w.times)
		slices.Sort(w.cpu)
		ms := func(times []time.Duration, part float64) float64 {
			return float64(times[int(part*float64(len(times)-1))].Microseconds()) / 1000
		}
		row := fmt.Sprintf("| %s | %.1f | %.1f | %.1f | %.1f |", w.name, ms(w.times, 0.5), ms(w.times, 0.99), ms(w.cpu, 0.5), ms(w.cpu, 0.99))
		if w.truth >= 0 {
			row += fmt.Sprintf(" %.3f |", sharedShare(ways[w.truth].found, w.found))
		}
		b.Log(row)
	}
}

// cpuTime returns the processor time of this process. Unlike wall-clock time it does not depend
// on other load on the machine.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sharedShare returns the share of the wanted results that are among the answers.
func sharedShare(wanted, answers [][]string) float64 {
	hits, of := 0, 0
	for i := range wanted {
		of += len(wanted[i])
		for _, id := range wanted[i] {
			if slices.Contains(answers[i], id) {
				hits++
			}
		}
	}
	return float64(hits) / float64(of)
}
