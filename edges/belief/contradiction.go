package belief

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// Conflict is a contradiction between two current memories.
type Conflict struct {
	A    ref.End `json:"a"`
	B    ref.End `json:"b"`
	Note string  `json:"note,omitempty"`
}

// conflict is a Conflict with its place in a list.
type conflict struct {
	Conflict
	cursor conflictCursor
}

// conflictCursor is the last contradiction of a page.
type conflictCursor struct {
	At string `json:"a"`
	ID string `json:"d"`
}

// open are the contradictions between current memories of the namespace ?1, by
// edges that are valid at the time ?2.
const open = `
from edges e
join memories f on f.key = e.from_key and f.status = 'current'
join memories t on t.key = e.to_key and t.status = 'current'
where e.kind = 'contradicts'
  and ?1 in ('', f.namespace)
  and coalesce(e.valid_from, '') <= ?2
  and coalesce(e.valid_to, '~') > ?2`

// openThen are the contradictions by edges that are valid at the time ?2, and of which
// both memories stood at the times ?3.
var openThen = `
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

var scanConflict = db.Fields(func(c *conflict) []any {
	return []any{&c.A, &c.A.Ended, &c.A.Trust, &c.B, &c.B.Ended, &c.B.Trust, &c.Note, &c.cursor.ID, &c.cursor.At}
})

func conflictsOf(listed []conflict) []Conflict {
	all := make([]Conflict, len(listed))
	for i, c := range listed {
		all[i] = c.Conflict
	}
	return all
}

// mostConflicts is how many contradictions are counted. Each takes a look at two memories.
const mostConflicts = 1000

// FirstConflicts returns the newest contradictions of a namespace ("" for all) that
// were open at some times, at most limit, and how many there are. It counts up to
// mostConflicts; among is how many these are if there are more, else 0.
func FirstConflicts(ctx context.Context, r *db.Reader, namespace string, times edges.Times, limit int) (first []Conflict, total, among int, err error) {
	at := times.AsOf
	if at == "" {
		at = db.Now()
	}
	if total, _, err = db.One[int](ctx, r, `select count(*) from (select 1`+openThen+` limit ?4)`, namespace, at, times.Bind(), mostConflicts+1); err != nil {
		return nil, 0, 0, err
	}
	if total > mostConflicts {
		total, among = mostConflicts, mostConflicts
	}
	newest, err := db.Select(ctx, r, scanConflict, selectConflict+openThen+`
order by e.created_at desc, e.id
limit ?4`, namespace, at, times.Bind(), limit)
	return conflictsOf(newest), total, among, err
}

// ConflictsResult is a page of the open contradictions, newest first.
type ConflictsResult struct {
	Conflicts []Conflict `json:"conflicts"`
	edges.Page
}

// Conflicts lists the open contradictions.
func (g Graph) Conflicts(ctx context.Context, a edges.PageArgs) (result ConflictsResult, err error) {
	var after conflictCursor
	namespace, err := a.Start("conflicts", g.Caller, &after)
	if err != nil {
		return result, err
	}
	now := db.Now()
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+open, namespace, now); err != nil {
			return err
		}
		all, err := db.Select(ctx, r, scanConflict, selectConflict+open+`
  and (?3 = 0 or e.created_at < ?4 or e.created_at = ?4 and e.id > ?5)
order by e.created_at desc, e.id
limit ?6`, namespace, now, a.Cursor != "", after.At, after.ID, a.Limit+1)
		all, result.Next = edges.Cut("conflicts", all, a.Limit, func(c conflict) any { return c.cursor })
		result.Conflicts = conflictsOf(all)
		return err
	})
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Conflicts)
	return result, err
}

// FindContradicting returns for each of some memories the current memories that
// contradict it now, by its key, each once and sorted by id. A memory that is
// not current has none, because its conflicts are settled.
func FindContradicting(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]ref.End, error) {
	contradicting := map[int64][]ref.End{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var other ref.End
		err := db.Scan(row, &key, &other, &other.Ended, &other.Trust)
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
cross join memories m on m.key = c.key and m.status = 'current'
cross join memories o on o.key = c.other and o.status = 'current'
order by c.key, o.id`
