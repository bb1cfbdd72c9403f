package rank

import (
	"testing"

	"hence/memory/recall/question"
)

// A term that proposes is in the query twice, and counts once.
func TestExpression_CountsEveryTermOnce(t *testing.T) {
	words := func(all ...string) (terms []*question.Term) {
		for _, w := range all {
			terms = append(terms, &question.Term{Forms: []question.Form{{Match: `"` + w + `"`, Weight: 1.5 + float64(len(terms))}}})
		}
		return terms
	}
	for name, c := range map[string]struct {
		proposing, scoring []*question.Term
		match, weights     string
	}{
		"OneProposes":  {words("a"), nil, `"a"`, "1.5"},
		"AllPropose":   {words("a", "b"), nil, `"a" OR "b"`, "1.5 2.5"},
		"SomeScore":    {words("a", "b"), words("c", "d"), `("a" OR "b") AND ("a" OR "b" OR "c" OR "d")`, "0 0 1.5 2.5 1.5 2.5"},
		"SeveralForms": {[]*question.Term{{Forms: []question.Form{{Match: `"go"`, Weight: 2}, {Match: `"went"`, Weight: 3}}}}, words("c"), `("go" OR "went") AND ("go" OR "went" OR "c")`, "0 0 2 3 1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			if match, weights := proposingQuery(c.proposing, c.scoring); match != c.match || weights != c.weights {
				t.Errorf("%s with %s, want %s with %s", match, weights, c.match, c.weights)
			}
		})
	}
}
