package note_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

func TestPropertiesOfEveryShape(t *testing.T) {
	type m = map[string]any
	for _, c := range []struct {
		name, yaml string
		want       map[string]any
	}{
		{"texts", "a: b\nc: 'd: e'\nf: \"g\\th\"\n", m{"a": "b", "c": "d: e", "f": "g\th"}},
		{"texts of several lines", "a: |\n  b\n  c\nd: >-\n  e\n  f\n", m{"a": "b\nc\n", "d": "e f"}},
		{"numbers", "a: 1\nb: -2.5\nc: 1e3\nd: 0x10\ne: 0o17\n", m{"a": int64(1), "b": -2.5, "c": 1000.0, "d": int64(16), "e": int64(15)}},
		{"numbers too large for an integer", "a: 123456789012345678901234567890\n", m{"a": 123456789012345678901234567890.0}},
		{"no sign with a base", "a: 0x-5\nb: 0x+5\nc: -0x5\nd: 0o-7\ne: +0o7\nf: 0x\n", m{"a": "0x-5", "b": "0x+5", "c": "-0x5", "d": "0o-7", "e": "+0o7", "f": "0x"}},
		{"no numbers to JSON", "a: .inf\nb: .nan\nc: 1e999\n", m{"a": ".inf", "b": ".nan", "c": "1e999"}},
		{"YAML 1.2, not 1.1", "a: yes\nb: off\nc: 010\nd: 1_000\ne: 12:30\n", m{"a": "yes", "b": "off", "c": int64(10), "d": "1_000", "e": "12:30"}},
		{"booleans and null", "a: true\nb: False\nc: ~\nd:\ne: null\nf: 'true'\n", m{"a": true, "b": false, "c": nil, "d": nil, "e": nil, "f": "true"}},
		{"dates stay as written", "a: 2024-05-25\nb: 2024-05-25T15:17:00\n", m{"a": "2024-05-25", "b": "2024-05-25T15:17:00"}},
		{"lists and maps", "a: [b, 1]\nc:\n  - d: e\n  - [f]\n", m{"a": []any{"b", int64(1)}, "c": []any{m{"d": "e"}, []any{"f"}}}},
		{"empty ones", "a: []\nb: {}\n", m{"a": []any{}, "b": m{}}},
		{"JSON", "{\n  \"a\": \"b\",\n  \"c\": [1, null]\n}\n", m{"a": "b", "c": []any{int64(1), nil}}},
		{"keys that are not text", "1: a\ntrue: b\n[c]: d\n", m{"1": "a", "true": "b", "?": "d"}},
		{"the last of two", "a: 1\na: 2\n", m{"a": int64(2)}},
		{"anchors", "a: &x [b]\nc: *x\n", m{"a": []any{"b"}, "c": []any{"b"}}},
		{"merged maps", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", m{"a": m{"b": int64(1), "c": int64(2)}, "d": m{"b": int64(1), "c": int64(3)}}},
		{"tags of YAML", "a: !!str 1\nb: !own c\n", m{"a": "1", "b": "c"}},
		{"comments", "# a\nb: c # d\n", m{"b": "c"}},
		{"only comments", "# a\n", nil},
		{"no YAML", "a: [b\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "---\n" + c.yaml + "---\nbody [[Oak]]\n"
			n := note.Parse([]byte(src))
			if diff := cmp.Diff(c.want, n.Properties); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(n.Links) == 0 || n.Links[len(n.Links)-1].Target != "Oak" || len(n.Sections) != 1 {
				t.Errorf("the body was not read: %q %v", shown(n.Links), n.Sections)
			}
			checkNote(t, []byte(src), n)
		})
	}
}

