package note_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"go.abhg.dev/goldmark/wikilink"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
	"hence/vault/note"
)

// shown returns each link in short: form target anchor "display".
func shown(links []note.Link) []string {
	var lines []string
	for _, l := range links {
		s := fmt.Sprintf("%s %s", l.Form, l.Target+l.Anchor)
		if l.Display != "" {
			s += fmt.Sprintf(" %q", l.Display)
		}
		if l.KeyKind != note.KeyNone {
			s += fmt.Sprintf(" %s=%s", l.KeyKind, l.Key)
		}
		if l.Lenient != note.Faithful {
			s += " " + string(l.Lenient)
		}
		lines = append(lines, s)
	}
	return lines
}

type linksCase struct {
	name, src string
	want      []string
}

func testLinks(t *testing.T, cases []linksCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := note.Parse([]byte(c.src))
			if diff := cmp.Diff(c.want, shown(n.Links)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
			checkNote(t, []byte(c.src), n)
		})
	}
}

func TestWikilinks(t *testing.T) {
	testLinks(t, []linksCase{
		{"the name alone", "[[Oak]]", []string{"wikilink Oak"}},
		{"a display", "[[Oak|the tree]]", []string{`wikilink Oak "the tree"`}},
		{"an embed", "![[Oak.png|200]]", []string{`embed Oak.png "200"`}},
		{"blanks around the parts", "[[ Oak #Bark |tree]]", []string{`wikilink Oak#Bark "tree"`}},
		{"the target ends at the first #", "[[a#b/c#d]]", []string{"wikilink a#b/c#d"}},
		{"a block", "[[Oak#^leaf]]", []string{"wikilink Oak#^leaf"}},
		{"the note itself", "[[#Bark]]", []string{"wikilink #Bark"}},
		{"the display starts at the first |", "[[#a#b||c]]", []string{`wikilink #a#b "|c"`}},
		{"a leading | is literal", "[[|]] [[|a]] [[|#a]] [[|a|b]]",
			[]string{"wikilink |", "wikilink |a", "wikilink |#a", `wikilink |a "b"`}},
		{"an empty one is none", "[[]] [[ ]] ![[]]", nil},
		{"only ]] closes", "[[Sq]uare]]", []string{"wikilink Sq]uare"}},
		{"it stays on its line", "[[Oak\nTree]] [[Ash\r\nTree]]", nil},
		{"it stays on its line of a quote", "> [[Oak\n> Tree]]", nil},
		{"the inner of two", "[[Nested [[Oak]] x]]", []string{"wikilink Oak"}},
		{"in three brackets", "[[[Oak]]]", []string{"wikilink Oak"}},
		{"one unclosed before", "[[Ash and [[Oak]]", []string{"wikilink Oak"}},
		{"escaped brackets", `\[\[Oak\]\] \[[Ash]]`, nil},
		{"an escaped backslash before", `\\[[Oak]]`, []string{"wikilink Oak"}},
		{"an escaped embed mark", `\![[Oak]]`, []string{"wikilink Oak"}},
		{"a URL as a name", "[[https://a.example]]", []string{"wikilink https://a.example"}},
		{"in emphasis", "**[[Oak]]** _[[Ash]]_ ~~[[Elm]]~~ ==[[Fir]]==",
			[]string{"wikilink Oak", "wikilink Ash", "wikilink Elm", "wikilink Fir"}},
		{"in a heading", "# On [[Oak]]\n\nOn [[Ash]]\n===\n", []string{"wikilink Oak", "wikilink Ash"}},
		{"in a list, a task and a quote", "- [[Oak]]\n\t- [ ] [[Ash]]\n\n> [!note] [[Elm]]\n> 1. [[Fir]]\n",
			[]string{"wikilink Oak", "wikilink Ash", "wikilink Elm", "wikilink Fir"}},
		{"in a footnote", "a[^1]\n\n[^1]: [[Oak]]\n", []string{"wikilink Oak"}},
		{"in a table", "| a | b |\n|---|---|\n| [[Oak\\|o]] | ![[Ash.png\\|9]] |\n",
			[]string{`wikilink Oak "o"`, `embed Ash.png "9"`}},
		{"decomposed letters stay as written", "[[Cafe\u0301]]", []string{"wikilink Cafe\u0301"}},
		{"beside HTML tags", "a<br>[[Oak]]<b>[[Ash]]</b>", []string{"wikilink Oak", "wikilink Ash"}},
		{"after a less-than", "a < b [[Oak]] > c, a <b and [[Ash]]>", []string{"wikilink Oak", "wikilink Ash"}},
		{"carriage returns", "# A\r\n\r\n- [[Oak]]\r\n- [[Ash|a]]\r\n", []string{"wikilink Oak", `wikilink Ash "a"`}},
		{"a byte order mark", "\ufeff[[Oak]]", []string{"wikilink Oak"}},
		{"after money", "for $5 [[Oak]] or $6", []string{"wikilink Oak"}},
		{"a formula never ends after a blank", "$a [[Oak]] $", []string{"wikilink Oak"}},
		{"a formula never ends before a digit", "$a [[Oak]]$5", []string{"wikilink Oak"}},
		{"in what is not a declaration", "a <! [[Oak]] >", []string{"wikilink Oak"}},
	})
}

