package note

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ParseCanvas reads a JSON Canvas file (jsoncanvas.org, 1.0). Each file node becomes a link
// with Form CanvasFile. Each text node is read like a note's body and becomes one section.
// The Span of all links and tags is that of their node. The note has no headings or blocks,
// because Obsidian keeps none of a canvas. It warns about text that is not valid JSON and
// about nodes that cannot be read, and reads the others. It fails if src is not an object.
func ParseCanvas(src []byte) (*Note, error) {
	d := newDocument(src)
	d.checkEncoding()
	c := canvas{document: d}
	if bytes.HasPrefix(src, byteOrderMark) {
		c.pos = len(byteOrderMark)
		d.warn(1, "the file starts with a byte order mark")
	}
	start := c.pos
	switch c.next() {
	case 0:
		return d.note, nil // Obsidian makes a new canvas an empty file
	case '{':
	default:
		return nil, fmt.Errorf("canvas: line %d: it is not a JSON object", d.lines.line(c.pos))
	}
	var whole json.RawMessage
	if invalid, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(src[start:], &whole)); ok {
		d.warn(d.lines.line(start+max(int(invalid.Offset)-1, 0)), "the canvas is not valid JSON: %v; Obsidian may not open it; the nodes that can be told apart were read", invalid)
	}
	c.read()
	if n := len(c.unread); n > 0 {
		d.warn(d.lines.line(c.unread[0]), "nodes that are not objects whose type, file, subpath and text are texts were left out, from this line on: %d", n)
	}
	return d.note, nil
}

// canvas reads a canvas from pos on. It finds where a node ends by brackets and quotes alone,
// so that a mistake in one node does not hide the others.
type canvas struct {
	*document
	pos    int
	unread []int // offsets of the nodes that could not be read
}

type canvasNode struct {
	Type    string `json:"type"`
	File    string `json:"file"`
	Subpath string `json:"subpath"`
	Text    string `json:"text"`
}

// next moves pos to the next byte that is neither white space nor a comma, and returns it, 0
// at the end.
func (c *canvas) next() byte {
	c.pos += len(c.src[c.pos:]) - len(bytes.TrimLeft(c.src[c.pos:], " \t\r\n,"))
	if c.pos == len(c.src) {
		return 0
	}
	return c.src[c.pos]
}

// skip moves pos behind the value that starts there: a text, a list or an object in its
// brackets, or a word.
func (c *canvas) skip() {
	if bytes.IndexByte([]byte(`"[{`), c.src[c.pos]) < 0 {
		c.pos++
		if end := bytes.IndexAny(c.src[c.pos:], ",:[]{}\" \t\r\n"); end >= 0 {
			c.pos += end
		} else {
			c.pos = len(c.src)
		}
		return
	}
	depth, quoted := 0, false
	for ; c.pos < len(c.src); c.pos++ {
		switch char := c.src[c.pos]; {
		case quoted && char == '\\':
			c.pos++
		case char == '"':
			quoted = !quoted
		case quoted:
		case char == '[' || char == '{':
			depth++
		case char == ']' || char == '}':
			depth--
		}
		if depth <= 0 && !quoted {
			c.pos++
			return
		}
	}
	c.pos = len(c.src)
}

// read reads the members of the object at pos.
func (c *canvas) read() {
	c.pos++
	for char := c.next(); char != 0 && char != '}'; char = c.next() {
		start := c.pos
		c.skip()
		isNodes := string(c.src[start:c.pos]) == `"nodes"`
		if c.next() == ':' {
			c.pos++
		}
		switch {
		case c.next() == 0:
		case isNodes && c.src[c.pos] == '[':
			c.readNodes()
		default:
			if isNodes && !bytes.HasPrefix(c.src[c.pos:], []byte("null")) {
				c.warn(c.lines.line(c.pos), "the nodes of the canvas are not a list, and were left out")
			}
			c.skip()
		}
	}
}

// readNodes reads the list of nodes at pos.
func (c *canvas) readNodes() {
	c.pos++
	for char := c.next(); char != 0; char = c.next() {
		start := c.pos
		if char == ']' {
			c.pos++
			return
		}
		c.skip()
		c.readNode(start, c.pos)
	}
}

func (c *canvas) readNode(start, end int) {
	var n canvasNode
	if json.Unmarshal(MendJSON(c.src[start:end]), &n) != nil {
		c.unread = append(c.unread, start)
		return
	}
	switch {
	case n.Type == "file" && n.File != "":
		c.note.Links = append(c.note.Links, Link{
			Form: CanvasFile, Target: n.File, Anchor: n.Subpath,
			Span: c.span(start, end), Context: n.File + n.Subpath,
		})
	case n.Type == "text" && strings.TrimSpace(n.Text) != "":
		n.Text = strings.ReplaceAll(n.Text, RawBreak, "\n")
		c.readText(n, start, end)
	}
}

// RawBreak stands for a line break in a text of MendJSON, which JSON would not allow.
const RawBreak = "\x7F"

// MendJSON returns JSON of the same length without commas before a closing bracket, with
// RawBreak for a line break within a text and a blank for other control characters there.
func MendJSON(src []byte) []byte {
	mended := bytes.Clone(src)
	quoted, comma := false, -1 // comma is the offset of one with only white space behind it
	for i := 0; i < len(mended); i++ {
		switch char := mended[i]; {
		case quoted && char == '\\':
			i++
		case char == '"':
			quoted, comma = !quoted, -1
		case quoted && char == '\n':
			mended[i] = RawBreak[0]
		case quoted && char < ' ':
			mended[i] = ' '
		case quoted:
		case char == ',':
			comma = i
		case comma >= 0 && (char == ']' || char == '}'):
			mended[comma], comma = ' ', -1
		case char > ' ':
			comma = -1
		}
	}
	return mended
}

func (c *canvas) readText(n canvasNode, start, end int) {
	inner := newDocument([]byte(n.Text))
	inner.readBody(0, len(n.Text))
	place := c.span(start, end)
	for _, l := range inner.note.Links {
		l.Span = place
		c.note.Links = append(c.note.Links, l)
	}
	for _, t := range inner.note.Tags {
		t.Span = place
		c.note.Tags = append(c.note.Tags, t)
	}
	s := Section{StartLine: place.Start.Line, EndLine: place.End.Line, Body: n.Text}
	if h := inner.note.Headings; len(h) > 0 {
		s.Heading, s.Level = h[0].Text, h[0].Level
	}
	c.addSection(s)
}