func TestFrontmatterFences(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      note.Lines
		props     bool
	}{
		{"the plain form", "---\na: 1\n---\nb", note.Lines{First: 1, Last: 3}, true},
		{"blanks after the fences", "--- \na: 1\n---\t\n", note.Lines{First: 1, Last: 3}, true},
		{"carriage returns", "---\r\na: 1\r\n---\r\n", note.Lines{First: 1, Last: 3}, true},
		{"after a byte order mark", "\ufeff---\na: 1\n---\n", note.Lines{First: 1, Last: 3}, true},
		{"at the end of the file", "---\na: 1\n---", note.Lines{First: 1, Last: 3}, true},
		{"empty", "---\n---\n", note.Lines{First: 1, Last: 2}, false},
		{"invalid", "---\na: [\n---\n", note.Lines{First: 1, Last: 3}, false},
		{"never closed", "---\na: 1\n", note.Lines{}, false},
		{"a fence alone", "---", note.Lines{}, false},
		{"four dashes", "----\na: 1\n----\n", note.Lines{}, false},
		{"after a blank line", "\n---\na: 1\n---\n", note.Lines{}, false},
		{"closed by dots", "---\na: 1\n...\n", note.Lines{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			if n.Frontmatter != c.want || (n.Properties != nil) != c.props {
				t.Errorf("frontmatter %v with %v, want %v", n.Frontmatter, n.Properties, c.want)
			}
		})
	}
}

// Obsidian ends frontmatter at the line "---"; YAML ends its document at any document mark.
func TestFrontmatterThatYAMLEndsEarlierIsReadUpToThereWithAWarning(t *testing.T) {
	for _, c := range []struct {
		name, src  string
		line, last int // line of the warning, last line of the frontmatter
	}{
		{"a document end", "---\na: 1\n...\n\n# One\n\n---\n\nTwo.\n", 3, 7},
		{"a document end with a comment", "---\na: 1\n... # c\n---\n", 3, 4},
		{"a second document", "---\na: 1\n--- # second\nc: 3\n---\nbody\n", 3, 5},
		{"a second document that is a text", "---\na: 1\n--- |\n x\n---\n", 3, 5},
		{"after a line that ends as YAML has it", "---\na: b\u2028...\nc: 1\n---\n", 2, 4},
		{"with carriage returns", "---\r\na: 1\r\n...\r\n---\r\n", 3, 4},
		{"a directive", "---\na: 1\nb: >\n  x\n%YAML 1.2\n---\n", 4, 6},
		{"less indentation than above", "---\n  a: 1\nb: 2\n---\n", 3, 4},
		{"a byte order mark after the fence", "---\n\ufeffa: 1\n---\n", 2, 3},
		{"a text after braces", "---\n{a: 1}\nb\n---\n", 3, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			if n.Frontmatter.Last != c.last || n.Properties["a"] == nil {
				t.Errorf("frontmatter %v with %v, want it to end on line %d", n.Frontmatter, n.Properties, c.last)
			}
			if len(n.Warnings) != 1 || n.Warnings[0].Line != c.line || !strings.HasPrefix(n.Warnings[0].Text, "the frontmatter ends here for YAML") {
				t.Errorf("warnings %+v, want one of line %d", n.Warnings, c.line)
			}
		})
	}
	for _, yaml := range []string{"a: |\n  x\n  ...\n  ---\nb: 1\n", "a: ....\nb: ---\nc: ...\n", "a: \"x\n %y\"\n", "# a\n", "...a: 1\n"} {
		if n := note.Parse([]byte("---\n" + yaml + "---\n")); len(n.Warnings) != 0 {
			t.Errorf("%q has the warnings %+v", yaml, n.Warnings)
		}
	}
}

