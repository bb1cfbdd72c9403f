package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hence/internal/db"
	"hence/memory/recall"
)

// embedEvery is how often a server looks for texts without a vector.
const embedEvery = 5 * time.Second

// background starts what a server does beside answering: it makes vectors of
// what is new and, where asked, takes in the edits of every vault. What it
// returns ends that, and waits for it.
func (s *session) background(ctx context.Context, d *db.DB, watch bool, log *slog.Logger) (stop func(), err error) {
	if d.ReadOnly() {
		return func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	watched := func() {}
	if watch {
		if watched, err = watchAll(ctx, d, s.person(), log); err != nil {
			cancel()
			return nil, err
		}
	}
	var embedding sync.WaitGroup
	embedding.Go(func() {
		recall.Searcher{DB: d, Caller: s.agent()}.KeepEmbedded(ctx, embedEvery, func(err error) {
			log.Error("vectors were not made", "error", err)
		})
	})
	return func() {
		cancel()
		watched()
		embedding.Wait()
	}, nil
}
