// Package walk follows edges from memory to memory. It finds the memories near others, paths
// between two memories, the memories that one depends on, and an overview of the graph.
//
// A walk reads the neighbours of a frontier in one query per level. A search for a path runs
// from both ends and reads only keys: one packed row per level, and an index of the memories
// that are not current. Only when the two sides meet, it reads the edges on the shortest
// paths.
//
// Results have a fixed order that does not depend on the order of insertion, so a limit cuts
// off the same memories every time.
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
	"hence/internal/secret"
	"hence/vault/note"
)

// Graph is the edges of a store, as one caller may read them.
type Graph ref.View

// Direction says in which direction a walk follows edges.
type Direction string

// The directions. Edges of a symmetric kind are always followed both ways.
const (
	Both     Direction = "both"
	Forward  Direction = "forward"  // as stored: from → to
	Backward Direction = "backward" // to → from
)

// directions maps the words that tools accept to directions.
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

// rules say which edges a walk may pass and which memories it may enter.
type rules struct {
	kinds             []edges.Kind
	rels              []string // only edges with one of these words; empty: any
	orOrigins         []string // pass edges of kindsOfOrigins with one of these origins too
	kindsOfOrigins    []edges.Kind
	origins           []string // only edges with one of these origins; empty: any
	direction         Direction
	reversed          []edges.Kind // kinds followed against the direction
	includeSuperseded bool
	includeForgotten  bool
	times             edges.Times
	withoutFiles      bool     // do not enter files without text
	ends              [2]int64 // memories that may be entered whatever their status
	among             []int64  // enter only these memories; empty: any
}

// setFilters sets the rules for the arguments edge_types and origins. A type may be another
// system's word for an origin; then the walk also passes edges with that origin, whatever
// their kind. origins restrict the walk to edges that have one of them, of every kind if
// types is empty.
func (w *rules) setFilters(types, origins []string) (err error) {
	if w.origins, err = edges.ParseOrigins(origins); err != nil {
		return err
	}
	kinds := []string{}
	for _, word := range types {
		if origin, ok := edges.LookupOrigin(word); ok {
			w.orOrigins, w.kindsOfOrigins = append(w.orOrigins, origin), edges.Kinds()
		} else {
			kinds = append(kinds, word)
		}
	}
	switch {
	case len(kinds) > 0:
		w.kinds, err = edges.ParseFilter(kinds)
	case len(w.orOrigins) > 0:
	case len(origins) > 0:
		w.kinds = edges.Kinds()
	default:
		w.kinds = edges.DeclaredKinds()
	}
	return err
}

// step is one edge as a walk passes it, from a memory of the frontier to its
// neighbour.
type step struct {
	from, to int64
	edge     int64
	kind     edges.Kind
	rel      string
	out      bool // stored from → to; false: stored to → from
	toID     string
	isFile   bool    // to is a file without text
	weight   float64 // set only in a weighted search
}

// direction returns the name of the stored direction in a result.
func (s step) direction() string {
	if s.out {
		return "out"
	}
	return "in"
}

// neighbours returns the steps from all memories of a frontier, in no order, with one query.
func neighbours(ctx context.Context, r *db.Reader, frontier []int64, w rules) ([]step, error) {
	if len(frontier) == 0 {
		return nil, nil
	}
	return db.Select(ctx, r, scanStep, selectSteps, append(w.bind(frontier), db.List(w.among), len(w.among),
		db.List(w.passKinds(w.kindsOfOrigins, true)), db.List(w.passKinds(w.kindsOfOrigins, false)), db.List(w.orOrigins), db.List(w.origins), len(w.origins), w.withoutFiles)...)
}

// passKinds returns the kinds, of the given ones, that a walk passes out of a memory (out) or
// into it.
func (w rules) passKinds(kinds []edges.Kind, out bool) []edges.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k edges.Kind) bool {
		isOut := (w.direction == Forward) != slices.Contains(w.reversed, k)
		return w.direction != Both && !k.Symmetric() && isOut != out
	})
}

// bind returns the arguments ?1 to ?10 of a query for the steps from a frontier.
func (w rules) bind(frontier []int64) []any {
	return []any{
		db.List(frontier), db.List(w.passKinds(w.kinds, true)), db.List(w.passKinds(w.kinds, false)), db.List(w.rels), len(w.rels),
		w.includeSuperseded, w.times.Bind(), w.ends[0], w.ends[1], w.includeForgotten,
	}
}

