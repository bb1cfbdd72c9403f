package recall

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
	"hence/internal/ref"
)

// codeRows is how many symbols are shown below other results.
const codeRows = 3

// codeBelow returns the source code to show below what a question finds that does not ask for
// kinds: as much as the limit allows if no words of other memories match, a few rows if the
// question names code. Otherwise, and if there is more code, a note says how much.
func (s Searcher) codeBelow(ctx context.Context, r *db.Reader, q query, a inquiry, found finding) (rows []Found, notes []string, err error) {
	if len(found.f.kinds) > 0 || a.Mode == "semantic" || a.start.count() > 0 || q.isEmpty() {
		return nil, nil, nil
	}
	hasCode, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where origin = 'code'
    and kind = 'code'
    and number > 0
    and ?1 in ('', namespace)
)`, found.f.namespace)
	if err != nil || !hasCode {
		return nil, nil, err
	}
	names, err := namesCode(ctx, r, q)
	if err != nil {
		return nil, nil, err
	}
	ofCode := a
	ofCode.Kinds, ofCode.model, ofCode.vector = []string{"code"}, nil, nil
	switch {
	case !found.byWords:
		ofCode.Limit = max(a.Limit-len(found.results), min(codeRows, a.Limit))
	case names && a.Limit > 1:
		ofCode.Limit = min(codeRows, a.Limit/2)
	default:
		more, err := s.countCode(ctx, r, q, ofCode.SearchArgs)
		return nil, moreInCode(more), err
	}
	code, err := s.find(ctx, r, q, ofCode)
	code.matching.count -= len(code.results)
	return code.results, moreInCode(code.matching), err
}

// countCode returns how much source code passes the filters of a question and has a word of it.
func (s Searcher) countCode(ctx context.Context, r *db.Reader, q query, a SearchArgs) (total, error) {
	f, err := s.filter(q, a)
	if err != nil {
		return total{}, err
	}
	if f.part, err = readPart(ctx, r, f, nil); err != nil {
		return total{}, err
	}
	if q.match() == "" {
		_, matching, err := listLatest(ctx, r, q, f, "", 1, cursor{})
		return matching, err
	}
	ranges := []keyRange{}
	for _, k := range f.part.ranges {
		if k[0] < firstOfText {
			ranges = append(ranges, keyRange{k[0], min(k[1], firstOfText-1)})
		}
	}
	n, _, err := db.One[int](ctx, r, countMatching, f.bind(q.match(), "[]", alwaysCounted+1, db.List(ranges))...)
	return total{min(n, alwaysCounted), n <= alwaysCounted}, err
}

// moreInCode says how much source code a search leaves out, and how to find it.
func moreInCode(more total) []string {
	switch {
	case more.count == 0:
		return nil
	case !more.exact:
		return []string{fmt.Sprintf(`at least %d more in code: kinds: ["code"]`, more.count)}
	}
	return []string{fmt.Sprintf(`%d more in code: kinds: ["code"]`, more.count)}
}

// identifier matches a name that is written as only code is: parseJSON, parse_json, db.Write,
// Vec::new, run(), a/b.go#Name.
var identifier = regexp.MustCompile(`^[\pL_$@][\pL\pN_$]*(\pL*\p{Ll}\p{Lu}|_\pL|\.\pL[\pL\pN]*\b|::|->|#\pL|\(\)$)`)

// namesCode reports whether a question has an identifier that names a symbol, or is the name of
// one.
func namesCode(ctx context.Context, r *db.Reader, q query) (bool, error) {
	tokens := strings.Fields(q.text)
	for _, token := range tokens {
		if len(tokens) > 1 && !identifier.MatchString(nameOf(token)) {
			continue
		}
		if known, err := ref.NamesSymbol(ctx, r, nameOf(token)); known || err != nil {
			return known, err
		}
	}
	return false, nil
}

// nameOf returns a token of a question without the punctuation of a sentence around it.
func nameOf(token string) string {
	return strings.TrimRight(strings.Trim(token, "`'\"?!,;:"), ".")
}

// withoutSymbols returns the unknown words of a question that are not names of symbols of source
// code: those are not misspelt.
func withoutSymbols(ctx context.Context, r *db.Reader, q query, unknown []string) (rest []string, err error) {
	names := map[string]bool{}
	for _, token := range strings.Fields(q.text) {
		name := nameOf(token)
		if !identifier.MatchString(name) {
			continue
		}
		known, err := ref.NamesSymbol(ctx, r, name)
		if err != nil {
			return nil, err
		}
		for word := range lexicon.Words(name) {
			names[word] = names[word] || known
		}
	}
	return slices.DeleteFunc(unknown, func(word string) bool { return names[word] }), nil
}
