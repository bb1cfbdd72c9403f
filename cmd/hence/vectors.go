package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/recall/vectors"
)

const (
	// soon is the longest time for which a command that stored a text makes vectors after its
	// answer. The next command, or hence serve, makes the rest.
	soon = 2 * time.Second
	// unhurried is that time for an import: about as long as a person watches it.
	unhurried = 10 * time.Minute
)

// embedEvery is the interval at which a server looks for texts of other processes that have
// no vector.
const embedEvery = 5 * time.Second

// keepEmbedded makes missing vectors in the background. wake tells that texts may have
// been written; stop ends it and waits until nothing is written any more.
func (s *session) keepEmbedded(ctx context.Context, d *db.DB, c ref.Caller, failed func(error)) (wake, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan struct{}, 1)
	var embedding sync.WaitGroup
	embedding.Go(func() {
		vectors.Store{DB: d, Caller: c}.KeepEmbedded(ctx, embedEvery, written, failed)
	})
	wake = func() {
		select {
		case written <- struct{}{}:
		default: // it has been told already
		}
	}
	return wake, func() {
		cancel()
		embedding.Wait()
	}
}

// embedSoon makes the vectors of what a command has stored, after its answer.
func embedSoon[R any](ctx context.Context, s *session, v ref.View, _ R) error {
	s.embedWaiting(ctx, v.DB, soon)
	return nil
}

// embedWaiting makes the vectors of texts that have none, for at most limit. It prints an
// error instead of returning it, because the command itself has succeeded by then.
func (s *session) embedWaiting(ctx context.Context, d *db.DB, limit time.Duration) {
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	progress, done := s.progressBar("embedding")
	err := vectors.Store{DB: d, Caller: s.person()}.EmbedWaiting(bounded, progress)
	done()
	switch {
	case err == nil:
	case bounded.Err() != nil:
		if ctx.Err() != nil { // by Ctrl-C
			s.freshLine()
		}
		fmt.Fprintln(s.err, "hence: some texts still wait for a vector; hence embed run makes the rest")
	default:
		fmt.Fprintln(s.err, "hence: some texts have no vector yet: "+screen.Clean(err.Error()))
	}
}
