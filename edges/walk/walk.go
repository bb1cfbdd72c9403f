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
	"cmp"
	"context"
	"database/sql"
	"slices"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
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

// directions maps the words of the arguments to directions.
var directions = map[string]Direction{
	"any": Both, "both": Both,
	"forward": Forward, "outgoing": Forward,
	"backward": Backward, "incoming": Backward,
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

// restrict sets the rules for the arguments edge_types and origins, and those of the time. A type
// may be another system's word for an origin; then the walk also passes edges with that origin,
// whatever their kind. origins restrict the walk to edges that have one of them, of every kind if
// types is empty.
func (w *rules) restrict(types, origins []string, asOf, knownAt string, includeEnded bool) (err error) {
	if w.times, err = edges.ParseTimes(asOf, knownAt, includeEnded); err != nil {
		return err
	}
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
		if err := db.Scan(row, &key, &n.Seen, &tags, &properties, &n.text, &n.contentHash, &n.isNote, &n.Ended, &n.Begins, &n.EditedSince, &n.KnownSince); err != nil {
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
  `+ref.BeginsAfter("m", "?3")+`,
  `+ref.EditedSince("m", "?3")+`,
  `+ref.KnownSince("m", "?3")+`
from json_each(?1) f
cross join memories m on m.key = f.value`, db.List(keys), snippetRunes+secretLookahead, times.Bind())
	return nodes, err
}

// seed is a memory from which a walk starts.
type seed struct {
	key int64
	id  string
}

func (s seed) keyOf() int64 { return s.key }

// arrival is a memory that a breadth-first walk has reached.
type arrival struct {
	key    int64
	id     string
	hop    int
	seed   seed
	via    step     // the last step of the preferred route
	parent *arrival // the memory before that step; nil for a seed
}

// compare compares two arrivals, to sort the results and to choose among several routes to a
// memory: by hop, seed, type of edge, out before in, and memory. Last it compares the
// previous memory and the edge's word, so that the order of insertion does not matter.
func (a *arrival) compare(b *arrival) int {
	return cmp.Or(
		cmp.Compare(a.hop, b.hop),
		cmp.Compare(a.seed.id, b.seed.id),
		cmp.Compare(a.via.kind, b.via.kind),
		lists.CompareFlags(a.via.out, b.via.out),
		cmp.Compare(a.id, b.id),
		cmp.Compare(a.parent.id, b.parent.id),
		cmp.Compare(a.via.rel, b.via.rel),
	)
}

// lastStep returns the last step to the memory, by an edge of which ended may have the end.
func (a *arrival) lastStep(hop int, ended map[int64]string) Via {
	return Via{Hop: hop, EdgeType: a.via.kind, Rel: a.via.rel, Direction: a.via.direction(), From: a.parent.id, Ended: ended[a.via.edge]}
}

// breadthFirst walks from the seeds level by level and returns the memories that it reaches,
// sorted. After each level, chooseNext returns the memories from which to continue, and
// whether to continue at all.
func breadthFirst(
	ctx context.Context, r *db.Reader, seeds []seed, hops int, w rules,
	chooseNext func(level []*arrival) (frontier []*arrival, more bool, err error),
) ([]*arrival, error) {
	visited := map[int64]bool{}
	frontier := []*arrival{}
	for _, s := range seeds {
		if !visited[s.key] {
			visited[s.key] = true
			frontier = append(frontier, &arrival{key: s.key, id: s.id, seed: s})
		}
	}
	arrivals := []*arrival{}
	for hop := 1; hop <= hops && len(frontier) > 0; hop++ {
		level, err := nextLevel(ctx, r, frontier, hop, visited, w)
		if err != nil {
			return nil, err
		}
		arrivals = append(arrivals, level...)
		var more bool
		if frontier, more, err = chooseNext(level); err != nil || !more {
			return arrivals, err
		}
	}
	return arrivals, nil
}

// nextLevel returns the memories one step from the frontier that were not visited, sorted, and
// marks them as visited.
func nextLevel(ctx context.Context, r *db.Reader, frontier []*arrival, hop int, visited map[int64]bool, w rules) ([]*arrival, error) {
	parents := make(map[int64]*arrival, len(frontier))
	for _, f := range frontier {
		parents[f.key] = f
	}
	steps, err := neighbours(ctx, r, keysOf(frontier), w)
	if err != nil {
		return nil, err
	}
	best := map[int64]*arrival{}
	for _, s := range steps {
		if visited[s.to] {
			continue
		}
		parent := parents[s.from]
		next := &arrival{key: s.to, id: s.toID, hop: hop, seed: parent.seed, via: s, parent: parent}
		if current := best[s.to]; current == nil || next.compare(current) < 0 {
			best[s.to] = next
		}
	}
	level := make([]*arrival, 0, len(best))
	for key, next := range best {
		visited[key] = true
		level = append(level, next)
	}
	slices.SortFunc(level, (*arrival).compare)
	return level, nil
}

// route returns the ids from the seed to the memory, both included.
func (a *arrival) route() []string {
	ids := []string{}
	for step := a; step != nil; step = step.parent {
		ids = append(ids, step.id)
	}
	slices.Reverse(ids)
	return ids
}

// firstOf returns the first n arrivals. If n cuts any off, it first moves files without text
// to the end, because a limit must not keep pictures and drop notes.
func firstOf(arrivals []*arrival, n int) []*arrival {
	if n >= len(arrivals) {
		return arrivals
	}
	return textFirst(arrivals)[:n]
}

// textFirst moves files without text to the end.
func textFirst(arrivals []*arrival) []*arrival {
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(arrivals), func(a *arrival) bool { return a.via.isFile }),
		slices.DeleteFunc(slices.Clone(arrivals), func(a *arrival) bool { return !a.via.isFile }))
}

// pageOf returns the arrivals before a mark, those of the page after it, and whether more
// follow. If there is more than one page, files without text are last.
func pageOf(arrivals []*arrival, after db.Mark, limit int) (before, page []*arrival, more bool) {
	if after.Count == 0 {
		return nil, firstOf(arrivals, limit), len(arrivals) > limit
	}
	ordered := textFirst(arrivals)
	start := after.Skip(len(ordered), func(i int) string { return ordered[i].id })
	return ordered[:start], ordered[start:min(len(ordered), start+limit)], len(ordered) > start+limit
}

// countText returns how many of the arrivals are not files without text.
func countText(arrivals []*arrival) (count int) {
	for _, a := range arrivals {
		if !a.via.isFile {
			count++
		}
	}
	return count
}

func keysOf(arrivals []*arrival) []int64 {
	return lists.Map(arrivals, func(a *arrival) int64 { return a.key })
}

// region is the result of a walk from one memory.
type region struct {
	root    node
	rootKey int64
	before  []*arrival // on earlier pages
	reached []*arrival // the nearest first
	more    bool       // more memories are within the hops than the limit allows
	nodes   map[int64]node
	ended   map[int64]string // when the edge of a last step ended, by its key

	onReplaced int // how many memories rest on what a seed replaced
}

// region walks from the named memory until it has reached limit others after the mark, or the
// last hop.
func (g Graph) region(ctx context.Context, r *db.Reader, name string, hops, limit int, after db.Mark, w rules) (area region, err error) {
	m, err := g.Caller.Find(ctx, r, name)
	if err != nil {
		return area, err
	}
	count, seeds := 0, []seed{{m.Key, m.ID}}
	arrivals, err := breadthFirst(ctx, r, seeds, hops, w, func(level []*arrival) ([]*arrival, bool, error) {
		count += countText(level)
		return level, count <= after.Count+limit, nil
	})
	if err != nil {
		return area, err
	}
	area = region{rootKey: m.Key}
	err = area.fill(ctx, r, seeds, arrivals, after, limit, w.times)
	area.root = area.nodes[m.Key]
	return area, err
}

// fill sets the page of the arrivals after a mark, with what a result says of them and of the
// root, if there is one.
func (a *region) fill(ctx context.Context, r *db.Reader, seeds []seed, arrivals []*arrival, after db.Mark, limit int, times edges.Times) (err error) {
	a.before, a.reached, a.more = pageOf(arrivals, after, limit)
	if a.nodes, err = describe(ctx, r, a.keys(), times); err != nil {
		return err
	}
	if a.ended, err = endings(ctx, r, a.reached, times); err != nil {
		return err
	}
	a.onReplaced, err = edges.RestOnReplaced(ctx, r, lists.Map(seeds, seed.keyOf))
	return err
}

// keys returns the keys of the root and of all memories that were reached.
func (a region) keys() []int64 { return append([]int64{a.rootKey}, keysOf(a.reached)...) }

// endings returns when the edges of the last steps ended, by their keys. Edges that have not
// ended are not in the map.
func endings(ctx context.Context, r *db.Reader, arrivals []*arrival, times edges.Times) (map[int64]string, error) {
	ended := map[int64]string{}
	err := db.Fill(ctx, r, ended, `
select
  e.key,
  e.valid_to
from json_each(?1) f
cross join edges e indexed by edges_ending on e.key = f.value
where e.valid_to <= ?2`, db.List(lists.Map(arrivals, func(a *arrival) int64 { return a.via.edge })), times.Marked)
	return ended, err
}
