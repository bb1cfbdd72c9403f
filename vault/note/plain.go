package note

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"hence/internal/pattern"
)

// Stretch is a part of one line that is plain text: no link, tag, code, HTML, formula or
// URL.
type Stretch struct {
	Line       string // the line in the source, without its end
	Number     int    // of the line, 1-based
	Offset     int    // of the line, in bytes from the start of the source
	Start, End int    // the stretch is Line[Start:End]
}

// Context returns the text around Line[start:end], cut as Link.Context is.
func (s Stretch) Context(start, end int) string {
	return excerpt(s.Line, 0, len(s.Line), start, end)
}

// minPlain is the length in bytes of the shortest stretch that is kept.
const minPlain = 2

// readPlain adds the stretches of a leaf that are between the elements in s.opaque.
func (w *walker) readPlain(t *leaf, s *scanner) {
	opaque := s.opaque
	slices.SortFunc(opaque, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	start := 0
	for _, o := range append(opaque, mark{len(t.buf), len(t.buf)}) {
		if o.start > start {
			w.addPlain(t, start, o.start)
		}
		start = max(start, o.end)
	}
}

// addPlain adds t.buf[start:end], line by line.
func (w *walker) addPlain(t *leaf, start, end int) {
	for start < end {
		// Only the stretch is searched for a line end: a line may have many stretches.
		stop := end
		if i := bytes.IndexByte(t.buf[start:end], '\n'); i >= 0 {
			stop = start + i
		}
		if stop-start >= minPlain {
			from, to := t.sourceSpan(start, stop)
			number := w.lines.line(from)
			first, last := w.lines.bounds(number)
			if to = min(to, last); from < to && !isDefinition(w.text[first:last]) {
				w.note.Plain = append(w.note.Plain, Stretch{
					Line: w.text[first:last], Number: number, Offset: first, Start: from - first, End: to - first,
				})
			}
		}
		start = stop + 1
	}
}

// isDefinition reports whether a line is a link reference definition ([x]: x.md
// "X"), which is not text. A footnote ([^1]: text) is text.
func isDefinition(line string) bool {
	label, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "[")
	if !ok || strings.HasPrefix(label, "^") {
		return false
	}
	end := strings.IndexAny(label, "[]")
	return end > 0 && strings.HasPrefix(label[end:], "]:")
}

// Piece is a part of a text, text[Start:End], that a reader sees as words.
type Piece struct {
	Start, End int
	Apart      bool // it begins a block or a line: white space is before it
}

// Words returns the parts of a note's text that are words, in order: without comments, HTML, marks
// of emphasis, tables, lists and callouts, embeds, block ids, footnote marks, and the code of
// plugins. Of a link it returns the display, else the name of the target, of a URL the host. Code
// is words as it stands. It takes linear time in the length of any text.
func Words(src string) []Piece {
	d := newDocument([]byte(src))
	body := 0
	if strings.HasPrefix(src, "---") {
		body = d.readFrontmatter(0)
	}
	w := wordReader{walker: walker{document: d, base: body, limit: len(src)}}
	w.read(blockParser.Parse(text.NewReader(d.src[body:])))
	return w.pieces
}

// Plain returns the words of a text on one line.
func Plain(src string) string {
	var b strings.Builder
	for _, p := range Words(src) {
		if p.Apart {
			b.WriteByte(' ')
		}
		b.WriteString(src[p.Start:p.End])
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// wordReader collects the pieces of a text.
type wordReader struct {
	walker
	pieces []Piece
}

// pluginCode matches the language of code that a plugin of Obsidian runs or draws, and shows in
// another form.
var pluginCode = pattern.Lazy(`(?i)^(button|dataview(js)?|tasks|query|base|meta-bind.*|tracker|leaflet|excalidraw|kanban|chart|cardlink|timeline.*|contributionGraph|gEvent|todoist|toc)$`)

// inlinePlugin matches a code span that names a button or is a query.
var inlinePlugin = pattern.Lazy("^`+ ?(button-|\\$?= |dv: )")

func (w *wordReader) read(n ast.Node) {
	switch n.Kind() {
	case ast.KindHeading, ast.KindParagraph, ast.KindTextBlock, ast.KindHTMLBlock, extast.KindTableCell:
		w.readLeaf(n)
	case ast.KindFencedCodeBlock:
		if language := n.(*ast.FencedCodeBlock).Language(w.src[w.base:]); pluginCode().Match(language) {
			return
		}
		w.readLines(n)
	case kindMath, ast.KindCodeBlock:
		w.readLines(n)
	case kindComment:
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.read(c)
		}
	}
}

// readLines adds the lines of a block as they stand.
func (w *wordReader) readLines(n ast.Node) {
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		w.pieces = append(w.pieces, Piece{w.base + s.Start, w.base + s.Stop, true})
	}
}

