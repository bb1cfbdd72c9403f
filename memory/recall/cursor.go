package recall

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
)

// maxShown is the most results that the cursor of a ranked search records.
const maxShown = 1000

// cursor says where the next page of an answer begins. A ranking depends on all memories, so
// that an offset in it would be wrong as soon as any memory changes. Therefore the cursor of
// a ranked search records the results that were shown, and the next page is the best of the
// others. The answer to filters alone is a list by time, which continues after its last
// memory.
type cursor struct {
	shown []byte // concatenated hashes of the results that were shown
	last  rank.Listed
}

const hashBytes = 4 // of the hash of one result

// shortHash returns the hash by which a cursor records a result.
func shortHash(id string) [hashBytes]byte {
	sum := sha256.Sum256([]byte(id))
	return [hashBytes]byte(sum[:hashBytes])
}

// count returns the number of results that were shown before.
func (p cursor) count() int { return len(p.shown) / hashBytes }

// rest returns the candidates that were not shown yet.
func (p cursor) rest(ranked []*rank.Candidate) []*rank.Candidate {
	seen := map[[hashBytes]byte]bool{}
	for sign := range slices.Chunk(p.shown, hashBytes) {
		if len(sign) == hashBytes {
			seen[[hashBytes]byte(sign)] = true
		}
	}
	if len(seen) == 0 {
		return ranked
	}
	return slices.DeleteFunc(ranked, func(c *rank.Candidate) bool { return seen[shortHash(c.ID)] })
}

// advance returns the cursor of a question after more results.
func (p cursor) advance(a question.Args, results []*rank.Candidate, ranked bool) string {
	if !ranked {
		last := results[len(results)-1]
		return db.Cursor("latest "+listOf(a), last.Listed)
	}
	shown := slices.Clone(p.shown)
	for _, c := range results {
		sign := shortHash(c.ID)
		shown = append(shown, sign[:]...)
	}
	return db.Cursor(listOf(a), shown)
}

// readCursor returns the cursor of a question, the zero value if it has none. It fails with
// invalid_argument for a cursor of another question.
func readCursor(a question.Args) (c cursor, err error) {
	if db.ReadCursor("search", "latest "+listOf(a), a.Cursor, &c.last) == nil {
		return c, nil
	}
	if err = db.ReadCursor("search", listOf(a), a.Cursor, &c.shown); err == nil && (c.count() > maxShown || len(c.shown)%hashBytes > 0) {
		err = fault.New(fault.InvalidArgument, "search: the cursor is not one of this list; start again without it")
	}
	return c, err
}

// listOf returns an identifier of the list that a question pages through, so that a cursor is
// rejected for another question. The arguments for how much is shown may change from page to
// page, and are no part of it.
func listOf(a question.Args) string {
	a.Limit, a.Detail, a.TokenBudget, a.Cursor = 0, "", 0, ""
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // cannot be: the arguments were decoded from JSON or flags
	}
	return "search " + string(text)
}
