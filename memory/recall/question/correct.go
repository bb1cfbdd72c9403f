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
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/spelling"
	"hence/memory/recall/lexicon"
)

const (
	maxRespelt   = 5 // words of a question that are corrected
	maxSpellings = 3 // spellings in place of one word
	// fewSections is the number of sections below which a word may be in forgotten memories alone,
	// so that it is checked whether the caller may read any of them.
	fewSections = 10
	// maxCompoundBytes is the length of the longest word that is searched as two.
	maxCompoundBytes = 40
)

// LookUp returns the question with its terms counted and corrected. Unless the search
// is by meaning alone, words that no memory has are corrected, and the notes say which. A run
// of a script without spaces that no memory has is searched by its pairs, because it may be a
// whole question. A word that only memories which are over have is not corrected: a hint
// reports it.
func (q Question) LookUp(ctx context.Context, r *db.Reader, mode string, f Filter) (read Question, notes []string, err error) {
	notes = []string{}
	if len(q.Terms) == 0 {
		return q, notes, nil
	}
	q.Terms = slices.Clone(q.Terms)
	for i, t := range q.Terms { // the same question may be looked up among other memories
		copied := *t
		q.Terms[i], copied.Forms = &copied, slices.Clone(t.Forms)
	}
	if err := q.Read(ctx, r, f.Scope); err != nil || mode == "semantic" || len(q.Terms) > maxTerms {
		return q, notes, err
	}
	f.Times.Over = ""
	unknown, err := q.findUnknown(ctx, r, f)
	if err != nil || len(unknown) == 0 {
		return q, notes, err
	}
	runs, words, phrases := map[*Term]bool{}, []*Term{}, []*Term{}
	for _, t := range unknown {
		switch count := lexicon.Characters(t.Text); {
		case t.kind == ofPhrase:
			phrases = append(phrases, t)
		case count == 0 && !lexicon.IsRun(t.Text):
			words = append(words, t)
		case count > 2 && !lexicon.IsSentence(t.Text):
			runs[t] = true
		case count == 1 && !f.Plain:
			notes = append(notes, "no title, alias or tag has "+t.Text+"; a single character is searched in these alone")
		}
	}
	corrected := []string{}
	if !f.Plain {
		if corrected, err = q.correct(ctx, r, f, words, phrases); err != nil {
			return q, nil, err
		}
	}
	if len(runs)+len(corrected) == 0 {
		return q, notes, nil
	}
	q.splitRuns(runs)
	return q, append(notes, corrected...), q.Read(ctx, r, f.Scope)
}

// findUnknown returns the words and phrases of the question that no memory has which the caller
// may read.
func (q Question) findUnknown(ctx context.Context, r *db.Reader, f Filter) (unknown []*Term, err error) {
	rare, matches := []*Term{}, []string{}
	for _, t := range q.Terms {
		switch {
		case t.IsWhole():
		case t.Rows == 0, t.Rows < fewSections, f.Namespace != "" && !f.Confined: // the whole index was counted
			rare, matches = append(rare, t), append(matches, t.match())
		}
	}
	if len(rare) == 0 {
		return nil, nil
	}
	missing, err := findMissing(ctx, r, matches, f)
	for _, index := range missing {
		unknown = append(unknown, rare[index])
	}
	return unknown, err
}

// correct puts spellings that memories have in place of unknown terms, and returns notes that say
// which.
func (q Question) correct(ctx context.Context, r *db.Reader, f Filter, words, phrases []*Term) (notes []string, err error) {
	if words, err = q.withoutSymbols(ctx, r, words); err != nil {
		return nil, err
	}
	for _, t := range words[:min(len(words), maxRespelt)] {
		better, err := splitWord(ctx, r, t.Text, f)
		if err == nil && len(better) == 0 {
			better, err = findSpellings(ctx, r, t.Text, f)
		}
		if err != nil {
			return nil, err
		}
		if len(better) > 0 {
			t.replace(better)
			notes = append(notes, replacementNote(t.Text, better))
		}
	}
	for _, t := range phrases {
		corrected, replaced, err := correctPhrase(ctx, r, t.Text, f)
		if err != nil {
			return nil, err
		}
		if len(replaced) > 0 {
			t.replace([]string{corrected})
			notes = append(notes, replaced...)
		}
	}
	return notes, nil
}

// replacementNote returns a note on the words that were searched in place of a word.
func replacementNote(word string, better []string) string {
	return "no memory has the word " + word + "; looked for " + strings.Join(better, ", ") + " in its place"
}

