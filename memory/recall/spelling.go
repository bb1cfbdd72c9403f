package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/db"
)

const (
	maxRespelt   = 3  // words of a question that are corrected
	maxSpellings = 3  // of one word
	looked       = 50 // memories that are read for a spelling
	shortestWord = 4  // characters: in shorter words a single letter changes too much
	longWord     = 8  // characters from which two mistakes are corrected, not one
)

// correct replaces the words of a question that no memory has with the words that
// are spelled most similarly: a model of pieces of words finds the texts that such
// a word may be in, and the nearest word there is taken. A word that memories have
// as two words is not a misspelling and is split. The notes say what was replaced.
func correct(ctx context.Context, r *db.Reader, q query, m *model, f filter) (query, []string, error) {
	notes := []string{}
	unknown, err := unknownWords(ctx, r, q, f.namespace)
	if err != nil {
		return q, nil, err
	}
	for _, word := range unknown[:min(len(unknown), maxRespelt)] {
		better, err := split(ctx, r, word, f.namespace)
		if err == nil && len(better) == 0 {
			better, err = m.spellings(ctx, r, word, f)
		}
		if err != nil {
			return q, nil, err
		}
		if len(better) > 0 {
			q = q.respell(word, better)
			notes = append(notes, replacementNote(word, better))
		}
	}
	return q, notes, nil
}

// replacementNote says what was searched instead of a word.
func replacementNote(word string, better []string) string {
	return "no memory has the word " + word + "; looked for " + strings.Join(better, ", ") + " in its place"
}

// unknownWords returns the telling words that no memory of the namespace has and
// that a correction may find.
func unknownWords(ctx context.Context, r *db.Reader, q query, namespace string) ([]string, error) {
	words := q.telling()
	places, err := missing(ctx, r, q.texts(words[:min(len(words), maxWords)]), namespace)
	unknown := []string{}
	for _, i := range places {
		if isSpelled(words[i]) {
			unknown = append(unknown, words[i])
		}
	}
	return unknown, err
}

// missing returns the indexes of the queries of FTS5 that match no memory of the
// namespace, so that nothing is revealed about other namespaces.
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

// isSpelled reports whether a word is still recognisable with a mistake.
func isSpelled(word string) bool {
	return utf8.RuneCountInString(word) >= shortestWord && !strings.ContainsFunc(word, unicode.IsNumber) && !stopwords[word]
}

// spellings returns the words that are spelled most similarly to a word, in the
// texts that the model finds for it, the most frequent first; none if all differ
// too much. Four of five misspellings are one mistake (Damerau, A technique for
// computer detection and correction of spelling errors, 1964).
func (m *model) spellings(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	meaning, err := m.understand(ctx, word, optional)
	if err != nil {
		return nil, err
	}
	hits, err := nearest(ctx, r, meaning, f, looked)
	if err != nil {
		return nil, err
	}
	texts, err := db.Select(ctx, r, db.Value[string], `
select
  t.title || ' ' || t.heading || ' ' || t.body
from json_each(?1) s
cross join section_text t on t.key = s.value`, db.List(edges.Keys(hits, func(h hit) int64 { return h.section })))
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for _, text := range texts {
		for one := range tokens(text) {
			times[one]++
		}
	}
	fewest, best := 1, []string{}
	if utf8.RuneCountInString(word) >= longWord {
		fewest = 2
	}
	for one := range times {
		if !isSpelled(one) {
			continue
		}
		switch wrong := mistakes([]rune(word), []rune(one)); {
		case wrong < fewest:
			fewest, best = wrong, []string{one}
		case wrong == fewest:
			best = append(best, one)
		}
	}
	slices.SortFunc(best, func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	return best[:min(len(best), maxSpellings)], nil
}

// mistakes counts the missing, additional, wrong and swapped letters between two
// words (the distance of Damerau, each place changed once). The first letter is
// hardly ever wrong (Yannakoudakis and Fawthrop, The rules of spelling errors,
// 1983), so words that differ in it are other words.
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
