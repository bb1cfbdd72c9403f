package screen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/tools/show"
)

// drawn returns what a page of a width shows.
func drawn(t *testing.T, width int, colour bool, draw func(*Page)) string {
	t.Helper()
	var out strings.Builder
	p := NewPage(&out, width, colour)
	draw(p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return "\n" + out.String()
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLine_WrapsBetweenWords(t *testing.T) {
	same(t, `
- one two
  three
  出航出航
  出航
  abcdefgh
  ijk
`, drawn(t, 10, false, func(p *Page) { p.Item("- ", Text("one two three"), Text(" 出航出航出航 abcdefghijk")) }))
}

func TestLine_WithoutAWindowStaysWhole(t *testing.T) {
	long := strings.Repeat("word ", 100) + "end"
	same(t, "\n"+long+"\n", drawn(t, 0, false, func(p *Page) { p.Line(Text(long)) }))
}

func TestLine_Colours(t *testing.T) {
	spans := []show.Cell{{Text: "a", Role: show.Strong}, Text(" is "), {Text: "b", Role: show.Match}}
	same(t, "\n\x1b[1ma\x1b[0m is \x1b[1;33mb\x1b[0m\n", drawn(t, 0, true, func(p *Page) { p.Line(spans...) }))
	same(t, "\na is b\n", drawn(t, 0, false, func(p *Page) { p.Line(spans...) }))
}

func TestBlock_KeepsIndentation(t *testing.T) {
	same(t, `
  # Head

  - a list item
  that is long
    nested
`, drawn(t, 15, false, func(p *Page) { p.Block("  ", "# Head\n\n- a list item that is long\n  nested\n") }))
}

func TestTable_AlignsWideRunes(t *testing.T) {
	columns := []show.Column{{Head: "title", Min: 6}, {Head: "id"}}
	rows := [][]show.Cell{{Text("出航時刻"), Text("1")}, {Text("a"), Text("2")}, {Text("Kråkø"), Text("3")}}
	same(t, `
title     id
出航時刻  1
a         2
Kråkø     3
`, drawn(t, 0, false, func(p *Page) { p.Table(show.Table{Columns: columns, Rows: rows}) }))
	same(t, `
title    id
出航時…  1
a        2
Kråkø    3
`, drawn(t, 11, false, func(p *Page) { p.Table(show.Table{Columns: columns, Rows: rows}) }))
}

func TestTable_CutsTheWidestFirstAndNotBelowItsMinimum(t *testing.T) {
	columns := []show.Column{{Head: "a", Min: 4}, {Head: "b", Min: 4}, {Head: "id"}}
	rows := [][]show.Cell{{Text("abcdefghijkl"), Text("uvwxyz"), Text("0123456789")}}
	same(t, `
a       b       id
abcde…  uvwxyz  0123456789
`, drawn(t, 26, false, func(p *Page) { p.Table(show.Table{Columns: columns, Rows: rows}) }))
	same(t, `
a     b     id
abc…  uvw…  0123456789
`, drawn(t, 5, false, func(p *Page) { p.Table(show.Table{Columns: columns, Rows: rows}) }))
}

func TestTable_CutsNoWholeText(t *testing.T) {
	columns := []show.Column{{Head: "a", Min: 4}, {Head: "id"}}
	rows := [][]show.Cell{{{Text: "name [from the web]", Whole: true}, Text("1")}, {Text("another name"), Text("2")}}
	same(t, `
a     id
name [from the web]  1
ano…  2
`, drawn(t, 8, false, func(p *Page) { p.Table(show.Table{Columns: columns, Rows: rows}) }))
}

func TestTree(t *testing.T) {
	root := &Node{Line: []show.Cell{Text("root")}, Children: []*Node{
		{Line: []show.Cell{Text("first child has a long line")}, Children: []*Node{{Line: []show.Cell{Text("grandchild")}}}},
		{Line: []show.Cell{Text("last child has one too")}},
	}}
	same(t, `
root
├─ first child
│  │ has a long
│  │ line
│  └─ grandchild
└─ last child
     has one too
`, drawn(t, 18, false, func(p *Page) { p.Tree(root) }))
}

func TestTree_LinesUnderANode(t *testing.T) {
	under := [][]show.Cell{{Text("why, at length")}, {Text("and more")}}
	root := &Node{Line: []show.Cell{Text("root")}, Under: under[1:], Children: []*Node{
		{Line: []show.Cell{Text("first")}, Under: under, Children: []*Node{{Line: []show.Cell{Text("nested")}, Under: under[1:]}}},
		{Line: []show.Cell{Text("last")}, Under: under},
	}}
	same(t, `
root
│ and more
├─ first
│  │ why, at
│  │ length
│  │ and more
│  └─ nested
│       and more
└─ last
     why, at
     length
     and more
`, drawn(t, 16, false, func(p *Page) { p.Tree(root) }))
}

func TestPageFor_AFileGetsWholeLinesWithoutColours(t *testing.T) {
	var out strings.Builder
	p := PageFor(&out)
	p.Line(show.Cell{Text: strings.Repeat("x", 300), Role: show.Strong})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, strings.Repeat("x", 300)+"\n", out.String())
}
