package note

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestPlainShowsWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a block comment", "one\n\n%%\nhidden\n%%\n\ntwo", "one two"},
		{"an inline comment", "one %%hidden%% two", "one two"},
		{"a comment without an end", "one %%hidden two", "one"},
		{"a percentage", "100%% sure, or 5 % off", "100%% sure, or 5 % off"},
		{"HTML", `<div class="x">one <b>two</b><br/>three</div>`, "one twothree"},
		{"a comment of HTML", "one <!-- hidden --> two\n\n<!--\nhidden\n-->\nthree", "one two three"},
		{"a comment of HTML without an end", "one <!-- hidden", "one"},
		{"a script", "<script>\nhidden()\n</script>\n\none", "one"},
		{"less than", "a < b, List<String> and Vec<T>, see <name>", "a < b, List<String> and Vec<T>, see <name>"},
		{"tags in code", "`Vec<T>` and `<b>` of `a | b`", "Vec<T> and <b> of a | b"},
		{"a link", "see [the docs](https://example.com/a/b?c=d \"Title\"), now", "see the docs, now"},
		{"a link with brackets", "see [a [b] c](x.md).", "see a [b] c."},
		{"a wikilink", "see [[notes/Job Queue]] and [[Job Queue#Depth]], [[Job Queue#^a1b2]]", "see Job Queue and Job Queue#Depth, Job Queue"},
		{"an alias", "see [[notes/Job Queue|the queue]].", "see the queue."},
		{"a URL", "see https://www.example.com/a/b?c=d#e and <https://example.org/x>, ada@example.org", "see www.example.com and example.org, ada@example.org"},
		{"embeds", "![[Board.base]] one ![[a.png|300]] ![the quay](quay.png)", "one the quay"},
		{"a linked image", "[![the build](https://ci.example/badge.svg)](https://ci.example) passes", "the build passes"},
		{"code of a plugin", "```dataview\nlist from #x\n```\n\none\n\n```button\nname a\n```\n^button-go", "one"},
		{"a button", "`button-go` one `= this.file.name` two", "one two"},
		{"code", "```go\nfunc a[T any](*p) {}\n```\n\n    indented **as** is", "func a[T any](*p) {} indented **as** is"},
		{"a table", "| Port | For |\n|------|:---:|\n| 8090 | `a b` and c |", "Port For 8090 a b and c"},
		{"a table with a link", "| Port | For |\n|---|---|\n| 8090 | [[x\\|the proxy]] |", "Port For 8090 the proxy"},
		{"a block id", "one two ^a1b2", "one two"},
		{"a callout", "> [!note]- Careful\n> It **bites**.", "Careful It bites."},
		{"footnotes", "one[^1] two[^a-b]\n\n[^1]: three", "one two three"},
		{"emphasis", "**one** _two_ ~~three~~ ==four== ***five*** *six*", "one two three four five six"},
		{"no emphasis", "2*3 and 4*5, snake_case_name, a ** b, *args, x == y, a~~b", "2*3 and 4*5, snake_case_name, a ** b, *args, x == y, a~~b"},
		{"frontmatter", "---\ntags: x\n---\none", "one"},
		{"headings, lists, tasks", "# One #\n\nTwo\n===\n\n- [ ] three\n- [x] four\n1. five\n\n---\n", "One Two three four five"},
		{"definitions", "one\n\n[x]: https://example.com/a\n", "one"},
		{"escapes", `\*one\* \[two\] C:\dir`, `*one* [two] C:\dir`},
		{"formulas and tags", "$a_b*c*$ is #area/x", "$a_b*c*$ is #area/x"},
		{"nothing", "![[a.png]]\n\n%%x%%\n", ""},
		{"marks around Chinese", "这是**重要**的", "这是重要的"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Plain(c.text); got != c.want {
				t.Errorf("%q shows\n%q, want\n%q", c.text, got, c.want)
			}
		})
	}
}

var letters = regexp.MustCompile(`\pL+`)

// Each word that is shown stands in the text, pieces are in order, and no text is too odd.
func TestWordsStandInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{
			"%%", "%%\n", "<!--", "-->", "<b>", "</b>", "<T>", "[", "]", "](x.md)", "[[", "]]", "|", "![[a.png]]", "`", "```\n", "```dataview\n", "**", "_", "~~",
			"==", "> [!note]", "- [ ] ", "# ", "\n", "\n\n", "---\n", "| a | b |\n|---|---|\n", "^id", "[^1]", "$", "\\", "https://example.com/a", "é", "日本", "\x00", "\xff", "    ",
		}), rapid.StringMatching(`[a-z]{1,6}`)), 0, 60).Draw(t, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		pieces, end := Words(text), 0
		for _, p := range pieces {
			if p.Start < end || p.End < p.Start || p.End > len(text) {
				t.Fatalf("%q has the pieces %v", text, pieces)
			}
			end = p.End
		}
		if strings.Contains(text, " ") && !strings.ContainsFunc(text, unicode.IsControl) {
			for _, word := range letters.FindAllString(Plain(strings.ReplaceAll(text, "\xff", "")), -1) {
				for rest := word; rest != ""; {
					n := len(rest)
					for n > 0 && !strings.Contains(text, rest[:n]) {
						n--
					}
					if n == 0 {
						t.Fatalf("%q shows %q", text, word)
					}
					rest = rest[n:]
				}
			}
		}
	})
}
