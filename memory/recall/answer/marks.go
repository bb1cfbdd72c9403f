package answer

import (
	"context"
	"crypto/rand"
	"strings"

	"hence/internal/db"
	"hence/internal/script"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
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

const (
	maxMatches = 100 // in a section, among which an excerpt is chosen
	// To mark minScanned sections or more, all sections with the terms of a question are read if there are
	// at most maxScanned. FTS5 finds ten among 6,000 so in half the time that one by one takes.
	maxScanned = 20_000
	minScanned = 6
)

// marker marks the matches of a question in texts. The texts open and close, which FTS5 puts before
// and after each match, are random for each search, so that no memory can contain them.
type marker struct {
	match, open, close string
	rows               int              // about how many sections match
	bodies             map[int64]string // by the key of a section, marked
}

func newMarker(terms []*question.Term) marker {
	random := rand.Text()
	m := marker{open: "\x02" + random, close: "\x03" + random, rows: question.CountRows(terms), bodies: map[int64]string{}}
	m.match, _ = question.AnyOf(terms)
	return m
}

// readBodies reads the texts of the candidates' sections that match.
func (m marker) readBodies(ctx context.Context, r *db.Reader, candidates []*rank.Candidate) error {
	if m.match == "" {
		return nil
	}
	sections := []int64{}
	for _, c := range candidates {
		sections = append(sections, c.Section)
	}
	text := selectMarked + isWanted
	if m.rows <= maxScanned && len(sections) >= minScanned {
		text = selectMarked + "+" + isWanted // the plus has the engine read each match once
	}
	return db.Fill(ctx, r, m.bodies, text, m.match, db.List(sections), m.open, m.close)
}

const (
	// maxMarked is the largest number of matches of a section that is marked: highlight copies
	// the whole text for each of them.
	maxMarked = "2000"

	selectMarked = `
select
  rowid,
  iif(often_of(section_search, 0, 0, 0, 0, 1, 0) <= ` + maxMarked + `, highlight(section_search, 4, ?3, ?4), '')
from section_search
where section_search match ?1
  and `
	isWanted = `rowid in (select value from json_each(?2))`
)

// matches returns the parts of a section's body that match, in order.
func (m marker) matches(section int64, body string) (marks []Mark) {
	_, marks = m.read(m.bodies[section])
	marks = marks[:min(len(marks), maxMatches)]
	for i := range marks {
		marks[i].Start, marks[i].End = script.Origin(body, marks[i].Start, marks[i].End)
	}
	return marks
}

// read returns a text without its markers, and the marks that they enclosed.
func (m marker) read(text string) (plain string, marks []Mark) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, m.open)
		b.WriteString(before)
		if !ok {
			return b.String(), marks
		}
		match, after, _ := strings.Cut(rest, m.close)
		marks = append(marks, Mark{b.Len(), b.Len() + len(match)})
		b.WriteString(match)
		text = after
	}
}
