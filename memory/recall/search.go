package recall

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"slices"
	"strings"

	"hence/memory/recall/vectors"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/secret"
	"hence/memory"
	"hence/vault/note"
)

// MaxQuery is the longest question in bytes.
const MaxQuery = 4000

const (
	maxBeginningBytes = 240 // shown of a section without a match
)

var errNothing = fault.New(fault.InvalidArgument, `search: the query has nothing to look for; give it a word, a "phrase", tag:x, path:prefix, kind:x or -word`)

// Search returns the memories that a question is about, the best first. It finds those that
// have any of its words, ranked by BM25 and by how close the words are to each other, and
// those near it in meaning if there is an embedding model. Memories then lend part of their
// scores to their neighbours along edges. A question of filters alone returns the memories
// that pass them, the last changed first. Search fails with invalid_argument for a text that
// has neither words nor filters and is not a memory's title.
func (s Searcher) Search(ctx context.Context, a SearchArgs) (result SearchResult, err error) {
	if len(a.Query) > MaxQuery {
		return result, fault.New(fault.TooLarge, "search: the query has %d bytes; shorten it to %d", len(a.Query), MaxQuery)
	}
	q := parse(a.Query)
	if q.text == "" {
		return result, errNothing
	}
	if err := args.Check("search", &a); err != nil {
		return result, err
	}
	asked := inquiry{SearchArgs: a}
	if asked.start, err = readCursor(a); err != nil {
		return result, err
	}
	if asked.model, asked.vector, asked.warnings, err = s.embedQuestion(ctx, q, a.Mode); err != nil {
		return result, err
	}
	if err := (memory.Store(s)).CutSections(ctx); err != nil {
		if fault.CodeOf(err) != fault.Unavailable || ctx.Err() != nil {
			return result, err
		}
		asked.warnings = append(asked.warnings, "texts that other programs wrote may not be found yet: "+err.Error())
	}
	err = s.DB.Read(ctx, func(r *db.Reader) (err error) {
		result, err = s.answer(ctx, r, q, asked)
		without, ok := q.unexcluded()
		if err != nil || result.TotalCount > 0 || !ok {
			return err
		}
		asked.warnings = append(asked.warnings, strings.Join(q.tokens, " ")+" leaves nothing, so the search was made without it")
		if all, err := s.answer(ctx, r, without, asked); err != nil || all.TotalCount > 0 {
			result = all
			return err
		}
		return nil
	})
	return result, err
}

// inquiry is the arguments of a search, and what is read of them before the store is.
type inquiry struct {
	SearchArgs
	start    cursor
	model    *vectors.Model
	vector   *vectors.Question
	warnings []string
}

// finding is one page of memories that a question finds.
type finding struct {
	page
	results  []Found
	matching total
	byWords  bool // one of them matches by words
	f        filter
	q        query // with corrections
	warnings []string
}

// answer returns one page of the results of a question, with source code below them where it
// is to be shown.
func (s Searcher) answer(ctx context.Context, r *db.Reader, q query, a inquiry) (result SearchResult, err error) {
	found, err := s.find(ctx, r, q, a)
	if err != nil {
		return result, err
	}
	code, notes, err := s.codeBelow(ctx, r, q, a, found)
	if err != nil {
		return result, err
	}
	found.results = found.results[:min(len(found.results), max(a.Limit-len(code), 0))]
	found.warnings = append([]string{}, slices.Concat(a.warnings, found.warnings, notes)...)
	if len(found.results)+len(code) < fewResults && a.Mode != "semantic" && found.matching.count < fewResults {
		hints, err := s.hints(ctx, r, found.q, found.f)
		if err != nil {
			return result, err
		}
		found.warnings = append(found.warnings, hints...)
	}
	return fit(ctx, a.SearchArgs, found, code)
}

