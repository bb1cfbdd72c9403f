package vectors

import (
	"context"
	"sync"
	"time"

	"hence/internal/fault"
	"hence/memory/embed"
)

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
