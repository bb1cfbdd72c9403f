package edges

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// Doubt is one reason why a memory is stale: something it rests on, at any
// remove, was superseded, forgotten or contradicted, or reads otherwise now.
type Doubt struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Reason string   `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed"`
	Route  []string `json:"route" jsonschema:"ids from the stale memory to this one"`
}

// staleness is the text of the view stale_because. There is one definition of
// what is stale, the schema's: the queries below run this text over a part of
// grounds, which a table expression of that name puts in the view's place.
var staleness = viewText("stale_because")

func viewText(name string) string {
	_, text, ok := strings.Cut(hence.Schema, "\ncreate view "+name+" ")
	_, text, isBody := strings.Cut(text, " as\n")
	text, _, ends := strings.Cut(text, ";\n")
	if !ok || !isBody || !ends {
		panic("schema.sql has no view " + name)
	}
	return text
}

// upstreamOf are the edges by which the memories ?1 rest on others, at any
// remove, under the name of the view grounds.
const upstreamOf = `
with recursive upstream (key) as (
  select value from json_each(?1)
  union
  select g.rests_on
  from upstream u
  cross join main.grounds g on g.memory = u.key
),
grounds (memory, rests_on, basis) as materialized (
  select
    g.memory,
    g.rests_on,
    g.basis
  from upstream u
  cross join main.grounds g on g.memory = u.key
)
`

// cause is one row of stale_because.
type cause struct {
	memory, because int64
	reason, mark    string
}

func scanCause(row *sql.Rows) (c cause, err error) {
	err = row.Scan(&c.memory, &c.because, &c.reason, &c.mark)
	return c, err
}

// Stale returns why each of the memories is stale, by its key; those that are
// not stale, or not current, are not in the map. A memory is named once for a
// reason, with the shortest route to it.
func Stale(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]Doubt, error) {
	rests, err := db.Select(ctx, r, func(row *sql.Rows) (pair [2]int64, err error) {
		err = row.Scan(&pair[0], &pair[1])
		return pair, err
	}, upstreamOf+`select memory, rests_on from grounds`, db.List(keys))
	if err != nil || len(rests) == 0 {
		return nil, err
	}
	causes, err := db.Select(ctx, r, scanCause, upstreamOf+`
select
  memory,
  because,
  reason,
  mark
from (`+staleness+`)`, db.List(keys))
	if err != nil || len(causes) == 0 {
		return nil, err
	}
	named := slices.Clone(keys)
	for _, pair := range rests {
		named = append(named, pair[1])
	}
	nodes, err := describe(ctx, r, named)
	if err != nil {
		return nil, err
	}
	return doubts(keys, rests, causes, nodes), nil
}

// doubts finds the route of every cause of the memories asked for.
func doubts(keys []int64, rests [][2]int64, causes []cause, nodes map[int64]node) map[int64][]Doubt {
	on := map[int64][]int64{}
	for _, pair := range rests {
		on[pair[0]] = append(on[pair[0]], pair[1])
	}
	for _, list := range on {
		slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(nodes[a].ID, nodes[b].ID) })
	}
	transmits := map[cause]bool{}
	for _, c := range causes {
		transmits[c] = true
	}
	stale := map[int64][]Doubt{}
	for _, c := range causes {
		if !slices.Contains(keys, c.memory) || nodes[c.memory].Status != "current" {
			continue
		}
		d := Doubt{ID: nodes[c.because].ID, Title: nodes[c.because].Title, Reason: c.reason, Route: routeTo(c, on, transmits, nodes)}
		stale[c.memory] = append(stale[c.memory], d)
	}
	for key, list := range stale {
		slices.SortFunc(list, compareDoubts)
		stale[key] = slices.CompactFunc(list, func(a, b Doubt) bool { return a.ID == b.ID && a.Reason == b.Reason })
	}
	return stale
}

func compareDoubts(a, b Doubt) int {
	return cmp.Or(cmp.Compare(len(a.Route), len(b.Route)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Route, b.Route))
}

// routeTo is the shortest way from a stale memory to the cause, through
// memories that are stale because of the same; among equals the first by ids.
func routeTo(c cause, on map[int64][]int64, transmits map[cause]bool, nodes map[int64]node) []string {
	came := map[int64]int64{c.memory: 0}
	for queue := []int64{c.memory}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, next := range on[at] {
			through := c
			through.memory = next
			if _, seen := came[next]; seen || next != c.because && !transmits[through] {
				continue
			}
			came[next] = at
			if next == c.because {
				route := []string{}
				for ; next != 0; next = came[next] {
					route = append(route, nodes[next].ID)
				}
				slices.Reverse(route)
				return route
			}
			queue = append(queue, next)
		}
	}
	return []string{}
}

// VerifyArgs name a memory that was looked at and still holds.
type VerifyArgs struct {
	ID   string `json:"id" jsonschema:"id, path or title"`
	Note string `json:"note,omitempty" jsonschema:"what was found"`
}

// Cleared is a doubt that a verification took away.
type Cleared struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// Verify records that a memory still holds although what it rests on has
// changed: it takes the hashes of what it rests on as they are now, and notes
// exactly the doubts there are. The same doubt does not come back; a new one
// does.
func (g Graph) Verify(ctx context.Context, a VerifyArgs) (m ref.Memory, cleared []Cleared, err error) {
	if err := args.Check("verify", &a); err != nil {
		return m, nil, err
	}
	if err := db.CheckText("verify", "note", a.Note, maxNote); err != nil {
		return m, nil, err
	}
	var before []Doubt
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if m, err = g.Caller.Find(ctx, r, a.ID); err != nil {
			return err
		}
		stale, err := Stale(ctx, r, []int64{m.Key})
		before = stale[m.Key]
		return err
	})
	if err != nil {
		return m, nil, err
	}
	_, err = g.DB.Write(ctx, g.Caller.Actor, db.Now(), db.S(`
insert or ignore into verifications (memory, because, reason, mark, at)
`+upstreamOf+`
select
  memory,
  because,
  reason,
  mark,
  (select at from writer)
from (`+staleness+`)
where memory = json_extract(?1, '$[0]')`, db.List([]int64{m.Key})),
		db.S(`
update edges
set basis = (select content_hash from memories where key = edges.to_key)
where from_key = ?
  and kind in ('depends-on', 'derived-from')`, m.Key),
		db.S(`
update memories
set
  verified_at = (select at from writer),
  verify_note = nullif(?2, '')
where key = ?1`, m.Key, a.Note))
	if err != nil {
		return m, nil, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		after, err := Stale(ctx, r, []int64{m.Key})
		cleared = clearedOf(before, after[m.Key])
		return err
	})
	return m, cleared, err
}

func clearedOf(before, after []Doubt) []Cleared {
	cleared := []Cleared{}
	for _, d := range before {
		if !slices.ContainsFunc(after, func(a Doubt) bool { return a.ID == d.ID && a.Reason == d.Reason }) {
			cleared = append(cleared, Cleared{ID: d.ID, Title: d.Title, Reason: d.Reason})
		}
	}
	return cleared
}
