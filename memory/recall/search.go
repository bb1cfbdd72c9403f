package recall

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// MaxQuery is the longest question, in bytes.
const MaxQuery = 4000

const (
	snippetWords = 32  // about, of a snippet
	maxBeginning = 240 // bytes of the beginning of a section that has none
)

// Search returns the memories that a question is about, best first: those
// with any of its words, by BM25 of their best section and the nearness of the
// words, and those near it in meaning where there is a model; then their
// scores spread one step along edges. A question of filters alone returns what
// passes them, the last changed first. Any text with a word or a filter in it
// is a question; blanks and punctuation alone are an invalid_argument.
func (s Searcher) Search(ctx context.Context, a SearchArgs) (result SearchResult, err error) {
	if len(a.Query) > MaxQuery {
		return result, fault.New(fault.TooLarge, "search: the query has %d bytes, and at most %d are read", len(a.Query), MaxQuery)
	}
	q := parse(a.Query)
	if q.isEmpty() {
		return result, fault.New(fault.InvalidArgument, `search: the query has nothing to look for; give it a word, a "phrase", tag:x, path:prefix, kind:x or -word`)
	}
	if err := args.Check("search", &a); err != nil {
		return result, err
	}
	f, err := s.filter(q, a)
	if err != nil {
		return result, err
	}
	q, meant, warnings, err := s.meaning(ctx, q, f, a.Mode)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		q, all, notes, err := lookUp(ctx, r, q, a.Mode, f.namespace)
		if err != nil {
			return err
		}
		found, matching, err := answer(ctx, r, q, all, meant, f, a)
		if err != nil {
			return err
		}
		match, _ := textsOf(all)
		results, err := describe(ctx, r, match, found[:min(len(found), a.Limit)], a.Detail)
		if err != nil {
			return err
		}
		if matching.count == 0 {
			nowhere, err := emptyPaths(ctx, r, f)
			if err != nil {
				return err
			}
			notes = append(notes, nowhere...)
		}
		result, err = fit(a, results, matching, append(warnings, notes...))
		return err
	})
	return result, err
}

// meaning makes the question's vector. A hybrid search goes on without one
// and says why where there should be one; a semantic one does not. A rough
// model only mends the spelling of a hybrid search: of words that memories
// have, the full-text index knows more.
func (s Searcher) meaning(ctx context.Context, q query, f filter, mode string) (query, *question, []string, error) {
	if mode == "keyword" || q.match() == "" {
		return q, nil, []string{}, nil
	}
	mended, meant, notes, err := s.understand(ctx, q, f, mode == "semantic")
	switch {
	case mode == "semantic" && err == nil && meant == nil:
		return q, nil, nil, fault.New(fault.Unavailable, "search: there is no embedding model in force; use mode hybrid or keyword, or choose one with hence embed set")
	case mode == "hybrid" && err != nil && fault.CodeOf(err) != fault.Internal && ctx.Err() == nil:
		return q, nil, []string{"ranked by words alone: " + err.Error()}, nil
	}
	return mended, meant, notes, err
}

func (s Searcher) understand(ctx context.Context, q query, f filter, byMeaning bool) (mended query, meant *question, notes []string, err error) {
	m, err := s.inForce(ctx)
	if err != nil || m == nil {
		return q, nil, []string{}, err
	}
	if m.rough() && !byMeaning {
		err = s.DB.Read(ctx, func(r *db.Reader) (err error) {
			mended, notes, err = respell(ctx, r, q, m, f)
			return err
		})
		return mended, nil, notes, err
	}
	meant, err = m.understand(ctx, strings.Join(slices.Concat(q.words, q.phrases), " "))
	return q, meant, []string{}, err
}

// answer is rank, or for a question of filters alone what passes them.
func answer(ctx context.Context, r *db.Reader, q query, all []term, meant *question, f filter, a SearchArgs) ([]*candidate, total, error) {
	if q.match() != "" {
		return rank(ctx, r, all, meant, f, a)
	}
	found, matching, err := latest(ctx, r, f, a.Limit)
	results := []*candidate{}
	for _, h := range found {
		results = append(results, &candidate{hit: h})
	}
	return results, matching, err
}

// rank returns the candidates of a question, the best first, and how many
// memories match.
func rank(ctx context.Context, r *db.Reader, all []term, meant *question, f filter, a SearchArgs) ([]*candidate, total, error) {
	p, matching := newPool(nil), total{exact: true}
	if a.Mode != "semantic" {
		var err error
		if p, matching, err = proposed(ctx, r, all, f, a); err != nil {
			return nil, total{}, err
		}
	}
	if meant != nil {
		limit := max(a.Limit, maxNearest)
		near, err := nearest(ctx, r, meant, f, limit)
		if err != nil {
			return nil, total{}, err
		}
		p.fuse(near)
		matching.exact = matching.exact && (a.Mode != "semantic" || len(near) < limit)
	}
	if len(p.all) == 0 {
		return nil, matching, nil
	}
	var err error
	if *a.Graph {
		err = spread(ctx, r, p, f)
	} else {
		err = p.weigh(ctx, r)
	}
	if err != nil {
		return nil, total{}, err
	}
	results := p.ranked()
	if a.Mode == "semantic" { // all that has a vector is more or less near
		return results, total{len(results), matching.exact}, nil
	}
	matching, err = countAll(ctx, r, all, f, matching, results)
	return results, matching, err
}

