package golang

import (
	"go/ast"
	"strings"
	"unicode/utf8"
)

// signatureBytes is the largest size of a signature; a longer type shows its first fields.
const signatureBytes = 400

// signature returns the text of a declaration without comments and body.
func (r *reading) signature(d fileDeclaration) string {
	start, end := r.offset(d.start), r.offset(d.end)
	switch node := d.node.(type) {
	case *ast.FuncDecl:
		if node.Body != nil {
			end = r.offset(node.Body.Lbrace)
		}
	case *ast.ValueSpec:
		text := r.plain(r.offset(node.Pos()), r.offset(node.End()))
		if len(node.Names) == 1 && d.repeats != nil && d.repeats.Type != nil {
			// A constant that repeats an earlier one also has its type.
			text = d.name + " " + r.plain(r.offset(d.repeats.Type.Pos()), r.offset(d.repeats.Type.End()))
		}
		return shorten(d.word+" "+text, "")
	}
	written := r.plain(start, end)
	if d.word != "" && !strings.HasPrefix(written, d.word) {
		written = d.word + " " + written
	}
	if _, ok := d.node.(*ast.TypeSpec); ok {
		return shorten(written, "\n}")
	}
	return shorten(written, "")
}

// plain returns a range of the text without comments, empty lines and the tabs that its
// first line is indented by.
func (r *reading) plain(start, end int) string {
	if end < start {
		return ""
	}
	var b strings.Builder
	at := start
	for _, c := range r.lexed.commentsWithin(start, end) {
		b.WriteString(r.lexed.text[at:c.start])
		at = min(c.end, end)
	}
	b.WriteString(r.lexed.text[at:end])
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	line := r.lexed.text[strings.LastIndexByte(r.lexed.text[:start], '\n')+1 : start]
	indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
	plainLines := lines[:0]
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if i > 0 {
			line = strings.TrimPrefix(line, indent)
		}
		if line != "" {
			plainLines = append(plainLines, line)
		}
	}
	return strings.Join(plainLines, "\n")
}

// shorten cuts a text that is longer than signatureBytes, at the end of a line if it has
// several; then it appends closing.
func shorten(text, closing string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= signatureBytes {
		return text
	}
	cut := signatureBytes - len("\n\t…") - len(closing)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	if line := strings.LastIndexByte(text[:cut], '\n'); line > 0 {
		return text[:line] + "\n\t…" + closing
	}
	return text[:cut] + "…"
}
