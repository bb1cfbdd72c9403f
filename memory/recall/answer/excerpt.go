package answer

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
	"hence/vault/note"
)

const (
	snippetWords  = 32   // approximate length of a snippet; two characters of a script without spaces count as a word
	secretMargin  = 2048 // bytes on either side of a snippet that are searched for a secret of which it may have a part
	distinctWorth = 1000 // of a word in a snippet, compared with one that it has already
	openingWorth  = 100  // of a beginning of a sentence
)

// excerpt returns the words of the part of a text that has most of its marks, on one line and
// without markup, and the marks in it. A marked word is shown even if markup is around it. What
// looks like a secret is masked, even if the excerpt has only a part of it: notes are files of a
// person, whose secrets are shown to a reader who opens the note only. part is where in the text it is.
func excerpt(text string, marks []Mark) (words string, inWords []Mark, part ref.Range) {
	pieces, marks := withMarked(text, note.Words(text), marks)
	start, end := bestWindow(text, pieces, marks)
	b := lineBuilder{text: text, marks: marks}
	from := max(0, start-secretMargin)
	secrets := secret.Find(text[from:min(len(text), end+secretMargin)])
	masked := map[int]bool{} // by the place of a secret, which may reach across pieces
	for _, p := range pieces {
		b.apart = b.apart || p.Apart
		done, stop := max(p.Start, start), min(p.End, end)
		for _, s := range secrets {
			first, last := from+s.Start, from+s.End
			if last <= done || first >= stop {
				continue
			}
			b.copy(done, first)
			if !masked[first] {
				b.put("[secret: " + s.Kind + "]")
			}
			masked[first], done = true, last
		}
		b.copy(done, stop)
	}
	words, before := b.String(), ""
	switch {
	case words == "":
		return "", nil, part
	case start > 0:
		before = "…"
	}
	for i := range b.placed {
		b.placed[i].Start, b.placed[i].End = b.placed[i].Start+len(before), b.placed[i].End+len(before)
	}
	if end < len(text) {
		words += "…"
	}
	return before + words, b.placed, ref.Range{From: start, To: end}
}

// withMarked returns the pieces with those marked words besides that none of them shows, and the
// marks in them.
func withMarked(text string, pieces []note.Piece, marks []Mark) (all []note.Piece, shown []Mark) {
	isShown, next := map[string]bool{}, 0
	for _, m := range marks {
		for next < len(pieces) && pieces[next].End <= m.Start {
			next++
		}
		if next < len(pieces) && pieces[next].Start < m.End {
			for word := range lexicon.Words(text[m.Start:m.End]) {
				isShown[word] = true
			}
			shown = append(shown, m)
		}
	}
	for _, m := range marks {
		isNew := false
		for word := range lexicon.Words(text[m.Start:m.End]) {
			isNew, isShown[word] = isNew || !isShown[word], true
		}
		if isNew {
			shown = append(shown, m)
			const around = " \t\r\n[]()<>|#\"'`{}%/?&="
			start, end := strings.LastIndexAny(text[:m.Start], around)+1, len(text)
			if i := strings.IndexAny(text[m.End:], around); i >= 0 {
				end = m.End + i
			}
			all = append(all, note.Piece{Start: start, End: end, Apart: true})
		}
	}
	hidden := map[int]bool{} // by the end of a piece
	for _, p := range all {
		hidden[p.End] = true
	}
	all = append(all, pieces...)
	slices.SortStableFunc(all, func(a, b note.Piece) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(all) && len(hidden) > 0; i++ {
		p, before := &all[i], all[i-1].End
		p.Start, p.Apart = max(p.Start, before), p.Apart || hidden[before]
		p.End = max(p.End, p.Start)
	}
	slices.SortFunc(shown, func(a, b Mark) int { return cmp.Compare(a.Start, b.Start) })
	return all, shown
}

// token is a word of a text, or two characters of a script without spaces.
type token struct {
	start, end int
	opens      bool // a sentence
}

// tokensOf returns the tokens of the pieces of a text.
func tokensOf(text string, pieces []note.Piece) (tokens []token) {
	opens := true
	for _, p := range pieces {
		opens = opens || p.Apart
		open, isRun := false, false // within a token
		for i, r := range text[p.Start:p.End] {
			at := p.Start + i
			switch {
			case !script.IsWord(r):
				opens = opens || strings.ContainsRune(".:\n。", r)
				open = false
				continue
			case open && isRun == script.IsSpaceless(r):
				open = !isRun // a run has two characters a token
			default:
				tokens = append(tokens, token{start: at, opens: opens})
				open, isRun, opens = true, script.IsSpaceless(r), false
			}
			tokens[len(tokens)-1].end = at + len(string(r))
		}
	}
	return tokens
}

// bestWindow returns the part of a text, of about snippetWords, that has most of the marked words,
// with the words before and after them in equal number or from the beginning of a sentence on, as
// the snippets of FTS5 do.
func bestWindow(text string, pieces []note.Piece, marks []Mark) (start, end int) {
	tokens := tokensOf(text, pieces)
	if len(tokens) <= snippetWords {
		return 0, len(text)
	}
	places, words, names := make([]int, len(marks)), make([]int, len(marks)), map[string]int{}
	for i, m := range marks {
		places[i] = max(0, sort.Search(len(tokens), func(i int) bool { return tokens[i].start > m.Start })-1)
		name := script.Fold(text[m.Start:m.End])
		if names[name] == 0 {
			names[name] = len(names) + 1
		}
		words[i] = names[name]
	}
	worth := func(first int) (sum, last int) {
		seen := []int{}
		for i := sort.SearchInts(places, first); i < len(places) && places[i] < first+snippetWords; i++ {
			if sum, last = sum+1, places[i]; !slices.Contains(seen, words[i]) {
				sum, seen = sum+distinctWorth, append(seen, words[i])
			}
		}
		return sum, last
	}
	best, window, opening := 0, 0, 0
	for _, place := range places {
		sum, last := worth(place)
		if sum > best {
			best, window = sum, max(0, min(place-(snippetWords-(last-place))/2, len(tokens)-snippetWords))
		}
		for next := opening + 1; next <= place; next++ {
			if tokens[next].opens {
				opening = next
			}
		}
		if sum, _ = worth(opening); sum+openingWorth > best && opening < place {
			best, window = sum+openingWorth, opening
		}
	}
	if window > 0 {
		start = tokens[window].start
	}
	if last := window + snippetWords - 1; last < len(tokens)-1 {
		return start, tokens[last].end
	}
	return start, len(text)
}

// lineBuilder writes parts of a text on one line, and places its marks.
type lineBuilder struct {
	strings.Builder
	text   string
	marks  []Mark // that are not placed yet, in order
	placed []Mark
	isOpen bool // the last mark that was placed
	apart  bool // white space is before what comes next
}

// put writes a text.
func (b *lineBuilder) put(text string) {
	if b.apart && b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.apart = false
	b.WriteString(text)
}

// copy writes text[start:end], with one space for white space.
func (b *lineBuilder) copy(start, end int) {
	for at := start; at < end; {
		r, size := utf8.DecodeRuneInString(b.text[at:end])
		for len(b.marks) > 0 && b.marks[0].End <= at {
			b.marks, b.isOpen = b.marks[1:], false
		}
		isMarked := len(b.marks) > 0 && b.marks[0].Start <= at
		switch {
		case unicode.IsSpace(r):
			b.apart = true
		case isMarked && !b.isOpen:
			b.put("")
			b.placed, b.isOpen = append(b.placed, Mark{Start: b.Len()}), true
			fallthrough
		default:
			b.put(b.text[at : at+size])
		}
		if at += size; isMarked && b.isOpen && !b.apart {
			b.placed[len(b.placed)-1].End = b.Len()
		}
	}
}

// Mark is a part of a snippet that matched: from byte Start up to, not including, byte End.
type Mark = script.Span

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
	bodies             map[int64]string // by the key of a section, marked
}

