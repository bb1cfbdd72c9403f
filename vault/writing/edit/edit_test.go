package edit_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
	"hence/vault/writing/edit"
)

func TestReplaceAppendPrepend(t *testing.T) {
	for _, c := range []struct {
		name                     string
		call                     func([]byte, string) []byte
		source, content, wantsTo string
	}{
		{"ReplacesAll", edit.Replace, "---\na: 1\n---\nold\n", "new", "new"},
		{"ReplaceKeepsMarkAndLineEnds", edit.Replace, "\uFEFFa\r\nb\r\n", "c\nd\r\n", "\uFEFFc\r\nd\r\n"},
		{"ReplaceInPlainLines", edit.Replace, "a\nb\n", "\uFEFFc\r\nd", "c\nd"},
		{"ReplaceOfNothingTakesWhatIsGiven", edit.Replace, "", "a\r\nb", "a\r\nb"},
		{"AppendsAfterALineBreak", edit.Append, "a\n", "b", "a\nb"},
		{"AppendPutsALineBreak", edit.Append, "a", "b\n", "a\nb\n"},
		{"AppendPutsTheNotesOwn", edit.Append, "a\r\nb", "c\nd", "a\r\nb\r\nc\r\nd"},
		{"AppendLeavesALineBreakThatIsThere", edit.Append, "a", "\nb", "a\nb"},
		{"AppendKeepsABlankLine", edit.Append, "a\n", "\nb", "a\n\nb"},
		{"AppendToNothing", edit.Append, "", "b", "b"},
		{"AppendToAMark", edit.Append, "\uFEFF", "b", "\uFEFFb"},
		{"AppendToFrontmatter", edit.Append, "---\na: 1\n---", "b", "---\na: 1\n---\nb"},
		{"PrependsAfterFrontmatter", edit.Prepend, "---\na: 1\n---\nb\n", "x", "---\na: 1\n---\nx\nb\n"},
		{"PrependsAfterFrontmatterAlone", edit.Prepend, "---\na: 1\n---", "x", "---\na: 1\n---\nx"},
		{"PrependsBeforeABlankLine", edit.Prepend, "---\na: 1\n---\n\nb\n", "x", "---\na: 1\n---\nx\nb\n"},
		{"PrependsWithoutFrontmatter", edit.Prepend, "b", "x\n", "x\nb"},
		{"PrependsAfterAMark", edit.Prepend, "\uFEFFa\r\n", "x\ny", "\uFEFFx\r\ny\r\na\r\n"},
		{"PrependsToNothing", edit.Prepend, "", "x", "x"},
		{"ARuleIsNoFrontmatter", edit.Prepend, "---\nb\n", "x", "x\n---\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.call([]byte(c.source), c.content)); got != c.wantsTo {
				t.Errorf("got %q, want %q", got, c.wantsTo)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	for _, c := range []struct {
		name, source, find, replace string
		all                         bool
		want                        string
		replaced                    int
		count                       int
		lines                       []int
	}{
		{name: "Once", source: "a b c", find: "b", replace: "x", want: "a x c", replaced: 1},
		{name: "Nowhere", source: "a b c", find: "d", count: 0, lines: []int{}},
		{name: "NowhereForAll", source: "a b c", find: "d", all: true, count: 0, lines: []int{}},
		{name: "Twice", source: "a\nb a\n", find: "a", count: 2, lines: []int{1, 2}},
		{name: "All", source: "a\nb a\n", find: "a", replace: "", all: true, want: "\nb \n", replaced: 2},
		{name: "OverlappingIsTwice", source: "xaaax", find: "aa", count: 2, lines: []int{1, 1}},
		{name: "OverlappingForAll", source: "aaaaa", find: "aa", replace: "b", all: true, want: "bba", replaced: 2},
		{name: "OverLines", source: "a\r\nb\r\nc\r\n", find: "a\nb", replace: "x\ny\nz", want: "x\r\ny\r\nz\r\nc\r\n", replaced: 1},
		{name: "FromTheLineEnd", source: "a\r\nb", find: "\nb", replace: "\nc", want: "a\r\nc", replaced: 1},
		{name: "InMixedLineEnds", source: "a\r\nb\nc\nd\n", find: "a\r\nb\r\nc", replace: "x", want: "x\nd\n", replaced: 1},
		{name: "NoPattern", source: "a.c (x)", find: ".c (x)", replace: "$1", want: "a$1", replaced: 1},
		{name: "CountsLinesAcrossLineEnds", source: "x\r\n\r\na\r\nba", find: "a", count: 2, lines: []int{3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, replaced, err := edit.Patch([]byte(c.source), c.find, c.replace, c.all)
			var count *edit.CountError
			if errors.As(err, &count) {
				if diff := cmp.Diff(&edit.CountError{Count: c.count, Lines: c.lines}, count); diff != "" || c.lines == nil {
					t.Errorf("the error (-want +got):\n%s", diff)
				}
				return
			}
			if err != nil || string(got) != c.want || replaced != c.replaced || c.lines != nil {
				t.Errorf("Patch = %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestDiffIsUnified(t *testing.T) {
	want := "--- a/x.md\n+++ b/x.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
	if got := edit.Diff("x.md", []byte("a\nb\n"), []byte("a\nc\n")); got != want {
		t.Errorf("Diff = %q, want %q", got, want)
	}
	if got := edit.Diff("x.md", []byte("a"), []byte("a")); got != "" {
		t.Errorf("Diff of the same = %q", got)
	}
}

func TestRetargetKeepsTheRestOfALink(t *testing.T) {
	for _, c := range []struct{ name, source, target, show, want string }{
		{"Wikilink", "see [[Old]].", "New", "", "see [[New]]."},
		{"WithAnchorAndDisplay", "[[ Old #H#S | shown ]]", "sub/New", "", "[[ sub/New #H#S | shown ]]"},
		{"Embed", "![[Old.png|300]]", "x/New.png", "", "![[x/New.png|300]]"},
		{"InATable", "| a | b |\n|---|---|\n| [[Old\\|x]] | y |\n", "New", "", "| a | b |\n|---|---|\n| [[New\\|x]] | y |\n"},
		{"Markdown", "[x](Old.md)", "sub dir/New (1).md", "", "[x](sub%20dir/New%20%281%29.md)"},
		{"MarkdownWithAnchorAndTitle", `[x]( Old%20One.md#a%20b "t" )`, "New.md", "", `[x]( New.md#a%20b "t" )`},
		{"MarkdownInBrackets", "[x](<Old One.md#a b>)", "New One.md", "", "[x](<New One.md#a b>)"},
		{"MarkdownEncodedBeyondASCII", "[x](%C3%A9.md)", "ü.md", "", "[x](%C3%BC.md)"},
		{"MarkdownPlainBeyondASCII", "[x](é.md)", "ü 100%#1.md", "", "[x](ü%20100%25%231.md)"},
		{"MarkdownAroundAnImage", "[![a](Old.md)](Old.md)", "New.md", "", "[![a](Old.md)](New.md)"},
		{"Frontmatter", "---\nup: \"[[Old|x]]\"\n---\n", "New", "", "---\nup: \"[[New|x]]\"\n---\n"},
		{"FrontmatterWithoutQuotes", "---\nup: [[Old]]\n---\n", "New", "", "---\nup: [[New]]\n---\n"},
		{"FrontmatterMarkdown", "---\nup: \"see [x](Old.md)\"\n---\n", "New One.md", "", "---\nup: \"see [x](New%20One.md)\"\n---\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			links := note.Parse([]byte(c.source)).Links
			ways := edit.Retarget([]byte(c.source), links[0], c.target, c.show)
			if len(ways) == 0 {
				t.Fatal("no way")
			}
			if got := string(edit.Apply([]byte(c.source), ways[:1])); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRetargetOffersTheWaysThatTheSurroundingsNeed(t *testing.T) {
	source := []byte("---\nup: '[[Old]]'\n---\n| [[Nick]] | b |\n|---|---|\n| [[Nick]] | x |\n")
	links := note.Parse(source).Links
	last := func(l note.Link, target, show string, n int) string {
		return edit.Retarget(source, l, target, show)[n].Text
	}
	if got := last(links[0], "It's", "", 1); got != "It''s" {
		t.Errorf("within single quotes: %q", got)
	}
	for n, want := range []string{`New\|Nick`, "New|Nick", "New"} {
		if got := last(links[1], "New", "Nick", n); got != want {
			t.Errorf("to show what it showed: %q, want %q", got, want)
		}
	}
	if ways := edit.Retarget([]byte("---\nup: \"[[\\u004fld]]\"\n---\n"), note.Parse([]byte("---\nup: \"[[\\u004fld]]\"\n---\n")).Links[0], "New", ""); len(ways) != 0 {
		t.Errorf("a link that is written with escapes has the ways %+v", ways)
	}
}

func TestNodeValueFindsATextInACanvas(t *testing.T) {
	source := []byte(`{"nodes":[{"file":"x","id":"1", "type":"file","file" : "a \u00e9\/b.md"}]}`)
	n, err := note.ParseCanvas(source)
	if err != nil {
		t.Fatal(err)
	}
	span := n.Links[0].Span
	v, err := edit.NodeValue(source, span.Start.Offset, span.End.Offset, "file")
	if err != nil || v.Text != "a é/b.md" {
		t.Fatalf("NodeValue = %+v, %v", v, err)
	}
	e := v.Edit(`c "<d>".md`)
	want := `{"nodes":[{"file":"x","id":"1", "type":"file","file" : "c \"<d>\".md"}]}`
	if got := string(edit.Apply(source, []edit.Edit{e})); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := edit.NodeValue(source, span.Start.Offset, span.End.Offset, "text"); err == nil {
		t.Error("a node without a text has one")
	}
}
