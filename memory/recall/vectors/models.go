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

// openEmbedders are the embedders that were opened, by name: many searches use one, and know how its
// last call ended.
var openEmbedders sync.Map

// open returns the model's embedder, which it opens once.
func (m Model) open() (*sharedEmbedder, error) {
	e, ok := openEmbedders.Load(m.Name)
	if !ok {
		opened, err := embed.Open(m.Name)
		if err != nil {
			return nil, err
		}
		e, _ = openEmbedders.LoadOrStore(m.Name, &sharedEmbedder{Embedder: opened})
	}
	return e.(*sharedEmbedder), nil
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
