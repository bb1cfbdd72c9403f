package recall

import (
	"context"
	"strings"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/script"
	"hence/memory"
)

// beforeMatch is about how many bytes of a long property are shown before its match.
const beforeMatch = 60

// propertyPassage returns the text of the property of a section's memory that has most of the
// words of the FTS5 query match, behind its name and with markers; "" if none has one that the
// title lacks: the words of the title are in view already.
func propertyPassage(ctx context.Context, r *db.Reader, match string, m markers, section int64) (passage string, err error) {
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
  and section_search.rowid = ?2`, match, section, m.open, m.close)
	read := db.Properties{}
	if err == nil && properties != "" {
		err = db.ReadColumn("a memory", "properties", properties, &read)
	}
	plain, marks := m.read(found)
	words, most, isNews := map[string]bool{}, 0, false
	for _, mark := range marks {
		for word := range strings.FieldsFuncSeq(plain[mark.Start:mark.End], func(r rune) bool { return !script.IsWord(r) }) {
			words[word] = true
			isNews = isNews || !strings.Contains(strings.ToLower(title), strings.ToLower(word))
		}
	}
	if !isNews {
		return "", err
	}
	for _, p := range memory.PropertyTexts(read) {
		if text, n := m.mark(p.Text, words); n > most {
			passage, most = p.Name+": "+text, n
		}
	}
	return passage, err
}

// mark returns a text with markers around words that stand in its script.Cut, and their number.
// Of a long text it returns a part from shortly before the first one.
func (s markers) mark(text string, words map[string]bool) (marked string, n int) {
	cut, b := script.Cut(text), strings.Builder{}
	done, first := 0, len(text)
	for word := range strings.FieldsFuncSeq(cut, func(r rune) bool { return !script.IsWord(r) }) {
		start := done + strings.Index(cut[done:], word)
		b.WriteString(cut[done:start])
		if done = start + len(word); words[word] {
			from, _ := script.Origin(text, start, done)
			n, first, word = n+1, min(first, from), s.open+word+s.close
		}
		b.WriteString(word)
	}
	if len(text) > maxBeginningBytes && n > 0 {
		start := 0
		if first > beforeMatch {
			start = first - beforeMatch + strings.IndexByte(text[first-beforeMatch:first]+" ", ' ')
			start = min(start, first)
		}
		short, _ := budget.Cut(text[start:], maxBeginningBytes)
		if len(short) < len(text) {
			marked, _ = s.mark(strings.ToValidUTF8(strings.TrimSpace(short), ""), words)
			return marked, n
		}
	}
	b.WriteString(cut[done:])
	marked = b.String()
	if cut != text {
		marked = s.restoreOriginal(marked, cut, text)
	}
	return s.hide(marked, text), n
}