// readLeaf adds the words of a block of inline text.
func (w *wordReader) readLeaf(n ast.Node) {
	if html, ok := n.(*ast.HTMLBlock); ok && html.HTMLBlockType == ast.HTMLBlockType1 {
		return // a script or a style
	}
	t := w.leaf(n)
	if len(t.buf) == 0 {
		return
	}
	isApart := true
	done := 0
	add := func(end int) {
		for done < end {
			stop := end
			if i := bytes.IndexByte(t.buf[done:end], '\n'); i >= 0 {
				stop = done + i + 1
			}
			from, to := t.sourceSpan(done, stop)
			w.pieces = append(w.pieces, Piece{from, to, isApart})
			isApart, done = t.buf[stop-1] == '\n', stop
		}
	}
	for _, hidden := range hiddenIn(&t) {
		if hidden.start > done {
			add(hidden.start)
		}
		done = max(done, hidden.end)
	}
	add(len(t.buf))
}

// leafStart matches the mark of a callout or of a task, and that of a footnote's text.
var leafStart = pattern.Lazy(`^(\[![\pL\pN|_-]+\][+-]?|\[.\] |\[\^[^\]\n]*\]:)`)

// hiddenIn returns the ranges of a leaf that are not words, in order of their starts.
func hiddenIn(t *leaf) (hidden []mark) {
	if found := leafStart().FindIndex(t.buf); found != nil {
		hidden = append(hidden, mark{found[0], found[1]})
	}
	last := bytes.TrimRight(t.buf, " \t\r\n")
	if id := trailingID(last[bytes.LastIndexByte(last, '\n')+1:]); id != "" {
		hidden = append(hidden, mark{len(last) - len(id) - 1, len(t.buf)})
	}
	for start, end := 0, 0; start < len(t.buf); start = end + 1 {
		if _, end = t.line(start); isDefinition(string(t.buf[start:end])) {
			hidden = append(hidden, mark{start, end})
		}
	}
	s := &scanner{leaf: t, buf: t.buf}
	pairs := map[string]int{}
	for s.pos < len(s.buf) {
		start := s.pos
		switch {
		case strings.IndexByte("*_~=%", s.buf[s.pos]) >= 0:
			hidden = append(hidden, s.markRun(pairs)...)
		case s.has("<!--"):
			if !s.html() {
				s.pos = len(s.buf)
			}
			hidden = append(hidden, mark{start, s.pos})
		case s.has("[^") && s.footnote():
			hidden = append(hidden, mark{start, s.pos})
		case s.step():
			hidden = append(hidden, s.hiddenOf(start)...)
		default:
			s.pos++
		}
	}
	slices.SortStableFunc(hidden, func(a, b mark) int { return a.start - b.start })
	return hidden
}

// footnote skips the mark of a footnote such as [^1].
func (s *scanner) footnote() bool {
	end := bytes.IndexAny(s.buf[s.pos+2:min(len(s.buf), s.pos+maxFootnote)], "[] \n")
	if end <= 0 || s.buf[s.pos+2+end] != ']' {
		return false
	}
	s.pos += 2 + end + 1
	return true
}

const (
	maxFootnote = 100 // bytes of its mark
	maxScheme   = 32  // letters of the scheme of a URL
)

// markRun reads a run of marks of emphasis at s.pos, or a comment, and returns the ranges that
// are hidden. pairs has the place of the last open run of each kind. A run within a word, or with
// white space on both sides, is text.
func (s *scanner) markRun(pairs map[string]int) []mark {
	start, c := s.pos, s.buf[s.pos]
	for s.peek(0) == c {
		s.pos++
	}
	run := string(s.buf[start:min(s.pos, start+4)])
	before, after := byte(' '), byte(' ')
	if start > 0 {
		before = s.buf[start-1]
	}
	if s.pos < len(s.buf) {
		after = s.buf[s.pos]
	}
	switch {
	case run == "%%" && !isAlphanumeric(before):
		if end := bytes.Index(s.buf[s.pos:], []byte("%%")); end >= 0 {
			s.pos += end + len("%%")
		} else {
			s.pos = len(s.buf)
		}
		return []mark{{start, s.pos}}
	case len(run) > 3, c == '%', (c == '~' || c == '=') && len(run) != 2, isAlphanumeric(before) && isAlphanumeric(after):
		return nil
	}
	if opened, isOpen := pairs[run]; isOpen && !isSpace(before) {
		delete(pairs, run)
		return []mark{{opened, opened + len(run)}, {start, s.pos}}
	}
	if !isSpace(after) {
		pairs[run] = start
	}
	return nil
}

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

