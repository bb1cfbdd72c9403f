package edges

import (
	"regexp"
	"strings"

	"hence/internal/db"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// Edge is a stored edge. It reads: from, type, to.
type Edge struct {
	ID        string  `json:"id"`
	From      ref.End `json:"from"`
	To        ref.End `json:"to"`
	Type      Kind    `json:"type"`
	Rel       string  `json:"rel"`
	Weight    float64 `json:"weight"`
	Origin    string  `json:"origin"`
	Actor     string  `json:"actor"`
	Note      string  `json:"note,omitempty"`
	ValidFrom string  `json:"valid_from,omitempty"`
	ValidTo   string  `json:"valid_to,omitempty"`
	CreatedAt string  `json:"created_at"`
}

var selectEdge = `
select
  e.id,
  ` + EndOf("f") + `,
  ` + EndOf("t") + `,
  e.kind,
  e.rel,
  e.weight,
  e.origin,
  e.actor,
  e.note,
  coalesce(e.valid_from, ''),
  coalesce(e.valid_to, ''),
  e.created_at
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
`

var scanEdge = db.Fields(func(e *Edge) []any {
	return []any{
		&e.ID, &e.From, &e.From.Ended, &e.From.Trust, &e.To, &e.To.Ended, &e.To.Trust,
		&e.Type, &e.Rel, &e.Weight, &e.Origin, &e.Actor, &e.Note, &e.ValidFrom, &e.ValidTo, &e.CreatedAt,
	}
})

// EndOf returns the SQL columns that a ref.End is scanned from: id, title, status, end of
// validity and trust. memory is the alias of the table.
func EndOf(memory string) string {
	return strings.ReplaceAll(`{m}.id,
  {m}.title,
  {m}.status,
  `, "{m}", memory) + ref.EndedByNow(memory) + `,
  ` + ref.TrustOf(memory)
}

// CompareFlags compares two flags, true before false.
func CompareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Keys returns the key of each item of a list.
func Keys[T, K any](items []T, key func(T) K) []K {
	keys := make([]K, len(items))
	for i, item := range items {
		keys[i] = key(item)
	}
	return keys
}

// BothWays returns a query for the edges out of a memory and the edges into it: half twice,
// joined by union all. Where the halves differ, half has {out|in}, as in
// "e.{to_key|from_key}".
func BothWays(half string) string {
	return alternatives.ReplaceAllString(half, "$1") + "\nunion all\n" + alternatives.ReplaceAllString(half, "$2")
}

var alternatives = regexp.MustCompile(`\{([^{|}]*)\|([^{|}]*)\}`)

// nullIfEmpty returns text, or nil for "", for a column that holds null instead of "".
func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// SaysNothing is the SQL condition that the memory m is a file without text, such as a
// picture or an empty canvas. It is false for a note without text, because somebody chose
// its title.
const SaysNothing = `m.kind in ('file', 'canvas') and m.content = ''`
