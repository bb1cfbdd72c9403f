package recall

import (
	"context"
	"database/sql"
	"sync"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

// model is an embedder as the store keeps it.
type model struct {
	key        int64
	name       string
	building   bool // it is to take the place of the one in force
	dimensions int  // 0: there is no vector yet
	learned    []byte
}

// rough reports whether a model knows how words are spelt and not what they
// mean.
func (m model) rough() bool { return m.name == "builtin" }

// modelsOf returns the embedder in force and the one being built, where there
// are such, in this order.
func modelsOf(ctx context.Context, r *db.Reader) ([]model, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (m model, err error) {
		err = row.Scan(&m.key, &m.name, &m.building, &m.dimensions, &m.learned)
		return m, err
	}, `
select
  key,
  name,
  state = 'building',
  dimensions,
  learned
from embedders
order by state desc`)
}

// opened are the embedders that were opened last, by what they were opened
// of: a model of files takes a while to read, and many questions ask one.
var opened = struct {
	mu  sync.Mutex
	all map[string]embed.Embedder
}{all: map[string]embed.Embedder{}}

const maxOpened = 2 // a model of files takes tens of megabytes

// open opens a model's embedder, or finds it open.
func (m model) open() (embed.Embedder, error) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	of := m.name + "\x00" + string(m.learned)
	if e := opened.all[of]; e != nil {
		return e, nil
	}
	e, err := embed.Open(m.name, m.learned)
	if err != nil {
		return nil, err
	}
	if len(opened.all) >= maxOpened {
		clear(opened.all)
	}
	opened.all[of] = e
	return e, nil
}

// question is a question as the model in force understands it.
type question struct {
	model  int64
	vector []float32
}

// inForce returns the model in force, nil where there is none.
func (s Searcher) inForce(ctx context.Context) (*model, error) {
	var all []model
	err := s.DB.Read(ctx, func(r *db.Reader) (err error) {
		all, err = modelsOf(ctx, r)
		return err
	})
	if err != nil || len(all) == 0 || all[0].building {
		return nil, err
	}
	return &all[0], nil
}

// understand makes the vector of a question.
func (m model) understand(ctx context.Context, text string) (*question, error) {
	e, err := m.open()
	if err != nil {
		return nil, err
	}
	vectors, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	if err := m.check(vectors); err != nil {
		return nil, err
	}
	return &question{m.key, vectors[0]}, nil
}

// check refuses vectors that cannot be compared with those that are stored.
func (m model) check(vectors [][]float32) error {
	for _, v := range vectors {
		if m.dimensions != 0 && len(v) != m.dimensions {
			return fault.New(fault.Unavailable,
				"embedder %s makes vectors of %d dimensions now, and those stored have %d: it is another model under the same name; run hence embed set %s",
				m.name, len(v), m.dimensions, m.name)
		}
	}
	return nil
}