// correctPhrase returns a phrase with words that memories have, and notes on the replaced words.
// It returns nothing if there is no similar word for one of its words, because no memory can have
// the phrase then.
func correctPhrase(ctx context.Context, r *db.Reader, phrase string, f Filter) (corrected string, notes []string, err error) {
	parts := slices.Collect(lexicon.Words(phrase))
	missing, err := findMissing(ctx, r, lists.Map(parts, lexicon.Quote), f)
	if len(missing) > maxRespelt || err != nil {
		return "", nil, err
	}
	for _, index := range missing {
		better, err := findSpellings(ctx, r, parts[index], f)
		if len(better) == 0 || err != nil {
			return "", nil, err
		}
		notes = append(notes, replacementNote(parts[index], better[:1]))
		parts[index] = better[0]
	}
	return strings.Join(parts, " "), notes, nil
}

// findMissing returns the indexes of the FTS5 queries that match no memory which the caller
// may read, so that nothing is revealed about other memories.
func findMissing(ctx context.Context, r *db.Reader, matches []string, f Filter) ([]int, error) {
	return db.Select(ctx, r, db.Value[int], `
select
  w.key
from json_each(?10) w
where not exists (
  select 1`+SectionsIn("?11", "w.value")+`
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory
  where `+Visible+`
)
order by w.key`, f.Bind(nil, db.List(matches), db.List(f.Scope.Ranges))...)
}

// splitWord returns at most maxSpellings ways to split a word into two words that occur next to
// each other in a memory which the caller may read. A number is not split.
func splitWord(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error) {
	if len(word) > maxCompoundBytes || !strings.ContainsFunc(word, unicode.IsLetter) {
		return nil, nil
	}
	ways := []string{}
	for i := range word {
		if i > 0 {
			ways = append(ways, word[:i]+" "+word[i:])
		}
	}
	missing, err := findMissing(ctx, r, lists.Map(ways, lexicon.Quote), f)
	for _, index := range slices.Backward(missing) {
		ways = slices.Delete(ways, index, index+1)
	}
	return ways[:min(len(ways), maxSpellings)], err
}

// identifier matches a name that is written as only code is: parseJSON, parse_json, db.Write,
// Vec::new, run(), a/b.go#Name.
var identifier = pattern.Lazy(`^[\pL_$@][\pL\pN_$]*(\pL*\p{Ll}\p{Lu}|_\pL|\.\pL[\pL\pN]*\b|::|->|#\pL|\(\)$)`)

// NamesCode reports whether the question has an identifier that names a symbol, or is the name of
// one.
func (q Question) NamesCode(ctx context.Context, r *db.Reader) (bool, error) {
	tokens := strings.Fields(q.Text)
	for _, token := range tokens {
		if len(tokens) > 1 && !identifier().MatchString(nameOf(token)) {
			continue
		}
		if known, err := ref.NamesSymbol(ctx, r, nameOf(token)); known || err != nil {
			return known, err
		}
	}
	return false, nil
}

// nameOf returns a token of a question without the punctuation of a sentence around it.
func nameOf(token string) string {
	return strings.TrimRight(strings.Trim(token, "`'\"?!,;:"), ".")
}

// withoutSymbols returns the unknown words of the question that are not names of symbols of source
// code: those are not misspelt.
func (q Question) withoutSymbols(ctx context.Context, r *db.Reader, unknown []*Term) (rest []*Term, err error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	names := map[string]bool{}
	for _, token := range strings.Fields(q.Text) {
		name := nameOf(token)
		if !identifier().MatchString(name) {
			continue
		}
		known, err := ref.NamesSymbol(ctx, r, name)
		if err != nil {
			return nil, err
		}
		for word := range lexicon.Words(name) {
			names[word] = names[word] || known
		}
	}
	return slices.DeleteFunc(unknown, func(t *Term) bool { return names[t.Text] }), nil
}

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
	if !begins || extra < -v.allowed || extra > v.allowed || asIndexed == v.indexed || lexicon.Stopwords(folded) || spelling.MaxMistakes(folded) == 0 || digits(folded) != digits(v.word) {
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
	all := slices.SortedFunc(maps.Values(v.near), func(a, b *nearWord) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), lists.CompareFlags(b.isSwapped, a.isSwapped), cmp.Compare(len(b.memories), len(a.memories)), cmp.Compare(a.folded, b.folded))
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
