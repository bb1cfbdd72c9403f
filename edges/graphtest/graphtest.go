// Package graphtest makes graphs for tests: small worlds, built or drawn at random,
// that a test knows completely, and naive reference implementations of walks.
package graphtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// TB is the common interface of testing.T and rapid.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Day returns the n-th day as a stored time.
func Day(n int) string { return fmt.Sprintf("2026-01-%02dT00:00:00.000Z", n) }

// Mem is a memory of a world.
type Mem struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	Content    string         `json:"content"`
	Status     string         `json:"status"` // filled by World.Settle, unless forgotten
	Note       bool           `json:"note"`
	File       bool           `json:"file"` // without text
	URI        *string        `json:"uri"`
	Properties map[string]any `json:"properties"`
	Created    string         `json:"created"`
	Updated    *string        `json:"updated"` // nil: never
	ValidFrom  *string        `json:"valid_from"`
	ValidTo    *string        `json:"valid_to"`
	Forgotten  *string        `json:"forgotten"`
	Absent     *Absence       `json:"-"` // nil: never
}

// Absence is the time between which a memory was forgotten and brought back. The rows
// do not tell of it, so that for both times the memory was there all along.
type Absence struct{ Edited, Forgotten, Restored string }

// Changed returns when the row of a memory was last written; "" for never.
func (m Mem) Changed() string {
	switch {
	case m.Absent != nil:
		return m.Absent.Restored
	case m.Updated != nil:
		return *m.Updated
	}
	return ""
}

// Tie is an edge of a world between two of its memories, by their numbers.
type Tie struct {
	ID        string     `json:"id"`
	From      int        `json:"-"`
	To        int        `json:"-"`
	FromID    string     `json:"from"`
	ToID      string     `json:"to"`
	Kind      edges.Kind `json:"kind"`
	Rel       string     `json:"rel"`
	Origin    string     `json:"origin"`
	Place     string     `json:"place"` // the origin of a site, "" for none
	Weight    float64    `json:"weight"`
	Note      string     `json:"note"`
	Created   string     `json:"created"`
	ValidFrom *string    `json:"valid_from"`
	ValidTo   *string    `json:"valid_to"`
}

// World is a graph as a test knows it. The naive references compute their results from
// it alone.
type World struct {
	Namespace string
	Mems      []Mem
	Ties      []Tie
}

// ctx is for helpers that accept both testing.T and rapid.T.
var ctx = context.Background()

var worlds atomic.Int64

// New returns a world with its own namespace and ids, so that a file can hold many
// worlds.
func New() *World { return &World{Namespace: fmt.Sprintf("w%d", worlds.Add(1))} }

// Add adds a memory. Its id ends in the name.
func (w *World) Add(name string) int {
	w.Mems = append(w.Mems, Mem{
		ID: w.ID(name), Title: w.Namespace + " " + name, Status: "current",
		Properties: map[string]any{}, Created: Day(1),
	})
	return len(w.Mems) - 1
}

// ID returns the id of the memory with a name.
func (w *World) ID(name string) string { return w.Namespace + "-" + name }

// Note turns a memory into a note of a vault.
func (w *World) Note(i int) {
	w.Mems[i].Note = true
	w.Mems[i].URI = Ptr("obsidian-fs://" + w.Namespace + "/" + w.Mems[i].ID + ".md")
}

// Tie adds an edge between two memories, which are added if they do not exist.
func (w *World) Tie(from string, kind edges.Kind, to string) *Tie {
	return w.Join(w.Find(from), kind, w.Find(to))
}

// Find returns the memory with a name, which is added if it does not exist.
func (w *World) Find(name string) int {
	if i := slices.IndexFunc(w.Mems, func(m Mem) bool { return m.ID == w.ID(name) }); i >= 0 {
		return i
	}
	return w.Add(name)
}

// Join adds an edge between two memories by their numbers.
func (w *World) Join(from int, kind edges.Kind, to int) *Tie {
	w.Ties = append(w.Ties, Tie{
		ID:   fmt.Sprintf("%s-e%d", w.Namespace, len(w.Ties)),
		From: from, To: to, FromID: w.Mems[from].ID, ToID: w.Mems[to].ID,
		Kind: kind, Origin: "person", Weight: 1, Created: Day(1),
	})
	return &w.Ties[len(w.Ties)-1]
}

