package recall

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
	"hence/internal/script"
	"hence/internal/spelling"
)

// maxSectionsRead is how many sections with a stem are read to see how they spell it.
const maxSectionsRead = 50

// nearWord is a word of a memory's text, compared with a misspelt word.
type nearWord struct {
	word        string // in the most frequent spelling
	folded      string
	mistakes    int
	start       spelling.Start
	memoryCount int // memories with the word, among those that were read
}

// nearWords returns the words that are spelled most similarly to a word, in memories that the
// caller may read: those with the fewest mistakes, the most frequent first. If wrongStart is
// true it returns only words with another first letter, else only those with the same or with
// the first two swapped. The words of other memories have no influence, so that an answer
// reveals nothing about them.
//
// The index has stems instead of words, of all namespaces. So the index only proposes stems,
// and the texts of the memories determine the words.
func nearWords(ctx context.Context, r *db.Reader, word string, wrongStart bool, f filter) ([]nearWord, error) {
	folded := script.Fold(word)
	v := &vocabulary{
		indexed: script.Word(word), word: folded, wrongStart: wrongStart,
		allowed: spelling.MaxMistakes(folded), ruler: spelling.NewRuler(folded),
		compared: map[string]nearWord{}, occurrences: map[string]int{}, memories: map[string]map[int64]bool{},
	}
	if v.allowed == 0 || spelling.MaxMistakes(v.indexed) == 0 || lexicon.IsRun(v.word) || wrongStart && utf8.RuneCountInString(v.indexed) < minWrongStart {
		return nil, nil
	}
	stems, err := v.stems(ctx, r)
	for mistakes := 0; mistakes <= v.allowed && err == nil; mistakes++ {
		if err = v.read(ctx, r, stems[mistakes], f); err == nil {
			if near := v.nearest(mistakes); len(near) > 0 {
				return near, nil
			}
		}
	}
	return nil, err
}

// vocabulary collects the words of texts that are similar to a word.
type vocabulary struct {
	indexed     string // the word as the tokenizer indexes it, before stemming
	word        string // the word, folded
	wrongStart  bool   // the first letter is wrong
	allowed     int    // most mistakes
	ruler       *spelling.Ruler
	compared    map[string]nearWord       // by word of a text
	occurrences map[string]int            // in texts, by near word
	memories    map[string]map[int64]bool // keys of the memories, by folded near word
}

// minWrongStart is the least number of letters of a word whose first letter may be wrong. The
// first letter of a shorter word says too much to be ignored.
const minWrongStart = 5

// stems returns the stems in the index of which the word may be a misspelling, by the number
// of mistakes.
func (v *vocabulary) stems(ctx context.Context, r *db.Reader) ([][]string, error) {
	stems := make([][]string, v.allowed+1)
	letters := []rune(v.indexed)
	query := selectStems
	if v.wrongStart {
		query = selectOtherStems
	}
	args := []any{len(letters) - v.allowed - spelling.LongestEnding, len(letters) + v.allowed}
	for _, letter := range letters[:3] {
		args = append(args, string(letter))
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var stem string
		if err := row.Scan(&stem); err != nil {
			return err
		}
		if mistakes := v.ruler.OfStem([]rune(script.Fold(stem)), v.allowed); mistakes <= v.allowed {
			stems[mistakes] = append(stems[mistakes], stem)
		}
		return nil
	}, query, args...)
	return stems, err
}

// read takes the words of the memories that have one of the stems and that the caller may
// read.
func (v *vocabulary) read(ctx context.Context, r *db.Reader, stems []string, f filter) error {
	readable, err := db.Select(ctx, r, db.Value[string], selectReadableStems, f.bind(nil, db.List(stems))...)
	if err != nil {
		return err
	}
	for _, stem := range readable {
		if err := db.Each(ctx, r, func(row *sql.Rows) error {
			var memory int64
			var text string
			if err := row.Scan(&memory, &text); err != nil {
				return err
			}
			v.take(memory, text)
			return nil
		}, selectStemTexts, f.bind(stem, maxSectionsRead)...); err != nil {
			return err
		}
	}
	return nil
}

// take adds the near words of a memory's text.
func (v *vocabulary) take(memory int64, text string) {
	for word := range lexicon.Words(text) {
		n, ok := v.compared[word]
		if !ok {
			n = v.compare(word)
			v.compared[word] = n
		}
		if n.mistakes > v.allowed {
			continue
		}
		v.occurrences[word]++
		if v.memories[n.folded] == nil {
			v.memories[n.folded] = map[int64]bool{}
		}
		v.memories[n.folded][memory] = true
	}
}

