package recall

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
)

// mostShown is how many results the cursor of a ranked search remembers.
const mostShown = 1000

// place is where the next page of an answer begins. A ranking depends on all memories,
// so that a place in it would be lost with any of them: the cursor of a ranked search
// remembers what was shown, and the next page is the best of the rest. The answer to
// filters alone is a list by time, and goes on after its last memory.
type place struct {
	Shown []byte `json:"s,omitempty"` // sign of each result
	Last  int    `json:"f,omitempty"` // the group of the last memory
	At    string `json:"a,omitempty"` // when it was changed
	ID    string `json:"d,omitempty"`
}

const signBytes = 4

// signOf is what a cursor remembers of a result.
func signOf(id string) [signBytes]byte {
	sum := sha256.Sum256([]byte(id))
	return [signBytes]byte(sum[:signBytes])
}

// count is how many results came before.
func (p place) count() int { return len(p.Shown) / signBytes }

// rest returns the candidates that were not shown.
func (p place) rest(ranked []*candidate) []*candidate {
	seen := map[[signBytes]byte]bool{}
	for sign := range slices.Chunk(p.Shown, signBytes) {
		if len(sign) == signBytes {
			seen[[signBytes]byte(sign)] = true
		}
	}
	if len(seen) == 0 {
		return ranked
	}
	return slices.DeleteFunc(ranked, func(c *candidate) bool { return seen[signOf(c.id)] })
}

// advance returns the place behind some more results.
func (p place) advance(results []*candidate, ranked bool) place {
	if !ranked {
		last := results[len(results)-1]
		return place{Last: last.last, At: last.changed, ID: last.id}
	}
	p.Shown = slices.Clone(p.Shown)
	for _, c := range results {
		sign := signOf(c.id)
		p.Shown = append(p.Shown, sign[:]...)
	}
	return p
}

// readPlace reads the cursor of a question.
func readPlace(a SearchArgs) (from place, err error) {
	if err = db.ReadCursor("search", listOf(a), a.Cursor, &from); err == nil && from.count() > mostShown {
		err = fault.New(fault.InvalidArgument, "search: the cursor is not one of this list; start again without it")
	}
	return from, err
}

// listOf names the list that a question pages through: its cursors serve no other
// question. How much of each result is shown may change from page to page.
func listOf(a SearchArgs) string {
	a.Limit, a.Detail, a.TokenBudget, a.Cursor = 0, "", 0, ""
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // decoded from JSON, or flags
	}
	sum := sha256.Sum256(text)
	return "search " + hex.EncodeToString(sum[:8])
}
