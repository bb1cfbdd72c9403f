package vectors

import (
	"context"
	"strings"
	"sync"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

// Model is an embedder as a row of the store.
type Model struct {
	Key        int64
	Name       string
	building   bool // it will replace the model in force once it has all vectors
	Dimensions int  // of its vectors; 0: not known yet
}

// isBuiltin reports whether the model is part of this program: it needs no server, and takes
// microseconds.
func (m Model) isBuiltin() bool { return isBuiltin(m.Name) }

func isBuiltin(name string) bool { return strings.HasPrefix(name, "builtin:") }

// modelsOf returns the model in force and the one being built, in this order; either may be
// missing.
func modelsOf(ctx context.Context, from db.Source) ([]Model, error) {
	return db.Select(ctx, from, db.Fields(func(m *Model) []any {
		return []any{&m.Key, &m.Name, &m.building, &m.Dimensions}
	}), `
select
  key,
  name,
  state = 'building',
  dimensions
from embedders
order by state desc`)
}

// openEmbedders caches open embedders by name, because a model takes a while to read from
// its files and many searches use it.
var openEmbedders = struct {
	mu  sync.Mutex
	all map[string]*sharedEmbedder
}{all: map[string]*sharedEmbedder{}}

const maxOpen = 2 // embedders in the cache: one read from files takes tens of megabytes

// open returns the model's embedder from the cache, or opens it.
func (m Model) open() (*sharedEmbedder, error) {
	openEmbedders.mu.Lock()
	defer openEmbedders.mu.Unlock()
	if e := openEmbedders.all[m.Name]; e != nil {
		return e, nil
	}
	e, err := embed.Open(m.Name)
	if err != nil {
		return nil, err
	}
	if len(openEmbedders.all) >= maxOpen {
		clear(openEmbedders.all)
	}
	openEmbedders.all[m.Name] = &sharedEmbedder{Embedder: e}
	return openEmbedders.all[m.Name], nil
}

// Question is the embedding of a question as Blob returns it, with the key of the model that made it.
type Question struct {
	Model  int64
	Vector []byte
	Least  float64 // cosine of a text that is near in meaning; 0 if the model has no such bound
}

// ModelInForce returns the model whose vectors searches use, nil if there is none.
func ModelInForce(ctx context.Context, from db.Source) (*Model, error) {
	all, err := modelsOf(ctx, from)
	if err != nil || len(all) == 0 || all[0].building {
		return nil, err
	}
	return &all[0], nil
}

// Understand embeds a question, nil if the model says nothing of it. It waits for the embedder as
// long as p allows, and fails with unavailable if there is no answer then.
func (m Model) Understand(ctx context.Context, text string, p patience) (*Question, error) {
	e, err := m.open()
	if err != nil {
		return nil, err
	}
	vector, err := e.ask(ctx, text, p)
	if err != nil {
		return nil, err
	}
	if err := m.check([][]float32{vector}); err != nil {
		return nil, err
	}
	if blob := Blob(vector); blob != nil {
		q := &Question{Model: m.Key, Vector: blob}
		if m.Name == embed.Builtin {
			q.Least = embed.LeastNear
		}
		return q, nil
	}
	return nil, nil
}

// check fails with unavailable if vectors do not have the dimensions of the stored ones.
func (m Model) check(vectors [][]float32) error {
	for _, v := range vectors {
		if m.Dimensions != 0 && len(v) != m.Dimensions {
			return fault.New(fault.Unavailable,
				"embedder %s now makes vectors of %d dimensions, and the stored ones have %d, so it is another model under the same name; run hence embed set %s",
				m.Name, len(v), m.Dimensions, m.Name)
		}
	}
	return nil
}
