package tidy

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hence/internal/db"
)

// listings caches the last lists of proposals until something changes: the rules take seconds
// in a store of 20,000 memories.
type listings struct {
	mu    sync.Mutex
	byKey map[string]listing // keys are the namespace and kinds
	runs  int                // how often the rules have run
}

type listing struct {
	state string // of the store before the rules ran
	all   []proposal
	left  int // memories that were not examined
}

// maxListings is the size of the cache; when it is full, it is emptied.
const maxListings = 8

// listed returns the proposals as find does, from the cache if nothing has changed. They
// serve for a list, and cannot be carried out. With a folder the rules run each time, because
// a change of a file leaves no trace in the store.
func (t Tidier) listed(ctx context.Context, namespace string, propose []string) (all []proposal, left int, err error) {
	wanted := func(kind string) bool { return len(propose) == 0 || slices.Contains(propose, kind) }
	if t.Caller.Folder != "" {
		return t.find(ctx, namespace, wanted)
	}
	state, _, err := db.One[string](ctx, t.DB, selectState, db.Now()[:len("2026-11-24T10")])
	if err != nil {
		return nil, 0, err
	}
	cache := db.Keep[listings](t.DB)
	cache.mu.Lock() // concurrent callers wait for one run of the rules
	defer cache.mu.Unlock()
	key := strings.Join(append([]string{namespace}, propose...), "\n")
	last, ok := cache.byKey[key]
	if !ok || last.state != state {
		cache.runs++
		proposals, left, err := t.find(ctx, namespace, wanted)
		if err != nil {
			return nil, 0, err
		}
		last = listing{state: state, left: left}
		for _, p := range proposals { // the other fields would keep every text that was read in memory
			last.all = append(last.all, proposal{Proposal: p.Proposal, rejected: p.rejected})
		}
		if cache.byKey == nil || len(cache.byKey) >= maxListings {
			cache.byKey = map[string]listing{}
		}
		cache.byKey[key] = last
	}
	return slices.Clone(last.all), last.left, nil
}

// selectState returns a text that differs whenever something has changed that the rules read:
// rows of the journal, tables that the journal does not cover, and the hour, because memories
// expire and fade.
const selectState = `
select json_array(
  ?1,
  (select max(seq) from journal),
  (select json_array(count(*), max(at)) from rejections),
  (select json_array(count(*), max(at)) from asked),
  (select json_array(count(*), max(at)) from opened),
  (select count(*) from unsettled),
  (select count(*) from other_edits),
  (select schema_version from pragma_schema_version)
)`
