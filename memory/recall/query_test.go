package recall

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       query
	}{
		{"Words", "cache  eviction", query{name: "cache eviction", words: []string{"cache", "eviction"}}},
		{"Phrase", `the "job queue" stuck`, query{name: "the job queue stuck", words: []string{"the", "stuck"}, phrases: []string{"job queue"}}},
		{"OneQuotedWordIsAWord", `"queue"`, query{name: "queue", words: []string{"queue"}}},
		{"LoneQuotationMark", `5" disk "`, query{name: "5 disk", words: []string{`5`, "disk"}}},
		{"Tags", "tag:area/x tag:#y", query{tags: []string{"area/x", "y"}}},
		{"QuotedPath", `path:"my notes/a b" x`, query{name: "x", paths: []string{"my notes/a b"}, words: []string{"x"}}},
		{"Paths", "path:a path:b/", query{paths: []string{"a", "b/"}}},
		{"Kind", "kind:decision", query{kinds: []string{"decision"}}},
		{"Without", `cache -redis -"lru list"`, query{name: "cache", words: []string{"cache"}, exclusions: exclusions{tokens: []string{"-redis", `-"lru list"`}, words: []string{"redis"}, phrases: []string{"lru list"}}}},
		{"InUpperCase", `TAG:x Kind:y PATH:"a b"`, query{tags: []string{"x"}, kinds: []string{"y"}, paths: []string{"a b"}}},
		{"WithoutTagsKindsPaths", `a -tag:#x -KIND:y -path:"z z"`, query{name: "a", words: []string{"a"}, exclusions: exclusions{tokens: []string{"-tag:#x", "-KIND:y", `-path:"z z"`}, tags: []string{"x"}, kinds: []string{"y"}, paths: []string{"z z"}}}},
		{"FlagsAreWords", "rm -f -5 --force -tag:", query{name: "rm -f -5 --force -tag:", words: []string{"rm", "-f", "-5", "--force", "-tag:"}}},
		{"OperatorsOfFTS5AreWords", `a AND b* NEAR(c`, query{name: "a AND b* NEAR(c", words: []string{"a", "AND", "b*", "NEAR(c"}}},
		{"EmptyOperator", "tag: path: kind: - x", query{name: "tag: path: kind: - x", words: []string{"tag:", "path:", "kind:", "x"}}},
		{"NothingToFind", "!! -- … \x00", query{name: "!! -- …"}},
		{"Signs", "🚀 party", query{name: "🚀 party", words: []string{"party"}, phrases: []string{"🚀"}}},
		{"InvalidUTF8", "a\xffb", query{name: "a b", words: []string{"a", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, parse(c.text), cmp.AllowUnexported(query{}, exclusions{}), cmpopts.IgnoreFields(query{}, "otherSpellings", "text")); diff != "" {
				t.Errorf("parse(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

// No compound begins with a stopword or ends with the letter after an apostrophe.
func TestCompounds(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		"a front-matter":      {"front": {"frontmatter"}, "matter": {"frontmatter"}},
		"set up e-mail":       {"set": {"setup"}, "up": {"setup"}, "e": {"email"}, "mail": {"email"}},
		"Maria's is in to it": {},
		"python 3":            {"python": {"python3"}, "3": {"python3"}},
		"ice cream ice cream": {"ice": {"icecream", "creamice"}, "cream": {"icecream", "creamice"}},
	} {
		if diff := cmp.Diff(want, compounds(strings.Fields(text)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("compounds(%s) (-want +got):\n%s", text, diff)
		}
	}
}

// A term that proposes is in the query twice, and counts once.
func TestExpression_CountsEveryTermOnce(t *testing.T) {
	words := func(all ...string) (terms []term) {
		for _, w := range all {
			terms = append(terms, term{forms: []form{{text: `"` + w + `"`, idf: "1." + strconv.Itoa(len(terms))}}})
		}
		return terms
	}
	for name, c := range map[string]struct {
		proposing, scoring []term
		match, idfs        string
	}{
		"OneProposes":  {words("a"), nil, `"a"`, "1.0"},
		"AllPropose":   {words("a", "b"), nil, `"a" OR "b"`, "1.0 1.1"},
		"SomeScore":    {words("a", "b"), words("c", "d"), `("a" OR "b") AND ("a" OR "b" OR "c" OR "d")`, "0 0 1.0 1.1 1.0 1.1"},
		"SeveralForms": {[]term{{forms: []form{{text: `"go"`, idf: "2"}, {text: `"went"`, idf: "3"}}}}, words("c"), `("go" OR "went") AND ("go" OR "went" OR "c")`, "0 0 2 3 1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			if match, idfs := proposingQuery(c.proposing, c.scoring); match != c.match || idfs != c.idfs {
				t.Errorf("%s with %s, want %s with %s", match, idfs, c.match, c.idfs)
			}
		})
	}
}
