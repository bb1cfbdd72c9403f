package tidy

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hence/edges"
	"hence/internal/db"
)

// listings caches the last lists of proposals until something changes: the rules read every
// text of a store.
type listings struct {
	mu    sync.Mutex
	byKey map[string]listing // keys are the namespace, the limit and the kinds
	runs  int                // how often the rules have run
}

type listing struct {
	state  string        // of the store before the rules ran
	chosen []Proposal    // as many as the limit allows
	counts []edges.Count // all that are not rejected, by kind
	left   int           // memories that were not examined
}

// maxListings is the size of the cache; when it is full, it is emptied.
const maxListings = 8

// listed returns what the rules find, from the cache if nothing has changed. With a folder
// the rules run each time, because a change of a file leaves no trace in the store.
func (t Tidier) listed(ctx context.Context, namespace string, a Args) (found listing, err error) {
	cache := db.Keep[listings](t.DB)
	cache.mu.Lock() // concurrent callers wait for one run of the rules
	defer cache.mu.Unlock()
	key := strings.Join(append([]string{namespace, strconv.Itoa(a.Limit)}, a.Propose...), "\n")
	state, _, err := db.One[string](ctx, t.DB, selectState, db.Now()[:len("2026-11-24T10")])
	if err != nil {
		return found, err
	}
	if last, ok := cache.byKey[key]; ok && last.state == state && t.Caller.Folder == "" {
		return last, nil
	}
	cache.runs++
	all, left, err := t.find(ctx, namespace, func(kind string) bool { return len(a.Propose) == 0 || slices.Contains(a.Propose, kind) })
	if err != nil {
		return found, err
	}
	found = listing{state: state, left: left}
	found.chosen, found.counts = choose(slices.DeleteFunc(all, func(p proposal) bool { return p.rejected }), a.Limit)
	if cache.byKey == nil || len(cache.byKey) >= maxListings {
		cache.byKey = map[string]listing{}
	}
	cache.byKey[key] = found
	return found, nil
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
