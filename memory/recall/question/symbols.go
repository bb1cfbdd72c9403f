package question

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/recall/lexicon"
)

// identifier matches a name that is written as only code is: parseJSON, parse_json, db.Write,
// Vec::new, run(), a/b.go#Name.
var identifier = regexp.MustCompile(`^[\pL_$@][\pL\pN_$]*(\pL*\p{Ll}\p{Lu}|_\pL|\.\pL[\pL\pN]*\b|::|->|#\pL|\(\)$)`)

// NamesCode reports whether the question has an identifier that names a symbol, or is the name of
// one.
func (q Question) NamesCode(ctx context.Context, r *db.Reader) (bool, error) {
	tokens := strings.Fields(q.Text)
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

// withoutSymbols returns the unknown words of the question that are not names of symbols of source
// code: those are not misspelt.
func (q Question) withoutSymbols(ctx context.Context, r *db.Reader, unknown []*Term) (rest []*Term, err error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	names := map[string]bool{}
	for _, token := range strings.Fields(q.Text) {
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
	return slices.DeleteFunc(unknown, func(t *Term) bool { return names[t.Text] }), nil
}
