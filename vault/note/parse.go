package note

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// Parse reads a note. It never fails: it adds a Warning for a part that cannot be read as
// written, and reads the rest. It takes linear time in the length of any src.
func Parse(src []byte) *Note {
	d := newDocument(src)
	d.checkEncoding()
	body := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		d.warn(1, "the file starts with a byte order mark")
		body = len(byteOrderMark)
	}
	body = d.readFrontmatter(body)
	d.readBody(body, len(src))
	d.readSections(body)
	return d.note
}

// document is a note while it is being read.
type document struct {
	note  *Note
	src   []byte
	text  string // src as a string, so that contexts and bodies share its memory
	lines lineIndex
	// relations is the level of the heading "Relations" that the block being read is
	// below, 0 for none.
	relations int
	// headingLines are the source lines of each heading.
	headingLines []Lines
}

func newDocument(src []byte) *document {
	text := string(src)
	return &document{note: &Note{Text: text}, src: src, text: text, lines: newLineIndex(src)}
}

func (d *document) warn(line int, format string, args ...any) {
	d.note.Warnings = append(d.note.Warnings, Warning{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (d *document) checkEncoding() {
	if !utf8.Valid(d.src) {
		d.warn(d.lines.pos(firstInvalid(d.src)).Line, "invalid UTF-8")
	}
	if i := bytes.IndexByte(d.src, 0); i >= 0 {
		d.warn(d.lines.pos(i).Line, "NUL byte")
	}
}

// firstInvalid returns the offset of the first byte that is not valid UTF-8.
func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(src)
}

func (d *document) span(start, end int) Span {
	return Span{Start: d.lines.pos(start), End: d.lines.pos(end)}
}

// value returns src[start:end] as valid UTF-8.
func (d *document) value(start, end int) string {
	return strings.ToValidUTF8(d.text[start:end], "\ufffd")
}

// maxContext is the length of a Link's Context, in runes.
const maxContext = 200

// MaxBefore is how many bytes before a link its Context begins at most.
const MaxBefore = utf8.UTFMax * maxContext

// context returns the line around src[start:end], cut to maxContext runes around
// the link if it is longer.
func (d *document) context(start, end int) string {
	from, to := d.lines.bounds(d.lines.line(start))
	if last := d.lines.line(max(start, end-1)); last > 0 {
		_, to = d.lines.bounds(last)
	}
	return excerpt(d.text, from, to, start, end)
}

// excerpt returns text[from:to] trimmed, cut to maxContext runes with
// text[start:end] in the middle if it is longer.
func excerpt(text string, from, to, start, end int) string {
	// n runes have at most 4n bytes. Text far from the link is not read, so that many links
	// in one long line are cheap.
	from = max(from, start-MaxBefore)
	to = min(to, start+8*maxContext)
	before := runeTail(text[from:start], maxContext)
	rest := runeHead(text[start:to], maxContext)
	linkRunes := min(utf8.RuneCountInString(text[start:min(max(end, start), to)]), maxContext)
	runesBefore, runesAfter := utf8.RuneCountInString(before), utf8.RuneCountInString(rest)
	if runesBefore+runesAfter > maxContext {
		keep := min(runesBefore, max((maxContext-linkRunes)/2, maxContext-runesAfter))
		before = runeTail(before, keep)
		rest = runeHead(rest, maxContext-keep)
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[start-len(before):start+len(rest)], "\ufffd"))
}

// runeHead returns the first n runes of s.
func runeHead(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}

// runeTail returns the last n runes of s.
func runeTail(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
