package recall

import (
	"crypto/rand"
	"strings"
)

// Mark is a part of a snippet that the question asked for: from a byte of it to
// the byte before another.
type Mark struct{ Start, End int }

// Piece is a part of a snippet, with nothing added to it.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Pieces cuts the snippet at its marks. Joined again, the pieces are the
// snippet.
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

// signs stand around what matched in a text that FTS5 has marked. They are new
// for each answer, so that no memory can hold them.
type signs struct{ open, shut string }

func newSigns() signs {
	once := rand.Text()
	return signs{"\x02" + once, "\x03" + once}
}

// read takes the signs out of a text and returns where they were.
func (s signs) read(text string) (plain string, marks []Mark) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, s.open)
		b.WriteString(before)
		if !found {
			return b.String(), marks
		}
		hit, after, _ := strings.Cut(rest, s.shut)
		marks = append(marks, Mark{b.Len(), b.Len() + len(hit)})
		b.WriteString(hit)
		text = after
	}
}

// within returns the marks as far as they lie in the first bytes of a snippet.
func within(marks []Mark, bytes int) (kept []Mark) {
	for _, m := range marks {
		if m.Start < bytes {
			kept = append(kept, Mark{m.Start, min(m.End, bytes)})
		}
	}
	return kept
}
