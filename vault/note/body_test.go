package note_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

func TestTags(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      string
	}{
		{"a word", "a #b c", "b"},
		{"nested", "#a/b/c", "a/b/c"},
		{"letters of any script", "#ärger #дерево #木 #cafe\u0301", "ärger дерево 木 cafe\u0301"},
		{"emoji", "#\U0001F333 #a\U0001F333/b", "\U0001F333 a\U0001F333/b"},
		{"symbols, and punctuation of other scripts", "#a\u2192b #c\u3001d #\u00b0 #1\u00bd", "a\u2192b c\u3001d \u00b0 1\u00bd"},
		{"general punctuation ends it, as a joiner of emoji", "#a\u2014b #\U0001F468\u200d\U0001F469 #c\u2e3ad", "a \U0001F468 c"},
		{"white space of any width ends it", "#a\u00a0b #c\u3000d", "a c"},
		{"dashes and underscores", "#a-b_c", "a-b_c"},
		{"digits beside a letter", "#2024x #y1984 #1/2", "2024x y1984 1/2"},
		{"digits alone are none", "#2024 #1", ""},
		{"punctuation ends it", "#a, #b. (#c) #d! #e: #f;", "a b c d e f"},
		{"a # in a word starts none", "a#b a/#c &#123; ##d", ""},
		{"a heading's mark is none", "# a\n#\n", ""},
		{"in a heading", "# a #b", "b"},
		{"in a comment", "%% #a %%\n\n%%\n#b\n%%", "a b"},
		{"in an HTML comment is none", "a <!-- #b --> c\n\n<!--\n#d\n-->", ""},
		{"in code is none", "`#a`\n\n```\n#b\n```\n", ""},
		{"in math is none", "$#a$", ""},
		{"in a URL is none", "https://a.example/#b https://a.example/?c=#d <https://a.example/#c> [x](https://a.example/#d)", ""},
		{"in a wikilink is none", "[[a #b]] [[#c]]", ""},
		{"in the text of a link", "[a #b](c.md)", "b"},
		{"after escaped brackets", `\[\[#Esc a\]\]`, "Esc"},
		{"escaped is none", `\#a`, ""},
		{"in an attribute is none", `<font color=#fff>a</font>`, ""},
		{"in a table and a quote", "| #a | b |\n|---|---|\n| c | #d |\n\n> #e\n", "a d e"},
		{"each occurrence", "#a #a", "a a"},
		{"frontmatter: a list", "---\ntags: [a, '#b', c/d]\n---\n#e", "a b c/d e"},
		{"frontmatter: a text", "---\ntag: a\n---\n", "a"},
		{"frontmatter: a text of two is none", "---\ntags: a, b\n---\n", ""},
		{"frontmatter: a year is none", "---\ntags: [2024, x y, null]\n---\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			var got []string
			for _, tag := range n.Tags {
				got = append(got, tag.Name)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q: got %q, want %q", c.src, got, c.want)
			}
			checkNote(t, []byte(c.src), n)
		})
	}
}

// at returns a span as "line:column-line:column".
func at(src string, s note.Span) string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Start.Line, column(src, s.Start.Offset), s.End.Line, column(src, s.End.Offset))
}

func TestHeadings(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"all levels", "# a\n## b\n###### c\n####### d\n", []string{"1 a 1:0-1:3", "2 b 2:0-2:4", "6 c 3:0-3:8"}},
		{"the closing marks are left out", "## a ##  \n", []string{"2 a 1:0-1:7"}},
		{"an underlined one", "a\n=\nb\n---\n", []string{"1 a 1:0-2:1", "2 b 3:0-4:3"}},
		{"an underlined one of two lines", "a\nb\n===\n", []string{"1 a b 1:0-3:3"}},
		{"an empty one", "#\n# \n", []string{"1  1:0-1:1", "1  2:0-2:1"}},
		{"indented", "  # a\n", []string{"1 a 1:2-1:5"}},
		{"Markdown in it stays as written", "# A [[b]] **c** `d`\n", []string{"1 A [[b]] **c** `d` 1:0-1:19"}},
		{"UTF-16 columns", "# \U0001F333 é\n", []string{"1 \U0001F333 é 1:0-1:6"}},
		{"carriage returns", "# a\r\n\r\nb\r\n=\r\n", []string{"1 a 1:0-1:3", "1 b 3:0-4:1"}},
		{"a byte order mark", "\ufeff# a\n", []string{"1 a 1:0-1:3"}},
		{"after frontmatter", "---\nx: 1\n---\n# a\n", []string{"1 a 4:0-4:3"}},
		{"after comments of one line", "%%a%%\n# b\n\n%%c%%\n", []string{"1 b 2:0-2:3"}},
		{"none without a blank", "#a\n", nil},
		{"none in code, comments, quotes or lists", "```\n# a\n```\n\n%%\n# b\n%%\n\n<!--\n# c\n-->\n\n> # d\n\n- # e\n\n    # f\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			var got []string
			for _, h := range n.Headings {
				got = append(got, fmt.Sprintf("%d %s %s", h.Level, h.Text, at(n.Text, h.Span)))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
			checkSections(t, []byte(c.src), n)
		})
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"a paragraph's", "a\nb ^x-1\n\nc\n", []string{"x-1 1:0-2:6"}},
		{"a list item's, without what is nested in it", "- a ^x\n    - b ^y\n- c\n", []string{"x 1:0-1:6", "y 2:4-2:10"}},
		{"on its own after a list", "- a\n- b\n\n^x\n", []string{"x 1:0-2:3"}},
		{"on its own after a table", "| a |\n|---|\n| b |\n\n^x\n", []string{"x 1:0-3:5"}},
		{"on its own after a quote", "> a\n> b\n\n^x\n", []string{"x 1:0-2:3"}},
		{"on its own after code", "a\n\n```\nb\n```\n\n^x\n", []string{"x 3:0-5:3"}},
		{"in a quote", "> a ^x\n", []string{"x 1:2-1:6"}},
		{"carriage returns", "a ^x\r\n", []string{"x 1:0-1:4"}},
		{"none in a word, amid text, in code", "a^x\n\na ^x b\n\n```\na ^x\n```\n", nil},
		{"none with other characters", "a ^x_y\n\nb ^é\n\nc ^\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			var got []string
			for _, b := range n.Blocks {
				got = append(got, b.ID+" "+at(n.Text, b.Span))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
		})
	}
}

