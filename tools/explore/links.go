package explore

import (
	"context"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/recall"
	"hence/memory/recall/answer"
	"hence/vault/note"
)

// LinksArgs choose the memory whose text is shown.
type LinksArgs struct {
	ID string `json:"id" jsonschema:"id, path or title"`
}

// Written is a target as the links of a text write it, and the memory that it means.
type Written struct {
	Target string `json:"target" jsonschema:"the path of the link, percent-decoded, without heading and alias"`
	ref.Far
}

// LinksResult lists the memories that the links of a text lead to.
type LinksResult struct {
	Links     []Written `json:"links"`
	Truncated bool      `json:"truncated"`
}

const (
	maxWritten = 20_000 // targets in an answer
	maxLookups = 200    // targets of a text that are looked up by name
)

// Links returns the memories that the links of a memory's text lead to. It takes the links
// of a note from its sites, as the import resolved them, and declared edges by the title of
// the other memory. If the memory is not a note, it also looks up the targets in its text,
// in its namespace. It fails as Caller.Find does.
func (q reader) Links(ctx context.Context, a LinksArgs) (result LinksResult, err error) {
	if err := args.Check("links", &a); err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		m, err := q.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		result.Links, err = db.Select(ctx, r, db.Fields(func(w *Written) []any {
			return []any{&w.Target, &w.Far}
		}), selectLinks, m.Key, maxWritten+1)
		if _, _, isNote := ref.SplitNoteURI(m.URI); isNote || err != nil {
			return err
		}
		nameLinks, err := linksByName(ctx, r, m)
		result.Links = append(result.Links, nameLinks...)
		return err
	})
	if result.Truncated = len(result.Links) > maxWritten; result.Truncated {
		result.Links = result.Links[:maxWritten]
	}
	return result, err
}

// linksByName looks up the link targets in the text of a memory. It returns those that mean
// exactly one memory of the same namespace.
func linksByName(ctx context.Context, r *db.Reader, m ref.Memory) (links []Written, err error) {
	text, _, err := db.One[string](ctx, r, `
select content
from memories
where key = ?`, m.Key)
	if err != nil {
		return nil, err
	}
	caller := ref.Caller{Namespace: m.Namespace, Confined: true}
	seen := map[string]bool{"": true}
	for _, link := range note.Parse([]byte(text)).Links {
		if seen[link.Target] || len(seen) > maxLookups {
			continue
		}
		seen[link.Target] = true
		matches, err := caller.Matches(ctx, r, link.Target)
		if err != nil {
			return nil, err
		}
		if len(matches) == 1 {
			links = append(links, Written{link.Target, matches[0].Far})
		}
	}
	return links, nil
}

// selectLinks selects the targets of a note's sites, and the other ends of declared edges. A
// target usually leads to one memory; if a bare word of a property leads to another one, the
// memory of the link comes first.
const selectLinks = `
select
  target,
  id,
  title,
  status,
  kind
from (
  select
    s.target,
    o.id,
    o.title,
    o.status,
    o.kind,
    s.lenient <> '' as lenient
  from sites s
  join edges e on e.key = s.edge
  join memories o on o.key = iif(s.backward, e.from_key, e.to_key)
  where s.note = ?1
    and s.target <> ''
    and s.kind <> 'mentions'
  union all
  select
    o.title,
    o.id,
    o.title,
    o.status,
    o.kind,
    2
  from edges e
  join memories o on o.key = e.to_key
  where e.from_key = ?1
    and e.declared = 'explicit'
    and e.kind <> 'mentions'
)
group by target, id
order by target, min(lenient), id
limit ?2`

// SearchResult is the result of a search, with the matches in each snippet, and the time of the
// last change of each memory.
type SearchResult struct {
	recall.SearchResult
	Pieces  [][]answer.Piece `json:"pieces"`
	Changed []string         `json:"changed"`
}

// Search searches as memory_search does. It adds the matches in each snippet and the times
// of the memories.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	changed := lists.Map(result.Results, func(f answer.Found) string { return f.UpdatedAt })
	return SearchResult{result, lists.Map(result.Results, answer.Found.Pieces), changed}, err
}