// proposed returns the candidates that the words of a question propose, and
// how many memories they were chosen from.
func proposed(ctx context.Context, r *db.Reader, all []term, f filter, a SearchArgs) (*pool, total, error) {
	if len(all) == 0 {
		return newPool(nil), total{exact: true}, nil
	}
	lenders := 0
	if *a.Graph {
		lenders = depth
	}
	found, matching, err := propose(ctx, r, all, f, a.Limit, lenders)
	p := newPool(cluesOf(all))
	for i, h := range found {
		if c := p.add(h); h.passes {
			c.keywordRank = i + 1
		}
	}
	return p, matching, err
}

// describe reads what an answer says of the hits, and marks in their snippets
// what matched, in the language of FTS5.
func describe(ctx context.Context, r *db.Reader, match string, found []*candidate, detail string) ([]Found, error) {
	keys := make([]int64, len(found))
	for i, h := range found {
		keys[i] = h.memory
	}
	stale, err := belief.Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	contradicting, err := belief.Contradicting(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	results, around := []Found{}, newSigns()
	for _, h := range found {
		one, err := db.Select(ctx, r, scanFound, selectFound, h.memory, h.section)
		if err != nil {
			return nil, err
		}
		result := one[0]
		result.Score, result.Stale, result.ContradictedBy = h.score, stale[h.memory], contradicting[h.memory]
		result.Why = Why{KeywordRank: h.keywordRank, VectorRank: h.vectorRank, Graph: h.lifts}
		if result.Status == memory.Superseded {
			if result.SupersededBy, err = memory.Successor(ctx, r, h.memory); err != nil {
				return nil, err
			}
		}
		if result.Snippet, result.Marks, err = snippet(ctx, r, match, around, h.section, detail); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

const selectFound = `
select
  m.id,
  m.title,
  m.kind,
  coalesce(m.uri, ''),
  coalesce(s.heading, ''),
  coalesce(s.start_line, 0),
  coalesce(s.end_line, 0),
  m.tags,
  m.status,
  m.origin,
  m.actor
from memories m
left join sections s on s.key = ?2
where m.key = ?1`

func scanFound(row *sql.Rows) (f Found, err error) {
	var tags string
	if err := row.Scan(
		&f.ID, &f.Title, &f.Kind, &f.URI, &f.Section, &f.StartLine, &f.EndLine,
		&tags, &f.Status, &f.Origin, &f.Actor,
	); err != nil {
		return f, err
	}
	return f, db.ReadColumn(f.ID, "tags", tags, &f.Tags)
}

// snippet returns the passage of a section that matches, and where, or the
// beginning of the section where nothing does.
func snippet(ctx context.Context, r *db.Reader, match string, around signs, section int64, detail string) (text string, marks []Mark, err error) {
	switch {
	case detail == "index":
		return "", nil, nil
	case detail == "full":
		text, _, err = db.One[string](ctx, r, `select body from section_text where key = ?`, section)
		return strings.TrimSpace(text), nil, err
	case match != "":
		text, _, err = db.One[string](ctx, r, `
select snippet(section_search, 4, ?4, ?5, '…', ?3)
from section_search
where section_search match ?1
  and rowid = ?2`, match, section, snippetWords, around.open, around.shut)
	}
	if text == "" && err == nil {
		text, err = beginning(ctx, r, section)
		return text, nil, err
	}
	text, marks = around.read(strings.Join(strings.Fields(text), " "))
	return text, marks, err
}

// beginning returns the first words of a section.
func beginning(ctx context.Context, r *db.Reader, section int64) (string, error) {
	text, _, err := db.One[string](ctx, r, `select substr(body, 1, ?2) from section_text where key = ?1`, section, 2*maxBeginning)
	text, _ = budget.Cut(strings.Join(strings.Fields(text), " "), maxBeginning)
	return text, err
}

// fit keeps the answer within its budget.
func fit(a SearchArgs, results []Found, matching total, warnings []string) (SearchResult, error) {
	return budget.Fit(a.TokenBudget, len(results), func(n, bytes int) SearchResult {
		result := SearchResult{TotalCount: matching.count, TotalIsExact: matching.exact, ReturnedCount: n, Results: []Found{}, Warnings: warnings}
		if bytes < budget.Whole {
			result.Warnings = []string{}
		}
		result.Query, _ = budget.Cut(a.Query, bytes)
		if result.Truncated = matching.count > n || !matching.exact && n == a.Limit; result.Truncated {
			result.Next = "limit"
		}
		for _, one := range results[:n] {
			var cutSnippet, cutTitle bool
			if one.Snippet, cutSnippet = budget.Cut(one.Snippet, bytes); cutSnippet {
				one.Marks = within(one.Marks, len(strings.TrimSuffix(one.Snippet, "…")))
			}
			one.Title, cutTitle = budget.Cut(one.Title, bytes)
			one.Section, _ = budget.Cut(one.Section, bytes)
			if bytes < budget.Whole {
				result.Truncated = result.Truncated || len(one.Stale)+len(one.ContradictedBy) > 0
				one.Stale, one.ContradictedBy = nil, nil
			}
			result.Truncated = result.Truncated || cutSnippet || cutTitle
			result.Results = append(result.Results, one)
		}
		if n < len(results) || bytes < budget.Whole {
			result.Next = "token_budget"
		}
		return result
	})
}
