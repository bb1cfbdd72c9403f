// Package recall is ranked retrieval: it finds the memories that a question is about, the best
// first, and says why. A search goes one way:
//
//	question.Parse     words, phrases and operators become terms and filters
//	question.LookUp    counts the sections of each term, and corrects terms that no memory has
//	rank.collect       candidates: by words, by name, along edges
//	rank.readWords     what the index says of each candidate
//	rank.features      one table: each row adds to scores or takes away; meaning adds candidates
//	answer.Describe    the best become results with snippets
//	recall             pages (search.go), source code below, hints where little is found (hints.go)
//
// docs/benchmarks.md has the trials by which rules and constants were chosen.
package recall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/embed"
	"hence/memory/recall/answer"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
	"hence/memory/recall/vectors"
)

// Searcher searches the memories of a store that one caller may read.
type Searcher ref.View

// SearchArgs are a question and its filters.
type SearchArgs = question.Args

// SearchResult is one page of results, the best first.
type SearchResult struct {
	Query         string         `json:"query"`
	TotalCount    int            `json:"total_count"`
	TotalIsExact  bool           `json:"total_is_exact" jsonschema:"false: at least"`
	ReturnedCount int            `json:"returned_count"`
	Truncated     bool           `json:"truncated"`
	Next          string         `json:"next,omitempty"`
	Results       []answer.Found `json:"results"`
	Warnings      []string       `json:"warnings"`
}

// MaxQuery is the longest question in bytes.
const MaxQuery = 4000

// cutWait is how long a search waits for another process to cut what that or a third one has written.
const cutWait = 250 * time.Millisecond

var errNothing = fault.New(fault.InvalidArgument, `search: the query has nothing to look for; give it a word, a "phrase", tag:x, path:prefix, kind:x or -word`)