// find returns one page of what a question finds.
func (s Searcher) find(ctx context.Context, r *db.Reader, q query, a inquiry) (found finding, err error) {
	f, err := s.filter(q, a.SearchArgs)
	if err != nil {
		return found, err
	}
	if f.part, err = readPart(ctx, r, f, db.Keep[frequent](s.DB)); err != nil {
		return found, err
	}
	ranked := q.match() != "" || q.isEmpty()
	q, terms, notes, err := lookUp(ctx, r, q, a.Mode, f)
	if err != nil {
		return found, err
	}
	candidates, matching, err := s.findCandidates(ctx, r, q, terms, a.vector, f, a.SearchArgs, a.start, ranked)
	if err != nil {
		return found, err
	}
	if a.model != nil {
		waitingNotes, err := vectors.WaitingNote(ctx, r, a.model.Key, f.namespace)
		if err != nil {
			return found, err
		}
		notes = append(notes, waitingNotes...)
	}
	if matching.count == 0 {
		pathNotes, err := emptyPaths(ctx, r, f)
		if err != nil {
			return found, err
		}
		notes = append(notes, pathNotes...)
	}
	match, _ := anyTermQuery(terms)
	found = finding{page: page{a.start, candidates, ranked}, matching: matching, f: f, q: q, warnings: notes}
	found.byWords = slices.ContainsFunc(candidates, func(c *candidate) bool { return c.keywordRank > 0 || c.nameMatch > notNamed })
	found.results, err = describe(ctx, r, match, candidates[:min(len(candidates), a.Limit)], a.Detail, f.times)
	return found, err
}

// findCandidates returns the candidates from the cursor start on, the best first, and how many
// memories match in total. If ranked is false, because the question has filters alone, they
// are the memories that pass the filters, the last changed first.
func (s Searcher) findCandidates(ctx context.Context, r *db.Reader, q query, terms []term, vector *vectors.Question, f filter, a SearchArgs, start cursor, ranked bool) (candidates []*candidate, matching total, err error) {
	if !ranked {
		return listLatest(ctx, r, q, f, s.Caller.ProjectTag(), a.Limit+1, start)
	}
	candidates, matching, err = rank(ctx, r, q, terms, vector, f, a, start.count()+a.Limit)
	if err == nil && q.isEmpty() && len(candidates) == 0 {
		err = errNothing
	}
	if err == nil {
		err = putProjectFirst(ctx, r, s.Caller, candidates)
	}
	if err != nil {
		return nil, matching, err
	}
	return start.rest(candidates), matching, nil
}

// embedQuestion returns the question's vector by the model in force, nil if there is no model
// or mode is keyword. If the embedder fails, a semantic search fails; a hybrid search
// continues without the vector, with a warning.
func (s Searcher) embedQuestion(ctx context.Context, q query, mode string) (model *vectors.Model, vector *vectors.Question, warnings []string, err error) {
	warnings = []string{}
	if mode == "keyword" || q.match() == "" {
		return nil, nil, warnings, nil
	}
	model, err = vectors.ModelInForce(ctx, s.DB)
	if err == nil && model != nil {
		wait := vectors.Optional
		if mode == "semantic" {
			wait = vectors.Required
		}
		vector, err = model.Understand(ctx, strings.Join(slices.Concat(q.words, q.phrases), " "), wait)
	}
	switch {
	case mode == "semantic" && err == nil && vector == nil:
		err = fault.New(fault.Unavailable, "search: there is no embedding model in force; use mode hybrid or keyword, or choose one with hence embed set")
	case mode == "hybrid" && err != nil && fault.CodeOf(err) != fault.Internal && ctx.Err() == nil:
		return model, nil, append(warnings, "ranked by words alone: "+err.Error()), nil
	}
	return model, vector, warnings, err
}

