package edges_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// TestMain makes runs of the random tests repeatable.
func TestMain(m *testing.M) {
	dbtest.FixSeed()
	code := m.Run()
	if err := edges.CloseBench(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// day returns a time as it is stored; days follow each other.
func day(n int) string { return fmt.Sprintf("2026-01-%02dT00:00:00.000Z", n) }

// mem is a memory of a world.
type mem struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	Content    string         `json:"content"`
	Status     string         `json:"status"` // filled by world.settle, unless forgotten
	Note       bool           `json:"note"`
	URI        *string        `json:"uri"`
	Properties map[string]any `json:"properties"`
	Created    string         `json:"created"`
	ValidFrom  *string        `json:"valid_from"`
	ValidTo    *string        `json:"valid_to"`
	Forgotten  *string        `json:"forgotten"`
}

// tie is an edge of a world, between two of its memories by their numbers.
type tie struct {
	ID        string     `json:"id"`
	From      int        `json:"-"`
	To        int        `json:"-"`
	FromID    string     `json:"from"`
	ToID      string     `json:"to"`
	Kind      edges.Kind `json:"kind"`
	Rel       string     `json:"rel"`
	Origin    string     `json:"origin"`
	Place     string     `json:"place"` // the origin of a place that declares it too, "" for none
	Weight    float64    `json:"weight"`
	Note      string     `json:"note"`
	Created   string     `json:"created"`
	ValidFrom *string    `json:"valid_from"`
	ValidTo   *string    `json:"valid_to"`
}

// world is a graph as a test knows it. What the naive references answer is
// computed from it alone.
type world struct {
	namespace string
	mems      []mem
	ties      []tie
}

// ctx is for helpers that serve testing.T and rapid.T alike.
var ctx = context.Background()

var worlds atomic.Int64

// newWorld returns a world with a namespace and ids of its own, so that many
// can live in one file.
func newWorld() *world { return &world{namespace: fmt.Sprintf("w%d", worlds.Add(1))} }

// add adds a memory with the id that ends in a name.
func (w *world) add(name string) int {
	w.mems = append(w.mems, mem{
		ID: w.id(name), Title: w.namespace + " " + name, Status: "current",
		Properties: map[string]any{}, Created: day(1),
	})
	return len(w.mems) - 1
}

func (w *world) id(name string) string { return w.namespace + "-" + name }

// note makes a memory one of a vault.
func (w *world) note(i int) {
	w.mems[i].Note = true
	w.mems[i].URI = ptr("obsidian-fs://" + w.namespace + "/" + w.mems[i].ID + ".md")
}

// tie adds an edge between two memories, made where they do not exist.
func (w *world) tie(from string, kind edges.Kind, to string) *tie {
	return w.join(w.find(from), kind, w.find(to))
}

func (w *world) find(name string) int {
	if i := slices.IndexFunc(w.mems, func(m mem) bool { return m.ID == w.id(name) }); i >= 0 {
		return i
	}
	return w.add(name)
}

func (w *world) join(from int, kind edges.Kind, to int) *tie {
	w.ties = append(w.ties, tie{
		ID:   fmt.Sprintf("%s-e%d", w.namespace, len(w.ties)),
		From: from, To: to, FromID: w.mems[from].ID, ToID: w.mems[to].ID,
		Kind: kind, Origin: "person", Weight: 1, Created: day(1),
	})
	return &w.ties[len(w.ties)-1]
}

// settle computes the statuses that the schema is to give.
func (w *world) settle() {
	for _, t := range w.ties {
		if t.Kind == edges.Supersedes && w.mems[t.To].Status == "current" {
			w.mems[t.To].Status = "superseded"
		}
	}
}

// store writes the world in one batch, in the order of the two permutations
// or, where they are nil, as it is.
func (w *world) store(t tb, d *db.DB, mems, ties []int) {
	t.Helper()
	w.settle()
	_, err := d.Write(ctx, "test", day(1),
		db.S(`
insert into memories (
  id, namespace, kind, title, content, status, origin, uri, properties, created_at, valid_from, valid_to, forgotten_at
)
select
  value ->> '$.id',
  ?2,
  iif(value ->> '$.note', 'note', 'fact'),
  value ->> '$.title',
  value ->> '$.content',
  iif(value ->> '$.forgotten' is null, 'current', 'forgotten'),
  iif(value ->> '$.note', 'vault', 'agent'),
  value ->> '$.uri',
  value -> '$.properties',
  value ->> '$.created',
  value ->> '$.valid_from',
  value ->> '$.valid_to',
  value ->> '$.forgotten'
from json_each(?1)
order by key`, asJSON(permuted(w.mems, mems)), w.namespace),
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
order by key`, asJSON(permuted(w.ties, ties))),
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
where value ->> '$.place' <> ''`, asJSON(w.ties)),
	)
	if err != nil {
		t.Fatal(err)
	}
}

