package memory

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
)

// BriefArgs ask for a briefing.
type BriefArgs struct {
	Namespace string `json:"namespace,omitempty"`
	Limit     int    `json:"limit,omitempty" default:"10" min:"1" max:"100" jsonschema:"entries of each list"`
}

// BriefResult is what an agent should know at the start of a conversation. A
// memory is in only one of Pinned, Decisions and Recent: the first that it fits.
type BriefResult struct {
	Memories   int       `json:"memories"` // current ones
	Pinned     []Brief   `json:"pinned"`
	Decisions  []Brief   `json:"decisions"`             // that hold
	Stale      []Summary `json:"stale"`                 // to be looked at again
	StaleAmong int       `json:"stale_among,omitempty"` // how many memories were examined, latest changes first; 0: all
	Recent     []Brief   `json:"recent"`                // changed last
}

// Brief is a memory with the beginning of its text.
type Brief struct {
	Summary
	Text string `json:"text"`
}

// briefLists are the queries for Pinned, Decisions and Recent, each of which reads an
// index in the order of the list. ?2 are the keys that earlier lists have.
func briefLists(namespace string) []string {
	if namespace != "" {
		return []string{briefPinned, briefDecisions, briefRecentOf}
	}
	return []string{briefPinned, briefDecisions, briefRecent}
}

var (
	briefPinned = selectMemory + `indexed by memories_pinned` + briefed + `
  and m.pinned = 1
order by m.importance desc, m.updated_at desc, m.id desc
limit ?3`
	briefDecisions = selectMemory + `indexed by decisions_recent` + briefed + `
  and m.kind = 'decision'
order by m.updated_at desc, m.id desc
limit ?3`
	briefRecent = selectMemory + `indexed by memories_recent` + briefed + `
order by m.updated_at desc, m.id desc
limit ?3`
	briefRecentOf = selectMemory + `indexed by memories_by_update` + briefed + `
  and m.namespace = ?1
order by m.updated_at desc, m.id desc
limit ?3`
)

// briefed is the condition for any entry: it is true now, and not a file.
const briefed = `
where m.status = 'current'
  and coalesce(m.valid_from, '') <= ?4
  and coalesce(m.valid_to, '~') > ?4
  and ?1 in ('', m.namespace)
  and m.kind not in ('file', 'canvas')
  and m.key not in (select value from json_each(?2))`

// Brief returns what an agent should know at the start: pinned memories, current
// decisions, stale memories, and the latest changes.
func (s Store) Brief(ctx context.Context, a BriefArgs) (result BriefResult, err error) {
	if err := args.Check("brief", &a); err != nil {
		return result, err
	}
	namespace, err := s.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		result, err = readBrief(ctx, r, namespace, a.Limit)
		return err
	})
	return result, err
}

func readBrief(ctx context.Context, r *db.Reader, namespace string, limit int) (b BriefResult, err error) {
	if b.Memories, _, err = db.One[int](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where status = 'current'
  and ?1 in ('', namespace)`, namespace); err != nil {
		return b, err
	}
	listed := []int64{}
	queries := briefLists(namespace)
	for i, into := range []*[]Brief{&b.Pinned, &b.Decisions, &b.Recent} {
		found, err := db.Select(ctx, r, scanMemory, queries[i], namespace, db.List(listed), limit, db.Now())
		if err != nil {
			return b, err
		}
		summaries, err := summarise(ctx, r, found, edges.Today())
		if err != nil {
			return b, err
		}
		*into = []Brief{}
		for i, m := range found {
			*into = append(*into, Brief{summaries[i], m.Content})
		}
		listed = append(listed, keysOf(found)...)
	}
	stale, among, err := belief.Latest(ctx, r, namespace, limit)
	if err != nil {
		return b, err
	}
	b.StaleAmong = among
	found, err := db.Select(ctx, r, scanMemory, selectMemory+`
where m.key in (select value from json_each(?2))
  and m.status = 'current'
  and ?1 in ('', m.namespace)
order by m.updated_at desc, m.id desc
limit ?3`, namespace, db.List(stale), limit)
	if err != nil {
		return b, err
	}
	b.Stale, err = summarise(ctx, r, found, edges.Today())
	return b, err
}
