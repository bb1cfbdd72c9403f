package edges

import (
	"context"
	"database/sql"
	"regexp"

	"hence/internal/db"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// End is a memory at one end of an edge or on a path.
type End struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Far is the memory at the other end of an edge, or an entry of a list.
type Far struct {
	End
	Kind string `json:"kind"`
}

// Name is a memory with its title only.
type Name struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Edge is a stored edge. It reads: from, type, to.
type Edge struct {
	ID        string  `json:"id"`
	From      End     `json:"from"`
	To        End     `json:"to"`
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

const selectEdge = `
select
  e.id,
  f.id,
  f.title,
  f.status,
  t.id,
  t.title,
  t.status,
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
		&e.ID, &e.From.ID, &e.From.Title, &e.From.Status, &e.To.ID, &e.To.Title, &e.To.Status,
		&e.Type, &e.Rel, &e.Weight, &e.Origin, &e.Actor, &e.Note, &e.ValidFrom, &e.ValidTo, &e.CreatedAt,
	}
})

// Keys returns the key of each item of a list.
func Keys[T any](all []T, key func(T) int64) []int64 {
	keys := make([]int64, len(all))
	for i, one := range all {
		keys[i] = key(one)
	}
	return keys
}

// BothWays returns a query that reads edges out of a memory and edges into it.
// half is one half of a union: where the halves differ it says {out|in}, as in
// "e.{to_key|from_key}".
func BothWays(half string) string {
	return alternatives.ReplaceAllString(half, "$1") + "\nunion all\n" + alternatives.ReplaceAllString(half, "$2")
}

var alternatives = regexp.MustCompile(`\{([^{|}]*)\|([^{|}]*)\}`)

// Ends reads memories by their keys. Keys without a memory are not in the map.
func Ends(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Far, error) {
	ends := make(map[int64]Far, len(keys))
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var f Far
		err := row.Scan(&key, &f.ID, &f.Title, &f.Status, &f.Kind)
		ends[key] = f
		return err
	}, `
select
  m.key,
  m.id,
  m.title,
  m.status,
  m.kind
from json_each(?) f
cross join memories m on m.key = f.value`, db.List(keys))
	return ends, err
}

// null is the value of a column that holds null instead of an empty text.
func null(text string) any {
	if text == "" {
		return nil
	}
	return text
}
