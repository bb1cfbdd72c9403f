// Package vectors makes and stores the embeddings of memories, one vector per section.
//
// Vectors are plain rows of table vectors, a byte for each number. When a text changes, a trigger
// deletes its vector and inserts the section into vectors_waiting. The vector is made after the
// answer of the command that wrote the text, by a server in the background, or before the next
// search. A text of which a model says nothing has neither a vector nor waits.
package vectors

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/embed"
)

// Store makes and stores the vectors of the memories of one store.
type Store ref.View

// mostOf is the largest number of a stored vector.
const mostOf = math.MaxInt8

// Blob returns a vector as it is stored, for vec_int8 of sqlite-vec: scaled so that its largest
// number is 127, because only its direction counts. It is nil for a vector of zeros.
func Blob(v []float32) []byte {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	if !(largest > 0) { // nor is it a number
		return nil
	}
	blob, scale := make([]byte, len(v)), mostOf/float64(largest)
	for i, x := range v {
		blob[i] = byte(int8(math.RoundToEven(float64(x) * scale))) // one instruction, which math.Round is not
	}
	return blob
}

// Mean returns the direction between stored vectors, each of which counts the same; nil if there are
// none.
func Mean(stored [][]byte) []byte {
	if len(stored) == 0 {
		return nil
	}
	sum := make([]float32, len(stored[0]))
	for _, blob := range stored {
		square := 0.0
		for _, x := range blob {
			square += float64(int8(x)) * float64(int8(x))
		}
		for i, x := range blob[:min(len(blob), len(sum))] {
			sum[i] += float32(int8(x)) / float32(max(1, math.Sqrt(square)))
		}
	}
	return Blob(sum)
}

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
	Words  string  // the question, if the model is the table in this program, which knows each word; otherwise ""
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
		return m.Asking(blob, text), nil
	}
	return nil, nil
}

// Asking returns a question for what is near to a vector of the model, which is that of a text or of a memory.
func (m Model) Asking(vector []byte, text string) *Question {
	q := &Question{Model: m.Key, Vector: vector}
	if m.Name == embed.Builtin {
		q.Least, q.Words = embed.LeastNear, text
	}
	return q
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

// patience says how long to wait for the vector of a text.
type patience struct {
	Wait       time.Duration
	alwaysAsks bool // call the embedder even if it failed recently
}

// A hybrid search (Optional) works without a vector. A semantic search (Required) does not,
// and its question may be the one for which a server first loads its model.
var (
	Optional = patience{Wait: time.Second}
	Required = patience{Wait: 20 * time.Second, alwaysAsks: true}
)

// retryAfter is how long an embedder is not called after it failed, unless the caller cannot
// do without it.
const retryAfter = 10 * time.Second

// sharedEmbedder is an embedder that several searches use, with the outcome of its last call.
type sharedEmbedder struct {
	embed.Embedder
	mu     sync.Mutex
	failed error     // of the last call; nil: it returned a vector
	until  time.Time // when failed expires
}

// ask returns the vector of a text, or fails with unavailable when the patience ends. The
// call continues in the background, so that a server which is loading its model has it for
// the next question.
func (e *sharedEmbedder) ask(ctx context.Context, text string, p patience) ([]float32, error) {
	if err := e.refuse(p); err != nil {
		return nil, err
	}
	type answer struct {
		vector []float32
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		vectors, err := e.Embed(context.WithoutCancel(ctx), []string{text})
		e.record(err)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		answers <- answer{vector: vectors[0]}
	}()
	timeout := time.NewTimer(p.Wait)
	defer timeout.Stop()
	select {
	case a := <-answers:
		return a.vector, a.err
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "embedder %s: stopped", e.Name())
	case <-timeout.C:
		err := fault.New(fault.Unavailable, "embedder %s: no answer within %v", e.Name(), p.Wait)
		e.record(err)
		return nil, err
	}
}

// refuse returns an error if the embedder is not to be called, because it failed or was slow
// recently; nil if it may.
func (e *sharedEmbedder) refuse(p patience) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.alwaysAsks || time.Now().After(e.until) {
		return nil
	}
	return e.failed
}

// record keeps the outcome of a call until retryAfter has passed.
func (e *sharedEmbedder) record(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed, e.until = err, time.Now().Add(retryAfter)
}
