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

// looked is how many sections with a word are read to see how it is spelled there.
const looked = 50

// nearWord is a word that memories have, compared with a misspelt one.
type nearWord struct {
	word     string // as most texts spell it
	folded   string
	mistakes int
	start    spelling.Start
	memories int // that have it, among those that were read
}

// nearWords returns the words of the memories that the caller may read which are
// spelled most similarly to a word: those with the fewest mistakes, the most frequent
// first. Another first letter is a mistake only where that is said. The words of other
// memories have no part in it, so that an answer reveals nothing of them.
//
// The index has words without their endings, and of all namespaces. So it proposes
// stems, and the texts of the memories say which words there are.
func nearWords(ctx context.Context, r *db.Reader, word string, wrongStart bool, f filter) ([]nearWord, error) {
	folded := script.Fold(word)
	v := &vocabulary{
		asked: script.Word(word), word: folded, wrongStart: wrongStart,
		allowed: spelling.MaxMistakes(folded), ruler: spelling.NewRuler(folded),
		compared: map[string]nearWord{}, times: map[string]int{}, memories: map[string]map[int64]bool{},
	}
	if v.allowed == 0 || spelling.MaxMistakes(v.asked) == 0 || lexicon.IsRun(v.word) || wrongStart && utf8.RuneCountInString(v.asked) < leastElsewhere {
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

// vocabulary is what is known of the words near a word.
type vocabulary struct {
	asked      string // the word as the index would have it
	word       string // folded
	wrongStart bool   // the first letter may be wrong
	allowed    int    // mistakes
	ruler      *spelling.Ruler
	compared   map[string]nearWord       // words of texts
	times      map[string]int            // how often they have each
	memories   map[string]map[int64]bool // by a near word, folded: the memories that have it
}

// leastElsewhere is how many letters a word has at least whose first letter may be wrong:
// of a shorter one it tells too much.
const leastElsewhere = 5

// stems returns the words of the index that the word may be a misspelling of, by the
// number of mistakes.
func (v *vocabulary) stems(ctx context.Context, r *db.Reader) ([][]string, error) {
	stems := make([][]string, v.allowed+1)
	letters := []rune(v.asked)
	query := stemsAlike
	if v.wrongStart {
		query = stemsElsewhere
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

// read reads how stems are spelled in the memories that the caller may read.
func (v *vocabulary) read(ctx context.Context, r *db.Reader, stems []string, f filter) error {
	readable, err := db.Select(ctx, r, db.Value[string], readableStems, f.bind(nil, db.List(stems))...)
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
		}, textsOfStem, f.bind(stem, looked)...); err != nil {
			return err
		}
	}
	return nil
}

// take notes the near words of a text.
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
		v.times[word]++
		if v.memories[n.folded] == nil {
			v.memories[n.folded] = map[int64]bool{}
		}
		v.memories[n.folded][memory] = true
	}
}

// compare compares the word with one of a text. One that it is not a misspelling of
// has more mistakes than allowed.
func (v *vocabulary) compare(word string) nearWord {
	n := nearWord{word: word, folded: script.Fold(word), mistakes: v.allowed + 1}
	letters, asIndexed := []rune(n.folded), script.Word(word)
	n.start = spelling.Begins([]rune(v.asked), []rune(asIndexed))
	if n.start == spelling.OtherStart || (n.start == spelling.WrongStart) != v.wrongStart || lexicon.Stopwords[n.folded] || spelling.MaxMistakes(n.folded) == 0 || digits(n.folded) != digits(v.word) || asIndexed == v.asked {
		return n
	}
	if longer := len(letters) - utf8.RuneCountInString(v.word); -v.allowed <= longer && longer <= v.allowed {
		n.mistakes = v.ruler.Distance(letters)
	}
	return n
}

// digits returns the digits of a word: another number is another thing.
func digits(word string) string {
	return strings.Map(func(letter rune) rune {
		if unicode.IsNumber(letter) {
			return letter
		}
		return -1
	}, word)
}

// nearest returns the words with the fewest mistakes, and the same start, if they have
// no more mistakes than given.
func (v *vocabulary) nearest(mistakes int) []nearWord {
	byWord := map[string]nearWord{} // folded
	for word, n := range v.compared {
		if n.mistakes > mistakes {
			continue
		}
		n.memories = len(v.memories[n.folded])
		if known, ok := byWord[n.folded]; ok && cmp.Or(cmp.Compare(v.times[known.word], v.times[word]), cmp.Compare(word, known.word)) > 0 {
			continue
		}
		byWord[n.folded] = n
	}
	near := slices.Collect(maps.Values(byWord))
	slices.SortFunc(near, func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), cmp.Compare(a.start, b.start), cmp.Compare(b.memories, a.memories), cmp.Compare(a.word, b.word))
	})
	for i, n := range near {
		if n.mistakes > near[0].mistakes || n.start > near[0].start {
			return near[:i]
		}
	}
	return near
}

// stemsAlike are the words of the index, of ?1 to ?2 letters, that begin as a word may
// of which ?3, ?4 and ?5 are the first letters as somebody misspelt them: see
// spelling.Begins. To read all words with one first letter takes too long in a
// large store. The second letters are read off the index one by one: after the first
// word with one, the first word past it.
const stemsAlike = `
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

// stemsElsewhere are those that begin otherwise: the first of the letters ?3 to ?5 is
// wrong, or one was before it, or it is too many. The first letters of alphabets before
// Thai, of which there are some hundred, are read off the index one by one.
const stemsElsewhere = `
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

// readableStems are those of ?10 that a memory has which the caller may read.
var readableStems = `
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

// textsOfStem are texts of the first ?10 sections with the stem ?1 that the caller may
// read.
var textsOfStem = `
select
  m.key,
  t.title || ' ' || t.heading || ' ' || t.aliases || ' ' || t.tags || ' ' || t.body
from (select distinct doc from section_places where term = ?1) p
cross join sections s on s.key = p.doc
cross join memories m on m.key = s.memory
cross join section_text t on t.key = s.key
where ` + visible + `
limit ?10`
