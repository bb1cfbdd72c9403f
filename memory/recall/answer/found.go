// Package answer describes memories as results: their fields, and snippets with the matches.
package answer

import (
	"cmp"
	"context"
	"database/sql"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/embed"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
	"hence/memory/record"
	"hence/vault/note"
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
// anything. What is against the result stays as belief.Brief has it.
func (f Found) Shorten(bytes int) (short Found, isCut bool) {
	short = f
	var cutSnippet, cutTitle bool
	if short.Snippet, cutSnippet = budget.Cut(f.Snippet, bytes); cutSnippet {
		short.Marks = nil
		end := len(strings.TrimSuffix(short.Snippet, "…"))
		for _, m := range f.Marks {
			if m.Start < end {
				short.Marks = append(short.Marks, Mark{Start: m.Start, End: min(m.End, end)})
			}
		}
	}
	short.Title, cutTitle = budget.Cut(f.Title, bytes)
	short.Section, _ = budget.Cut(f.Section, bytes)
	short.Stale, short.ContradictedBy = belief.Brief(f.Stale, f.ContradictedBy, bytes)
	return short, cutSnippet || cutTitle || len(short.Stale) < len(f.Stale) || len(short.ContradictedBy) < len(f.ContradictedBy)
}

const (
	maxBeginningBytes = 240 // shown of a section without a match
)

// Describe returns the candidates as results, with snippets that mark the terms of the question.
// times are those of the question. What is near in meaning says by which of the words of meaning, by the
// table of the program, unless that is "".
func Describe(ctx context.Context, r *db.Reader, terms []*question.Term, meaning string, candidates []*rank.Candidate, detail string, times edges.Times) ([]Found, error) {
	stale, contradicting, err := belief.Doubts(ctx, r, rank.Keys(candidates))
	if err != nil {
		return nil, err
	}
	places := lists.Map(candidates, func(c *rank.Candidate) place { return place{c.Memory, c.Section} })
	var m marker
	if detail == "summary" {
		if m, err = readMarked(ctx, r, terms, places); err != nil {
			return nil, err
		}
	}
	all, err := readMemories(ctx, r, places, detail, times)
	results := []Found{}
	for i, read := range all {
		c, result := candidates[i], read.Found
		result.Score, result.Trust, result.Stale, result.ContradictedBy = c.Score, c.Trust, stale[c.Memory], contradicting[c.Memory]
		result.Why = Why{Title: c.Name > rank.NotNamed, KeywordRank: c.KeywordRank, VectorRank: c.VectorRank, Time: c.Time, Project: c.OfProject, Graph: c.Edges, Features: c.Reasons()}
		if c.VectorRank > 0 && meaning != "" {
			for _, p := range embed.Pairs(meaning, read.Title+" "+read.Section+" "+read.body) {
				result.Why.Meaning = append(result.Why.Meaning, p.Word+" ~ "+p.Near)
			}
		}
		if result.Status == memory.Superseded {
			if result.SupersededBy, err = memory.Successor(ctx, r, c.Memory); err != nil {
				return nil, err
			}
		}
		if result.Snippet, result.Marks, err = read.snippet(ctx, r, m, c.Section, detail); err != nil {
			return nil, err
		}
		result.Shown = read.Shown
		results = append(results, result)
	}
	return results, err
}

// Beginning returns a memory with the beginning of a section, for an answer that marks no matches.
func Beginning(ctx context.Context, r *db.Reader, memory, section int64, times edges.Times) (Found, error) {
	all, err := readMemories(ctx, r, []place{{memory, section}}, "summary", times)
	if err != nil || len(all) == 0 {
		return Found{}, err
	}
	all[0].Snippet = all[0].opening()
	return all[0].Found, nil
}

// place is a section of a memory, by their keys.
type place [2]int64

// memoryRead is a result with the text from which its snippet is made.
type memoryRead struct {
	Found
	body      string // of the section
	start     int    // where in the content it begins, in bytes
	beginning string // of the memory
}

// readMemories reads the fields of results, and their texts unless the detail is index.
func readMemories(ctx context.Context, r *db.Reader, places []place, detail string, times edges.Times) ([]memoryRead, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (f memoryRead, err error) {
		err = record.Scan(row, found, &f.Found, &f.Section, &f.File, &f.StartLine, &f.EndLine, &f.Ended, &f.Begins, &f.EditedSince, &f.start, &f.body, &f.beginning)
		return f, err
	}, selectFound, db.List(places), detail != "index", times.Bind(), maxBeginningBytes+secretMargin)
}

var found = record.Of[Found]()

var selectFound = "select " + record.Select(found, "m") + `,
  coalesce(s.heading, ''),
  ` + ref.FileOf("m") + `,
  coalesce(s.start_line, ` + ref.LineOf("m") + `),
  coalesce(s.end_line, 0),
  ` + ref.EndedAt("m", "?3") + `,
  ` + ref.BeginsAfter("m", "?3") + `,
  ` + ref.EditedSince("m", "?3") + `,
  coalesce(s.body_start, 0),
  coalesce((select t.body from section_text t where ?2 and t.key = s.key), ''),
  iif(?2 and s.key is not null, substr(m.content, 1, ?4), '')
from json_each(?1) c
cross join memories m on m.key = c.value ->> 0
left join sections s on s.key = c.value ->> 1
order by c.key`

// snippet returns the matching passage of the section and its marks, or its opening if nothing
// matches. For detail index it returns nothing, for full the whole section.
func (f *memoryRead) snippet(ctx context.Context, r *db.Reader, m marker, section int64, detail string) (text string, marks []Mark, err error) {
	switch {
	case detail == "index":
		return "", nil, nil
	case detail == "full":
		f.Shown = ref.Range{From: f.start, To: f.start + len(f.body)}
		return strings.TrimSpace(secret.Mask(f.body)), nil, nil
	case m.match != "":
		var part ref.Range
		if text, marks, part = excerpt(f.body, m.matches(section, f.body)); len(marks) > 0 {
			f.Shown = ref.Range{From: f.start + part.From, To: f.start + part.To}
			return text, marks, nil
		}
		property, inProperty, err := propertyPassage(ctx, r, m, section)
		if property != "" || text != "" || err != nil {
			return cmp.Or(property, text), inProperty, err
		}
	}
	return f.opening(), nil, nil
}

// opening returns the beginning of the section, its heading or the beginning of the memory if it
// has no words.
func (f *memoryRead) opening() (text string) {
	f.Shown = ref.Range{From: f.start, To: f.start + min(len(f.body), maxBeginningBytes)}
	for _, text = range []string{f.body[:min(len(f.body), maxBeginningBytes+secretMargin)], f.Section, f.beginning} {
		if text, _ = budget.Cut(note.Plain(secret.Mask(strings.ToValidUTF8(text, ""))), maxBeginningBytes); text != "" {
			break
		}
	}
	return text
}
