package rank

import (
	"strconv"
	"testing"

	"hence/memory/recall/question"
)

// A term that proposes is in the query twice, and counts once.
func TestExpression_CountsEveryTermOnce(t *testing.T) {
	words := func(all ...string) (terms []question.Term) {
		for _, w := range all {
			terms = append(terms, question.Term{Forms: []question.Form{{Text: `"` + w + `"`, IDF: "1." + strconv.Itoa(len(terms))}}})
		}
		return terms
	}
	for name, c := range map[string]struct {
		proposing, scoring []question.Term
		match, idfs        string
	}{
		"OneProposes":  {words("a"), nil, `"a"`, "1.0"},
		"AllPropose":   {words("a", "b"), nil, `"a" OR "b"`, "1.0 1.1"},
		"SomeScore":    {words("a", "b"), words("c", "d"), `("a" OR "b") AND ("a" OR "b" OR "c" OR "d")`, "0 0 1.0 1.1 1.0 1.1"},
		"SeveralForms": {[]question.Term{{Forms: []question.Form{{Text: `"go"`, IDF: "2"}, {Text: `"went"`, IDF: "3"}}}}, words("c"), `("go" OR "went") AND ("go" OR "went" OR "c")`, "0 0 2 3 1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			if match, idfs := proposingQuery(c.proposing, c.scoring); match != c.match || idfs != c.idfs {
				t.Errorf("%s with %s, want %s with %s", match, idfs, c.match, c.idfs)
			}
		})
	}
}