func TestTextThatHidesLinks(t *testing.T) {
	hidden := []string{
		"`[[Oak]]`", "``[[Oak]] ` ``", "`a\n[[Oak]]`", "`` `[[Oak]]` ``",
		"```\n[[Oak]]\n```", "~~~ md\n[[Oak]]\n~~~", "````\n```\n[[Oak]]\n````", "```\n[[Oak]]",
		"> ```\n> [[Oak]]\n> ```", "- a\n  ```\n  [[Oak]]\n  ```", "1. a\n\n   ~~~\n   [[Oak]]\n   ~~~",
		"   ```\n[[Oak]]\n   ```\n", "```\r\n[[Oak]]\r\n```\r\n",
		"a\n\n    [[Oak]]\n", "\t[[Oak]]",
		"<!-- [[Oak]] -->", "a <!-- [[Oak]] --> b", "<!--\n\n[[Oak]]\n\n-->", "a <!-- b\n[[Oak]] -->",
		"<div title=\"[[Oak]]\">a</div>", "<div>\n[[Oak]]\n</div>", "a <b title='[[Oak]]'>",
		"<https://a.example/[[Oak]]>",
		"$[[Oak]]$", "a $$[[Oak]]$$ b", "$$\n\n[[Oak]]\n\n$$", "> $$\n> [[Oak]]\n> $$",
	}
	for _, src := range hidden {
		t.Run(src, func(t *testing.T) {
			if n := note.Parse([]byte(src)); len(n.Links) != 0 {
				t.Errorf("found %q", shown(n.Links))
			}
			after := src + "\n\n" + strings.Repeat("`", 5) + "\n\n[[Ash]] \n"
			checkNote(t, []byte(after), note.Parse([]byte(after)))
		})
	}
}

func TestTextThatHidesNoLinks(t *testing.T) {
	one := []string{"wikilink Oak"}
	testLinks(t, []linksCase{
		{"a comment in a line", "a %%[[Oak]]%% b", one},
		{"a block comment", "%%\n[[Oak]]\n%%", one},
		{"a block comment with blank lines", "%%\n\n# a\n\n- [[Oak]]\n\n%%", one},
		{"a block comment never closed", "%%\n\n[[Oak]]\n", one},
		{"a backtick alone", "` [[Oak]]", one},
		{"backticks of two lengths", "``` a [[Oak]] ``", one},
		{"an escaped backtick", "\\`[[Oak]]`", one},
		{"a dollar alone", "$ [[Oak]]", one},
		{"math never closed", "$$\n[[Oak]]\n", one},
		{"a comment never closed within a paragraph", "a <!-- b [[Oak]]\n\n-->", one},
		{"a paragraph under a list", "- a\n\n[[Oak]]", one},
		{"indented text that goes on with a paragraph", "a\n    [[Oak]]", one},
		{"after a fence", "```\na\n```\n[[Oak]]", one},
	})
}