var scanStep = db.Fields(func(s *step) []any {
	return []any{&s.from, &s.to, &s.edge, &s.kind, &s.rel, &s.out, &s.toID, &s.isFile}
})

// selectSteps selects the steps from the frontier ?1, a JSON array. The cross joins fix the
// join order: frontier, its edges, the memories at their ends. A plus before e.kind prevents
// the planner from searching the index once per kind.
var selectSteps = edges.BothWays(`
select
  f.value,
  e.{to_key|from_key},
  e.key,
  e.kind,
  e.rel,
  {true|false},
  m.id,
  (` + edges.SaysNothing + `)
from json_each(?1) f
cross join edges e on e.{from_key|to_key} = f.value
cross join memories m on m.key = e.{to_key|from_key}
where (
    +e.kind in (select value from json_each({?2|?3}))
    or +e.kind in (select value from json_each({?13|?14})) and ` + hasOrigin("?15") + `
  )
  and (?17 = 0 or ` + hasOrigin("?16") + `)
  and (?12 = 0 or +e.{to_key|from_key} in (select value from json_each(?11)))
  and not (?18 and (` + edges.SaysNothing + `))
` + passable)

// hasOrigin returns the SQL condition that the edge e, or a place that declares it, has one of
// the origins in the argument named list.
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

// passable is the SQL condition that a walk may pass the edge e to the memory m.
var passable = `
and (?5 = 0 or lower(e.rel) in (select lower(value) from json_each(?4)))
and ` + edges.Holds("e", "?7") + `
and (m.key in (?8, ?9) or ` + edges.Stands("m", "?7", "?6", "?10") + `)`

// node has the data of a memory that results contain.
type node struct {
	ref.Seen
	tags        []string
	properties  db.Properties
	text        string // its beginning
	contentHash string
	isNote      bool // a file of a vault that agents did not write
}

// cut returns the memory with its title cut to a number of bytes, and whether that removed
// anything.
func (n node) cut(bytes int) (short node, cut bool) {
	n.Title, cut = budget.Cut(n.Title, bytes)
	return n, cut
}

// snippetRunes is the maximum length of a snippet in characters, with the ellipsis.
const snippetRunes = 160

// secretLookahead is the number of characters after a snippet that are searched for the rest
// of a secret that begins within it.
const secretLookahead = 340

// snippetOf returns the words at the beginning of a text, cut to snippetRunes characters.
func snippetOf(text string) string {
	text = note.Plain(secret.Mask(text))
	if utf8.RuneCountInString(text) <= snippetRunes {
		return text
	}
	text, _ = budget.Cut(text, len(string([]rune(text)[:snippetRunes+1]))-1)
	return text
}

// describe returns the nodes of memories in the answer for the times, by their keys.
func describe(ctx context.Context, r *db.Reader, keys []int64, times edges.Times) (map[int64]node, error) {
	trust, err := ref.Trust(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	nodes := make(map[int64]node, len(keys))
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var n node
		var tags, properties string
		if err := db.Scan(row, &key, &n.Seen, &tags, &properties, &n.text, &n.contentHash, &n.isNote, &n.Ended, &n.EditedSince, &n.KnownSince); err != nil {
			return err
		}
		n.Trust = trust[key]
		if err := db.ReadColumn(n.ID, "tags", tags, &n.tags); err != nil {
			return err
		}
		err := db.ReadColumn(n.ID, "properties", properties, &n.properties)
		nodes[key] = n
		return err
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
  `+ref.FileOf("m")+`,
  `+ref.LineOf("m")+`,
  m.tags,
  m.properties,
  substr(m.content, 1, ?2),
  m.content_hash,
  m.origin = 'vault' and m.source is not 'agent',
  `+ref.EndedAt("m", "?3")+`,
  `+ref.EditedSince("m", "?3")+`,
  `+ref.KnownSince("m", "?3")+`
from json_each(?1) f
cross join memories m on m.key = f.value`, db.List(keys), snippetRunes+secretLookahead, times.Bind())
	return nodes, err
}
