package answer

import (
	"strings"
)

// Mark is a part of a snippet that matched: from byte Start up to, not including, byte End.
type Mark struct{ Start, End int }

// Piece is a part of a snippet that matched, or of the text between the matches.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Pieces returns the snippet cut at its marks. The joined pieces are the snippet.
func (f Found) Pieces() []Piece {
	pieces, offset := []Piece{}, 0
	add := func(end int, isHit bool) {
		if end > offset {
			pieces = append(pieces, Piece{f.Snippet[offset:end], isHit})
		}
		offset = end
	}
	for _, m := range f.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(f.Snippet), false)
	return pieces
}

// markers are the texts that FTS5 puts before and after each match in a snippet. They are
// random for each search, so that no memory can contain them.
type markers struct{ open, close string }

// read returns a text without its markers, and the marks that they enclosed.
func (s markers) read(text string) (plain string, marks []Mark) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, s.open)
		b.WriteString(before)
		if !ok {
			return b.String(), marks
		}
		match, after, _ := strings.Cut(rest, s.close)
		marks = append(marks, Mark{b.Len(), b.Len() + len(match)})
		b.WriteString(match)
		text = after
	}
}
