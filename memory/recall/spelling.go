package recall

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
)

const (
	maxRespelt   = 3  // words of a question that are looked for in another spelling
	maxSpellings = 3  // of one word
	looked       = 50 // memories that are looked at for a spelling
	shortestWord = 4  // characters: in shorter ones a letter makes all the difference
	longWord     = 8  // characters from which on two mistakes are forgiven, and not one
)

// respell looks for the words of a question that no memory has, and puts what
// is spelt nearly so in their place: a model of pieces of words finds the
// texts that such a word may stand in, and the nearest word there is taken. What
// was only written as one word in place of two is no misspelling. A
// word that a memory has stays as it is. The notes say what was put in place
// of what.
func respell(ctx context.Context, r *db.Reader, q query, m *model, f filter) (query, []string, error) {
	notes := []string{}
	unheard, err := unheard(ctx, r, q, f.namespace)
	if err != nil {
		return q, nil, err
	}
	for _, word := range unheard[:min(len(unheard), maxRespelt)] {
		better, err := asTwo(ctx, r, word, f.namespace)
		if err == nil && len(better) == 0 {
			better, err = m.spellings(ctx, r, word, f)
		}
		if err != nil {
			return q, nil, err
		}
		if len(better) > 0 {
			q = q.respell(word, better)
			notes = append(notes, inPlace(word, better))
		}
	}
	return q, notes, nil
}

// spellings returns the words that are spelt nearest to a word, in the texts
// that the model finds for it.
func (m *model) spellings(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	meant, err := m.understand(ctx, word)
	if err != nil {
		return nil, err
	}
	found, err := nearest(ctx, r, meant, f, looked)
	if err != nil {
		return nil, err
	}
	return spellings(ctx, r, word, found)
}

// inPlace is the note of what was looked for in place of a word.
func inPlace(word string, better []string) string {
	return "no memory has the word " + word + "; looked for " + strings.Join(better, ", ") + " in its place"
}

// unheard returns the telling words that no memory of the namespace has.
func unheard(ctx context.Context, r *db.Reader, q query, namespace string) ([]string, error) {
	words := q.telling()
	places, err := missing(ctx, r, q.texts(words[:min(len(words), maxWords)]), namespace)
	unheard := []string{}
	for _, i := range places {
		if isSpelt(words[i]) {
			unheard = append(unheard, words[i])
		}
	}
	return unheard, err
}

// missing returns the places of the texts of FTS5 that no memory of the
// namespace has: what others have is not told, nor that they have it.
func missing(ctx context.Context, r *db.Reader, texts []string, namespace string) ([]int, error) {
	return db.Select(ctx, r, db.Value[int], `
select
  w.key
from json_each(?1) w
where not exists (
  select 1
  from section_search
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory
  where section_search match w.value
    and ?2 in ('', m.namespace)
)
order by w.key`, db.List(texts), namespace)
}

// isSpelt reports whether a word is one that a mistake leaves recognisable.
func isSpelt(word string) bool {
	return utf8.RuneCountInString(word) >= shortestWord && !strings.ContainsFunc(word, unicode.IsNumber) && !stopwords[word]
}

// spellings returns the words of some sections that are spelt nearest to a
// word, the most frequent first; none where all are too far. Four of five
// misspellings are one mistake (Damerau, A technique for computer detection
// and correction of spelling errors, 1964).
func spellings(ctx context.Context, r *db.Reader, word string, found []hit) ([]string, error) {
	sections := make([]int64, len(found))
	for i, h := range found {
		sections[i] = h.section
	}
	texts, err := db.Select(ctx, r, func(row *sql.Rows) (text string, err error) {
		return text, row.Scan(&text)
	}, `
select
  t.title || ' ' || t.heading || ' ' || t.body
from json_each(?1) s
cross join section_text t on t.key = s.value`, db.List(sections))
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for _, text := range texts {
		for one := range tokens(text) {
			times[one]++
		}
	}
	nearest, best := 1, []string{}
	if utf8.RuneCountInString(word) >= longWord {
		nearest = 2
	}
	for one := range times {
		if !isSpelt(one) {
			continue
		}
		switch wrong := mistakes([]rune(word), []rune(one)); {
		case wrong < nearest:
			nearest, best = wrong, []string{one}
		case wrong == nearest:
			best = append(best, one)
		}
	}
	slices.SortFunc(best, func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	return best[:min(len(best), maxSpellings)], nil
}

// mistakes counts the letters too few, too many or wrong, and the pairs in the
// wrong order, that make one word of another (the distance of Damerau, each
// place changed once). The first letter is hardly ever wrong (Yannakoudakis
// and Fawthrop, The rules of spelling errors, 1983): words that differ in it
// are other words.
func mistakes(a, b []rune) int {
	if a[0] != b[0] {
		return len(a) + len(b)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			swap := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				swap++
			}
			rows[i][j] = min(swap, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
