package recall

import (
	"slices"
	"sync"
)

// frequent keeps how many sections have the frequent words of questions, as long as
// the index does not change: counting and estimating these numbers took a quarter of
// the search for seven words among 200,000 memories. The totals of the index tell a
// change. Where a text replaces another of as many words, they stay, and a number is
// wrong by one.
type frequent struct {
	mu     sync.Mutex
	totals []float64 // of the index
	rows   map[string]int
}

// mostKept is how many words are kept.
const mostKept = 10_000

// find returns the kept number of a word in an index with some totals.
func (f *frequent) find(totals []float64, text string) (rows int, ok bool) {
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

// keep keeps the number of a word, and forgets those of an index with other totals.
func (f *frequent) keep(totals []float64, text string, rows int) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.totals, totals) || len(f.rows) >= mostKept {
		f.totals, f.rows = totals, map[string]int{}
	}
	f.rows[text] = rows
}