// readMarked returns a marker of the terms, with the texts of the sections among places that match.
func readMarked(ctx context.Context, r *db.Reader, terms []*question.Term, places []place) (marker, error) {
	random := rand.Text()
	m := marker{open: "\x02" + random, close: "\x03" + random, bodies: map[int64]string{}}
	if m.match, _ = question.AnyOf(terms); m.match == "" {
		return m, nil
	}
	text := selectMarked + isWanted
	if question.CountRows(terms) <= maxScanned && len(places) >= minScanned {
		text = selectMarked + "+" + isWanted // the plus has the engine read each match once
	}
	return m, db.Fill(ctx, r, m.bodies, text, m.match, db.List(places), m.open, m.close)
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
	isWanted = `rowid in (select value ->> 1 from json_each(?2))`
)

// matches returns the parts of a section's body that match, in order.
func (m marker) matches(section int64, body string) (marks []Mark) {
	_, marks = m.read(m.bodies[section])
	return script.Origins(body, marks[:min(len(marks), maxMatches)])
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
		marks = append(marks, Mark{Start: b.Len(), End: b.Len() + len(match)})
		b.WriteString(match)
		text = after
	}
}

// propertyPassage returns the text of the property of a section's memory that has most of the
// words of the question, behind its name, with its marks; "" if none has one that the
// title lacks: the words of the title are in view already.
func propertyPassage(ctx context.Context, r *db.Reader, m marker, section int64) (passage string, marks []Mark, err error) {
	var found, properties, title string
	_, _, err = db.First(ctx, r, db.Fields(func(*int) []any { return []any{&found, &properties, &title} }), `
select
  snippet(section_search, 5, ?3, ?4, '', 64),
  m.properties,
  m.title
from section_search
cross join sections s on s.key = section_search.rowid and s.cut ->> 'words' <> ''
cross join memories m on m.key = s.memory and m.properties <> '{}'
where section_search match ?1
  and section_search.rowid = ?2`, m.match, section, m.open, m.close)
	read := db.Properties{}
	if err == nil && properties != "" {
		err = db.ReadColumn("a memory", "properties", properties, &read)
	}
	plain, matched := m.read(found)
	words, most, isNews := map[string]bool{}, 0, false
	for _, mark := range matched {
		for word := range strings.FieldsFuncSeq(plain[mark.Start:mark.End], func(r rune) bool { return !script.IsWord(r) }) {
			words[word] = true
			isNews = isNews || !strings.Contains(strings.ToLower(title), strings.ToLower(word))
		}
	}
	if !isNews {
		return "", nil, err
	}
	for _, p := range memory.PropertyTexts(read) {
		if found := marksOf(p.Text, words); len(found) > most {
			most = len(found)
			passage, marks, _ = excerpt(p.Text, found)
			passage = p.Name + ": " + passage
			for i := range marks {
				marks[i].Start, marks[i].End = marks[i].Start+len(p.Name+": "), marks[i].End+len(p.Name+": ")
			}
		}
	}
	return passage, marks, err
}

// marksOf returns the places of words in a text, as they stand in its script.Cut.
func marksOf(text string, words map[string]bool) (marks []Mark) {
	cut, done := script.Cut(text), 0
	for word := range strings.FieldsFuncSeq(cut, func(r rune) bool { return !script.IsWord(r) }) {
		start := done + strings.Index(cut[done:], word)
		if done = start + len(word); words[word] && len(marks) < maxMatches {
			marks = append(marks, Mark{Start: start, End: done})
		}
	}
	return script.Origins(text, marks)
}
