package question

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/script"
	"hence/internal/spelling"
	"hence/memory/recall/lexicon"
)

// maxSectionsRead is how many sections with a stem are read to see how they spell it.
const maxSectionsRead = 50

// nearWord is a word of texts that is spelled similarly to another.
type nearWord struct {
	folded    string
	mistakes  int
	isSwapped bool           // its first two letters stand in the other order
	spellings map[string]int // how often each occurs
	memories  map[int64]bool // keys of the memories with the word, among those that were read
}

// findSpellings returns at most maxSpellings of the words that are spelled most similarly.
func findSpellings(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error) {
	near, err := nearWords(ctx, r, word, f)
	return near[:min(len(near), maxSpellings)], err
}

// nearWords returns the words that are spelled most similarly to a word, in memories that the
// caller may read: those with the fewest mistakes, the most frequent first. The words of other
// memories have no influence, so that an answer reveals nothing about them.
//
// The index has stems instead of words, of all namespaces. So the index only proposes stems,
// and the texts of the memories determine the words.
func nearWords(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error) {
	folded := script.Fold(word)
	v := &vocabulary{
		indexed: script.Word(word), word: folded, allowed: spelling.MaxMistakes(folded), ruler: spelling.NewRuler(folded),
		compared: map[string]*nearWord{}, near: map[string]*nearWord{},
	}
	if v.allowed == 0 || spelling.MaxMistakes(v.indexed) == 0 || lexicon.IsRun(v.word) {
		return nil, nil
	}
	stems, err := v.stems(ctx, r)
	for mistakes := range stems {
		for _, stem := range stems[mistakes] {
			if err == nil {
				err = v.read(ctx, r, stem, f)
			}
		}
		if near := v.nearest(mistakes); len(near) > 0 || err != nil {
			return near, err
		}
	}
	return nil, err
}

// vocabulary collects the words of texts that are similar to a word.
type vocabulary struct {
	indexed  string // the word as the tokenizer indexes it, before stemming
	word     string // the word, folded
	allowed  int    // most mistakes
	ruler    *spelling.Ruler
	compared map[string]*nearWord // by word of a text; nil if the word is another one
	near     map[string]*nearWord // by folded word
}

// stems returns the stems in the index of which the word may be a misspelling, by the number
// of mistakes.
func (v *vocabulary) stems(ctx context.Context, r *db.Reader) ([][]string, error) {
	stems := make([][]string, v.allowed+1)
	letters := []rune(v.indexed)
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
	}, selectStems, args...)
	return stems, err
}

// read takes the near words of the memories that have a stem and that the caller may read.
func (v *vocabulary) read(ctx context.Context, r *db.Reader, stem string, f Filter) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var memory int64
		var text string
		err := row.Scan(&memory, &text)
		for word := range lexicon.Words(text) {
			n, ok := v.compared[word]
			if !ok {
				n = v.compare(word)
				v.compared[word] = n
			}
			if n != nil {
				n.spellings[word]++
				n.memories[memory] = true
			}
		}
		return err
	}, selectStemTexts, f.Bind(stem, maxSectionsRead)...)
}

// compare returns a word of a text if the vocabulary's word may be a misspelling of it, else nil.
func (v *vocabulary) compare(word string) *nearWord {
	folded, asIndexed := script.Fold(word), script.Word(word)
	if n := v.near[folded]; n != nil {
		return n
	}
	letters := []rune(folded)
	begins, isSwapped := spelling.Begins([]rune(v.indexed), []rune(asIndexed))
	extra := len(letters) - utf8.RuneCountInString(v.word)
	if !begins || extra < -v.allowed || extra > v.allowed || asIndexed == v.indexed || lexicon.Stopwords[folded] || spelling.MaxMistakes(folded) == 0 || digits(folded) != digits(v.word) {
		return nil
	}
	n := &nearWord{folded: folded, mistakes: v.ruler.Distance(letters), isSwapped: isSwapped, spellings: map[string]int{}, memories: map[int64]bool{}}
	if n.mistakes > v.allowed {
		return nil
	}
	v.near[folded] = n
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

// nearest returns the words with the fewest mistakes, in their most frequent spelling, if they
// have at most the given number. Of these, the words with the same first letter come alone.
func (v *vocabulary) nearest(mistakes int) (words []string) {
	swapped := map[bool]int{true: 1}
	all := slices.SortedFunc(maps.Values(v.near), func(a, b *nearWord) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), cmp.Compare(swapped[a.isSwapped], swapped[b.isSwapped]), cmp.Compare(len(b.memories), len(a.memories)), cmp.Compare(a.folded, b.folded))
	})
	for _, n := range all {
		if n.mistakes > min(mistakes, all[0].mistakes) || n.isSwapped != all[0].isSwapped {
			break
		}
		words = append(words, slices.MinFunc(slices.Collect(maps.Keys(n.spellings)), func(a, b string) int {
			return cmp.Or(cmp.Compare(n.spellings[b], n.spellings[a]), cmp.Compare(a, b))
		}))
	}
	return words
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
where ` + Visible + `
limit ?10`
