package answer

import (
	"context"
	"strings"

	"hence/internal/db"
	"hence/internal/script"
	"hence/memory"
)

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
			from, to := script.Origin(text, start, done)
			marks = append(marks, Mark{from, to})
		}
	}
	return marks
}
