package question

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Query
	}{
		{"Words", "cache  eviction", Query{Name: "cache eviction", Words: []string{"cache", "eviction"}}},
		{"Phrase", `the "job queue" stuck`, Query{Name: "the job queue stuck", Words: []string{"the", "stuck"}, Phrases: []string{"job queue"}}},
		{"OneQuotedWordIsAWord", `"queue"`, Query{Name: "queue", Words: []string{"queue"}}},
		{"LoneQuotationMark", `5" disk "`, Query{Name: "5 disk", Words: []string{`5`, "disk"}}},
		{"Tags", "tag:area/x tag:#y", Query{Tags: []string{"area/x", "y"}}},
		{"QuotedPath", `path:"my notes/a b" x`, Query{Name: "x", Paths: []string{"my notes/a b"}, Words: []string{"x"}}},
		{"Paths", "path:a path:b/", Query{Paths: []string{"a", "b/"}}},
		{"Kind", "kind:decision", Query{Kinds: []string{"decision"}}},
		{"Without", `cache -redis -"lru list"`, Query{Name: "cache", Words: []string{"cache"}, Exclusions: Exclusions{Tokens: []string{"-redis", `-"lru list"`}, Words: []string{"redis"}, Phrases: []string{"lru list"}}}},
		{"InUpperCase", `TAG:x Kind:y PATH:"a b"`, Query{Tags: []string{"x"}, Kinds: []string{"y"}, Paths: []string{"a b"}}},
		{"WithoutTagsKindsPaths", `a -tag:#x -KIND:y -path:"z z"`, Query{Name: "a", Words: []string{"a"}, Exclusions: Exclusions{Tokens: []string{"-tag:#x", "-KIND:y", `-path:"z z"`}, tags: []string{"x"}, kinds: []string{"y"}, paths: []string{"z z"}}}},
		{"FlagsAreWords", "rm -f -5 --force -tag:", Query{Name: "rm -f -5 --force -tag:", Words: []string{"rm", "-f", "-5", "--force", "-tag:"}}},
		{"OperatorsOfFTS5AreWords", `a AND b* NEAR(c`, Query{Name: "a AND b* NEAR(c", Words: []string{"a", "AND", "b*", "NEAR(c"}}},
		{"EmptyOperator", "tag: path: kind: - x", Query{Name: "tag: path: kind: - x", Words: []string{"tag:", "path:", "kind:", "x"}}},
		{"NothingToFind", "!! -- … \x00", Query{Name: "!! -- …"}},
		{"Signs", "🚀 party", Query{Name: "🚀 party", Words: []string{"party"}, Phrases: []string{"🚀"}}},
		{"InvalidUTF8", "a\xffb", Query{Name: "a b", Words: []string{"a", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Parse(c.text), cmp.AllowUnexported(Query{}, Exclusions{}), cmpopts.IgnoreFields(Query{}, "otherSpellings", "Text")); diff != "" {
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
