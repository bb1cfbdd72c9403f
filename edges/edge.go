package edges

import (
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// End is one end of an edge, or a memory met on a walk.
type End struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Far is the other end of an edge, or a memory of a list.
type Far struct {
	End
	Kind string `json:"kind"`
}

// Name is a memory by its name alone.
type Name struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Edge is one edge as it is stored: it reads from, type, to.
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

func scanEdge(row *sql.Rows) (e Edge, err error) {
	err = row.Scan(
		&e.ID, &e.From.ID, &e.From.Title, &e.From.Status, &e.To.ID, &e.To.Title, &e.To.Status,
		&e.Type, &e.Rel, &e.Weight, &e.Origin, &e.Actor, &e.Note, &e.ValidFrom, &e.ValidTo, &e.CreatedAt,
	)
	return e, err
}

func scanEnd(row *sql.Rows) (e End, err error) {
	err = row.Scan(&e.ID, &e.Title, &e.Status)
	return e, err
}

// Ends reads memories by their keys. A key of no memory is not in the map.
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

// null is the text for a column that is null when there is none.
func null(text string) any {
	if text == "" {
		return nil
	}
	return text
}
