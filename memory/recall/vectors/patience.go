package vectors

import (
	"context"
	"sync"
	"time"

	"hence/internal/fault"
	"hence/memory/embed"
)

// patience is how long an answer waits for the vector of a text.
type patience struct {
	Wait    time.Duration
	insists bool // asks also if the embedder has just failed
}

// A hybrid search and what is near a new memory do without a vector; a semantic
// search does not, and may be the first that makes a server load its model.
var (
	Optional = patience{Wait: time.Second}
	Required = patience{Wait: 20 * time.Second, insists: true}
)

// unasked is how long an embedder is not asked after it failed, unless for what cannot
// be done without it.
const unasked = 10 * time.Second

// opened is an embedder that several searches use.
type opened struct {
	embed.Embedder
	mu     sync.Mutex
	failed error     // of the last text that was asked for; nil: it was made
	until  time.Time // whoever does not insist gets failed until then
}

// ask makes a vector, or fails with unavailable when the patience ends. The embedder
// then goes on, so that a server which loads its model has it for the next question.
func (o *opened) ask(ctx context.Context, text string, p patience) ([]float32, error) {
	if err := o.hasFailed(); err != nil && !p.insists {
		return nil, err
	}
	type answer struct {
		vector []float32
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		vectors, err := o.Embed(context.WithoutCancel(ctx), []string{text})
		o.note(err)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		answers <- answer{vector: vectors[0]}
	}()
	enough := time.NewTimer(p.Wait)
	defer enough.Stop()
	select {
	case a := <-answers:
		return a.vector, a.err
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "embedder %s: stopped", o.Name())
	case <-enough.C:
		err := fault.New(fault.Unavailable, "embedder %s: no answer within %v", o.Name(), p.Wait)
		o.note(err)
		return nil, err
	}
}

// hasFailed returns the error of the last text, for a while.
func (o *opened) hasFailed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Now().Before(o.until) {
		return o.failed
	}
	return nil
}

// note keeps whether a text got its vector.
func (o *opened) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed, o.until = err, time.Time{}
	if err != nil {
		o.until = time.Now().Add(unasked)
	}
}
