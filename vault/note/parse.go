package note

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// Parse reads a note. It never fails: what cannot be read as written becomes a
// Warning, and the rest is read. Its time is linear in the length of src, whatever
// src contains.
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
	// relations is the level of the heading "Relations" above what is being read, 0
	// for none.
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

// context returns the line around src[start:end], cut to maxContext runes around
// the link if it is longer.
func (d *document) context(start, end int) string {
	from, to := d.lines.bounds(d.lines.pos(start).Line)
	if last := d.lines.pos(max(start, end-1)).Line; last > 0 {
		_, to = d.lines.bounds(last)
	}
	return excerpt(d.text, from, to, start, end)
}

// excerpt returns text[from:to] trimmed, cut to maxContext runes with
// text[start:end] in the middle if it is longer.
func excerpt(text string, from, to, start, end int) string {
	// Bytes bound runes. Text far from the link is never read, so that many links in
	// one long line are cheap.
	from = max(from, start-4*maxContext)
	to = min(to, start+8*maxContext)
	before := runeTail(text[from:start], maxContext)
	rest := runeHead(text[start:to], maxContext)
	own := min(utf8.RuneCountInString(text[start:min(max(end, start), to)]), maxContext)
	left, right := utf8.RuneCountInString(before), utf8.RuneCountInString(rest)
	if left+right > maxContext {
		keep := min(left, max((maxContext-own)/2, maxContext-right))
		before = runeTail(before, keep)
		rest = runeHead(rest, maxContext-keep)
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[start-len(before):start+len(rest)], "\ufffd"))
}

func runeHead(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}

func runeTail(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