// compare compares the vocabulary's word with a word of a text. It returns more mistakes than
// allowed if the former cannot be a misspelling of the latter.
func (v *vocabulary) compare(word string) nearWord {
	n := nearWord{word: word, folded: script.Fold(word), mistakes: v.allowed + 1}
	letters, asIndexed := []rune(n.folded), script.Word(word)
	n.start = spelling.Begins([]rune(v.indexed), []rune(asIndexed))
	if n.start == spelling.OtherStart || (n.start == spelling.WrongStart) != v.wrongStart || lexicon.Stopwords[n.folded] || spelling.MaxMistakes(n.folded) == 0 || digits(n.folded) != digits(v.word) || asIndexed == v.indexed {
		return n
	}
	if extra := len(letters) - utf8.RuneCountInString(v.word); -v.allowed <= extra && extra <= v.allowed {
		n.mistakes = v.ruler.Distance(letters)
	}
	return n
}

// digits returns the digits of a word. Words with different digits mean different things.
func digits(word string) string {
	return strings.Map(func(letter rune) rune {
		if unicode.IsNumber(letter) {
			return letter
		}
		return -1
	}, word)
}

// nearest returns the words with the fewest mistakes and, among these, the best start, if they
// have at most the given number of mistakes.
func (v *vocabulary) nearest(mistakes int) []nearWord {
	byWord := map[string]nearWord{} // by folded word
	for word, n := range v.compared {
		if n.mistakes > mistakes {
			continue
		}
		n.memoryCount = len(v.memories[n.folded])
		if bestWord, ok := byWord[n.folded]; ok && cmp.Or(cmp.Compare(v.occurrences[bestWord.word], v.occurrences[word]), cmp.Compare(word, bestWord.word)) > 0 {
			continue
		}
		byWord[n.folded] = n
	}
	near := slices.Collect(maps.Values(byWord))
	slices.SortFunc(near, func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), cmp.Compare(a.start, b.start), cmp.Compare(b.memoryCount, a.memoryCount), cmp.Compare(a.word, b.word))
	})
	for i, n := range near {
		if n.mistakes > near[0].mistakes || n.start > near[0].start {
			return near[:i]
		}
	}
	return near
}

// selectStems reads the stems of ?1 to ?2 letters in the index that may begin a word which
// somebody misspelt with the first letters ?3, ?4 and ?5: see spelling.Begins. Reading all
// stems with the same first letter takes too long in a large store. So the query first lists
// the second letters: for each it seeks the first stem after all stems with that letter.
const selectStems = `
with recursive
  second (letter) as (
    select (select substr(term, 2, 1) from section_places where term > ?3 and term <= ?3 || char(1114111) limit 1)
    union all
    select (
      select substr(p.term, 2, 1)
      from section_places p
      where p.term > ?3 || s.letter || char(1114111)
        and p.term <= ?3 || char(1114111)
      limit 1
    )
    from second s
    where s.letter is not null
  ),
  start (text) as (
    values (?3 || ?4), (?3 || ?5), (?4 || ?3)
    union
    select ?3 || letter || ?4
    from second
    where letter not in (?4, ?5)
    union
    select ?3 || letter || ?5
    from second
    where letter not in (?4, ?5)
  )
select
  w.term
from start s
cross join section_words w on w.term >= s.text and w.term <= s.text || char(1114111)
where length(w.term) between ?1 and ?2`

// selectOtherStems reads the stems with another first letter: the first of the letters ?3 to
// ?5 is wrong or superfluous, or a letter before it is missing. It lists the first letters in
// the same way, about a hundred, for the alphabets before Thai in Unicode.
const selectOtherStems = `
with recursive
  first (letter) as (
    select (select substr(term, 1, 1) from section_places where term >= '0' and term < char(3584) limit 1)
    union all
    select (
      select substr(p.term, 1, 1)
      from section_places p
      where p.term > f.letter || char(1114111)
        and p.term < char(3584)
      limit 1
    )
    from first f
    where f.letter is not null
  ),
  start (text) as (
    values (?4 || ?5)
    union
    select letter || ?4 || ?5
    from first
    where letter is not null
    union
    select letter || ?3 || ?4
    from first
    where letter is not null
  )
select
  w.term
from start s
cross join section_words w on w.term >= s.text and w.term <= s.text || char(1114111)
where length(w.term) between ?1 and ?2`

// selectReadableStems selects the stems among ?10 that a memory has which the caller may read.
var selectReadableStems = `
select
  stem.value
from json_each(?10) stem
where exists (
  select 1
  from section_places p
  cross join sections s on s.key = p.doc
  cross join memories m on m.key = s.memory
  where p.term = stem.value
    and ` + visible + `
)
order by stem.key`

// selectStemTexts reads the texts of the first ?10 sections with the stem ?1 that the caller
// may read.
var selectStemTexts = `
select
  m.key,
  t.title || ' ' || t.heading || ' ' || t.aliases || ' ' || t.tags || ' ' || t.body
from (select distinct doc from section_places where term = ?1) p
cross join sections s on s.key = p.doc
cross join memories m on m.key = s.memory
cross join section_text t on t.key = s.key
where ` + visible + `
limit ?10`