// rank returns the candidates of a question, the best first, and how many memories match. It
// returns more than limit candidates if there are more.
func rank(ctx context.Context, r *db.Reader, q query, terms []term, vector *vectors.Question, f filter, a SearchArgs, limit int) ([]*candidate, total, error) {
	if a.Mode == "semantic" && vector != nil {
		return rankByMeaning(ctx, r, vector, f, limit+1)
	}
	pool, matching := newPool(f.part, cluesOf(terms)), total{exact: true}
	if len(terms) > 0 {
		maxLenders := 0
		if *a.Graph {
			maxLenders = depth
		}
		hits, count, err := propose(ctx, r, terms, f, limit, maxLenders)
		if err != nil {
			return nil, total{}, err
		}
		matching = count
		for i, h := range hits {
			if c := pool.add(h); h.passes {
				c.keywordRank = i + 1
			}
		}
	}
	if err := pool.addNamed(ctx, r, q, terms, f); err != nil {
		return nil, total{}, err
	}
	if vector != nil {
		near, err := nearest(ctx, r, vector, f, maxNearest)
		if err != nil {
			return nil, total{}, err
		}
		pool.fuse(near)
	}
	pool.periods = f.periods
	if len(pool.all) == 0 {
		return nil, matching, nil
	}
	var err error
	if pool.peopleSpeak, err = peopleSpeak(ctx, r, f.namespace); err != nil {
		return nil, total{}, err
	}
	if *a.Graph {
		err = spread(ctx, r, pool, f)
	} else {
		err = pool.scoreCandidates(ctx, r)
	}
	if err != nil {
		return nil, total{}, err
	}
	if err := pool.emphasize(ctx, r, a.Query, limit); err != nil {
		return nil, total{}, err
	}
	for _, mark := range []func(context.Context, *db.Reader, filter) error{pool.markLast, pool.markTurns} {
		if err := mark(ctx, r, f); err != nil {
			return nil, total{}, err
		}
	}
	if err := readTrust(ctx, r, pool.passers()); err != nil {
		return nil, total{}, err
	}
	results := pool.rank()
	if f.plain {
		return results, matching, nil
	}
	matching, err = countAll(ctx, r, terms, f, matching, results)
	return results, matching, err
}

// describe returns the candidates as results, with snippets that mark the matches of the FTS5
// query match. times are those of the question.
func describe(ctx context.Context, r *db.Reader, match string, candidates []*candidate, detail string, times edges.Times) ([]Found, error) {
	keys := keysOf(candidates)
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
		result, _, err := db.First(ctx, r, scanFound, selectFound, c.memory, c.section, times.Bind())
		if err != nil {
			return nil, err
		}
		result.Score, result.Trust, result.Stale, result.ContradictedBy = c.score, c.trust, stale[c.memory], contradicting[c.memory]
		result.Why = Why{Title: c.nameMatch > 0, KeywordRank: c.keywordRank, VectorRank: c.vectorRank, Time: c.time, Project: c.ofProject, Graph: c.lifts}
		if result.Status == memory.Superseded {
			if result.SupersededBy, err = memory.Successor(ctx, r, c.memory); err != nil {
				return nil, err
			}
		}
		if result.Snippet, result.Marks, err = snippet(ctx, r, match, m, c.section, detail); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
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

// page is the candidates of one answer, and of the pages after it.
type page struct {
	start      cursor
	candidates []*candidate
	ranked     bool
}

// next says how to continue after n results: it returns a cursor, or the name of the argument
// to change. hasMore reports whether there are more results.
func (p page) next(a SearchArgs, n int, matching total) (next string, hasMore bool) {
	switch {
	case len(p.candidates) > n && n == 0:
		return "token_budget", true
	case len(p.candidates) > n && p.start.count()+n <= maxShown:
		return p.start.advance(a, p.candidates[:n], p.ranked), true
	case len(p.candidates) > n, p.ranked && matching.count > p.start.count()+n, !matching.exact && n == a.Limit:
		return "query", true
	}
	return "", false
}

// fit returns the result with as many memories, and as much text of each, as its token budget
// allows. Source code follows the other results, and counts in the total as far as it is shown.
func fit(ctx context.Context, a SearchArgs, found finding, code []Found) (SearchResult, error) {
	results := slices.Concat(found.results, code)
	return budget.Fit(ctx, a.TokenBudget, len(results), func(n, bytes int) SearchResult {
		result := SearchResult{TotalCount: found.matching.count + len(code), TotalIsExact: found.matching.exact, ReturnedCount: n, Results: []Found{}, Warnings: found.warnings}
		if bytes < budget.Whole {
			result.Warnings = []string{}
		}
		result.Query, _ = budget.Cut(a.Query, bytes)
		result.Next, result.Truncated = found.next(a, min(n, len(found.results)), found.matching)
		if n < len(results) && !result.Truncated {
			result.Truncated, result.Next = true, "token_budget"
		}
		for _, found := range results[:n] {
			short, isCut := found.shorten(bytes)
			result.Truncated = result.Truncated || isCut
			result.Results = append(result.Results, short)
		}
		if bytes < budget.Whole {
			result.Truncated, result.Next = true, "token_budget"
		}
		return result
	})
}

// shorten cuts each text of a result to a number of bytes, and reports whether it cut
// anything. Below budget.Whole it also drops Stale and ContradictedBy.
func (f Found) shorten(bytes int) (short Found, isCut bool) {
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
