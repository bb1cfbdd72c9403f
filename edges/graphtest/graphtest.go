// Package graphtest makes graphs for tests: small worlds, built by hand or drawn at random,
// whose memories and edges a test has in Go. It also has naive reference implementations of
// walks.
package graphtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"hence/edges"
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
	Status     string         `json:"status"` // set by World.SetStatuses, unless forgotten
	Note       bool           `json:"note"`
	ByAgent    bool           `json:"by_agent"` // a note that an agent wrote
	File       bool           `json:"file"`     // a file without text
	URI        *string        `json:"uri"`
	Properties map[string]any `json:"properties"`
	Created    string         `json:"created"`
	Updated    *string        `json:"updated"` // nil: never
	ValidFrom  *string        `json:"valid_from"`
	ValidTo    *string        `json:"valid_to"`
	Forgotten  *string        `json:"forgotten"`
	Absent     *Absence       `json:"-"` // nil: never
}

// Absence has the times at which a memory was edited ("" for never), forgotten and restored.
// Its row does not show that it was forgotten, so for AsOf and KnownAt it was never absent.
type Absence struct{ Edited, Forgotten, Restored string }

// ChangeTime returns when the row of a memory was last written; "" for never.
func (m Mem) ChangeTime() string {
	switch {
	case m.Absent != nil:
		return m.Absent.Restored
	case m.Updated != nil:
		return *m.Updated
	}
	return ""
}

// Tie is an edge of a world. From and To are the indexes of its memories.
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

// World is a graph in Go. The naive reference implementations compute their results from it,
// without the store.
type World struct {
	Namespace string
	Mems      []Mem
	Ties      []Tie
}

// ctx is the context of helpers that accept a TB, which has no context.
var ctx = context.Background()

var worlds atomic.Int64

// New returns a world with its own namespace and ids, so that a file can hold many
// worlds.
func New() *World { return &World{Namespace: fmt.Sprintf("w%d", worlds.Add(1))} }

// Add adds a memory, whose id ends in the name, and returns its index.
func (w *World) Add(name string) int {
	w.Mems = append(w.Mems, Mem{
		ID: w.ID(name), Title: w.Namespace + " " + name, Status: "current",
		Properties: map[string]any{}, Created: Day(1),
	})
	return len(w.Mems) - 1
}

// ID returns the id of the memory with the given name.
func (w *World) ID(name string) string { return w.Namespace + "-" + name }

// IsPersons reports whether a memory is a note that a person wrote.
func (m Mem) IsPersons() bool { return m.Note && !m.ByAgent }

// Note turns a memory into a note of a vault.
func (w *World) Note(i int) {
	w.Mems[i].Note = true
	w.Mems[i].URI = Ptr("obsidian-fs://" + w.Namespace + "/" + w.Mems[i].ID + ".md")
}

// Tie adds an edge between the memories with the given names. It adds a memory that does not
// exist.
func (w *World) Tie(from string, kind edges.Kind, to string) *Tie {
	return w.AddEdge(w.Find(from), kind, w.Find(to))
}

// Find returns the index of the memory with the given name. It adds the memory if it does not
// exist.
func (w *World) Find(name string) int {
	if i := slices.IndexFunc(w.Mems, func(m Mem) bool { return m.ID == w.ID(name) }); i >= 0 {
		return i
	}
	return w.Add(name)
}

// AddEdge adds an edge between two memories, by their indexes.
func (w *World) AddEdge(from int, kind edges.Kind, to int) *Tie {
	w.Ties = append(w.Ties, Tie{
		ID:   fmt.Sprintf("%s-e%d", w.Namespace, len(w.Ties)),
		From: from, To: to, FromID: w.Mems[from].ID, ToID: w.Mems[to].ID,
		Kind: kind, Origin: "person", Weight: 1, Created: Day(1),
	})
	return &w.Ties[len(w.Ties)-1]
}

// SetStatuses sets the statuses of the memories to those that the schema must set.
func (w *World) SetStatuses() {
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
	w.SetStatuses()
	_, err := d.Write(ctx, "test", Day(1),
		db.S(`
insert into memories (
  id, content_hash, namespace, kind, title, content, status, origin, source, uri, properties, created_at, updated_at, valid_from, valid_to, forgotten_at
)
select
  value ->> '$.id',
  'hash of ' || (value ->> '$.id'),
  ?2,
  iif(value ->> '$.file', 'file', iif(value ->> '$.note', 'note', 'fact')),
  value ->> '$.title',
  value ->> '$.content',
  iif(value ->> '$.forgotten' is null, 'current', 'forgotten'),
  iif(value ->> '$.note', 'vault', 'agent'),
  iif(value ->> '$.by_agent', 'agent', null),
  value ->> '$.uri',
  value -> '$.properties',
  value ->> '$.created',
  coalesce(value ->> '$.updated', value ->> '$.created'),
  value ->> '$.valid_from',
  value ->> '$.valid_to',
  value ->> '$.forgotten'
from json_each(?1)
order by key`, JSON(Permute(w.Mems, mems)), w.Namespace),
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
order by key`, JSON(Permute(w.Ties, ties))),
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

// absences returns the id, time and action of each journal row for the memories that were
// forgotten and restored. Store inserts these rows itself, because the clock of a store
// cannot be set back.
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

// Permute returns a copy of a list in the given order of indexes; nil keeps the order.
func Permute[T any](list []T, order []int) []T {
	if order == nil {
		return append([]T{}, list...)
	}
	permuted := make([]T, len(list))
	for i, index := range order {
		permuted[i] = list[index]
	}
	return permuted
}

// JSON returns a value as JSON text.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Graph returns the graph of the world's namespace, without the other worlds of the store.
func (w *World) Graph(d *db.DB) edges.Graph {
	return edges.Graph{DB: d, Caller: ref.Caller{Actor: "test", Origin: "agent", Namespace: w.Namespace}}
}

// Short returns the names of the memories with the given ids.
func (w *World) Short(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id[min(len(id), len(w.Namespace)+1):]
	}
	return names
}

// Numbers returns the numbers from 0 up to, not including, n.
func Numbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// Ptr returns a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// MustFail fails the test if the error does not have the code, and returns its details.
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

// URI returns the URI of the memory with index i, "" if it has none.
func (w *World) URI(i int) string {
	if w.Mems[i].URI == nil {
		return ""
	}
	return *w.Mems[i].URI
}

// Kind returns the kind of the memory with index i.
func (w *World) Kind(i int) string {
	switch m := w.Mems[i]; {
	case m.File:
		return "file"
	case m.Note:
		return "note"
	}
	return "fact"
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
