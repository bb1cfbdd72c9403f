package belief

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
)

// Conflict is a contradiction between two memories that are both current.
type Conflict struct {
	A    edges.End `json:"a"`
	B    edges.End `json:"b"`
	Note string    `json:"note,omitempty"`
}

// conflicting are the open contradictions of the namespace ?1 at the time ?2:
// between two current memories, by an edge that holds then.
const conflicting = `
from edges e
join memories f on f.key = e.from_key and f.status = 'current'
join memories t on t.key = e.to_key and t.status = 'current'
where e.kind = 'contradicts'
  and ?1 in ('', f.namespace)
  and coalesce(e.valid_from, '') <= ?2
  and coalesce(e.valid_to, '~') > ?2`

const selectConflicts = `
select
  f.id,
  f.title,
  f.status,
  t.id,
  t.title,
  t.status,
  e.note,
  e.id,
  e.created_at` + conflicting

// conflictMark is the edge that a page ended with.
type conflictMark struct {
	At string `json:"a"`
	ID string `json:"d"`
}

// conflict is a Conflict with its edge's place in a list.
type conflict struct {
	Conflict
	mark conflictMark
}

func scanConflict(row *sql.Rows) (c conflict, err error) {
	err = row.Scan(&c.A.ID, &c.A.Title, &c.A.Status, &c.B.ID, &c.B.Title, &c.B.Status, &c.Note, &c.mark.ID, &c.mark.At)
	return c, err
}

func conflictsOf(found []conflict) []Conflict {
	all := make([]Conflict, len(found))
	for i, c := range found {
		all[i] = c.Conflict
	}
	return all
}

// FirstConflicts returns the open contradictions of a namespace ("" for all)
// that were made last, at most limit, and how many there are.
func FirstConflicts(ctx context.Context, r *db.Reader, namespace string, limit int) (first []Conflict, total int, err error) {
	all, err := db.Select(ctx, r, scanConflict, selectConflicts+`
order by e.created_at desc, e.id`, namespace, db.Now())
	return conflictsOf(all[:min(len(all), limit)]), len(all), err
}

// ConflictsResult is a page of the open contradictions, the last made first.
type ConflictsResult struct {
	Conflicts     []Conflict `json:"conflicts"`
	TotalCount    int        `json:"total_count"`
	ReturnedCount int        `json:"returned_count"`
	Truncated     bool       `json:"truncated"`
	Next          string     `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Conflicts lists the open contradictions.
func (g Graph) Conflicts(ctx context.Context, a edges.PageArgs) (result ConflictsResult, err error) {
	if err := args.Check("conflicts", &a); err != nil {
		return result, err
	}
	var after conflictMark
	if err := db.ReadCursor("conflicts", "conflicts", a.Cursor, &after); err != nil {
		return result, err
	}
	namespace, err := g.Caller.Reads("")
	if err != nil {
		return result, err
	}
	now := db.Now()
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+conflicting, namespace, now); err != nil {
			return err
		}
		found, err := db.Select(ctx, r, scanConflict, selectConflicts+`
  and (?3 = 0 or e.created_at < ?4 or e.created_at = ?4 and e.id > ?5)
order by e.created_at desc, e.id
limit ?6`, namespace, now, a.Cursor != "", after.At, after.ID, a.Limit+1)
		if result.Truncated = len(found) > a.Limit; result.Truncated {
			found = found[:a.Limit]
			result.Next = db.Cursor("conflicts", found[a.Limit-1].mark)
		}
		result.Conflicts, result.ReturnedCount = conflictsOf(found), len(found)
		return err
	})
	return result, err
}

// Contradicting returns the current memories that contradict each of some
// memories now, by its key, each once and in the order of their ids. A memory
// that is not current has none: its conflicts are settled.
func Contradicting(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]edges.End, error) {
	type pair struct {
		key   int64
		other edges.End
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (p pair, err error) {
		err = row.Scan(&p.key, &p.other.ID, &p.other.Title, &p.other.Status)
		return p, err
	}, `
with contradicted (key, other) as (
  select
    k.value,
    e.to_key
  from json_each(?1) k
  cross join edges e on e.from_key = k.value and e.kind = 'contradicts'
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2
  union
  select
    k.value,
    e.from_key
  from json_each(?1) k
  cross join edges e on e.to_key = k.value and e.kind = 'contradicts'
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2
)
select
  c.key,
  o.id,
  o.title,
  o.status
from contradicted c
cross join memories m on m.key = c.key and m.status = 'current'
cross join memories o on o.key = c.other and o.status = 'current'
order by c.key, o.id`, db.List(keys), db.Now())
	by := map[int64][]edges.End{}
	for _, p := range found {
		by[p.key] = append(by[p.key], p.other)
	}
	return by, err
}
