package note

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// leaf is the inline text of one block: its lines, without the quote marks and indentation
// that are between them in the source.
type leaf struct {
	isCell bool // of a table, where `\|` is a '|'
	buf    []byte
	runs   []run
}

// run is a part of a leaf that is contiguous in the source. It holds the offset of its
// first byte in the leaf and in the source.
type run struct{ offset, source int }

func (w *walker) leaf(n ast.Node) leaf {
	l := n.Lines()
	t := leaf{isCell: n.Kind() == extast.KindTableCell}
	if l == nil || l.Len() == 0 {
		return t
	}
	end := -1
	for i := range l.Len() {
		s := l.At(i)
		if s.Start != end {
			t.runs = append(t.runs, run{offset: len(t.buf), source: w.base + s.Start})
		}
		if len(t.runs) == 1 { // still contiguous: share the source
			first := t.runs[0].source
			t.buf = w.src[first : w.base+s.Stop : w.base+s.Stop]
		} else {
			t.buf = append(t.buf, w.src[w.base+s.Start:w.base+s.Stop]...)
		}
		end = s.Stop
	}
	return t
}

// source returns the offset in the source of the leaf's byte at offset.
func (t *leaf) source(offset int) int {
	i := sort.Search(len(t.runs), func(i int) bool { return t.runs[i].offset > offset }) - 1
	return t.runs[i].source + offset - t.runs[i].offset
}

// sourceSpan returns the source offsets of buf[start:end], which is not empty.
func (t *leaf) sourceSpan(start, end int) (int, int) {
	return t.source(start), t.source(end-1) + 1
}

// line returns the bounds of the line that contains buf[offset], without its line end.
func (t *leaf) line(offset int) (start, end int) {
	start = bytes.LastIndexByte(t.buf[:offset], '\n') + 1
	end = len(t.buf)
	if i := bytes.IndexByte(t.buf[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	return start, end
}

// scanLeaf adds the links, tags and plain text of a block to the note.
func (w *walker) scanLeaf(n ast.Node) {
	t := w.leaf(n)
	if len(t.buf) == 0 {
		return
	}
	s := scan(&t)
	w.readPlain(&t, s)
	for _, g := range s.tags {
		start, end := t.sourceSpan(g.start, g.end)
		w.note.Tags = append(w.note.Tags, Tag{
			Name: valid(t.buf[g.start+1 : g.end]), Span: w.span(start, end),
		})
	}
	if len(s.links) == 0 {
		return
	}
	sort.SliceStable(s.links, func(i, j int) bool { return s.links[i].start < s.links[j].start })
	isItemText := n.Parent() != nil && n.Parent().Kind() == ast.KindListItem && n.PreviousSibling() == nil
	setKeys(&t, s, w.relations > 0 && isItemText)
	for _, f := range s.links {
		start, end := t.sourceSpan(f.start, f.end)
		f.Span = w.span(start, end)
		f.Context = w.context(start, end)
		w.note.Links = append(w.note.Links, f.Link)
	}
}
