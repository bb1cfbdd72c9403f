// Package walk follows edges from memory to memory: what lies around some of
// them, how one leads to another, what one rests on, and the graph as a whole.
package walk

import (
	"context"
	"database/sql"
	"slices"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read them.
type Graph ref.View

// Direction says which way a walk follows edges.
type Direction string

// The directions. Edges of a symmetric kind are followed both ways always.
const (
	Both     Direction = "both"
	Forward  Direction = "forward"  // as stored
	Backward Direction = "backward" // against
)

// directions are the words for a direction, in every tool that takes one.
var directions = map[string]Direction{
	"": Both, "any": Both, "both": Both,
	"forward": Forward, "outgoing": Forward, "out": Forward,
	"backward": Backward, "incoming": Backward, "in": Backward,
}

func parseDirection(word string) (Direction, error) {
	d, ok := directions[word]
	if !ok {
		return "", fault.New(fault.InvalidArgument, "direction is %q, and must be forward (outgoing), backward (incoming) or both (any)", word)
	}
	return d, nil
}

// rules say what a walk may pass.
type rules struct {
	kinds             []edges.Kind
	rels              []string // none: any
	whollyFrom        []string // origins whose edges are passed beside those of the kinds, whatever their kind
	origins           []string // none: any
	direction         Direction
	turned            []edges.Kind // kinds followed the other way than the direction says
	includeSuperseded bool
	includeForgotten  bool
	asOf              string   // a time as stored, "" for no regard to time
	ends              [2]int64 // memories that may be stepped on whatever their status
	among             []int64  // step on these only; none: on any
}

// follows reports whether a walk passes edges of a kind from their from to
// their to (out), or from their to to their from.
func (w rules) follows(k edges.Kind, out bool) bool {
	if w.direction == Both || k.Symmetric() {
		return true
	}
	along := (w.direction == Forward) != slices.Contains(w.turned, k)
	return along == out
}

// choose reads the edge_types and origins of a walk that takes both. A type may be
// the word of another system for an origin, and then means the edges of that
// origin, of whatever kind, beside those of the kinds named. Origins keep to the
// edges that have one of them; where no type is named, of every kind.
func (w *rules) choose(types, origins []string) (err error) {
	if w.origins, err = edges.ParseOrigins(origins); err != nil {
		return err
	}
	kinds := []string{}
	for _, word := range types {
		if origin, ok := edges.LookupOrigin(word); ok {
			w.whollyFrom = append(w.whollyFrom, origin)
		} else {
			kinds = append(kinds, word)
		}
	}
	switch {
	case len(kinds) > 0:
		w.kinds, err = edges.ParseFilter(kinds)
	case len(w.whollyFrom) > 0:
	case len(origins) > 0:
		w.kinds = edges.Kinds()
	default:
		w.kinds = edges.Declared()
	}
	return err
}

// step is one edge as a walk passes it, from a memory of the frontier to a
// neighbour.
type step struct {
	from, to int64
	edge     int64
	kind     edges.Kind
	rel      string
	out      bool // stored from → to; false: stored to → from
	toID     string
	weight   float64 // read only where it counts
}

// direction is the step's stored direction in the words of the contract.
func (s step) direction() string {
	if s.out {
		return "out"
	}
	return "in"
}

// neighbours returns the steps from each memory of a frontier, in one query
// for the whole of it. Memories that have been forgotten are not stepped on,
// unless the rules include them. The order is not defined.
func neighbours(ctx context.Context, r *db.Reader, frontier []int64, w rules) ([]step, error) {
	if len(frontier) == 0 {
		return nil, nil
	}
	ofOrigins := []edges.Kind{} // none, so that edges are asked for their origin only where that counts
	if len(w.whollyFrom) > 0 {
		ofOrigins = edges.Kinds()
	}
	return db.Select(ctx, r, scanStep, selectSteps, append(w.bind(frontier), db.List(w.among), len(w.among),
		db.List(w.along(ofOrigins, true)), db.List(w.along(ofOrigins, false)), db.List(w.whollyFrom), db.List(w.origins), len(w.origins))...)
}

// along returns those of the kinds that a walk follows out of a memory, or into
// it.
func (w rules) along(kinds []edges.Kind, out bool) []edges.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k edges.Kind) bool { return !w.follows(k, out) })
}

// bind returns the arguments of a query that steps from a frontier.
func (w rules) bind(frontier []int64) []any {
	return []any{
		db.List(frontier), db.List(w.along(w.kinds, true)), db.List(w.along(w.kinds, false)), db.List(w.rels), len(w.rels),
		w.includeSuperseded, w.asOf, w.ends[0], w.ends[1], w.includeForgotten,
	}
}

