package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"strings"

	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/answer"
	"hence/tools/show"
)

// Some clients, such as ChatGPT for its connectors and deep research, use a server that has two tools, search and fetch, with
// these arguments and results (as mcpbundles.com and gofastmcp.com described them in November 2026). They read the JSON of the
// result in its text.

type searchArgs struct {
	Query       string `json:"query" jsonschema:"question or words"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// foundPage is a result of a search for a connector.
type foundPage struct {
	ref.Named
	URL string `json:"url"`
}

type searchResult struct {
	Results []foundPage `json:"results"`
	cut
}

// cut says that a result does not have everything.
type cut struct {
	Truncated bool   `json:"truncated,omitempty"`
	Next      string `json:"next,omitempty"`
}

// cutIf says so if it is the case.
func cutIf(isCut bool) cut {
	if isCut {
		return cut{true, budget.Next}
	}
	return cut{}
}

type fetchArgs struct {
	ID          string `json:"id" jsonschema:"of a result of search"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64" default:"50000"`
}

// fetched is a memory for a connector.
type fetched struct {
	ref.Named
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata"`
	cut
}

// OpenedIDs returns the id of the memory.
func (f fetched) OpenedIDs() []string { return []string{f.ID} }

func connectorTools() []Tool {
	tools := []Tool{
		define("search", reads, searchPages, showNothing[searchResult]),
		define("fetch", reads, fetchPage, showNothing[fetched]),
	}
	for i, t := range tools {
		tools[i].call = func(ctx context.Context, v ref.View, arguments json.RawMessage) (reply, error) {
			answer, err := t.call(ctx, v, arguments)
			answer.text = string(answer.structured)
			return answer, err
		}
	}
	return tools
}

func showNothing[R any](R) show.Doc { return nil }

// searchPages returns the memories that a question is about, the best first.
func searchPages(r recall.Searcher, ctx context.Context, a searchArgs) (searchResult, error) {
	found, err := r.Search(ctx, recall.SearchArgs{Query: a.Query})
	if err != nil {
		return searchResult{}, err
	}
	return budget.Hold(ctx, "search", a.TokenBudget, len(found.Results), func(entries, _ int) searchResult {
		pages := lists.Map(found.Results[:entries], func(f answer.Found) foundPage { return foundPage{marked(f.Named), pageURL(f.URI, f.ID)} })
		return searchResult{pages, cutIf(entries < len(found.Results))}
	})
}

// marked returns a name whose title has the mark of a stranger's text, because these clients may show a model nothing else.
func marked(n ref.Named) ref.Named {
	n.Title += n.Mark()
	return n
}

func pageURL(uri, id string) string { return cmp.Or(uri, memoryURI+id) }

// fetchPage returns the text of a memory, and what a reader must know of it.
func fetchPage(s memory.Store, ctx context.Context, a fetchArgs) (page fetched, err error) {
	found, err := s.Open(ctx, memory.GetArgs{ID: strings.TrimPrefix(a.ID, memoryURI), IncludeEdges: new(false)})
	if err != nil {
		return page, err
	}
	m := found.Memories[0]
	metadata := map[string]string{
		"kind": m.Kind, "status": m.Status, "written_by": m.Actor + " (" + m.Origin + ")", "created_at": m.CreatedAt, "updated_at": m.UpdatedAt,
		"tags": strings.Join(m.Tags, ", "), "source_url": m.SourceURL, "ended": m.Ended, "stale": lists.Join(m.Stale, "; ", belief.Doubt.Text),
		"contradicted_by": lists.Join(m.ContradictedBy, "; ", func(e ref.End) string { return e.Named.Text() }),
	}
	if m.SupersededBy != nil {
		metadata["superseded_by"] = m.SupersededBy.Text()
	}
	maps.DeleteFunc(metadata, func(_, value string) bool { return value == "" })
	return budget.Hold(ctx, "fetch", a.TokenBudget, 1, func(entries, bytes int) fetched {
		text := ""
		if entries > 0 {
			text, _ = budget.Cut(m.Content, bytes)
		}
		return fetched{marked(m.Named()), text, pageURL(m.URI, m.ID), metadata, cutIf(len(text) < len(m.Content))}
	})
}
