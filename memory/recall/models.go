package recall

import (
	"context"
	"sync"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

// model is an embedder as the store keeps it.
type model struct {
	key        int64
	name       string
	building   bool // it will replace the one in force
	dimensions int  // 0: no vector yet
}

// modelsOf returns the embedder in force and the one being built, in this order, if
// there are any.
func modelsOf(ctx context.Context, r *db.Reader) ([]model, error) {
	return db.Select(ctx, r, db.Fields(func(m *model) []any {
		return []any{&m.key, &m.name, &m.building, &m.dimensions}
	}), `
select
  key,
  name,
  state = 'building',
  dimensions
from embedders
order by state desc`)
}

// openEmbedders are the embedders that were opened last, by name: a model of files
// takes a while to read, and many searches use it.
var openEmbedders = struct {
	mu  sync.Mutex
	all map[string]*opened
}{all: map[string]*opened{}}

const maxOpen = 2 // a model of files takes tens of megabytes

// open opens a model's embedder, unless it is open.
func (m model) open() (*opened, error) {
	openEmbedders.mu.Lock()
	defer openEmbedders.mu.Unlock()
	if e := openEmbedders.all[m.name]; e != nil {
		return e, nil
	}
	e, err := embed.Open(m.name)
	if err != nil {
		return nil, err
	}
	if len(openEmbedders.all) >= maxOpen {
		clear(openEmbedders.all)
	}
	openEmbedders.all[m.name] = &opened{Embedder: e}
	return openEmbedders.all[m.name], nil
}

// question is the vector of a question, made by a model.
type question struct {
	model  int64
	vector []float32
}

// modelInForce returns the model in force, nil if there is none.
func modelInForce(ctx context.Context, r *db.Reader) (*model, error) {
	all, err := modelsOf(ctx, r)
	if err != nil || len(all) == 0 || all[0].building {
		return nil, err
	}
	return &all[0], nil
}

// inForce is modelInForce outside a snapshot.
func (s Searcher) inForce(ctx context.Context) (m *model, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) (err error) {
		m, err = modelInForce(ctx, r)
		return err
	})
	return m, err
}

// understand makes the vector of a question, for which an answer waits.
func (m model) understand(ctx context.Context, text string, p patience) (*question, error) {
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
	return &question{m.key, vector}, nil
}

// check refuses vectors that cannot be compared with the stored ones.
func (m model) check(vectors [][]float32) error {
	for _, v := range vectors {
		if m.dimensions != 0 && len(v) != m.dimensions {
			return fault.New(fault.Unavailable,
				"embedder %s now makes vectors of %d dimensions, and the stored ones have %d, so it is another model under the same name; run hence embed set %s",
				m.name, len(v), m.dimensions, m.name)
		}
	}
	return nil
}
