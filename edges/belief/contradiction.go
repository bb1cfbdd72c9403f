package belief

import (
	"cmp"
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// Conflict is a contradiction between two current memories, neither of which is over.
type Conflict struct {
	A    ref.End `json:"a"`
	B    ref.End `json:"b"`
	Note string  `json:"note,omitempty"`

	cursor conflictCursor
}

// conflictCursor identifies the last contradiction of a page: the time of creation and id of
// its edge.
type conflictCursor struct {
	At string `json:"a"`
	ID string `json:"d"`
}

// open is the from clause for the contradictions in the namespace ?1 ("" for all) by edges that
// are valid at the time ?2 and belong, with both their memories, to the answer for the times ?3.
// See edges.Stands.
var open = `
from edges e indexed by edges_of_contradiction
cross join memories f on f.key = e.from_key
cross join memories t on t.key = e.to_key
where e.kind = 'contradicts'
  and ?1 in ('', f.namespace)
  and coalesce(e.valid_from, '') <= ?2
  and coalesce(e.valid_to, '~') > ?2
  and ` + edges.Holds("e", "?3") + `
  and ` + edges.Stands("f", "?3", "false", "false") + `
  and ` + edges.Stands("t", "?3", "false", "false")

var selectConflict = `
select
  ` + edges.EndOf("f") + `,
  ` + edges.EndOf("t") + `,
  e.note,
  e.id,
  e.created_at`

var scanConflict = db.Fields(func(c *Conflict) []any {
	return []any{&c.A, &c.A.Ended, &c.A.Begins, &c.A.Trust, &c.B, &c.B.Ended, &c.B.Begins, &c.B.Trust, &c.Note, &c.cursor.ID, &c.cursor.At}
})

// maxConflicts limits how many contradictions are counted, because each count reads two
// memories.
const maxConflicts = 1000

// hasConflicts is the SQL condition that there is a contradiction, open or not. It is asked first, because to plan
// the other queries takes a hundred times as long.
const hasConflicts = `exists (select 1 from edge_counts where kind = 'contradicts' and number > 0)`

// FirstConflicts returns the newest contradictions of a namespace ("" for all) that were open
// at the times, at most limit, and how many there are. If there are more than maxConflicts,
// total and counted are maxConflicts; else counted is 0.
func FirstConflicts(ctx context.Context, r *db.Reader, namespace string, times edges.Times, limit int) (first []Conflict, total, counted int, err error) {
	if has, _, err := db.One[bool](ctx, r, `select `+hasConflicts); err != nil || !has {
		return nil, 0, 0, err
	}
	bound := []any{namespace, cmp.Or(times.AsOf, db.Now()), times.Bind()}
	if total, _, err = db.One[int](ctx, r, `select count(*) from (select 1`+open+` limit ?4)`, append(bound, maxConflicts+1)...); err != nil {
		return nil, 0, 0, err
	}
	if total > maxConflicts {
		total, counted = maxConflicts, maxConflicts
	}
	first, err = db.Select(ctx, r, scanConflict, selectConflict+open+`
order by e.created_at desc, e.id
limit ?4`, append(bound, limit)...)
	return first, total, counted, err
}

// ConflictsResult is a page of the open contradictions, the newest first.
type ConflictsResult struct {
	Conflicts []Conflict `json:"conflicts"`
	edges.Page
}

// Conflicts returns a page of the open contradictions.
func (g Graph) Conflicts(ctx context.Context, a edges.PageArgs) (result ConflictsResult, err error) {
	var after conflictCursor
	namespace, err := a.Start("conflicts", g.Caller, &after)
	if err != nil {
		return result, err
	}
	times := edges.Today()
	bound := []any{namespace, times.Over, times.Bind()}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+open, bound...); err != nil {
			return err
		}
		page, err := db.Select(ctx, r, scanConflict, selectConflict+open+`
  and (?4 = 0 or e.created_at < ?5 or e.created_at = ?5 and e.id > ?6)
order by e.created_at desc, e.id
limit ?7`, append(bound, a.Cursor != "", after.At, after.ID, a.Limit+1)...)
		result.Conflicts, result.Next = edges.Cut("conflicts", page, a.Limit, func(c Conflict) any { return c.cursor })
		return err
	})
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Conflicts)
	return result, err
}

// Doubts returns, by the key of each given memory, why it is stale (see Stale), and the current memories that
// contradict it (see findContradicting).
func Doubts(ctx context.Context, r *db.Reader, keys []int64) (stale map[int64][]Doubt, contradicting map[int64][]ref.End, err error) {
	if contradicting, err = findContradicting(ctx, r, keys); err == nil {
		stale, err = Stale(ctx, r, keys)
	}
	return stale, contradicting, err
}

// findContradicting returns, by the key of each given memory, the current memories that
// contradict it now, each once and sorted by id. A memory that is not current, or is over, is
// not in the map, because its conflicts are settled.
func findContradicting(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]ref.End, error) {
	contradicting := map[int64][]ref.End{}
	if has, _, err := db.One[bool](ctx, r, `select `+hasConflicts); err != nil || !has {
		return contradicting, err
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var other ref.End
		err := db.Scan(row, &key, &other, &other.Ended, &other.Begins, &other.Trust)
		contradicting[key] = append(contradicting[key], other)
		return err
	}, selectContradicting, db.List(keys), db.Now())
	return contradicting, err
}

var selectContradicting = "with contradicted (key, other) as (" + edges.BothWays(`
  select
    k.value,
    e.{to_key|from_key}
  from json_each(?1) k
  cross join edges e on e.{from_key|to_key} = k.value and e.kind = 'contradicts'
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2`) + `)
select distinct
  c.key,
  ` + edges.EndOf("o") + `
from contradicted c
cross join memories m on m.key = c.key and m.status = 'current' and coalesce(m.valid_to, '~') > ?2
cross join memories o on o.key = c.other and o.status = 'current' and coalesce(o.valid_to, '~') > ?2
order by c.key, o.id`