func TestSections(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []note.Section
	}{
		{"no text", "", nil},
		{"blank text", "\n \n", nil},
		{"frontmatter alone", "---\na: 1\n---\n", nil},
		{"no heading", "a\n\nb", []note.Section{{StartLine: 1, EndLine: 3, Body: "a\n\nb"}}},
		{"text before the first heading", "a\n# b\nc\n\n## d\n", []note.Section{
			{StartLine: 1, EndLine: 1, Body: "a\n"},
			{Heading: "b", Level: 1, Ordinal: 1, StartLine: 2, EndLine: 4, Body: "c\n\n"},
			{Heading: "d", Level: 2, Ordinal: 2, StartLine: 5, EndLine: 5},
		}},
		{"blank lines before the first heading are in none", "---\na: 1\n---\n\n# b\nc", []note.Section{
			{Heading: "b", Level: 1, StartLine: 5, EndLine: 6, Body: "c"},
		}},
		{"an underlined heading", "a\nb\n===\nc\n", []note.Section{
			{Heading: "a b", Level: 1, StartLine: 1, EndLine: 4, Body: "c\n"},
		}},
		{"a heading in a quote cuts nothing", "> # a\n\nb\n", []note.Section{{StartLine: 1, EndLine: 3, Body: "> # a\n\nb\n"}}},
		{"a byte order mark and broken UTF-8", "\ufeffa\xff\n# b\n", []note.Section{
			{StartLine: 1, EndLine: 1, Body: "a\ufffd\n"},
			{Heading: "b", Level: 1, Ordinal: 1, StartLine: 2, EndLine: 2},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			if diff := cmp.Diff(c.want, n.Sections); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
			checkSections(t, []byte(c.src), n)
		})
	}
}

func TestPositions(t *testing.T) {
	src := "\ufeffa\r\n> é\U0001F333 [[Oak]] #b\r\n"
	n := note.Parse([]byte(src))
	if got, want := n.Links[0].Span, (note.Span{
		Start: note.Pos{Offset: 15, Line: 2}, End: note.Pos{Offset: 22, Line: 2},
	}); got != want {
		t.Errorf("link at %+v, want %+v", got, want)
	}
	if got := at(n.Text, n.Tags[0].Span); got != "2:14-2:16" {
		t.Errorf("tag at %s", got)
	}
	// Columns far into a line with wide characters count from its start.
	long := strings.Repeat("\U0001F333", 1000) + "[[Oak]]"
	if got := at(long, note.Parse([]byte(long)).Links[0].Span); got != "1:2000-1:2007" {
		t.Errorf("link at %s", got)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []note.Warning
	}{
		{"none", "---\na: 1\n---\nb", nil},
		{"a byte order mark", "\ufeffa", []note.Warning{{Line: 1, Text: "the file starts with a byte order mark"}}},
		{"broken UTF-8", "a\nb\xff", []note.Warning{{Line: 2, Text: "invalid UTF-8"}}},
		{"a NUL byte", "a\n\nb\x00", []note.Warning{{Line: 3, Text: "NUL byte"}}},
		{"frontmatter never closed", "---\na: 1\n", []note.Warning{{Line: 1, Text: `the frontmatter that "---" may open is never closed`}}},
		{"a property twice", "---\na: 1\nb: 2\na: 3\n---\n", []note.Warning{{Line: 4, Text: `the property "a" is given more than once; the last one counts`}}},
		{"a list for frontmatter", "---\n- a\n---\n", []note.Warning{{Line: 2, Text: "the frontmatter is not a list of properties"}}},
		{"a tab", "---\na: 1\n\tb: 2\n---\n", []note.Warning{{Line: 3, Text: "invalid YAML: found a tab character that violates indentation"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, note.Parse([]byte(c.src)).Warnings); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
		})
	}
}
