package vectors

import (
	"context"
	"math"
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

// forEver is recorded as the duration of a failed call: no caller waits longer.
const forEver = time.Duration(math.MaxInt64)

// sharedEmbedder is an embedder that several searches use, with the outcome of its last call.
type sharedEmbedder struct {
	embed.Embedder
	mu     sync.Mutex
	failed error         // of the last call; nil: it returned a vector
	took   time.Duration // by the last call, or the time until its caller gave up
	until  time.Time     // when failed and took expire
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
		start := time.Now()
		vectors, err := e.Embed(context.WithoutCancel(ctx), []string{text})
		if err != nil {
			e.record(err, forEver)
			answers <- answer{err: err}
			return
		}
		e.record(nil, time.Since(start))
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
		e.record(err, p.Wait)
		return nil, err
	}
}

// refuse returns an error if the embedder is not to be called, because it failed or was slow
// recently; nil if it may. A caller that waits longer than the last call took may call it.
func (e *sharedEmbedder) refuse(p patience) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == nil || p.alwaysAsks || e.took < p.Wait || time.Now().After(e.until) {
		return nil
	}
	return e.failed
}

// record keeps the outcome of a call and its duration until retryAfter has passed.
func (e *sharedEmbedder) record(err error, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed, e.took, e.until = err, took, time.Now().Add(retryAfter)
}
