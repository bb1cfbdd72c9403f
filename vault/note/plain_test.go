package note_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

// stretches returns the stretches of a note, each with its line.
func stretches(n *note.Note) []string {
	all := []string{}
	for _, s := range n.Plain {
		all = append(all, strings.TrimSpace(s.Line[s.Start:s.End]))
	}
	return all
}

func TestPlainTextIsWhatIsLeftBetweenLinksAndCode(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"Paragraph", "one two\nthree four\n", []string{"one two", "three four"}},
		{"Links", "before [[Link|shown]] between ![[Embed]] after", []string{"before", "between", "after"}},
		{"MarkdownLinks", "before [shown](a.md) between [away](https://x.example) after", []string{"before", "between", "after"}},
		{"ImageInALink", "before [![alt text](i.png) more](a.md) after", []string{"before", "after"}},
		{"BracketsThatAreNoLink", "some [text here] stays", []string{"some [text here] stays"}},
		{"Code", "some `code here` more\n\n```\nfenced text\n```\n\n    indented text\n", []string{"some", "more"}},
		{"TagsAndURLs", "some #tag/nested more https://host.example/path rest", []string{"some", "more https", "rest"}},
		{"Math", "some $x + yyyy$ more\n\n$$\nformula\n$$\n", []string{"some", "more"}},
		{"HTML", "some <b class=\"name\">bold</b> text <!-- hidden --> rest", []string{"some", "bold", "text", "rest"}},
		{"Headings", "# Heading text [[x]] more ##\n\nbody\n\nUnderlined\n===\n", []string{"Heading text", "more", "body", "Underlined"}},
		{"NoFrontmatter", "---\nkey: value\n---\nbody\n", []string{"body"}},
		{"ListsQuotesTables", "- item text\n> quoted text\n> second line\n\n| cell one | cell two |\n|---|---|\n| cell three | four |\n",
			[]string{"item text", "quoted text", "second line", "cell one", "cell two", "cell three", "four"}},
		{"Definitions", "[name]: name.md \"Name\"\n\n[^1]: a footnote\n\n[x] y: z\n", []string{"[^1]: a footnote", "[x] y: z"}},
		{"Comment", "%%hidden text%%\n", []string{"%%hidden text%%"}},
		{"TooShort", "abc [[x]],[[y]]", []string{"abc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, stretches(note.Parse([]byte(c.src)))); diff != "" {
				t.Errorf("plain text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainTextKnowsItsPlace(t *testing.T) {
	src := "---\na: b\n---\n> quoted [[x]] ledger\n> more\n"
	n := note.Parse([]byte(src))
	s := n.Plain[1]
	if s.Number != 4 || src[s.Offset+s.Start:s.Offset+s.End] != " ledger" {
		t.Errorf("stretch %+v is %q on line %d", s, src[s.Offset+s.Start:s.Offset+s.End], s.Number)
	}
	if got := s.Context(s.Start, s.End); got != "> quoted [[x]] ledger" {
		t.Errorf("context = %q", got)
	}
}