// Settle computes the statuses that the schema must set.
func (w *World) Settle() {
	for _, t := range w.Ties {
		if t.Kind == edges.Supersedes && w.Mems[t.To].Status == "current" {
			w.Mems[t.To].Status = "superseded"
		}
	}
}

// Store writes the world in one batch, in the order of the two permutations; nil keeps
// the order.
func (w *World) Store(t TB, d *db.DB, mems, ties []int) {
	t.Helper()
	w.Settle()
	_, err := d.Write(ctx, "test", Day(1),
		db.S(`
insert into memories (
  id, namespace, kind, title, content, status, origin, uri, properties, created_at, updated_at, valid_from, valid_to, forgotten_at
)
select
  value ->> '$.id',
  ?2,
  iif(value ->> '$.file', 'file', iif(value ->> '$.note', 'note', 'fact')),
  value ->> '$.title',
  value ->> '$.content',
  iif(value ->> '$.forgotten' is null, 'current', 'forgotten'),
  iif(value ->> '$.note', 'vault', 'agent'),
  value ->> '$.uri',
  value -> '$.properties',
  value ->> '$.created',
  coalesce(value ->> '$.updated', value ->> '$.created'),
  value ->> '$.valid_from',
  value ->> '$.valid_to',
  value ->> '$.forgotten'
from json_each(?1)
order by key`, JSON(Permuted(w.Mems, mems)), w.Namespace),
		db.S(`
insert into edges (id, from_key, to_key, kind, rel, origin, weight, note, created_at, valid_from, valid_to)
select
  value ->> '$.id',
  (select key from memories where id = value ->> '$.from'),
  (select key from memories where id = value ->> '$.to'),
  value ->> '$.kind',
  value ->> '$.rel',
  value ->> '$.origin',
  value ->> '$.weight',
  value ->> '$.note',
  value ->> '$.created',
  value ->> '$.valid_from',
  value ->> '$.valid_to'
from json_each(?1)
order by key`, JSON(Permuted(w.Ties, ties))),
		db.S(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte)
select
  e.from_key,
  e.key,
  e.kind,
  value ->> '$.place',
  'x',
  'x',
  0,
  0,
  0
from json_each(?1)
join edges e on e.id = value ->> '$.id'
where value ->> '$.place' <> ''`, JSON(w.Ties)),
		db.S(`
insert into journal (at, actor, action, thing, id, before)
select
  value ->> 1,
  'test',
  value ->> 2,
  'memory',
  value ->> 0,
  '{}'
from json_each(?1)
order by key`, JSON(w.absences())),
		db.S(`
update memories
set
  updated_at = (select max(at) from journal where id = memories.id and action = 'restore'),
  revision = revision + 3
where id in (select value ->> 0 from json_each(?1))`, JSON(w.absences())),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// absences are the rows that the journal has of memories that were edited, forgotten
// and brought back. A file's clock does not go back, so that a world writes them.
func (w *World) absences() [][]string {
	rows := [][]string{}
	for _, m := range w.Mems {
		if a := m.Absent; a != nil {
			if a.Edited != "" {
				rows = append(rows, []string{m.ID, a.Edited, "update"})
			}
			rows = append(rows, []string{m.ID, a.Forgotten, "forget"}, []string{m.ID, a.Restored, "restore"})
		}
	}
	return rows
}

// Permuted returns a list in another order; nil keeps the order.
func Permuted[T any](list []T, order []int) []T {
	if order == nil {
		return append([]T{}, list...)
	}
	out := make([]T, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

// JSON writes a value as JSON.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Graph returns the graph of the world's namespace, without other worlds of the file.
func (w *World) Graph(d *db.DB) edges.Graph {
	return edges.Graph{DB: d, Caller: ref.Caller{Actor: "test", Origin: "agent", Namespace: w.Namespace}}
}

// Short removes the common prefix of the ids of a world.
func (w *World) Short(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id[min(len(id), len(w.Namespace)+1):]
	}
	return names
}

// Shape restricts random worlds.
type Shape struct {
	Mems, Ties int // maximum
	Times      bool
	Hide       bool // superseded and forgotten memories
	Properties bool
	Origins    bool
	Files      bool         // without text
	Kinds      []edges.Kind // nil: all
}

// Draw draws a world. The order of the ids is independent of the numbers of the
// memories.
func Draw(t *rapid.T, s Shape) *World {
	w := New()
	n := rapid.IntRange(2, s.Mems).Draw(t, "memories")
	names := rapid.Permutation(Numbers(n)).Draw(t, "ids")
	rank := rapid.Permutation(Numbers(n)).Draw(t, "rank")
	for i := range n {
		w.Add(fmt.Sprintf("%02d", names[i]))
		m := &w.Mems[i]
		if rapid.IntRange(0, 2).Draw(t, "note") == 0 {
			w.Note(i)
		}
		m.File = s.Files && rapid.IntRange(0, 2).Draw(t, "file") == 0
		absence := -1
		if s.Hide {
			absence = rapid.IntRange(0, 7).Draw(t, "forgotten")
		}
		switch absence {
		case 0:
			m.Forgotten, m.Status = Ptr(Day(rapid.IntRange(2, 6).Draw(t, "forgotten at"))), "forgotten"
		case 1:
			m.Absent = &Absence{rapid.SampledFrom([]string{"", Day(2), Day(3)}).Draw(t, "edited"), Day(4), Day(rapid.IntRange(5, 6).Draw(t, "restored"))}
		}
		if s.Times {
			if m.Absent == nil {
				m.Created = Day(rapid.IntRange(1, 5).Draw(t, "created"))
			}
			m.ValidFrom, m.ValidTo = DrawSpan(t)
			if m.Absent == nil {
				m.Updated = rapid.SampledFrom([]*string{nil, Ptr(Day(5)), Ptr(Day(7))}).Draw(t, "updated")
			}
		}
		if s.Properties {
			m.Properties = rapid.SampledFrom([]map[string]any{
				{}, {"area": "sea"}, {"area": "land"}, {"area": []any{"sea", "land"}}, {"area": []any{}, "n": int64(1)},
				{"n": int64(1), "area": "sea"}, {"n": "1"}, {"area": nil}, {"area": map[string]any{"x": "sea"}},
			}).Draw(t, "properties")
		}
	}
	kinds := s.Kinds
	if kinds == nil {
		kinds = edges.Kinds()
	}
	type joint struct {
		From, To int
		Kind     edges.Kind
		Rel      string
	}
	taken, succeeded := map[joint]bool{}, map[int]bool{}
	for range rapid.IntRange(1, s.Ties).Draw(t, "edges") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		rel := rapid.SampledFrom([]string{"", "", "why", "because"}).Draw(t, "rel")
		if kind.Acyclic() && rank[a] < rank[b] {
			a, b = b, a
		}
		j := joint{a, b, kind, rel}
		switch {
		case a == b, taken[j], kind.Symmetric() && taken[joint{b, a, kind, rel}]:
			continue
		case kind == edges.Supersedes && (succeeded[b] || !s.Hide):
			continue
		}
		taken[j] = true
		succeeded[b] = succeeded[b] || kind == edges.Supersedes
		e := w.Join(a, kind, b)
		e.Rel = rel
		if s.Origins {
			e.Origin = rapid.SampledFrom([]string{"person", "wikilink", "mention", "markdown", "frontmatter"}).Draw(t, "origin")
			e.Place = rapid.SampledFrom([]string{"", "", "wikilink", "frontmatter"}).Draw(t, "place")
		}
		// No two different products of a few of these are nearly equal.
		e.Weight = rapid.SampledFrom([]float64{1, 0.5, 0.25, 0.9, 0.7, 0.3}).Draw(t, "weight")
		if s.Times {
			e.Created = Day(rapid.IntRange(1, 6).Draw(t, "edge created"))
			e.ValidFrom, e.ValidTo = DrawSpan(t)
		}
	}
	w.Settle()
	return w
}

// DrawSpan draws a time of validity, which may begin before the thing was stored and
// end in the past or long after the test.
func DrawSpan(t *rapid.T) (from, to *string) {
	if rapid.IntRange(0, 2).Draw(t, "valid from") == 0 {
		from = Ptr(Day(rapid.IntRange(1, 5).Draw(t, "from")))
	}
	switch rapid.IntRange(0, 4).Draw(t, "valid to") {
	case 0:
		to = Ptr(Day(rapid.IntRange(6, 8).Draw(t, "to")))
	case 1:
		to = Ptr("2999-01-01T00:00:00.000Z")
	}
	return from, to
}

// DrawOrder returns an order of insertion.
func DrawOrder(t *rapid.T, w *World) (mems, ties []int) {
	mems = rapid.Permutation(Numbers(len(w.Mems))).Draw(t, "order of memories")
	ties = rapid.Permutation(Numbers(len(w.Ties))).Draw(t, "order of edges")
	return mems, ties
}

// DrawTypes draws edge_types.
func DrawTypes(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		nil, nil, {"causes", "depends-on"}, {"supersedes", "relates-to", "links-to"}, {"mentions", "caused_by", "contradicts"},
	}).Draw(t, "edge_types")
}

// DrawTypesAndWords also draws words of other systems for an origin.
func DrawTypesAndWords(t *rapid.T) []string {
	types := DrawTypes(t)
	return append(types, rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "frontmatter_ref"}, {"hyperlink"}}).Draw(t, "words")...)
}

// Numbers returns the numbers from 0 up to, not including, n.
func Numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Pass restricts a naive walk as the contract does.
type Pass struct {
	Kinds             []edges.Kind
	WhollyFrom        []string // origins allowed in addition to the kinds
	Origins           []string
	Rels              []string
	Direction         walk.Direction
	IncludeSuperseded bool
	IncludeForgotten  bool
	WithoutFiles      bool
	Times             Times
	Ends              []int // may be entered whatever their status
}

// Allowed reads edge_types as the contract does.
func Allowed(t TB, types []string) []edges.Kind {
	t.Helper()
	if len(types) == 0 {
		return slices.DeleteFunc(edges.Kinds(), func(k edges.Kind) bool { return k == edges.Mentions })
	}
	kinds := []edges.Kind{}
	for _, word := range types {
		k, _, err := edges.Parse(word)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// Chosen reads edge_types and origins as the contract does for tools that accept both.
func Chosen(t TB, types, origins []string) (p Pass) {
	t.Helper()
	p.Origins = origins
	kinds := slices.DeleteFunc(slices.Clone(types), func(word string) bool {
		origin := map[string]string{"wikilink": "wikilink", "mention": "mention", "frontmatter_ref": "frontmatter", "hyperlink": "markdown"}[word]
		if origin != "" {
			p.WhollyFrom = append(p.WhollyFrom, origin)
		}
		return origin != ""
	})
	switch {
	case len(types) == 0 && len(origins) > 0:
		p.Kinds = edges.Kinds()
	case len(types) == 0 || len(kinds) > 0:
		p.Kinds = Allowed(t, kinds)
	}
	return p
}

// Passes reports whether an edge has one of the kinds or origins.
func (p Pass) Passes(t Tie) bool {
	from := func(origins []string) bool {
		return slices.Contains(origins, t.Origin) || t.Place != "" && slices.Contains(origins, t.Place)
	}
	return (slices.Contains(p.Kinds, t.Kind) || from(p.WhollyFrom)) && (len(p.Origins) == 0 || from(p.Origins))
}

// DrawOrigins draws origins of edges.
func DrawOrigins(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "person"}, {"frontmatter", "markdown"}}).Draw(t, "origins")
}

// Stride is one edge as the naive references pass it.
type Stride struct {
	From, To int
	Out      bool
	Tie      Tie
}

// Strides lists all edges that may be passed from one memory.
func (w *World) Strides(at int, p Pass) []Stride {
	found := []Stride{}
	for _, t := range w.Ties {
		if !p.Passes(t) || len(p.Rels) > 0 && !slices.ContainsFunc(p.Rels, func(rel string) bool { return strings.EqualFold(rel, t.Rel) }) || !t.Holds(p.Times) {
			continue
		}
		symmetric := t.Kind == edges.Contradicts || t.Kind == edges.RelatesTo
		if t.From == at && (p.Direction != walk.Backward || symmetric) && w.Open(t.To, p) {
			found = append(found, Stride{at, t.To, true, t})
		}
		if t.To == at && (p.Direction != walk.Forward || symmetric) && w.Open(t.From, p) {
			found = append(found, Stride{at, t.From, false, t})
		}
	}
	return found
}

// CompareStrides is the documented order of edges from one memory: type of edge, out
// before in, the next memory; then the word.
func (w *World) CompareStrides(a, b Stride) int {
	rank := func(s Stride) int {
		if s.Out {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.Tie.Kind, b.Tie.Kind), cmp.Compare(rank(a), rank(b)),
		cmp.Compare(w.Mems[a.To].ID, w.Mems[b.To].ID), cmp.Compare(a.Tie.Rel, b.Tie.Rel))
}

// Distances is a plain breadth-first search. A memory that must not be passed through
// has a distance, but no memories beyond it are reached.
func (w *World) Distances(seeds []int, p Pass, through func(i int) bool) map[int]int {
	distance := map[int]int{}
	queue := []int{}
	for _, s := range seeds {
		if _, ok := distance[s]; !ok {
			distance[s] = 0
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if distance[at] > 0 && !through(at) {
			continue
		}
		for _, s := range w.Strides(at, p) {
			if _, ok := distance[s.To]; !ok {
				distance[s.To] = distance[at] + 1
				queue = append(queue, s.To)
			}
		}
	}
	return distance
}

// Direction returns a direction as the contract names it.
func Direction(out bool) string {
	if out {
		return "out"
	}
	return "in"
}

// Ptr returns a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// MustFail checks an error's code and returns its details.
func MustFail(t TB, err error, code fault.Code) map[string]any {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Fatalf("error %v has code %q, want %q", err, got, code)
	}
	e, _ := err.(*fault.Error)
	return maps.Clone(e.Details)
}

// Origin returns the origin of a memory of a world.
func (m Mem) Origin() string {
	if m.Note {
		return "vault"
	}
	return "agent"
}

func (w *World) URI(i int) string {
	if w.Mems[i].URI == nil {
		return ""
	}
	return *w.Mems[i].URI
}

func (w *World) Kind(i int) string {
	switch m := w.Mems[i]; {
	case m.File:
		return "file"
	case m.Note:
		return "note"
	}
	return "fact"
}

// DrawPathArgs draws the arguments of a path between two memories of a world, with
// their meaning as a Pass.
func DrawPathArgs(t *rapid.T, w *World) (a walk.PathArgs, from, to int, p Pass) {
	from = rapid.IntRange(0, len(w.Mems)-1).Draw(t, "from")
	to = rapid.IntRange(0, len(w.Mems)-1).Draw(t, "to")
	a = walk.PathArgs{
		From: w.Mems[from].ID, To: w.Mems[to].ID,
		MaxHops:           rapid.IntRange(1, 6).Draw(t, "max_hops"),
		EdgeTypes:         DrawTypes(t),
		Direction:         rapid.SampledFrom([]string{"", "any", "forward", "backward"}).Draw(t, "direction"),
		Alternatives:      rapid.IntRange(1, 5).Draw(t, "alternatives"),
		Weighted:          rapid.Bool().Draw(t, "weighted"),
		IncludeSuperseded: rapid.SampledFrom([]*bool{nil, Ptr(true), Ptr(false)}).Draw(t, "include_superseded"),
	}
	p = Pass{
		Kinds: Allowed(t, a.EdgeTypes), IncludeSuperseded: a.IncludeSuperseded == nil || *a.IncludeSuperseded,
		Ends: []int{from, to}, Direction: walk.Direction(a.Direction),
	}
	return a, from, to, p
}

// Line stores a chain of n edges between memories named 00, 01 and so on.
func Line(t testing.TB, d *db.DB, n int) *World {
	t.Helper()
	w := New()
	for i := range n {
		w.Tie(fmt.Sprintf("%02d", i), edges.Follows, fmt.Sprintf("%02d", i+1))
	}
	w.Store(t, d, nil, nil)
	return w
}
