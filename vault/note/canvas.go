package note

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ParseCanvas reads a JSON Canvas file (jsoncanvas.org, 1.0). Each file node becomes a link
// with Form CanvasFile. Each text node is read like a note's body and becomes one section.
// The Span of all links and tags is that of their node. The note has no headings or blocks,
// because Obsidian keeps none of a canvas. It fails if src is not a JSON object, or if its
// nodes or edges are not lists of objects of the format's types.
func ParseCanvas(src []byte) (*Note, error) {
	d := newDocument(src)
	d.checkEncoding()
	start := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		start = len(byteOrderMark)
		d.warn(1, "the file starts with a byte order mark")
	}
	if len(bytes.TrimSpace(src[start:])) == 0 {
		return d.note, nil // Obsidian makes a new canvas an empty file
	}
	c := canvas{document: d}
	if err := c.read(start); err != nil {
		return nil, fmt.Errorf("canvas: %w", err)
	}
	return d.note, nil
}

type canvas struct{ *document }

type canvasNode struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	File    string `json:"file"`
	Subpath string `json:"subpath"`
	Text    string `json:"text"`
}

// canvasEdge is an arrow. It is decoded only to check its types.
type canvasEdge struct {
	From  string `json:"fromNode"`
	To    string `json:"toNode"`
	Label string `json:"label"`
}

// read reads the file token by token, to get the offsets of each node.
func (c *canvas) read(start int) error {
	dec := json.NewDecoder(bytes.NewReader(c.src[start:]))
	if err := expect(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		switch key {
		case "nodes":
			err = c.readList(dec, start, c.readNode)
		case "edges":
			err = c.readList(dec, start, func(item json.RawMessage, _, _ int) error { return json.Unmarshal(item, &canvasEdge{}) })
		default:
			var other json.RawMessage
			err = dec.Decode(&other)
		}
		if err != nil {
			return err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("text after the end of the object, line %d", c.lines.line(start+int(dec.InputOffset())))
	}
	return nil
}

// expect reads a token and fails if it is not want.
func expect(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %v, want %q", token, want.String())
	}
	return nil
}

// readList calls read with each item of a list and its offsets in the source. base is the
// offset at which dec started.
func (c *canvas) readList(dec *json.Decoder, base int, read func(item json.RawMessage, start, end int) error) error {
	token, err := dec.Token()
	if err != nil || token == nil { // null is an empty list
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("found %v, want a list", token)
	}
	for dec.More() {
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return err
		}
		end := base + int(dec.InputOffset())
		if err := read(item, end-len(item), end); err != nil {
			return fmt.Errorf("line %d: %w", c.lines.line(end-len(item)), err)
		}
	}
	return expect(dec, ']')
}

func (c *canvas) readNode(item json.RawMessage, start, end int) error {
	var n canvasNode
	if err := json.Unmarshal(item, &n); err != nil {
		return err
	}
	switch {
	case n.Type == "file" && n.File != "":
		c.note.Links = append(c.note.Links, Link{
			Form: CanvasFile, Target: n.File, Anchor: n.Subpath,
			Span: c.span(start, end), Context: n.File + n.Subpath,
		})
	case n.Type == "text" && strings.TrimSpace(n.Text) != "":
		c.readText(n, start, end)
	}
	return nil
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