// hiddenOf returns the hidden ranges of the element from start to s.pos that step has read.
func (s *scanner) hiddenOf(start int) []mark {
	end, element := s.pos, s.buf[start:s.pos]
	switch element[0] {
	case '\\':
		return []mark{{start, start + 1}}
	case '`':
		ticks := len(element) - len(bytes.TrimLeft(element, "`"))
		switch {
		case ticks == len(element):
			return nil
		case inlinePlugin().Match(element):
			return []mark{{start, end}}
		}
		return []mark{{start, start + ticks}, {end - ticks, end}}
	case '<':
		if autolink := (&scanner{buf: s.buf, pos: start}).autolink(); autolink != end {
			return s.hiddenTag(start)
		}
		return append(s.hiddenURL(start+1, end-1), mark{start, start + 1}, mark{end - 1, end})
	case ':':
		scheme := start
		for scheme > max(0, start-maxScheme) && isLetter(s.buf[scheme-1]) {
			scheme--
		}
		return s.hiddenURL(scheme, end)
	case '!':
		if len(element) > 2 {
			return []mark{{start, end}}
		}
	case '[':
		return s.hiddenLink(start)
	case ']':
		opened := s.opaque[len(s.opaque)-1].start
		return []mark{{opened, opened + 1 + bytes.IndexByte(s.buf[opened:], '[')}, {start, end}}
	}
	return nil
}

// elements are the names of HTML. Another name in angle brackets, such as <T>, is text.
var elements = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
a abbr area article aside audio b base blockquote body br button canvas caption center cite code col colgroup dd del details dfn div dl
dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link
main map mark meta nav object ol optgroup option p param picture pre progress q s samp script section select small source span strike
strong style sub summary sup svg path g table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr`) {
		set[name] = true
	}
	return set
}()

// hiddenTag hides an HTML tag or comment from start to s.pos.
func (s *scanner) hiddenTag(start int) []mark {
	name := s.buf[start+1 : s.pos]
	if name = bytes.TrimPrefix(name, []byte("/")); len(name) > 0 && isLetter(name[0]) {
		if i := bytes.IndexFunc(name, func(r rune) bool { return r > 0x7f || !isAlphanumeric(byte(r)) }); i < 0 || !elements[strings.ToLower(string(name[:i]))] {
			return nil
		}
	}
	return []mark{{start, s.pos}}
}

// hiddenURL hides a URL but its host.
func (s *scanner) hiddenURL(start, end int) []mark {
	host := bytes.Index(s.buf[start:end], []byte("://"))
	if host < 0 {
		return nil // the address of a mailbox
	}
	host += start + len("://")
	last := host
	for last < end && !strings.ContainsRune("/?#", rune(s.buf[last])) {
		last++
	}
	return []mark{{start, host}, {last, end}}
}

// hiddenLink hides of a wikilink what is beside its display, or beside the name of its target.
func (s *scanner) hiddenLink(start int) []mark {
	from, to := start+len("[["), s.pos-len("]]")
	inner := s.buf[from:to]
	if bar := bytes.IndexByte(inner, '|'); bar > 0 && len(bytes.TrimSpace(inner[bar+1:])) > 0 {
		return []mark{{start, from + bar + 1}, {to, s.pos}}
	}
	target := inner
	if anchor := bytes.IndexByte(inner, '#'); anchor >= 0 {
		target = inner[:anchor]
		if anchor+1 < len(inner) && inner[anchor+1] == '^' || anchor+1 == len(inner) {
			to = from + anchor
		}
	}
	from += bytes.LastIndexByte(target, '/') + 1
	for from < to && (s.buf[from] == '#' || s.buf[from] == '|') {
		from++
	}
	return []mark{{start, from}, {to, s.pos}}
}
