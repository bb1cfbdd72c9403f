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
		want       Question
	}{
		{"Words", "cache  eviction", Question{Name: "cache eviction", words: []string{"cache", "eviction"}}},
		{"Phrase", `the "job queue" stuck`, Question{Name: "the job queue stuck", words: []string{"the", "stuck"}, phrases: []string{"job queue"}}},
		{"OneQuotedWordIsAWord", `"queue"`, Question{Name: "queue", words: []string{"queue"}}},
		{"LoneQuotationMark", `5" disk "`, Question{Name: "5 disk", words: []string{`5`, "disk"}}},
		{"Tags", "tag:area/x tag:#y", Question{Tags: []string{"area/x", "y"}}},
		{"QuotedPath", `path:"my notes/a b" x`, Question{Name: "x", Paths: []string{"my notes/a b"}, words: []string{"x"}}},
		{"Paths", "path:a path:b/", Question{Paths: []string{"a", "b/"}}},
		{"Kind", "kind:decision", Question{Kinds: []string{"decision"}}},
		{"Without", `cache -redis -"lru list"`, Question{Name: "cache", words: []string{"cache"}, Exclusions: Exclusions{Tokens: []string{"-redis", `-"lru list"`}, words: []string{"redis"}, phrases: []string{"lru list"}}}},
		{"InUpperCase", `TAG:x Kind:y PATH:"a b"`, Question{Tags: []string{"x"}, Kinds: []string{"y"}, Paths: []string{"a b"}}},
		{"WithoutTagsKindsPaths", `a -tag:#x -KIND:y -path:"z z"`, Question{Name: "a", words: []string{"a"}, Exclusions: Exclusions{Tokens: []string{"-tag:#x", "-KIND:y", `-path:"z z"`}, tags: []string{"x"}, kinds: []string{"y"}, paths: []string{"z z"}}}},
		{"FlagsAreWords", "rm -f -5 --force -tag:", Question{Name: "rm -f -5 --force -tag:", words: []string{"rm", "-f", "-5", "--force", "-tag:"}}},
		{"OperatorsOfFTS5AreWords", `a AND b* NEAR(c`, Question{Name: "a AND b* NEAR(c", words: []string{"a", "AND", "b*", "NEAR(c"}}},
		{"EmptyOperator", "tag: path: kind: - x", Question{Name: "tag: path: kind: - x", words: []string{"tag:", "path:", "kind:", "x"}}},
		{"NothingToFind", "!! -- … \x00", Question{Name: "!! -- …"}},
		{"Signs", "🚀 party", Question{Name: "🚀 party", words: []string{"party"}, phrases: []string{"🚀"}}},
		{"InvalidUTF8", "a\xffb", Question{Name: "a b", words: []string{"a", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Parse(c.text), cmp.AllowUnexported(Question{}, Exclusions{}), cmpopts.IgnoreFields(Question{}, "Terms", "Text")); diff != "" {
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
		if diff := cmp.Diff(want, Question{words: strings.Fields(text)}.otherSpellings(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("other spellings of %s (-want +got):\n%s", text, diff)
		}
	}
}
