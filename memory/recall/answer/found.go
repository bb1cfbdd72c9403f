// Package answer describes memories as results: their fields, and snippets with the matches.
package answer

import (
	"strings"

	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/ref"
	"hence/memory/recall/rank"
)

// Found is one result.
type Found struct {
	ref.Named
	Kind      string   `json:"kind" is:""`
	URI       string   `json:"uri,omitempty" is:"null"`
	Section   string   `json:"section,omitempty" jsonschema:"its heading"`
	File      string   `json:"file,omitempty" jsonschema:"of code"`
	StartLine int      `json:"start_line,omitempty"`
	EndLine   int      `json:"end_line,omitempty"`
	Score     float64  `json:"score" jsonschema:"compares within one answer only"`
	Snippet   string   `json:"snippet" jsonschema:"the matching text"`
	Marks     []Mark   `json:"-"` // the parts of the snippet that matched
	Tags      []string `json:"tags" is:""`
	Status    string   `json:"status" is:""`
	Origin    string   `json:"origin" is:""`
	Actor     string   `json:"actor" is:""`
	CreatedAt string   `json:"created_at" is:""`
	UpdatedAt string   `json:"updated_at" is:""`
	ref.Aging
	SupersededBy *ref.End `json:"superseded_by,omitempty"`
	Why          Why      `json:"why"`

	ContradictedBy []ref.End      `json:"contradicted_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`

	Shown ref.Range `json:"-"` // the part of the content that the snippet is of
}

// ShownRange returns the part of the content that the snippet is of; none without a snippet, and where
// that shows a property.
func (f Found) ShownRange() ref.Range {
	if f.Snippet == "" {
		return ref.Range{}
	}
	return f.Shown
}

// Why says how a result was ranked.
type Why struct {
	Title       bool `json:"title,omitempty"`        // the question is the memory's title or alias
	KeywordRank int  `json:"keyword_rank,omitempty"` // rank by words, from 1
	VectorRank  int  `json:"vector_rank,omitempty"`  // rank by meaning

	Meaning []string          `json:"meaning,omitempty" jsonschema:"words of the query, each with the nearest of the text"`
	Time    string            `json:"time,omitempty"`
	Project bool              `json:"project,omitempty"` // in the caller's project: before equals of others
	Graph   []rank.Propagated `json:"graph,omitempty" jsonschema:"edges that lifted it"`

	Features []rank.Reason `json:"-"` // everything that moved it
}

// Shorten cuts each text of a result to a number of bytes, and reports whether it cut
// anything. Below budget.Whole it also drops Stale and ContradictedBy.
func (f Found) Shorten(bytes int) (short Found, isCut bool) {
	short = f
	var cutSnippet, cutTitle bool
	if short.Snippet, cutSnippet = budget.Cut(f.Snippet, bytes); cutSnippet {
		short.Marks = nil
		end := len(strings.TrimSuffix(short.Snippet, "…"))
		for _, m := range f.Marks {
			if m.Start < end {
				short.Marks = append(short.Marks, Mark{m.Start, min(m.End, end)})
			}
		}
	}
	short.Title, cutTitle = budget.Cut(f.Title, bytes)
	short.Section, _ = budget.Cut(f.Section, bytes)
	if bytes < budget.Whole {
		short.Stale, short.ContradictedBy = nil, nil
	}
	return short, cutSnippet || cutTitle || len(short.Stale) < len(f.Stale) || len(short.ContradictedBy) < len(f.ContradictedBy)
}
