package use

import (
	"context"
	"errors"
	"strings"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

const (
	rareMemories = 3    // memories that may have a rare word, in a small store
	rareShare    = 0.01 // or this share of them
)

// Rarity knows which texts are rare in a store: those that few of its memories have, conversations and code apart.
type Rarity struct {
	ctx       context.Context
	r         *db.Reader
	namespace string
	most      int
	known     map[string]bool
	err       error
}

// RarityIn returns the rarity of words and phrases in a namespace of a store, as it is read; in all of it for "".
func RarityIn(ctx context.Context, r *db.Reader, namespace string) (*Rarity, error) {
	number, _, err := db.One[int](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where origin <> 'code'
  and kind not in ('turn', 'session')
  and ?1 in ('', namespace)`, namespace)
	return &Rarity{ctx, r, namespace, max(rareMemories, int(rareShare*float64(number))), map[string]bool{}, err}, err
}

// Err returns the first error of IsRare.
func (q *Rarity) Err() error { return q.err }

// IsRare reports whether a word or phrase is rare. It is not after an error.
func (q *Rarity) IsRare(text string) bool {
	isRare, isKnown := q.known[text]
	if isKnown || q.err != nil {
		return isRare
	}
	query := lexicon.InAnySpelling(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r == '/' || r == '.' || r == '-' }) {
		query = lexicon.Quote(text)
	}
	if query == "" {
		return false
	}
	number, _, err := db.One[int](q.ctx, q.r, selectHaving, query, q.most+1, question.EveryText[0], question.EveryText[1], q.namespace)
	q.err = errors.Join(q.err, err)
	q.known[text] = err == nil && number <= q.most
	return q.known[text]
}

const selectHaving = `
select count(*)
from (
  select distinct s.memory
  from section_search x
  cross join sections s on s.key = x.rowid
  cross join memories m on m.key = s.memory
  where section_search match ?1
    and x.rowid between ?3 and ?4
    and m.kind not in ('turn', 'session', 'file')
    and m.status = 'current'
    and ?5 in ('', m.namespace)
  limit ?2
)`