// Search returns the memories that a question is about, the best first. It finds those that
// have any of its words, ranked by BM25 and by how close the words are to each other, and
// those near it in meaning if there is an embedding model. Memories then propagate part of their
// scores to their neighbours along edges. A question of filters alone returns the memories
// that pass them, the last changed first. Search fails with invalid_argument for a text that
// has neither words nor filters and is not a memory's title.
func (s Searcher) Search(ctx context.Context, a SearchArgs) (result SearchResult, err error) {
	if len(a.Query) > MaxQuery {
		return result, fault.New(fault.TooLarge, "search: the query has %d bytes; shorten it to %d", len(a.Query), MaxQuery)
	}
	q := question.Parse(a.Query)
	if q.Text == "" {
		return result, errNothing
	}
	if err := args.Check("search", &a); err != nil {
		return result, err
	}
	asked := &inquiry{Args: a}
	if asked.start, err = readCursor(a); err != nil {
		return result, err
	}
	if err := s.prepareMeaning(ctx, q, asked); err != nil {
		return result, err
	}
	if err := (memory.Store(s)).CutSections(db.WaitAtMost(ctx, cutWait)); err != nil {
		if fault.CodeOf(err) != fault.Unavailable || ctx.Err() != nil {
			return result, err
		}
		asked.warnings = append(asked.warnings, "texts that other programs wrote may not be found yet: "+err.Error())
	}
	err = s.DB.Read(ctx, func(r *db.Reader) (err error) {
		result, err = s.answer(ctx, r, q, asked)
		without, ok := q.Unexcluded()
		if err != nil || result.TotalCount > 0 || !ok {
			return err
		}
		asked.warnings = append(asked.warnings, strings.Join(q.Tokens, " ")+" leaves nothing, so the search was made without it")
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
	question.Args
	start    cursor
	model    *vectors.Model
	vector   *vectors.Question // of a semantic search
	warnings []string

	// meaning returns the vector of a hybrid search, which asks for it where words do not answer the question; nil: ask for none
	meaning func(context.Context) (*vectors.Question, error)
}

// finding is one page of memories that a question finds.
type finding struct {
	start      cursor
	candidates []*rank.Candidate // of this page and of those after it
	ranked     bool

	results  []answer.Found
	matching rank.Total
	byWords  bool // one of them matches by words
	nearOnly int  // how many match by meaning alone
	f        question.Filter
	q        question.Question // with corrections
	warnings []string
}

// answer returns one page of the results of a question, with source code below them where it
// is to be shown.
func (s Searcher) answer(ctx context.Context, r *db.Reader, q question.Question, a *inquiry) (result SearchResult, err error) {
	f, err := question.NewFilter(s.Caller, q, a.Args)
	if err != nil {
		return result, err
	}
	found, err := s.find(ctx, r, q, f, a)
	if err != nil {
		return result, err
	}
	code, notes, err := s.codeBelow(ctx, r, q, a, found)
	if err != nil {
		return result, err
	}
	found.results = found.results[:min(len(found.results), max(a.Limit-len(code), 0))]
	found.warnings = append([]string{}, slices.Concat(a.warnings, found.warnings, notes)...)
	matching := found.matching.Count - found.nearOnly
	if min(len(found.results), matching)+len(code) < fewResults && a.Mode != "semantic" && matching < fewResults {
		hints, err := s.hints(ctx, r, found.q, found.f)
		if err != nil {
			return result, err
		}
		found.warnings = append(found.warnings, hints...)
	}
	return fit(ref.In(ctx, r), a.Args, found, code)
}

// find returns one page of what a question finds: the best first, or the last changed first if it has
// filters alone.
func (s Searcher) find(ctx context.Context, r *db.Reader, q question.Question, f question.Filter, a *inquiry) (found finding, err error) {
	if f.Scope, err = question.ReadScope(ctx, r, f, db.Keep[question.Frequent](s.DB)); err != nil {
		return found, err
	}
	found = finding{start: a.start, ranked: len(q.Terms) > 0 || q.IsEmpty(), f: f}
	if found.q, found.warnings, err = q.LookUp(ctx, r, a.Mode, f); err != nil {
		return found, err
	}
	asked := rank.Asked{Text: a.Query, Question: found.q, Filter: f, Caller: s.Caller, Limit: a.start.count() + a.Limit, Edges: *a.Graph, Meaning: a.meaning}
	switch {
	case !found.ranked:
		asked.Limit++
		found.candidates, found.matching, err = rank.Latest(ctx, r, asked, a.start.last)
	case a.Mode == "semantic" && a.vector != nil:
		found.candidates, found.matching, err = rank.ByMeaning(ctx, r, asked, a.vector)
	default:
		found.candidates, found.matching, err = rank.Rank(ctx, r, asked)
		if err == nil && q.IsEmpty() && len(found.candidates) == 0 {
			err = errNothing
		}
	}
	if err != nil {
		return found, err
	}
	for _, c := range found.candidates {
		if c.VectorRank > 0 && c.KeywordRank == 0 && c.Name == rank.NotNamed && len(c.Edges) == 0 {
			found.nearOnly++
		}
	}
	if found.nearOnly > 0 && found.nearOnly == found.matching.Count && a.Mode == "hybrid" {
		found.warnings = append(found.warnings, "no memory has these words; the results are near in meaning")
	}
	found.candidates = a.start.rest(found.candidates)
	notes, err := s.notes(ctx, r, a, found)
	if err != nil {
		return found, err
	}
	found.warnings = append(found.warnings, notes...)
	found.byWords = slices.ContainsFunc(found.candidates, func(c *rank.Candidate) bool { return c.KeywordRank > 0 || c.Name > rank.NotNamed })
	meaning := ""
	if a.model != nil && a.model.Name == embed.Builtin {
		meaning = q.Meaning()
	}
	found.results, err = answer.Describe(ctx, r, found.q.Rarest, meaning, found.candidates[:min(len(found.candidates), a.Limit)], a.Detail, f.Times)
	return found, err
}

// notes returns notes on texts that wait for a vector, and on paths under which nothing is.
func (s Searcher) notes(ctx context.Context, r *db.Reader, a *inquiry, found finding) (notes []string, err error) {
	if a.model != nil {
		if notes, err = vectors.WaitingNote(ctx, r, a.model.Key, found.f.Namespace); err != nil {
			return nil, err
		}
	}
	if found.matching.Count > 0 {
		return notes, nil
	}
	if a.Mode == "semantic" && slices.Contains(found.f.Kinds, "code") {
		notes = append(notes, "source code is not searched by meaning; use mode hybrid or keyword for it")
	}
	empty, err := question.EmptyPaths(ctx, r, found.f)
	return append(notes, empty...), err
}

// byWordsAlone is the beginning of the warning of a hybrid search whose embedder fails.
const byWordsAlone = "ranked by words alone: "

// isPassable reports whether a hybrid search continues without a vector after an error.
func isPassable(ctx context.Context, err error) bool {
	return err != nil && fault.CodeOf(err) != fault.Internal && ctx.Err() == nil
}

// prepareMeaning reads the model in force, if there is one and mode is not keyword, and makes vectors that wait. A semantic
// search gets the question's vector, and fails if there is none. A hybrid search is to ask for it when it needs it. There
// a phrase or an identifier has none, nor has a question with exclusions: what they leave nothing of would come back for its
// meaning. If the embedder fails, a hybrid search continues without the vector, with a warning.
func (s Searcher) prepareMeaning(ctx context.Context, q question.Question, asked *inquiry) (err error) {
	asked.warnings = []string{}
	if asked.Mode == "keyword" || len(q.Terms) == 0 {
		return nil
	}
	isSemantic := asked.Mode == "semantic"
	asked.model, err = vectors.ModelInForce(ctx, s.DB)
	if err == nil && asked.model != nil && (isSemantic || len(q.Tokens) == 0 && !q.IsVerbatim()) {
		if isSemantic {
			asked.vector, err = asked.model.Understand(ctx, q.Meaning(), vectors.Required)
		} else {
			asked.meaning = func(ctx context.Context) (vector *vectors.Question, err error) {
				if vector, err = asked.model.Understand(ctx, q.Meaning(), vectors.Optional); isPassable(ctx, err) {
					asked.warnings, err = append(asked.warnings, byWordsAlone+err.Error()), nil
				}
				return vector, err
			}
		}
		if err == nil {
			err = vectors.Store(s).EmbedBefore(ctx, *asked.model, cmp.Or(s.Caller.Namespace, asked.Namespace))
		}
	}
	switch {
	case isSemantic && err == nil && asked.vector == nil && asked.model != nil:
		return fault.New(fault.Unavailable, "search: %s knows too few of the words; use mode hybrid or keyword", asked.model.Name)
	case isSemantic && err == nil && asked.vector == nil:
		return fault.New(fault.Unavailable, "search: there is no embedding model in force; use mode hybrid or keyword, or choose one with hence embed set")
	case !isSemantic && isPassable(ctx, err):
		asked.warnings, asked.meaning, err = append(asked.warnings, byWordsAlone+err.Error()), nil, nil
	}
	return err
}

// next says how to continue after n results: it returns a cursor, or the name of the argument
// to change. hasMore reports whether there are more results.
func (f finding) next(a SearchArgs, n int) (next string, hasMore bool) {
	switch {
	case len(f.candidates) > n && n == 0:
		return "token_budget", true
	case len(f.candidates) > n && f.start.count()+n <= maxShown:
		return f.start.advance(a, f.candidates[:n], f.ranked), true
	case len(f.candidates) > n, f.ranked && f.matching.Count > f.start.count()+n, !f.matching.Exact && n == a.Limit:
		return "query", true
	}
	return "", false
}

// fit returns the result with as many memories, and as much text of each, as its token budget
// allows. Source code follows the other results, and counts in the total as far as it is shown.
func fit(ctx context.Context, a SearchArgs, found finding, code []answer.Found) (SearchResult, error) {
	results := slices.Concat(found.results, code)
	return budget.Fit(ctx, a.TokenBudget, len(results), func(n, bytes int) SearchResult {
		result := SearchResult{TotalCount: found.matching.Count + len(code), TotalIsExact: found.matching.Exact, ReturnedCount: n, Results: []answer.Found{}, Warnings: budget.First(found.warnings, bytes)}
		result.Query, _ = budget.Cut(a.Query, bytes)
		result.Next, result.Truncated = found.next(a, min(n, len(found.results)))
		if n < len(results) && !result.Truncated {
			result.Truncated, result.Next = true, "token_budget"
		}
		for _, found := range results[:n] {
			short, isCut := found.Shorten(bytes)
			result.Truncated = result.Truncated || isCut
			result.Results = append(result.Results, short)
		}
		if bytes < budget.Whole {
			result.Truncated, result.Next = true, "token_budget"
		}
		return result
	})
}

// maxShown is the most results that the cursor of a ranked search records.
const maxShown = 1000

// cursor says where the next page of an answer begins. A ranking depends on all memories, so
// that an offset in it would be wrong as soon as any memory changes. Therefore the cursor of
// a ranked search records the results that were shown, and the next page is the best of the
// others. The answer to filters alone is a list by time, which continues after its last
// memory.
type cursor struct {
	shown []byte // concatenated hashes of the results that were shown
	last  rank.Listed
}

const hashBytes = 4 // of the hash of one result

// shortHash returns the hash by which a cursor records a result.
func shortHash(id string) [hashBytes]byte {
	sum := sha256.Sum256([]byte(id))
	return [hashBytes]byte(sum[:hashBytes])
}

// count returns the number of results that were shown before.
func (p cursor) count() int { return len(p.shown) / hashBytes }

// rest returns the candidates that were not shown yet.
func (p cursor) rest(ranked []*rank.Candidate) []*rank.Candidate {
	seen := map[[hashBytes]byte]bool{}
	for sign := range slices.Chunk(p.shown, hashBytes) {
		if len(sign) == hashBytes {
			seen[[hashBytes]byte(sign)] = true
		}
	}
	if len(seen) == 0 {
		return ranked
	}
	return slices.DeleteFunc(ranked, func(c *rank.Candidate) bool { return seen[shortHash(c.ID)] })
}

// advance returns the cursor of a question after more results.
func (p cursor) advance(a question.Args, results []*rank.Candidate, ranked bool) string {
	if !ranked {
		last := results[len(results)-1]
		return db.Cursor(args.ListOf("latest", a), last.Listed)
	}
	shown := slices.Clone(p.shown)
	for _, c := range results {
		sign := shortHash(c.ID)
		shown = append(shown, sign[:]...)
	}
	return db.Cursor(args.ListOf("search", a), shown)
}

// readCursor returns the cursor of a question, the zero value if it has none. It fails with
// invalid_argument for a cursor of another question.
func readCursor(a question.Args) (c cursor, err error) {
	if a.Cursor == "" {
		return c, nil
	}
	if db.ReadCursor("search", args.ListOf("latest", a), a.Cursor, &c.last) == nil {
		return c, nil
	}
	if err = db.ReadCursor("search", args.ListOf("search", a), a.Cursor, &c.shown); err == nil && (c.count() > maxShown || len(c.shown)%hashBytes > 0) {
		err = fault.New(fault.InvalidArgument, "search: the cursor is not one of this list; start again without it")
	}
	return c, err
}

// About returns the keys of at most limit current memories that words are about, the best
// first. It ranks by words and along edges as Search does, but not by vectors, and it
// corrects no spelling, because that takes as long as the rest. The words may be any text,
// such as names of files and branches: punctuation counts as spaces. About writes nothing, so
// it may miss texts that other programs wrote since the last search.
func (s Searcher) About(ctx context.Context, r *db.Reader, words string, limit int) (keys []int64, err error) {
	plain := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c) {
			return c
		}
		return ' '
	}, words)
	plain, _ = budget.Cut(prose.OneLine(plain), MaxQuery)
	q := question.Parse(plain)
	if q.IsEmpty() {
		return nil, nil
	}
	f := question.Filter{Namespace: s.Caller.Namespace, Status: memory.Current, Times: edges.Today(), Plain: true, Confined: s.Caller.Confined}
	if f.Scope, err = question.ReadScope(ctx, r, f, db.Keep[question.Frequent](s.DB)); err != nil {
		return nil, err
	}
	q, _, err = q.LookUp(ctx, r, "keyword", f)
	if err != nil || len(q.Terms) == 0 {
		return nil, err
	}
	ranked, _, err := rank.Rank(ctx, r, rank.Asked{Text: plain, Question: q, Filter: f, Caller: s.Caller, Limit: limit, Edges: true})
	return rank.Keys(ranked[:min(limit, len(ranked))]), err
}