func permuted[T any](list []T, order []int) []T {
	if order == nil {
		return append([]T{}, list...)
	}
	out := make([]T, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// graph is the world as its caller sees it: other worlds of the same file do
// not show.
func (w *world) graph(d *db.DB) edges.Graph {
	return edges.Graph{DB: d, Caller: ref.Caller{Actor: "test", Origin: "agent", Namespace: w.namespace}}
}

// short drops what the ids of one world have in common.
func (w *world) short(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id[min(len(id), len(w.namespace)+1):]
	}
	return names
}

// shape says how random worlds are to be.
type shape struct {
	mems, ties int // at most
	times      bool
	hide       bool // superseded and forgotten memories
	properties bool
	origins    bool
	kinds      []edges.Kind // nil: all
}

// draw makes a random world, with ids in an order that has nothing to do with
// the numbers of the memories.
func draw(t *rapid.T, s shape) *world {
	w := newWorld()
	n := rapid.IntRange(2, s.mems).Draw(t, "memories")
	names := rapid.Permutation(slices.Collect(rangeOf(n))).Draw(t, "ids")
	rank := rapid.Permutation(slices.Collect(rangeOf(n))).Draw(t, "rank")
	for i := range n {
		w.add(fmt.Sprintf("%02d", names[i]))
		m := &w.mems[i]
		if rapid.IntRange(0, 2).Draw(t, "note") == 0 {
			w.note(i)
		}
		if s.hide && rapid.IntRange(0, 6).Draw(t, "forgotten") == 0 {
			m.Forgotten, m.Status = ptr(day(rapid.IntRange(2, 6).Draw(t, "forgotten at"))), "forgotten"
		}
		if s.times {
			m.Created = day(rapid.IntRange(1, 3).Draw(t, "created"))
			m.ValidFrom, m.ValidTo = drawSpan(t)
		}
		if s.properties {
			m.Properties = rapid.SampledFrom([]map[string]any{
				{}, {"area": "sea"}, {"area": "land"}, {"area": []any{"sea", "land"}}, {"area": []any{}, "n": int64(1)},
				{"n": int64(1), "area": "sea"}, {"n": "1"}, {"area": nil}, {"area": map[string]any{"x": "sea"}},
			}).Draw(t, "properties")
		}
	}
	kinds := s.kinds
	if kinds == nil {
		kinds = edges.Kinds()
	}
	type joint struct {
		from, to int
		kind     edges.Kind
		rel      string
	}
	taken, succeeded := map[joint]bool{}, map[int]bool{}
	for range rapid.IntRange(1, s.ties).Draw(t, "edges") {
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
		case kind == edges.Supersedes && (succeeded[b] || !s.hide):
			continue
		}
		taken[j] = true
		succeeded[b] = succeeded[b] || kind == edges.Supersedes
		e := w.join(a, kind, b)
		e.Rel = rel
		if s.origins {
			e.Origin = rapid.SampledFrom([]string{"person", "wikilink", "mention", "markdown", "frontmatter"}).Draw(t, "origin")
			e.Place = rapid.SampledFrom([]string{"", "", "wikilink", "frontmatter"}).Draw(t, "place")
		}
		// No two different products of a few of these are nearly equal.
		e.Weight = rapid.SampledFrom([]float64{1, 0.5, 0.25, 0.9, 0.7, 0.3}).Draw(t, "weight")
		if s.times {
			e.Created = day(rapid.IntRange(1, 3).Draw(t, "edge created"))
			e.ValidFrom, e.ValidTo = drawSpan(t)
		}
	}
	w.settle()
	return w
}

func drawSpan(t *rapid.T) (from, to *string) {
	if rapid.IntRange(0, 3).Draw(t, "valid from") == 0 {
		from = ptr(day(rapid.IntRange(2, 4).Draw(t, "from")))
	}
	if rapid.IntRange(0, 3).Draw(t, "valid to") == 0 {
		to = ptr(day(rapid.IntRange(5, 7).Draw(t, "to")))
	}
	return from, to
}

// drawOrder returns an order of insertion.
func drawOrder(t *rapid.T, w *world) (mems, ties []int) {
	mems = rapid.Permutation(slices.Collect(rangeOf(len(w.mems)))).Draw(t, "order of memories")
	ties = rapid.Permutation(slices.Collect(rangeOf(len(w.ties)))).Draw(t, "order of edges")
	return mems, ties
}

func drawTypes(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		nil, nil, {"causes", "depends-on"}, {"supersedes", "relates-to", "links-to"}, {"mentions", "caused_by", "contradicts"},
	}).Draw(t, "edge_types")
}

// drawTypesAndWords also draws the words of other systems for an origin.
func drawTypesAndWords(t *rapid.T) []string {
	types := drawTypes(t)
	return append(types, rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "frontmatter_ref"}, {"hyperlink"}}).Draw(t, "words")...)
}

