package answer

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall/rank"
	"hence/vault/note"
)

const (
	maxBeginningBytes = 240 // shown of a section without a match
)

// Describe returns the candidates as results, with snippets that mark the matches of the FTS5
// query match. times are those of the question.
func Describe(ctx context.Context, r *db.Reader, match string, candidates []*rank.Candidate, detail string, times edges.Times) ([]Found, error) {
	keys := rank.Keys(candidates)
	stale, err := belief.Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	contradicting, err := belief.FindContradicting(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	random := rand.Text()
	results, m := []Found{}, markers{"\x02" + random, "\x03" + random}
	for _, c := range candidates {
		result, err := read(ctx, r, c.Memory, c.Section, times)
		if err != nil {
			return nil, err
		}
		result.Score, result.Trust, result.Stale, result.ContradictedBy = c.Score, c.Trust, stale[c.Memory], contradicting[c.Memory]
		result.Why = Why{Title: c.Name > rank.NotNamed, KeywordRank: c.KeywordRank, VectorRank: c.VectorRank, Time: c.Time, Project: c.OfProject, Graph: c.Edges, Features: c.Reasons()}
		if result.Status == memory.Superseded {
			if result.SupersededBy, err = memory.Successor(ctx, r, c.Memory); err != nil {
				return nil, err
			}
		}
		if result.Snippet, result.Marks, err = snippet(ctx, r, match, m, c.Section, detail); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// Beginning returns a memory with the beginning of a section, for an answer that marks no matches.
func Beginning(ctx context.Context, r *db.Reader, memory, section int64, times edges.Times) (f Found, err error) {
	if f, err = read(ctx, r, memory, section, times); err == nil {
		f.Snippet, _, err = snippet(ctx, r, "", markers{}, section, "summary")
	}
	return f, err
}

// read reads the fields of a result.
func read(ctx context.Context, r *db.Reader, memory, section int64, times edges.Times) (Found, error) {
	f, _, err := db.First(ctx, r, scanFound, selectFound, memory, section, times.Bind())
	return f, err
}

var selectFound = `
select
  m.id,
  m.title,
  m.kind,
  coalesce(m.uri, ''),
  coalesce(s.heading, ''),
  ` + ref.FileOf("m") + `,
  coalesce(s.start_line, ` + ref.LineOf("m") + `),
  coalesce(s.end_line, 0),
  m.tags,
  m.status,
  m.origin,
  m.actor,
  m.created_at,
  m.updated_at,
  ` + ref.EndedAt("m", "?3") + `,
  ` + ref.EditedSince("m", "?3") + `
from memories m
left join sections s on s.key = ?2
where m.key = ?1`

func scanFound(row *sql.Rows) (f Found, err error) {
	var tags string
	if err := row.Scan(
		&f.ID, &f.Title, &f.Kind, &f.URI, &f.Section, &f.File, &f.StartLine, &f.EndLine,
		&tags, &f.Status, &f.Origin, &f.Actor, &f.CreatedAt, &f.UpdatedAt, &f.Ended, &f.EditedSince,
	); err != nil {
		return f, err
	}
	return f, db.ReadColumn(f.ID, "tags", tags, &f.Tags)
}

// snippet returns the matching passage of a section and its marks; the beginning of the section
// if nothing matches, its heading or the beginning of the memory if it has no words. For detail
// index it returns nothing, for full the whole section.
func snippet(ctx context.Context, r *db.Reader, match string, m markers, section int64, detail string) (text string, marks []Mark, err error) {
	if detail == "index" {
		return "", nil, nil
	}
	var body, heading, content string
	_, _, err = db.First(ctx, r, db.Fields(func(*int) []any { return []any{&body, &heading, &content} }), `
select
  t.body,
  t.heading,
  substr(m.content, 1, ?2)
from section_text t
cross join sections s on s.key = t.key
cross join memories m on m.key = s.memory
where t.key = ?1`, section, maxBeginningBytes+secretMargin)
	if err != nil || detail == "full" {
		return strings.TrimSpace(secret.Mask(body)), nil, err
	}
	if match != "" {
		if marks, err = matches(ctx, r, match, m, section, body); err != nil {
			return "", nil, err
		}
		if text, marks = excerpt(body, marks); len(marks) > 0 {
			return text, marks, nil
		}
		property, inProperty, err := propertyPassage(ctx, r, match, m, section)
		if property != "" || text != "" || err != nil {
			return cmp.Or(property, text), inProperty, err
		}
	}
	for _, text = range []string{body[:min(len(body), maxBeginningBytes+secretMargin)], heading, content} {
		if text, _ = budget.Cut(note.Plain(secret.Mask(strings.ToValidUTF8(text, ""))), maxBeginningBytes); text != "" {
			break
		}
	}
	return text, nil, nil
}

// maxMatches is the most matches in a section among which an excerpt is chosen.
const maxMatches = 100

// matches returns the parts of a section's body that match an FTS5 query, in order.
func matches(ctx context.Context, r *db.Reader, match string, m markers, section int64, body string) (marks []Mark, err error) {
	marked, _, err := db.One[string](ctx, r, `
select highlight(section_search, 4, ?3, ?4)
from section_search
where section_search match ?1
  and section_search.rowid = ?2`, match, section, m.open, m.close)
	_, marks = m.read(marked)
	for i := range marks[:min(len(marks), maxMatches)] {
		marks[i].Start, marks[i].End = script.Origin(body, marks[i].Start, marks[i].End)
	}
	return marks[:min(len(marks), maxMatches)], err
}
