package edges_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence"
	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/fault"
)

func TestKindsAreThoseOfTheSchema(t *testing.T) {
	_, table, ok := strings.Cut(hence.Schema, "create table edges (")
	if !ok {
		t.Fatal("schema.sql has no table edges")
	}
	_, list, _ := strings.Cut(table, "  kind ")
	list, _, _ = strings.Cut(list, "\n             ),")
	stored := []edges.Kind{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:or )?kind = '([a-z-]+)'`).FindAllStringSubmatch(list, -1) {
		stored = append(stored, edges.Kind(m[1]))
	}
	if !slices.Equal(stored, edges.Kinds()) {
		t.Errorf("schema.sql allows %v, edges.Kinds() = %v", stored, edges.Kinds())
	}
}

func TestOriginsAreThoseOfTheSchema(t *testing.T) {
	_, table, _ := strings.Cut(hence.Schema, "create table edges (")
	_, list, _ := strings.Cut(table, "\n  origin ")
	list, _, _ = strings.Cut(list, "\n             ),")
	stored := []string{}
	for _, m := range regexp.MustCompile(`origin = '([a-z-]+)'`).FindAllStringSubmatch(list, -1) {
		stored = append(stored, m[1])
	}
	if !slices.Equal(stored, edges.Origins()) {
		t.Errorf("schema.sql allows %v, edges.Origins() = %v", stored, edges.Origins())
	}
}

func TestSchemaAndKindsAgreeOnRules(t *testing.T) {
	list := func(pattern string) []string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(hence.Schema)
		if m == nil {
			t.Fatalf("schema.sql has nothing like %s", pattern)
		}
		words := regexp.MustCompile(`'[a-z-]+'`).FindAllString(m[1], -1)
		for i := range words {
			words[i] = strings.Trim(words[i], "'")
		}
		slices.Sort(words)
		return words
	}
	kinds := func(has func(edges.Kind) bool) []string {
		words := []string{}
		for _, k := range edges.Kinds() {
			if has(k) {
				words = append(words, string(k))
			}
		}
		slices.Sort(words)
		return words
	}
	if got, want := list(`would close a cycle'\)\s+where \(([^)]*)\)`), kinds(edges.Kind.Acyclic); !slices.Equal(got, want) {
		t.Errorf("the schema refuses cycles of %v, edges of %v", got, want)
	}
	if got, want := list(`one_symmetric_edge [^;]*where kind in \(([^)]*)\)`), kinds(edges.Kind.Symmetric); !slices.Equal(got, want) {
		t.Errorf("the schema keeps one edge whichever way of %v, edges of %v", got, want)
	}
	if got, want := list(`edges_of_grounds [^;]*where kind in \(([^)]*)\)`), kinds(edges.Kind.RestsOn); !slices.Equal(got, want) {
		t.Errorf("the schema gives a basis to edges of %v, edges to %v", got, want)
	}
}

func TestDeclaredIsAllButMentions(t *testing.T) {
	want := slices.DeleteFunc(edges.Kinds(), func(k edges.Kind) bool { return k == edges.Mentions })
	if got := edges.DeclaredKinds(); !slices.Equal(got, want) {
		t.Errorf("Declared() = %v, want %v", got, want)
	}
}

func TestEveryWordMeansOneThing(t *testing.T) {
	owner := map[string]string{}
	for _, k := range edges.Kinds() {
		same, inverse := k.Words()
		for _, word := range slices.Concat(same, inverse) {
			if other, isTaken := owner[word]; isTaken {
				t.Errorf("%q means %s and %s", word, other, k)
			}
			owner[word] = string(k)
			if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(word) {
				t.Errorf("%q of %s is not as Lookup folds words", word, k)
			}
		}
	}
}

