package recall

import (
	"strings"

	"hence/internal/script"
)

// Mark is a part of a snippet that matched: bytes Start up to, not including, End.
type Mark struct{ Start, End int }

// Piece is a part of a snippet.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Pieces cuts the snippet at its marks. The joined pieces are the snippet.
func (f Found) Pieces() []Piece {
	pieces, at := []Piece{}, 0
	add := func(end int, hit bool) {
		if end > at {
			pieces = append(pieces, Piece{f.Snippet[at:end], hit})
		}
		at = end
	}
	for _, m := range f.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(f.Snippet), false)
	return pieces
}

// signs enclose the matches in a text that FTS5 has marked. They are random for
// each search, so that no memory can contain them.
type signs struct{ open, shut string }

// read removes the signs from a text and returns where they were.
func (s signs) read(text string) (plain string, marks []Mark) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, s.open)
		b.WriteString(before)
		if !ok {
			return b.String(), marks
		}
		hit, after, _ := strings.Cut(rest, s.shut)
		marks = append(marks, Mark{b.Len(), b.Len() + len(hit)})
		b.WriteString(hit)
		text = after
	}
}

// origin returns the part of a body that a snippet of its cut text was made from, with
// the signs around the same matches.
func (s signs) origin(snippet, cut, body string) string {
	plain, marks := s.read(strings.TrimSuffix(strings.TrimPrefix(snippet, "…"), "…"))
	at := strings.Index(cut, plain)
	if at < 0 {
		return snippet
	}
	from, to := script.Origin(body, at, at+len(plain))
	if !searchable(body[to:]) { // the cut text ends with its last word
		to = len(body)
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	done := from
	for _, m := range marks {
		start, end := script.Origin(body, at+m.Start, at+m.End)
		if start = max(start, done); start < end {
			b.WriteString(body[done:start] + s.open + body[start:end] + s.shut)
			done = end
		}
	}
	b.WriteString(body[done:max(done, to)])
	if to < len(body) {
		b.WriteString("…")
	}
	return b.String()
}
