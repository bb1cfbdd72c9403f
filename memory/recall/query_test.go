package recall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       query
	}{
		{"Words", "cache  eviction", query{words: []string{"cache", "eviction"}}},
		{"Phrase", `the "job queue" stuck`, query{words: []string{"the", "stuck"}, phrases: []string{"job queue"}}},
		{"OneQuotedWordIsAWord", `"queue"`, query{words: []string{"queue"}}},
		{"LoneQuotationMark", `5" disk "`, query{words: []string{`5`, "disk"}}},
		{"Tags", "tag:area/x tag:#y", query{tags: []string{"area/x", "y"}}},
		{"QuotedPath", `path:"my notes/a b" x`, query{path: "my notes/a b", words: []string{"x"}}},
		{"Kind", "kind:decision", query{kinds: []string{"decision"}}},
		{"Without", `cache -redis -"lru list"`, query{words: []string{"cache"}, without: []string{"redis", "lru list"}}},
		{"OperatorsOfFTS5AreWords", `a AND b* NEAR(c`, query{words: []string{"a", "AND", "b*", "NEAR(c"}}},
		{"EmptyOperator", "tag: path: kind: - x", query{words: []string{"tag:", "path:", "kind:", "x"}}},
		{"NothingToFind", "!! -- … \x00", query{}},
		{"InvalidUTF8", "a\xffb", query{words: []string{"a", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, parse(c.text), cmp.AllowUnexported(query{})); diff != "" {
				t.Errorf("parse(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

// FTS5 scores every place of a term in the expression.
func TestExpression_HoldsEveryTermAsOften(t *testing.T) {
	for _, scoring := range [][]string{nil, {`"c"`, `"d"`}} {
		match, times := expression([]string{`"a"`, `"b"`}, scoring)
		for _, term := range append([]string{`"a"`, `"b"`}, scoring...) {
			if n := strings.Count(match, term); float64(n) != times {
				t.Errorf("%s stands %d times in %s, want %v", term, n, match, times)
			}
		}
	}
}