func TestMarkdownLinks(t *testing.T) {
	testLinks(t, []linksCase{
		{"the plain form", "[the tree](Oak.md)", []string{`markdown Oak.md "the tree"`}},
		{"an image", "![a tree](img/oak.png)", []string{`markdown-embed img/oak.png "a tree"`}},
		{"without text", "[](Oak.md) ![](oak.png)", []string{"markdown Oak.md", "markdown-embed oak.png"}},
		{"percent-encoded", "[y](My%20Oak%C3%A9.md)", []string{`markdown My Oaké.md "y"`}},
		{"encoded wrongly", "[y](100%.md) [z](%ff.md)", []string{`markdown 100%.md "y"`, `markdown %ff.md "z"`}},
		{"an encoded # belongs to the name", "[y](C%23.md#Use%20it)", []string{`markdown C#.md#Use it "y"`}},
		{"angle brackets", "[y](<My Oak.md>)", []string{`markdown My Oak.md "y"`}},
		{"a title", `[y](Oak.md "The Oak") [z](Ash.md 'A)' ) [w](<Elm.md> (e))`,
			[]string{`markdown Oak.md "y"`, `markdown Ash.md "z"`, `markdown Elm.md "w"`}},
		{"balanced parentheses", "[a](We!rd%20(name)%201.md)", []string{`markdown We!rd (name) 1.md "a"`}},
		{"escaped parentheses", `[a](b\).md)`, []string{`markdown b).md "a"`}},
		{"an entity", "[a](b&amp;c.md)", []string{`markdown b&c.md "a"`}},
		{"an anchor alone", "[a](#Bark) [b](#^leaf)", []string{`markdown #Bark "a"`, `markdown #^leaf "b"`}},
		{"several anchors", "[a](Oak.md#b#c)", []string{`markdown Oak.md#b#c "a"`}},
		{"a literal space is not a link", "[w](My Oak.md)", nil},
		{"empty ones are none", "[]() [a]() [a](<>)", nil},
		{"URLs are none", "[a](https://a.example) [b](mailto:a@b.example) [c](obsidian://open) ![d](data:image/png;base64,AA) [e](//a.example/b)", nil},
		{"a space before the destination is none", "[a] (Oak.md)", nil},
		{"references are none", "[a][b] [b]\n\n[b]: Oak.md\n", nil},
		{"escaped", `\[a](Oak.md) [a\](Ash.md)`, nil},
		{"brackets in the text", "[a [b] c](Oak.md)", []string{`markdown Oak.md "a [b] c"`}},
		{"the inner of two links", "[a [b](Oak.md) c](Ash.md)", []string{`markdown Oak.md "b"`}},
		{"an image in a link", "[![a](oak.png)](Oak.md)", []string{`markdown Oak.md "![a](oak.png)"`, `markdown-embed oak.png "a"`}},
		{"a link in an image", "![a [b](Oak.md) c](oak.png)", []string{`markdown-embed oak.png "a [b](Oak.md) c"`, `markdown Oak.md "b"`}},
		{"an embed in a link", "[![[oak.png]]](Oak.md)", []string{`markdown Oak.md "![[oak.png]]"`, "embed oak.png"}},
		{"an image in a link elsewhere", "[![a](oak.png)](https://a.example)", []string{`markdown-embed oak.png "a"`}},
		{"text over two lines", "> see [the\n> tree](Oak.md)", []string{`markdown Oak.md "the tree"`}},
		{"a bracket within code", "[a `]` b](Oak.md)", []string{"markdown Oak.md \"a `]` b\""}},
		{"code that starts first", "[a `](Oak.md)`", nil},
		{"a long text is cut", "[" + strings.Repeat("ä", 300) + "](Oak.md)",
			[]string{fmt.Sprintf("markdown Oak.md %q", strings.Repeat("ä", 200))}},
	})
}

