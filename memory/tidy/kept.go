package tidy

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hence/internal/db"
)

// listings are what was found last, for who looks again before anything has changed: the
// rules take seconds where there are 20,000 memories.
type listings struct {
	mu    sync.Mutex
	of    map[string]listing // by namespace and kinds
	found int                // how often the rules have looked
}

type listing struct {
	state string // of the store before the rules looked
	all   []proposal
	left  int
}

const maxListings = 8 // that are kept

// listed is find for a list: the proposals cannot be carried out. With a folder the rules
// look each time, because nothing tells when a file changes.
func (t Tidier) listed(ctx context.Context, namespace string, propose []string) (all []proposal, left int, err error) {
	wanted := func(kind string) bool { return len(propose) == 0 || slices.Contains(propose, kind) }
	if t.Caller.Folder != "" {
		return t.find(ctx, namespace, wanted)
	}
	state, _, err := db.One[string](ctx, t.DB, selectState, db.Now()[:len("2026-11-24T10")])
	if err != nil {
		return nil, 0, err
	}
	kept := db.Keep[listings](t.DB)
	kept.mu.Lock() // two that ask at once wait for one list
	defer kept.mu.Unlock()
	key := strings.Join(append([]string{namespace}, propose...), "\n")
	last, ok := kept.of[key]
	if !ok || last.state != state {
		kept.found++
		proposals, left, err := t.find(ctx, namespace, wanted)
		if err != nil {
			return nil, 0, err
		}
		last = listing{state: state, left: left}
		for _, p := range proposals { // the rest of it holds on to every text that was read
			last.all = append(last.all, proposal{Proposal: p.Proposal, rejected: p.rejected})
		}
		if kept.of == nil || len(kept.of) >= maxListings {
			kept.of = map[string]listing{}
		}
		kept.of[key] = last
	}
	return slices.Clone(last.all), last.left, nil
}

// selectState tells all that the rules read apart: the journal, what is not in it, and the
// hour, because memories expire and fade.
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
