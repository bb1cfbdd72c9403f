package vectors

import (
	"context"
	"math"
	"sync"
	"time"

	"hence/internal/fault"
	"hence/memory/embed"
)

// patience is how long an answer waits for the vector of a text.
type patience struct {
	Wait      time.Duration
	insists   bool // asks also if the embedder has just failed
	onlyQuick bool // does not ask if the last answer has just taken longer
}

// A hybrid search does without a vector; a semantic search does not, and may be the first
// that makes a server load its model. What is stored does not wait: a slow server delays
// one memory for a moment, and then no other for a while.
var (
	Brief    = patience{Wait: 50 * time.Millisecond, onlyQuick: true}
	Optional = patience{Wait: time.Second}
	Required = patience{Wait: 20 * time.Second, insists: true}
)

// unasked is how long an embedder is not asked after it failed, unless for what cannot
// be done without it.
const unasked = 10 * time.Second

// forEver is longer than anybody waits for an embedder that fails.
const forEver = time.Duration(math.MaxInt64)

// sharedEmbedder is an embedder that several searches use.
type sharedEmbedder struct {
	embed.Embedder
	mu     sync.Mutex
	failed error         // of the last text that was asked for; nil: it was made
	took   time.Duration // the last answer, or the wait for it
	until  time.Time     // neither is held against the embedder from then on
}

// ask makes a vector, or fails with unavailable when the patience ends. The embedder
// then goes on, so that a server which loads its model has it for the next question.
func (o *sharedEmbedder) ask(ctx context.Context, text string, p patience) ([]float32, error) {
	if err := o.refusal(p); err != nil {
		return nil, err
	}
	type answer struct {
		vector []float32
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		start := time.Now()
		vectors, err := o.Embed(context.WithoutCancel(ctx), []string{text})
		if err != nil {
			o.note(err, forEver)
			answers <- answer{err: err}
			return
		}
		o.note(nil, time.Since(start))
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
		err := o.late(p.Wait)
		o.note(err, p.Wait)
		return nil, err
	}
}

func (o *sharedEmbedder) late(wait time.Duration) error {
	return fault.New(fault.Unavailable, "embedder %s: no answer within %v", o.Name(), wait)
}

// refusal returns why the embedder is not asked, for a while after it failed or was slow.
// Whoever waits longer than the last one did may get an answer.
func (o *sharedEmbedder) refusal(p patience) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case p.insists || o.took < p.Wait || time.Now().After(o.until):
		return nil
	case o.failed == nil && p.onlyQuick:
		return o.late(p.Wait)
	}
	return o.failed
}

// note keeps whether a text got its vector, and how long that took.
func (o *sharedEmbedder) note(err error, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed, o.took, o.until = err, took, time.Now().Add(unasked)
}
