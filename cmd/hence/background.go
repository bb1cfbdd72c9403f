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
// what is new and, where asked, takes in the edits of every vault, with which
// refresh lets the store catch up. What it returns ends that, and waits for it.
// A server that only reads does neither.
func (s *session) background(ctx context.Context, d *db.DB, watch bool, log *slog.Logger) (refresh func(context.Context, string), stop func()) {
	if d.ReadOnly() {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	watched := func() {}
	if watch {
		keeper := keepVaults(ctx, d, s.person(), log)
		refresh, watched = keeper.Look, keeper.Wait
	}
	var embedding sync.WaitGroup
	embedding.Go(func() {
		recall.Searcher{DB: d, Caller: s.agent()}.KeepEmbedded(ctx, embedEvery, func(err error) {
			log.Error("vectors were not made", "error", err)
		})
	})
	return refresh, func() {
		cancel()
		watched()
		embedding.Wait()
	}
}