func rangeOf(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// pass is what a walk may pass, as the contract says it.
type pass struct {
	kinds             []edges.Kind
	whollyFrom        []string // origins, beside the kinds
	origins           []string
	rels              []string
	direction         edges.Direction
	includeSuperseded bool
	asOf              string
	ends              []int // may be stepped on whatever their status
}

// allowed reads edge_types as the contract does.
func allowed(t tb, types []string) []edges.Kind {
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

// chosen reads edge_types and origins as the contract does for the tools that
// take both.
func chosen(t tb, types, origins []string) (p pass) {
	t.Helper()
	p.origins = origins
	kinds := slices.DeleteFunc(slices.Clone(types), func(word string) bool {
		origin := map[string]string{"wikilink": "wikilink", "mention": "mention", "frontmatter_ref": "frontmatter", "hyperlink": "markdown"}[word]
		if origin != "" {
			p.whollyFrom = append(p.whollyFrom, origin)
		}
		return origin != ""
	})
	switch {
	case len(types) == 0 && len(origins) > 0:
		p.kinds = edges.Kinds()
	case len(types) == 0 || len(kinds) > 0:
		p.kinds = allowed(t, kinds)
	}
	return p
}

// passes reports whether an edge has one of the kinds or origins.
func (p pass) passes(t tie) bool {
	from := func(origins []string) bool {
		return slices.Contains(origins, t.Origin) || t.Place != "" && slices.Contains(origins, t.Place)
	}
	return (slices.Contains(p.kinds, t.Kind) || from(p.whollyFrom)) && (len(p.origins) == 0 || from(p.origins))
}

func drawOrigins(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "person"}, {"frontmatter", "markdown"}}).Draw(t, "origins")
}

// stride is one edge as the naive references pass it.
type stride struct {
	from, to int
	out      bool
	tie      tie
}

// strides lists all the ways from one memory, edge by edge.
func (w *world) strides(at int, p pass) []stride {
	found := []stride{}
	for _, t := range w.ties {
		if !p.passes(t) || len(p.rels) > 0 && !slices.ContainsFunc(p.rels, func(rel string) bool { return strings.EqualFold(rel, t.Rel) }) || !t.holds(p.asOf) {
			continue
		}
		symmetric := t.Kind == edges.Contradicts || t.Kind == edges.RelatesTo
		if t.From == at && (p.direction != edges.Backward || symmetric) && w.open(t.To, p) {
			found = append(found, stride{at, t.To, true, t})
		}
		if t.To == at && (p.direction != edges.Forward || symmetric) && w.open(t.From, p) {
			found = append(found, stride{at, t.From, false, t})
		}
	}
	return found
}

func (t tie) holds(asOf string) bool {
	return asOf == "" || t.Created <= asOf && within(asOf, t.ValidFrom, t.ValidTo)
}

// within reports whether a time is in [from, to).
func within(at string, from, to *string) bool {
	return (from == nil || *from <= at) && (to == nil || at < *to)
}

// open reports whether a memory may be stepped on.
func (w *world) open(i int, p pass) bool {
	m := w.mems[i]
	switch {
	case slices.Contains(p.ends, i):
		return true
	case p.asOf == "":
		return m.Status == "current" || p.includeSuperseded && m.Status == "superseded"
	case m.Created > p.asOf || !within(p.asOf, m.ValidFrom, m.ValidTo) || m.Forgotten != nil && *m.Forgotten <= p.asOf:
		return false
	case p.includeSuperseded:
		return true
	}
	return !slices.ContainsFunc(w.ties, func(t tie) bool {
		since := t.Created
		if t.ValidFrom != nil {
			since = *t.ValidFrom
		}
		return t.To == i && t.Kind == edges.Supersedes && since <= p.asOf
	})
}

// compareStrides is the documented order of ways from one memory: type of
// edge, out before in, the memory it leads to; then the word.
func (w *world) compareStrides(a, b stride) int {
	rank := func(s stride) int {
		if s.out {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.tie.Kind, b.tie.Kind), cmp.Compare(rank(a), rank(b)),
		cmp.Compare(w.mems[a.to].ID, w.mems[b.to].ID), cmp.Compare(a.tie.Rel, b.tie.Rel))
}

// distances is a plain breadth-first search. A memory that may not be passed
// through has a distance, and nothing behind it.
func (w *world) distances(seeds []int, p pass, through func(i int) bool) map[int]int {
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
		for _, s := range w.strides(at, p) {
			if _, ok := distance[s.to]; !ok {
				distance[s.to] = distance[at] + 1
				queue = append(queue, s.to)
			}
		}
	}
	return distance
}

func direction(out bool) string {
	if out {
		return "out"
	}
	return "in"
}

func ptr[T any](v T) *T { return &v }

// mustFail checks an error's code and returns its details.
func mustFail(t tb, err error, code fault.Code) map[string]any {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Fatalf("error %v has code %q, want %q", err, got, code)
	}
	e, _ := err.(*fault.Error)
	return maps.Clone(e.Details)
}

// origin is where a memory of a world comes from.
func (m mem) origin() string {
	if m.Note {
		return "vault"
	}
	return "agent"
}