func TestLookupOfEverySpelling(t *testing.T) {
	spellings := map[string]func(string) string{
		"AsIs":        func(w string) string { return w },
		"Underscores": func(w string) string { return strings.ReplaceAll(w, "-", "_") },
		"Spaces":      func(w string) string { return "  " + strings.ReplaceAll(w, "-", " ") + "\n" },
		"UpperCase":   strings.ToUpper,
	}
	for name, spell := range spellings {
		t.Run(name, func(t *testing.T) {
			for _, k := range edges.Kinds() {
				same, inverse := k.Words()
				for _, word := range same {
					if got, backward, ok := edges.Lookup(spell(word)); got != k || backward || !ok {
						t.Errorf("Lookup(%q) = %s, %v, %v; want %s forward", spell(word), got, backward, ok, k)
					}
				}
				for _, word := range inverse {
					if got, backward, ok := edges.Lookup(spell(word)); got != k || !backward || !ok {
						t.Errorf("Lookup(%q) = %s, %v, %v; want %s backward", spell(word), got, backward, ok, k)
					}
				}
			}
		})
	}
	for _, word := range []string{"", "-", "super", "supersedess", "depends--on", "caused-by-", "\x00causes"} {
		if got, _, ok := edges.Lookup(word); ok {
			t.Errorf("Lookup(%q) = %s, want nothing", word, got)
		}
	}
}

// A property named mentions or calls is the author's own word, not a kind.
func TestWordsOfCodeAndOfFindingsDeclareNothingInText(t *testing.T) {
	for _, k := range edges.Kinds() {
		same, inverse := k.Words()
		for _, word := range slices.Concat(same, inverse) {
			if _, _, ok := edges.LookupInText(word); ok != (k != edges.Mentions && !k.OfCode()) {
				t.Errorf("LookupInText(%q) finds a kind: %v", word, ok)
			}
		}
	}
}

func TestInverse(t *testing.T) {
	want := map[edges.Kind]string{
		edges.Supersedes: "superseded-by", edges.Causes: "caused-by", edges.DependsOn: "depended-on-by",
		edges.Contradicts: "contradicts", edges.Supports: "supported-by", edges.DerivedFrom: "source-of",
		edges.PartOf: "has-part", edges.Follows: "followed-by", edges.RelatesTo: "relates-to",
		edges.LinksTo: "linked-from", edges.Embeds: "embedded-in", edges.RefersTo: "referred-to-by", edges.Mentions: "mentioned-in",
		edges.Calls: "called-by", edges.Imports: "imported-by", edges.Implements: "implemented-by",
	}
	for _, k := range edges.Kinds() {
		if k.Inverse() != want[k] {
			t.Errorf("%s.Inverse() = %q, want %q", k, k.Inverse(), want[k])
		}
		if _, backward, ok := edges.Lookup(k.Inverse()); !ok || backward == k.Symmetric() {
			t.Errorf("Lookup(%q) reads backward: %v, and %s is symmetric: %v", k.Inverse(), backward, k, k.Symmetric())
		}
		if k.Reads() == "" {
			t.Errorf("%s does not say how it reads", k)
		}
	}
}

func TestParseOfAnUnknownWordListsTheKnown(t *testing.T) {
	_, _, err := edges.Parse("friend-of")
	details := graphtest.MustFail(t, err, fault.InvalidArgument)
	if known, _ := details["known"].([]edges.Kind); !slices.Equal(known, edges.Kinds()) {
		t.Errorf("details.known = %v", details["known"])
	}
	for _, k := range edges.Kinds() {
		if !strings.Contains(err.Error(), string(k)) {
			t.Errorf("%q does not name %s", err, k)
		}
	}
	if !strings.Contains(err.Error(), "refers-to or relates-to with rel keeps a word of your own") {
		t.Errorf("%q does not say how to keep the word", err)
	}
}

// In a note, derives-from means the same kind as derived-from.
func TestLookupOfDerivesFrom(t *testing.T) {
	for _, word := range []string{"derives-from", "derives_from", "Derived from"} {
		if got, backward, ok := edges.Lookup(word); got != edges.DerivedFrom || backward || !ok {
			t.Errorf("Lookup(%q) = %s, %v, %v; want derived-from", word, got, backward, ok)
		}
	}
}