func TestKeysOfLinks(t *testing.T) {
	testLinks(t, []linksCase{
		{"a field is its line", "causes:: [[Oak]], [[Ash]]\n[[Elm]]",
			[]string{"wikilink Oak inline-field=causes", "wikilink Ash inline-field=causes", "wikilink Elm"}},
		{"a field in brackets", "so [causes:: [[Oak]]] and [[Ash]]",
			[]string{"wikilink Oak inline-field=causes", "wikilink Ash"}},
		{"a field in parentheses", "so (depends-on:: [[Oak]], [a](Ash.md)) [[Elm]]",
			[]string{"wikilink Oak inline-field=depends-on", `markdown Ash.md "a" inline-field=depends-on`, "wikilink Elm"}},
		{"a field within a field", "[a:: [[Oak]] (b:: [[Ash]]) [[Elm]]]",
			[]string{"wikilink Oak inline-field=a", "wikilink Ash inline-field=b", "wikilink Elm inline-field=a"}},
		{"a field in brackets on the line of another", "up:: [[Oak]] (down:: [[Ash]])",
			[]string{"wikilink Oak inline-field=up", "wikilink Ash inline-field=down"}},
		{"a field in brackets at the start of a line", "- (supersedes:: [[Oak]]) discussed with [[Ash]]\n- [causes:: [[Oak]]], see [[Ash]]\n- [ ] (up:: [[Oak]]) by [[Ash]]\n- **(up:: [[Oak]])** [[Ash]]\n- [never closed:: [[Oak]]",
			[]string{"wikilink Oak inline-field=supersedes", "wikilink Ash", "wikilink Oak inline-field=causes", "wikilink Ash", "wikilink Oak inline-field=up", "wikilink Ash", "wikilink Oak inline-field=up", "wikilink Ash", "wikilink Oak"}},
		{"no field: colons in code, a formula, a link", "`parent::node()` is XPath, see [[Oak]]\n- `up::check` calls [[Oak]]\n\n$next::x$ [[Oak]]\n\n[std::vector](v.md) and [[Oak]]\n\n[std::map](https://a.example) [[Oak]]\n\n[[a::b]] [[Oak]]",
			[]string{"wikilink Oak", "wikilink Oak", "wikilink Oak", `markdown v.md "std::vector"`, "wikilink Oak", "wikilink Oak", "wikilink a::b", "wikilink Oak"}},
		{"no field in brackets: colons in code", "so (`up::check` calls [[Oak]]) and `(` up:: ) [[Oak]]", []string{"wikilink Oak", "wikilink Oak"}},
		{"a field behind colons in code", "so (`a::b` [up:: [[Oak]]]) [[Ash]]", []string{"wikilink Oak inline-field=up", "wikilink Ash"}},
		{"a field never closed", "so [causes:: [[Oak]]", []string{"wikilink Oak"}},
		{"a field in a list, a task, a quote", "- up:: [[Oak]]\n- [ ] up:: [[Ash]]\n\n> up:: [[Elm]]",
			[]string{"wikilink Oak inline-field=up", "wikilink Ash inline-field=up", "wikilink Elm inline-field=up"}},
		{"an emphasised word", "**is part of**:: [[Oak]]", []string{"wikilink Oak inline-field=is part of"}},
		{"no field: text before", "see: this, up:: [[Oak]]", []string{"wikilink Oak"}},
		{"no field: the link before", "[[Oak]] up:: [[Ash]]", []string{"wikilink Oak", "wikilink Ash"}},
		{"no field: one colon", "up: [[Oak]]", []string{"wikilink Oak"}},
		{"a relation", "## Relations\n- depends_on [[Oak]]\n* [ ] **part of**: [[Ash]]\n1. `code` [[Elm]]\n",
			[]string{"wikilink Oak relation=depends_on", "wikilink Ash relation=part of", "wikilink Elm"}},
		{"a relation with several", "# relations\n- causes [[Oak]], [[Ash]] and [[Elm]] (see [[Fir]])\n",
			[]string{"wikilink Oak relation=causes", "wikilink Ash relation=causes", "wikilink Elm relation=causes", "wikilink Fir"}},
		{"a relation under a child heading", "## Relations\n### Causes\n- causes [[Oak]]\n#### Deep\n- supports [[Ash]]\n### Relations\n- requires [[Elm]]\n### More\n- causes [[Fir]]\n",
			[]string{"wikilink Oak relation=causes", "wikilink Ash relation=supports", "wikilink Elm relation=requires", "wikilink Fir relation=causes"}},
		{"no relation: a heading of the same level", "## Relations\n### Causes\n## Notes\n- causes [[Oak]]\n### Causes\n- causes [[Ash]]\n", []string{"wikilink Oak", "wikilink Ash"}},
		{"no relation: a heading of a higher level", "## Relations\n\nNotes\n===\n- causes [[Oak]]\n", []string{"wikilink Oak"}},
		{"no relation: a later paragraph or line of a bullet", "## Relations\n- a\n  causes [[Oak]]\n\n  causes [[Ash]]\n", []string{"wikilink Oak", "wikilink Ash"}},
		{"no relation: no bullet", "## Relations\ncauses [[Oak]]\n", []string{"wikilink Oak"}},
		{"no relation: no word, or a sentence", "## Relations\n- [[Oak]]\n- this is a rather long text [[Ash]]\n",
			[]string{"wikilink Oak", "wikilink Ash"}},
		{"a decorated word: emoji", "- 🗂 up:: [[Oak]]\n- ✔️ up:: [[Oak]]\n- 1️⃣ up:: [[Oak]]\n- 👩🏽‍🚀 up 🇳🇴:: [[Oak]]\n- depends 🔗 on:: [[Oak]]\n",
			[]string{"wikilink Oak inline-field=up", "wikilink Oak inline-field=up", "wikilink Oak inline-field=up", "wikilink Oak inline-field=up", "wikilink Oak inline-field=depends on"}},
		{"a decorated word: marks", "→ up:: [[Oak]]\n• up:: [[Oak]]\n==up==:: [[Oak]]\n\"up\":: [[Oak]]\n#up:: [[Oak]]\n… up:: [[Oak]]\n“up”:: [[Oak]]\n`up`:: [[Oak]]\n~~up~~ →:: [[Oak]]",
			slices.Repeat([]string{"wikilink Oak inline-field=up"}, 9)},
		{"a decorated word in brackets", "so [🔗 up:: [[Oak]]] and (→ *up*:: [[Ash]])", []string{"wikilink Oak inline-field=up", "wikilink Ash inline-field=up"}},
		{"a decorated word in a script whose letters have marks", "- 🗂 ที่ตั้ง:: [[Oak]]\n- हिन्दी ✔️:: [[Oak]]\n", []string{"wikilink Oak inline-field=ที่ตั้ง", "wikilink Oak inline-field=हिन्दी"}},
		{"a decorated relation", "## Relations\n- → depends_on [[Oak]]\n- 🗂 **part of**: [[Ash]]\n", []string{"wikilink Oak relation=depends_on", "wikilink Ash relation=part of"}},
		{"no field: only decoration, a link, brackets, a sentence", "🗂:: [[Oak]]\n[[Elm]]:: [[Oak]]\n(up):: [[Oak]]\nI say so.:: [[Oak]]\na → b:: [[Oak]]",
			[]string{"wikilink Oak", "wikilink Elm", "wikilink Oak", "wikilink Oak", "wikilink Oak", "wikilink Oak"}},
		{"a field in a relation bullet", "## Relations\n- causes:: [[Oak]]\n", []string{"wikilink Oak inline-field=causes"}},
	})
}