func TestLinksInProperties(t *testing.T) {
	front := func(yaml string) string { return "---\n" + yaml + "\n---\n" }
	testLinks(t, []linksCase{
		{"a quoted wikilink", front(`up: "[[Oak#a|b]]"`), []string{`property Oak#a "b" property=up`}},
		{"in a list", front("rel:\n  - '[[Oak]]'\n  - \"[[#a]]\""), []string{"property Oak property=rel.0", "property #a property=rel.1"}},
		{"nested", front("meta:\n  up: ['[[Oak]]', {to: '[[Ash]]'}]"), []string{"property Oak property=meta.up.0", "property Ash property=meta.up.1.to"}},
		{"unquoted", front("up: [[Oak|tree]]"), []string{`property Oak "tree" property=up unquoted`}},
		{"unquoted with a comma", front("up: [[Oak, Ash]]"), []string{"property Oak, Ash property=up unquoted"}},
		{"unquoted in a list", front("up:\n  - [[Oak]]\n  - [[Ash]]"), []string{"property Oak property=up.0 unquoted", "property Ash property=up.1 unquoted"}},
		{"unquoted in a list in brackets", front("up: [[[Oak]], [[Ash]]]"), []string{"property Oak property=up.0 unquoted", "property Ash property=up.1 unquoted"}},
		{"a list in a list is none", front("up:\n  -\n    - Oak\nm: [ [Oak] ]"), nil},
		{"amid text", front(`up: "see [[Oak]] and [[Ash]]"`), []string{"property Oak property=up partial", "property Ash property=up partial"}},
		{"two side by side", front(`up: "[[Oak]][[Ash]]"`), []string{"property Oak property=up partial", "property Ash property=up partial"}},
		{"an embed", front(`up: "![[Oak]]"`), []string{"property Oak property=up partial"}},
		{"a markdown link", front(`up: "[a](Oak.md)"`), []string{`property Oak.md "a" property=up partial`}},
		{"a URL is none", front(`up: "[a](https://a.example)"`), nil},
		{"in a text of several lines", front("up: |\n  a\n  [[Oak]]"), []string{"property Oak property=up partial"}},
		{"the later of two properties", front("up: '[[Oak]]'\nup: '[[Ash]]'"), []string{"property Ash property=up"}},
		{"through an anchor", front("a: &x '[[Oak]]'\nb: *x"), []string{"property Oak property=a", "property Oak property=b"}},
		{"a merged map brings none", front("a: &x {up: '[[Oak]]'}\nb: {<<: *x}"), []string{"property Oak property=a.up"}},
		{"a map merged as it is written", front("<<: {up: '[[Oak]]'}"), []string{"property Oak property=up"}},
		{"a merged list of maps", front("a: &x {up: '[[Oak]]'}\n<<: [*x, {down: '[[Ash]]', up: '[[Elm]]'}]"), []string{"property Oak property=a.up", "property Ash property=down"}},
		{"a merged block", front("<<:\n  up: '[[Oak]]'\n  <<: {up: '[[Elm]]', same: '[[Ash]]'}"), []string{"property Oak property=up", "property Ash property=same"}},
		{"merged within a map", front("meta:\n  <<: {up: '[[Oak]]'}"), []string{"property Oak property=meta.up"}},
		{"an own property beats a merged one", front("<<: {up: '[[Oak]]', down: '[[Elm]]'}\nup: '[[Ash]]'"), []string{"property Elm property=down", "property Ash property=up"}},
		{"in a key is none", front("'[[Oak]]': a"), nil},
		{"in invalid YAML is none", front("up: '[[Oak]]'\nb: ["), nil},
	})
}

func TestMergedPropertiesGiveWayWithoutAWarning(t *testing.T) {
	n := note.Parse([]byte("---\n<<: {tags: [a], aliases: [A], x: 1}\ntags: [b]\nx: 2\n---\n"))
	if len(n.Warnings) != 0 || len(n.Tags) != 1 || n.Tags[0].Name != "b" || !slices.Equal(n.Aliases, []string{"A"}) || n.Properties["x"] != int64(2) {
		t.Errorf("warnings %v, tags %v, aliases %v, properties %v", n.Warnings, n.Tags, n.Aliases, n.Properties)
	}
}

func TestAMistakeInYAMLIsNamedByItsLine(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		line       int // of the note
	}{
		{"a list never closed", "a: 1\nb: [1, 2\nd: 4\n", 3},
		{"a list never closed on the first line", "a: [1, 2\nb: 3\nd: 4\n", 2},
		{"a map never closed", "a: 1\nb: {c: 1\nd: 4\n", 3},
		{"a list never closed, after a long one", "t: [a,\n  b]\nc: [1,\n2\nd: 4\n", 4},
		{"an unknown anchor", "a: 1\nb: *nope\n", 3},
		{"a quote never closed", "a: 1\nb: \"c\nd: 4\ne: 5\n", 3},
		{"text after a quote", "a: 1\nb:\n  c: 1\n  d: \"x\" y\n", 5},
		{"text after a list", "a: 1\nc: [1] 2\nd: 1\n", 3},
		{"a bad escape", "a: 1\nb: \"\\q\"\n", 3},
		{"two colons", "a: 1\nb: c: d\ne: f\n", 3},
		{"a deeper line", "a: 1\n  b: c\nd: 1\n", 3},
		{"a shallower line", "a:\n    b: c\n  d: 1\n", 4},
		{"a bare text", "a: 1\nnothing\nd: 1\n", 3},
		{"an item among properties", "a: 1\n- b\nd: 1\n", 3},
		{"a tab", "a:\n  b: 1\n\tc: 2\nd: 1\n", 4},
		{"an undefined tag", "a: 1\nb: !x!y z\nd: 1\n", 3},
		{"a sign that starts no value", "a: 1\nb: @x\nd: 1\n", 3},
		{"carriage returns", "a: 1\r\nb: [1\r\nd: 4\r\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte("---\n" + c.yaml + "---\n"))
			if len(n.Warnings) != 1 || n.Warnings[0].Line != c.line || !strings.HasPrefix(n.Warnings[0].Text, "invalid YAML: ") {
				t.Errorf("warnings %+v, want one of line %d", n.Warnings, c.line)
			}
		})
	}
}

