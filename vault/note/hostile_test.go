package note_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/lineartest"
	"hence/vault/note"
)

// hostile are texts that have made Markdown parsers slow when they are repeated.
var hostile = []struct{ name, unit string }{
	{"opening wikilinks", "[["},
	{"opening brackets", "["},
	{"opening images", "!["},
	{"opening embeds with a display", "![[a|"},
	{"wikilinks", "[[a]]"},
	{"embeds beyond the basic plane", "![[\U0001F600]]"},
	{"closing brackets", "]"},
	{"comment marks", "%%"},
	{"comment marks on lines", "%%\n"},
	{"math marks on lines", "$$\n"},
	{"math marks", "$"},
	{"formulas not closed", "$a "},
	{"HTML comments", "<!--"},
	{"HTML comments on lines", "a <!--\n"},
	{"HTML tags", "<a b=\""},
	{"HTML tags with both quotes", "<a b='<a b=\""},
	{"HTML declarations", "<!A"},
	{"processing instructions", "a<?"},
	{"quotes", "> "},
	{"lists", "- "},
	{"numbered lists", "1. "},
	{"quotes over lines", strings.Repeat("> ", 200) + "a\n"},
	{"lazy lines after deep quotes", strings.Repeat(">", 40) + "a\nb\n"},
	{"bullets growing deeper", "- a\n  - b\n    - c\n"},
	{"backticks", "`"},
	{"backticks of growing runs", "` `` ``` ```` ````` "},
	{"fences", "```\n"},
	{"links to be closed", "[a]("},
	{"links in angle brackets", "[a](<"},
	{"links with a title", "[a](b \""},
	{"links with a title in parentheses", "[a](b ("},
	{"images in images", "![a](b)]("},
	{"tags", "#a "},
	{"tag marks", "#"},
	{"tags after dots", ".#"},
	{"tags run together", ".#a"},
	{"long emoji tags", "#\U0001F468\u200d\U0001F469"},
	{"inline fields", "[a:: "},
	{"inline fields closed", "(a:: [[b]]) "},
	{"emphasis", "*a **a "},
	{"stars", "*"},
	{"underscores", "_a"},
	{"table rows", "|a\n|-\n"},
	{"table columns", "|-"},
	{"headings", "# a\n"},
	{"setext headings", "a\n=\n"},
	{"block ids", "a ^b\n\n"},
	{"block ids of their own", "^b\n\n"},
	{"references", "[a]: b\n"},
	{"NUL bytes", "\x00"},
	{"broken UTF-8", "\xff["},
	{"carriage returns", "\r"},
	{"backslashes", "\\"},
	{"entities", "&amp;#a "},
	{"URLs", "https://a/#b "},
	{"tabs", "\t"},
	{"tabbed bullets", "-\t"},
	{"blank lines", "\n"},
	{"fields of a line", "a:: [[b]] "},
	{"closing after opening", "[]("},
}

// whole are hostile texts that are not one text repeated.
var whole = []struct {
	name  string
	build func(n int) string
}{
	{"images nested and closed", func(n int) string {
		return strings.Repeat("![", n/8) + strings.Repeat("](b)", n/8)
	}},
	{"brackets nested and closed", func(n int) string {
		return strings.Repeat("[", n/2) + strings.Repeat("]", n/2)
	}},
	{"a wide table with many short rows", func(n int) string {
		return strings.Repeat("a|", n/6) + "\n" + strings.Repeat("-|", n/6) + "\n" + strings.Repeat("b\n", n/6)
	}},
	{"backtick runs that never match", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + "a")
		}
		return b.String()
	}},
	{"relations", func(n int) string {
		return "## Relations\n" + strings.Repeat("- a [[b]], [[c]]\n", n/17)
	}},
	{"frontmatter: lists in a list", func(n int) string { return fence("a: " + strings.Repeat("[", n)) }},
	{"frontmatter: maps in a map", func(n int) string { return fence("a: " + strings.Repeat("{a: ", n/4)) }},
	{"frontmatter: unquoted links on a line", func(n int) string {
		return fence("a: [" + strings.Repeat("[[b]],", n/6) + "]")
	}},
	{"frontmatter: quoted links on a line", func(n int) string {
		return fence("a: [" + strings.Repeat(`"[[b]]",`, n/8) + "]")
	}},
	{"frontmatter: links in a text", func(n int) string { return fence(`a: "` + strings.Repeat("[[b]] ", n/6) + `"`) }},
	{"frontmatter: escaped links in a text", func(n int) string {
		return fence(`a: "` + strings.Repeat(`\x5b[b]] `, n/9) + `"`)
	}},
	{"frontmatter: tags on a line", func(n int) string { return fence("tags: [" + strings.Repeat("a,", n/2) + "]") }},
	{"frontmatter: one property again and again", func(n int) string {
		return fence(strings.Repeat("a: \"[[b]]\"\n", n/12))
	}},
	{"frontmatter: many properties", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "a%d: \"[[b]]\"\n", i)
		}
		return fence(b.String())
	}},
	{"frontmatter: an alias bomb", func(n int) string {
		var b strings.Builder
		b.WriteString("a0: &a0 [\"[[x]]\"]\n")
		for i := 1; b.Len() < n; i++ {
			fmt.Fprintf(&b, "a%d: &a%d [*a%d,*a%d,*a%d]\n", i, i, i-1, i-1, i-1)
		}
		return fence(b.String())
	}},
	{"frontmatter: a merge bomb", func(n int) string {
		var b strings.Builder
		b.WriteString("a0: &a0 {k: v}\n")
		for i := 1; b.Len() < n; i++ {
			fmt.Fprintf(&b, "a%d: &a%d {<<: [*a%d, *a%d], k%d: v}\n", i, i, i-1, i-1, i)
		}
		return fence(b.String())
	}},
	{"frontmatter: indentation", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return fence(b.String())
	}},
}

func fence(yaml string) string { return "---\n" + yaml + "\n---\n" }

const kilobyte = 1 << 10

func TestHostileTextTakesLinearTime(t *testing.T) {
	for _, h := range hostile {
		testLinear(t, h.name, 24*kilobyte, func(n int) string { return strings.Repeat(h.unit, n/len(h.unit)) })
	}
	for _, h := range whole {
		testLinear(t, h.name, 24*kilobyte, h.build)
	}
}

func TestAMegabyteTakesLinearTimeToo(t *testing.T) {
	for _, unit := range []string{"[[", "[", "![[a|", "%%", "<!--", "> ", "`", "- "} {
		testLinear(t, unit, 1024*kilobyte, func(n int) string { return strings.Repeat(unit, n/len(unit)) })
	}
}

func testLinear(t *testing.T, name string, size int, build func(n int) string) {
	t.Run(name, func(t *testing.T) {
		lineartest.Check(t, size, func(n int) func() {
			source := []byte(build(n))
			return func() { note.Parse(source); note.Words(string(source)) }
		})
	})
}
