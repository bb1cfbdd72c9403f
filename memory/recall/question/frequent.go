package question

import (
	"slices"
	"sync"
)

// Frequent caches how many sections have each of the frequent words of questions, because
// counting and estimating these numbers took a quarter of the search for seven words among
// 200,000 memories. The cache is valid as long as the totals of the index stay the same.
// They also do if a text replaces another with as many words. Then a number is wrong by one.
type Frequent struct {
	mu     sync.Mutex
	totals []float64      // of the index for which rows is valid
	rows   map[string]int // by FTS5 query
}

// maxKept is the most words in the cache.
const maxKept = 10_000

// find returns the cached number of sections with a word, if the index has the given totals.
func (f *Frequent) find(totals []float64, text string) (rows int, ok bool) {
	if f == nil {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Equal(f.totals, totals) {
		rows, ok = f.rows[text]
	}
	return rows, ok
}

// keep caches the number of sections with a word. It clears the cache if it is full or of an
// index with other totals.
func (f *Frequent) keep(totals []float64, text string, rows int) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.totals, totals) || len(f.rows) >= maxKept {
		f.totals, f.rows = totals, map[string]int{}
	}
	f.rows[text] = rows
}
