package note

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParser finds the block structure. It has none of goldmark's inline parsers:
// several take quadratic time on hostile text, and none keeps the source positions
// of links; scan reads inline text instead. It has no link reference definitions
// either, because Obsidian does not count them as links (and `[^1]: [[x]]` must stay
// text).
var blockParser = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(rawFence{mark: "%%", kind: kindComment}, 90),
		util.Prioritized(rawFence{mark: "$$", kind: kindMath}, 95),
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(cappedParser{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(cappedParser{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(boundedTable{extension.NewTableParagraphTransformer()}, 200),
	),
)

// maxDepth bounds the nesting of quotes and lists; deeper ones are text. For each level
// goldmark examines every line once more, and walk uses a stack frame.
const maxDepth = 100

// cappedParser opens a container block only up to maxDepth.
type cappedParser struct{ parser.BlockParser }

func (c cappedParser) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth {
		return nil, parser.NoChildren
	}
	return c.BlockParser.Open(parent, r, pc)
}

// maxCells bounds the cells of a table. Goldmark fills every row up to the header's
// width, so a wide header over many lines is quadratic.
const maxCells = 1 << 17

// boundedTable turns a paragraph into a table only if the table has at most maxCells cells.
type boundedTable struct{ parser.ParagraphTransformer }

func (t boundedTable) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines, columns := p.Lines(), 0
	for i := range lines.Len() {
		s := lines.At(i)
		columns = max(columns, bytes.Count(r.Source()[s.Start:s.Stop], []byte{'|'})+1)
	}
	if columns*lines.Len() <= maxCells {
		t.ParagraphTransformer.Transform(p, r, pc)
	}
}

var (
	kindComment = ast.NewNodeKind("ObsidianComment")
	kindMath    = ast.NewNodeKind("ObsidianMath")
)

// rawBlock is a block comment or a math block: lines without structure.
type rawBlock struct {
	ast.BaseBlock
	kind ast.NodeKind
}

func (b *rawBlock) Kind() ast.NodeKind            { return b.kind }
func (b *rawBlock) IsRaw() bool                   { return true }
func (b *rawBlock) Dump(source []byte, level int) { ast.DumpHelper(b, source, level, nil, nil) }

// rawFence reads Obsidian's block comments and math blocks: from a line that starts
// with the mark and contains it once, to the next line that contains it. A block
// that is never closed is text.
type rawFence struct {
	mark string
	kind ast.NodeKind
}

func (f rawFence) Trigger() []byte             { return []byte{f.mark[0]} }
func (f rawFence) CanInterruptParagraph() bool { return true }
func (f rawFence) CanAcceptIndentedLine() bool { return false }

func (f rawFence) Open(_ ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := r.PeekLine()
	rest := line[max(pc.BlockOffset(), 0):]
	mark := []byte(f.mark)
	if !bytes.HasPrefix(rest, mark) || bytes.Contains(rest[len(mark):], mark) ||
		!bytes.Contains(r.Source()[segment.Stop:], mark) {
		return nil, parser.NoChildren
	}
	b := &rawBlock{kind: f.kind}
	b.Lines().Append(segment)
	r.AdvanceToEOL()
	return b, parser.NoChildren
}

func (f rawFence) Continue(n ast.Node, r text.Reader, _ parser.Context) parser.State {
	line, segment := r.PeekLine()
	n.Lines().Append(segment)
	r.AdvanceToEOL()
	if bytes.Contains(line, []byte(f.mark)) {
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

func (f rawFence) Close(ast.Node, text.Reader, parser.Context) {}

// readBody reads src[from:to] as Markdown.
func (d *document) readBody(from, to int) {
	body := d.src[from:to]
	root := blockParser.Parse(text.NewReader(body))
	w := walker{document: d, base: from, limit: to}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			w.readHeading(h)
		}
		w.walk(n)
	}
}

// walker visits the blocks of a body that starts at base in the source.
type walker struct {
	*document
	base, limit int
}

func (w *walker) walk(n ast.Node) {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock:
		w.readBlockID(n)
		w.scanLeaf(n)
	case ast.KindHeading, extast.KindTableCell, kindComment:
		w.scanLeaf(n)
	case kindMath, ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
		// These contain neither links nor tags.
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.walk(c)
		}
	}
}

// extent returns the source offsets of a block's start and of the end of its last line, as
// far as goldmark knows them, or -1, -1.
func (w *walker) extent(n ast.Node) (start, end int) {
	start, end = n.Pos(), -1
	if l := n.Lines(); l.Len() > 0 {
		end = l.At(l.Len() - 1).Stop
		if start < 0 || l.At(0).Start < start {
			start = l.At(0).Start
		}
	}
	if start < 0 {
		return -1, -1
	}
	return w.base + start, w.base + w.trimRight(start, max(start, end))
}

// trimRight returns end without the white space before it, but at least start. Both are
// offsets in the body.
func (w *walker) trimRight(start, end int) int {
	body := w.src[w.base:w.limit]
	for end > start && isSpace(body[end-1]) {
		end--
	}
	return end
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