func scanStep(row *sql.Rows) (s step, err error) {
	err = row.Scan(&s.from, &s.to, &s.edge, &s.kind, &s.rel, &s.out, &s.toID)
	return s, err
}

// selectSteps binds the frontier as one JSON array. The cross joins keep the
// planner to the order: frontier, its edges, the memories at their ends; a
// plus keeps it from seeking each kind by itself.
var selectSteps = `
select
  f.value,
  e.to_key,
  e.key,
  e.kind,
  e.rel,
  true,
  m.id
from json_each(?1) f
cross join edges e on e.from_key = f.value
cross join memories m on m.key = e.to_key
where (
    +e.kind in (select value from json_each(?2))
    or +e.kind in (select value from json_each(?13)) and ` + hasOrigin("?15") + `
  )
  and (?17 = 0 or ` + hasOrigin("?16") + `)
  and (?12 = 0 or +e.to_key in (select value from json_each(?11)))
` + passable + `
union all
select
  f.value,
  e.from_key,
  e.key,
  e.kind,
  e.rel,
  false,
  m.id
from json_each(?1) f
cross join edges e on e.to_key = f.value
cross join memories m on m.key = e.from_key
where (
    +e.kind in (select value from json_each(?3))
    or +e.kind in (select value from json_each(?14)) and ` + hasOrigin("?15") + `
  )
  and (?17 = 0 or ` + hasOrigin("?16") + `)
  and (?12 = 0 or +e.from_key in (select value from json_each(?11)))
` + passable

// hasOrigin is true of an edge e that has one of the origins of a list, which is
// the argument named: its own, or that of a place that declares it too.
func hasOrigin(list string) string {
	return `exists (
      select 1
      from (
        select e.origin as origin
        union all
        select s.origin from sites s where s.edge = e.key
      )
      where origin in (select value from json_each(` + list + `))
    )`
}

// passable is true of an edge e and a memory m at its end that a walk may
// pass. A time ?7 takes the place of the memory's status: it passes what was
// there, valid and not yet forgotten then.
const passable = `
and (?5 = 0 or lower(e.rel) in (select lower(value) from json_each(?4)))
and (
  ?7 = ''
  or e.created_at <= ?7
  and coalesce(e.valid_from, '') <= ?7
  and coalesce(e.valid_to, '~') > ?7
)
and (
  m.key in (?8, ?9)
  or ?7 = ''
  and (m.status = 'current' or ?6 and m.status = 'superseded' or ?10 and m.status = 'forgotten')
  or ?7 <> ''
  and m.created_at <= ?7
  and coalesce(m.valid_from, '') <= ?7
  and coalesce(m.valid_to, '~') > ?7
  and coalesce(m.forgotten_at, '~') > ?7
  and (
    ?6
    or not exists (
      select 1
      from edges s
      where s.to_key = m.key
        and s.kind = 'supersedes'
        and coalesce(s.valid_from, s.created_at) <= ?7
    )
  )
)`

// node is what an answer says of a memory.
type node struct {
	edges.End
	key         int64
	uri         string
	kind        string
	origin      string
	actor       string
	tags        []string
	properties  db.Properties
	snippet     string
	contentHash string
}

// isNote reports whether a vault holds the memory.
func (n node) isNote() bool { return n.origin == "vault" }

// snippetRunes is how much of a memory's text an answer shows, the mark of the
// cut included.
const snippetRunes = 160

// describe reads what answers say of the memories.
func describe(ctx context.Context, r *db.Reader, keys []int64) (map[int64]node, error) {
	found, err := db.Select(ctx, r, func(row *sql.Rows) (n node, err error) {
		var tags, properties string
		if err := row.Scan(&n.key, &n.ID, &n.Title, &n.Status, &n.uri, &n.kind, &n.origin, &n.actor, &tags, &properties, &n.snippet, &n.contentHash); err != nil {
			return n, err
		}
		if utf8.RuneCountInString(n.snippet) > snippetRunes {
			n.snippet, _ = budget.Cut(n.snippet, len(n.snippet)-1)
		}
		if err := db.ReadColumn(n.ID, "tags", tags, &n.tags); err != nil {
			return n, err
		}
		return n, db.ReadColumn(n.ID, "properties", properties, &n.properties)
	}, `
select
  m.key,
  m.id,
  m.title,
  m.status,
  coalesce(m.uri, ''),
  m.kind,
  m.origin,
  m.actor,
  m.tags,
  m.properties,
  substr(m.content, 1, ?2 + 1),
  m.content_hash
from json_each(?1) f
cross join memories m on m.key = f.value`, db.List(keys), snippetRunes)
	if err != nil {
		return nil, err
	}
	nodes := make(map[int64]node, len(found))
	for _, n := range found {
		nodes[n.key] = n
	}
	return nodes, nil
}