func TestTheAnchorStartsAtTheFirstHash(t *testing.T) {
	for src, want := range map[string][2]string{
		"[[a#b#c]]":       {"a", "#b#c"},
		"[[ a # b ]]":     {"a", "# b"},
		"[[#b#c|d#e]]":    {"", "#b#c"},
		"[x](a.md#b#c)":   {"a.md", "#b#c"},
		"[x](a%23b.md#c)": {"a#b.md", "#c"},
		"![[a#^b]]":       {"a", "#^b"},
	} {
		l := note.Parse([]byte(src)).Links[0]
		if l.Target != want[0] || l.Anchor != want[1] {
			t.Errorf("%s: target %q, anchor %q, want %q", src, l.Target, l.Anchor, want)
		}
	}
}

func TestContextIsTheLineAroundTheLink(t *testing.T) {
	as := strings.Repeat("ä", 600)
	for _, c := range []struct{ name, src, want string }{
		{"the line, trimmed", "a\n  b [[Oak]] c  \r\nd", "b [[Oak]] c"},
		{"in a property", "---\nup: \"see [[Oak]] there\"\n---\n", "see [[Oak]] there"},
		{"both ends cut", as + "[[Oak]]" + as, as[:2*96] + "[[Oak]]" + as[:2*97]},
		{"the end cut", "[[Oak]]" + as, "[[Oak]]" + as[:2*193]},
		{"the start cut", as + "[[Oak]]", as[:2*193] + "[[Oak]]"},
		{"a longer link", "a [[" + as + "]]", "[[" + as[:2*198]},
		{"broken UTF-8", "a\xff [[Oak]]", "a\ufffd [[Oak]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, note.Parse([]byte(c.src)).Links[0].Context); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// For texts without the cases in which they differ (see scanner.wikilink), goldmark's
// wikilink extension and this package read the same links.
func TestWikilinkExtensionAgreesOnPlainLinks(t *testing.T) {
	extension := goldmark.New(goldmark.WithExtensions(&wikilink.Extender{})).Parser()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé][a-zé /.]{0,6}[a-zé]`)
		var src strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "links") {
			src.WriteString(rapid.SampledFrom([]string{"", "a ", "*b* ", "- c ", "\n\n"}).Draw(t, "before"))
			src.WriteString(rapid.SampledFrom([]string{"[[", "![["}).Draw(t, "open") + word.Draw(t, "target"))
			if rapid.Bool().Draw(t, "has anchor") {
				src.WriteString("#" + word.Draw(t, "anchor"))
			}
			if rapid.Bool().Draw(t, "has display") {
				src.WriteString("|" + word.Draw(t, "display"))
			}
			src.WriteString("]]")
		}
		source := []byte(src.String())
		var want []string
		err := ast.Walk(extension.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if w, ok := n.(*wikilink.Node); ok && entering {
				want = append(want, fmt.Sprintf("%v %s#%s", w.Embed, w.Target, w.Fragment))
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range note.Parse(source).Links {
			got = append(got, fmt.Sprintf("%v %s#%s", l.Form == note.Embed, l.Target, strings.TrimPrefix(l.Anchor, "#")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-extension +ours):\n%s", source, diff)
		}
	})
}