func TestPropertyLinksHaveTheirPlace(t *testing.T) {
	src := "---\na: \"[[Oak]]\"\né: ['[[Ash]]', [[Elm]]]\nb: |\n  see [[Fir]]\n  and [[Yew]]\nc: \"\\x5b[Bay]]\"\ntags: [x, \"#y\"]\n---\n"
	n := note.Parse([]byte(src))
	var got []string
	for _, l := range n.Links {
		got = append(got, l.Target+" "+at(n.Text, l.Span))
	}
	for _, tag := range n.Tags {
		got = append(got, tag.Name+" "+at(n.Text, tag.Span))
	}
	want := []string{"Oak 2:4-2:11", "Ash 3:5-3:12", "Elm 3:15-3:22", "Fir 5:6-5:13", "Yew 6:6-6:13", "Bay 7:0-7:15", "x 8:7-8:8", "y 8:11-8:13"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAliases(t *testing.T) {
	for yaml, want := range map[string]string{
		"aliases: [a, 'b, c', 1]":      "a|b, c|1",
		"aliases: a, b":                "a|b",
		"alias: a":                     "a",
		"aliases:\n  - a\nalias: b":    "a|b",
		"aliases: [a, null, '', [b]]":  "a",
		"aliases:":                     "",
		"aliases: {a: b}":              "",
		"meta: {aliases: [a]}":         "",
		"x: &x [a, b]\naliases: *x":    "a|b",
		"aliases: [2024-05-25, ' a ']": "2024-05-25|a",
	} {
		got := strings.Join(note.Parse([]byte("---\n"+yaml+"\n---\n")).Aliases, "|")
		if got != want {
			t.Errorf("%q gives %q, want %q", yaml, got, want)
		}
	}
}

func TestFrontmatterBeyondItsLimitsIsLeftOut(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 ['[[Oak]]']\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	for name, yaml := range map[string]string{
		"an alias bomb":      bomb.String(),
		"an alias of itself": "a: &a [*a]\n",
		"deep nesting":       "a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n",
		"a megabyte of it":   "a: '" + strings.Repeat("b", 1<<20) + "'\n",
	} {
		t.Run(name, func(t *testing.T) {
			n := note.Parse([]byte("---\n" + yaml + "---\n[[Ash]]\n"))
			if len(n.Warnings) == 0 {
				t.Error("no warning")
			}
			if len(n.Links) == 0 || n.Links[len(n.Links)-1].Target != "Ash" {
				t.Error("the body was not read")
			}
			if len(n.Links) > 50_001 {
				t.Errorf("%d links", len(n.Links))
			}
		})
	}
}

func TestPropertyIsThePathWithoutThePlacesInLists(t *testing.T) {
	n := note.Parse([]byte("---\nrel: [\"[[a]]\"]\nv1.2: \"[[b]]\"\nv1:\n  - [\"[[c]]\"]\n  - {to: [\"[[d]]\"], 2024: \"[[e]]\"}\nup: [[f]]\nlast: \"[[g]]\"\n---\n"))
	got := []string{}
	for _, l := range n.Links {
		got = append(got, l.Target+" "+l.Property)
	}
	if want := []string{"a rel", "b v1.2", "c v1", "d v1.to", "e v1.2024", "f up", "g last"}; !slices.Equal(got, want) {
		t.Errorf("properties = %v, want %v", got, want)
	}
}
