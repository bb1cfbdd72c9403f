// Package near finds the memories that are near a text that was not asked as a question: a new
// memory, a prompt, the path of a file, or a command.
package near

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall/lexicon"
	"hence/memory/statement"
	"hence/vault/note"
)

const (
	enoughSharers = 50  // memories with shared words after which no more are read
	sectionBatch  = 100 // sections whose memories are read together
)

// Finder finds the memories of a store that are near a text, among those that one caller may
// read.
type Finder ref.View

// Near returns the current memories of a namespace that are nearest to a text, the nearest
// first, at most memory.MaxNear+1: by the words that they share with it. Meaning finds worse
// neighbours. Most often nothing is near: see agreeing. memory.Store.Remember takes Near as an argument,
// because package memory cannot import recall. The work is bounded: see lookUpText.
func (s Finder) Near(ctx context.Context, namespace, text string) (near []memory.Near, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		keys, err := readTextKeys(ctx, r, namespace)
		if err != nil || len(keys.ranges) == 0 {
			return err
		}
		sharers, rule, err := findSharers(ctx, r, namespace, text, keys)
		if err != nil {
			return err
		}
		for _, one := range sharers[:min(len(sharers), maxConsidered)] {
			answer, isNear, err := describeNear(ctx, r, one, rule)
			if err != nil {
				return err
			}
			if isNear && len(near) <= memory.MaxNear {
				near = append(near, answer)
			}
		}
		return nil
	})
	return near, err
}

// sharer is a memory that shares words with a text, with its best section.
type sharer struct {
	memory, section     int64
	id, changed         string
	isNote              bool    // of a vault
	sortsLast           bool    // a session, turn or file: a new statement does not replace it
	bytes               int     // of the section's text
	words               []int   // indexes of the shared words
	lengthRatio         float64 // at least 1: how many times longer the section is than the text
	lengthFactor, score float64
}

// findSharers returns memories that share rare words with a text, in the order of orderNear.
// The rarity of a word is its rarity in the namespace, so that the ranks do not depend on the
// memories of others. The rule selects those that are near.
func findSharers(ctx context.Context, r *db.Reader, namespace, text string, keys textKeys) (sharers []sharer, rule agreeing, err error) {
	words, err := lookUpText(ctx, r, text, keys)
	if err != nil || len(words) == 0 {
		return nil, rule, err
	}
	words = append(words, pairAdjacent(text, words)...)
	sections := weighSections(words, func(w lookedWord) float64 { return w.weight })
	wordsOf := map[int64][]int{} // by section: the indexes of the words that it has
	now, memories := db.Now(), map[int64]bool{}
	for len(sections) > 0 && len(memories) < enoughSharers {
		keys := []int64{}
		for _, one := range sections[:min(len(sections), sectionBatch)] {
			keys = append(keys, one.key)
			wordsOf[one.key] = wordsIn(one.key, words)
		}
		sections = sections[len(keys):]
		batch, err := db.Select(ctx, r, scanSharer, selectSharers, db.List(keys), namespace, now)
		if err != nil {
			return nil, rule, err
		}
		for _, one := range batch {
			memories[one.memory] = true
		}
		sharers = append(sharers, batch...)
	}
	memoryCount, _, err := db.One[float64](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where namespace = ?
  and status = 'current'
  and origin <> 'code'`, namespace)
	if err != nil {
		return nil, rule, err
	}
	weights := make([]float64, len(words))
	for index, w := range words {
		weights[index] = squaredRarity(max(memoryCount, 1), float64(len(w.sections)))
	}
	sharers = nearestSections(sharers, wordsOf, weights, len(text))
	rule = newAgreeing(text, words, memoryCount)
	rule.stating, err = findLastStatement(ctx, r, text, sharers)
	return orderNear(sharers, weights, rule.stating), rule, err
}

// weighedSection is a section with the number and the total weight of the words that it has.
type weighedSection struct {
	key    int64
	words  int
	weight float64
}

// weighSections returns the sections with any of the words, sorted by the total weight of their
// words, the heaviest first and the newest first among equals.
func weighSections(words []lookedWord, weightOf func(lookedWord) float64) []weighedSection {
	total := lists.Sum(words, func(w lookedWord) int { return len(w.sections) })
	index, sections := make(map[int64]int32, total), make([]weighedSection, 0, total)
	for _, w := range words {
		for _, key := range w.sections {
			i, ok := index[key]
			if !ok {
				i = int32(len(sections))
				index[key], sections = i, append(sections, weighedSection{key: key})
			}
			sections[i].words++
			sections[i].weight += weightOf(w)
		}
	}
	slices.SortFunc(sections, func(a, b weighedSection) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.key, a.key))
	})
	return sections
}

// wordsIn returns the indexes of the words that a section has.
func wordsIn(section int64, words []lookedWord) (indexes []int) {
	for i, w := range words {
		if _, has := slices.BinarySearch(w.sections, section); has {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// squaredRarity returns the squared logarithm of the rarity of a word that count of total
// sections have, as in the product of two tf·idf vectors (Salton and Buckley, 1988). So a
// name weighs more than the many common words of a sentence.
func squaredRarity(total, count float64) float64 {
	rarity := math.Log1p(total / max(1, count))
	return rarity * rarity
}

// nearestSections returns the best section of each memory, the nearest first. A section scores
// the weights of its words, less if it is longer than the text, whose length is bytes: a long
// note shares words with everything.
func nearestSections(sharers []sharer, wordsOf map[int64][]int, weights []float64, bytes int) []sharer {
	best := map[int64]sharer{}
	for _, s := range sharers {
		s.words, s.lengthRatio = wordsOf[s.section], max(1, float64(s.bytes)/float64(max(bytes, shortBytes)))
		s.lengthFactor = 1 / (1 + math.Log(s.lengthRatio))
		for _, index := range s.words {
			s.score += weights[index]
		}
		s.score *= s.lengthFactor
		if bestSharer, ok := best[s.memory]; !ok || s.score > bestSharer.score || s.score == bestSharer.score && s.section < bestSharer.section {
			best[s.memory] = s
		}
	}
	return slices.SortedFunc(maps.Values(best), nearestOrder)
}

// nearestOrder compares two memories: statements of persons and agents come before sessions,
// turns and files, then the better score, then the later change.
func nearestOrder(a, b sharer) int {
	return cmp.Or(lists.CompareFlags(b.sortsLast, a.sortsLast), cmp.Compare(b.score, a.score), cmp.Compare(b.changed, a.changed), cmp.Compare(a.id, b.id))
}

var scanSharer = db.Fields(func(s *sharer) []any {
	return []any{&s.section, &s.memory, &s.id, &s.changed, &s.isNote, &s.sortsLast, &s.bytes}
})

const selectSharers = `
select
  s.key,
  m.key,
  m.id,
  m.updated_at,
  m.origin = 'vault',
  m.kind in ('session', 'turn', 'file', 'canvas', 'code'),
  iif(s.body_end > 0, s.body_end - s.body_start, octet_length(coalesce(s.body, m.content)))
from json_each(?1) j
cross join sections s on s.key = j.value
cross join memories m on m.key = s.memory
where m.status = 'current'
  and m.namespace = ?2
  and coalesce(m.valid_to, '~') > ?3`

const maxNearSnippet = 120 // bytes

// describeNear returns a memory with a snippet from the beginning of its near section, and
// whether it is near by the rule.
func describeNear(ctx context.Context, r *db.Reader, s sharer, rule agreeing) (n memory.Near, isNear bool, err error) {
	names, aliases := []string{}, ""
	n, _, err = db.First(ctx, r, db.Fields(func(n *memory.Near) []any { return []any{n, &n.Snippet, &n.Trust, &aliases} }), `
select
  m.id,
  m.title,
  substr(coalesce((select t.body from section_text t where t.key = ?2), m.content), 1, ?3),
  `+ref.TrustOf("m")+`,
  m.aliases
from memories m
where m.key = ?1`, s.memory, s.section, 20*maxNearSnippet)
	if err == nil {
		err = db.ReadColumn(n.ID, "aliases", aliases, &names)
	}
	if err != nil {
		return n, false, err
	}
	n.Snippet, _ = budget.Cut(note.Plain(secret.Mask(n.Snippet)), maxNearSnippet)
	if s.memory == rule.stating || slices.ContainsFunc(append(names, n.Title), rule.names) {
		return n, true, nil
	}
	isNear, err = rule.agrees(ctx, r, s)
	return n, isNear, err
}

// A memory is near a text if its title stands in the text, if it states the same attribute of
// the same subject, or if it agrees with the text in two rare words, more for a long text. A
// word is rare if few memories have it, and no word of time, number or order is.
const (
	rareShared    = 0.01 // a word is rare if at most this share of the memories has it,
	rareAnyway    = 3    // or at most this many memories;
	namedOften    = 3    // a name, if at most this many times as many
	agreement     = 2    // rare words in which a near memory agrees,
	noteWorth     = 1.75 // most that a name or number counts in a note of a vault,
	wordsForOne   = 20   // one more for this many words of the text
	longer        = 1.5  // more for a section that is longer, by the logarithm of how many times
	leastLetters  = 4    // of a word that counts by itself
	maxConsidered = 12   // memories of which it is asked whether they are near
)

// worth returns how much the agreement in a word says, where a word of a subject counts 1. A
// number such as a port says as much as two words, a small one little. A pair of characters is
// about half a word.
func worth(word string) float64 {
	letters := utf8.RuneCountInString(word)
	isNumber := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
	switch {
	case lexicon.IsOrdinary(word):
		return 0
	case isNumber && letters > 2 && !strings.HasSuffix(word, "00") && !(letters == 4 && (word[:2] == "19" || word[:2] == "20")):
		return 2
	case isNumber, lexicon.IsRun(word):
		return 0.5
	case letters < leastLetters && !strings.ContainsFunc(word, unicode.IsDigit):
		return 0
	}
	return 1
}

// worth returns the worth of a word or a pair. A pair of words that are adjacent in the text is
// a name, and counts two.
func (w lookedWord) worth() float64 {
	switch {
	case w.word != "":
		return worth(w.word)
	case lexicon.IsOrdinary(w.pair[0]) || lexicon.IsOrdinary(w.pair[1]) || lexicon.IsRun(w.pair[0]) || lexicon.IsRun(w.pair[1]):
		return 0
	case w.adjacent:
		return 2
	}
	return 1
}

// agreeing selects the memories that are near a text, of those that share words with it.
type agreeing struct {
	text     string // folded, with spaces around its words
	words    []lookedWord
	rareness float64 // memories that may have a rare word
	needed   float64
	stating  int64        // the memory that states the same attribute of the same subject, 0 if none
	rare     map[int]bool // by the index of a word
}

func newAgreeing(text string, words []lookedWord, memories float64) agreeing {
	telling := lists.Sum(tellingFirst(text), func(word string) float64 { return min(1, worth(word)) })
	return agreeing{
		text: lexicon.Spaced(text), words: words, rareness: max(rareAnyway, rareShared*memories),
		needed: agreement + float64(int(telling)/wordsForOne), rare: map[int]bool{},
	}
}

// names reports whether the words of a title stand in the text in a row, and one of them says
// something.
func (a agreeing) names(title string) bool {
	spaced := lexicon.Spaced(title)
	return strings.Contains(a.text, spaced) && strings.Count(spaced, " ") > 1 &&
		slices.ContainsFunc(strings.Fields(spaced), func(word string) bool { return worth(word) >= 1 || lexicon.IsRun(word) })
}

// agrees reports whether a memory agrees with the text in enough rare words. In a note of a vault
// one name is not enough: a vault about software has mobile apps, pull requests and a search index.
func (a agreeing) agrees(ctx context.Context, r *db.Reader, s sharer) (bool, error) {
	sum, enough := 0.0, a.needed+longer*math.Log(max(1, s.lengthRatio))
	for _, index := range s.words {
		worth := a.words[index].worth()
		if s.isNote {
			worth = min(worth, noteWorth)
		}
		if worth == 0 || sum >= enough { // whether a word is rare takes a query
			continue
		}
		isRare, ok := a.rare[index]
		if !ok {
			var err error
			if isRare, err = a.isRare(ctx, r, a.words[index]); err != nil {
				return false, err
			}
			a.rare[index] = isRare
		}
		if isRare {
			sum += worth
		}
	}
	return sum >= enough, nil
}

// isRare reports whether few memories have a word. All sections of a note have its title, so
// that more sections than memories may have it.
func (a agreeing) isRare(ctx context.Context, r *db.Reader, w lookedWord) (bool, error) {
	most := a.rareness
	if w.adjacent {
		most *= namedOften
	}
	if w.estimate <= most || len(w.sections) >= maxSectionsPerWord {
		return w.estimate <= most, nil
	}
	// Most sections are those of one memory each, so that a few more than may be show it.
	for _, sections := range [][]int64{w.sections[:min(len(w.sections), int(most)+1)], w.sections} {
		memories, _, err := db.One[float64](ctx, r, `
select count(distinct s.memory)
from json_each(?) j
cross join sections s on s.key = j.value`, db.List(sections))
		if err != nil || memories > most {
			return false, err
		}
	}
	return true, nil
}

const (
	maxVaried         = 10  // near memories that are chosen one after the other
	repeatedShare     = 0.5 // share of its weight that a word keeps each time a chosen memory has it
	shortBytes        = 200 // a text of at most this length is never too long compared with another
	maxStatements     = 20  // of the nearest memories whose statements are compared
	maxStatementBytes = 300 // length of the longest text that may be a statement
)

// orderNear returns near memories in the order in which they are shown. First comes the
// memory statingMemory, which states the same attribute of the same subject: the text most
// often replaces it. Each next memory is the one with the best score, where a word counts
// less if a memory before it has the word, so that the second shares another name than the
// first.
func orderNear(sharers []sharer, weights []float64, statingMemory int64) []sharer {
	ordered, remainingShares := []sharer{}, slices.Repeat([]float64{1}, len(weights))
	choose := func(memory int64) {
		i := slices.IndexFunc(sharers, func(s sharer) bool { return s.memory == memory })
		if i < 0 {
			return
		}
		ordered = append(ordered, sharers[i])
		for _, index := range sharers[i].words {
			remainingShares[index] *= repeatedShare
		}
		sharers = slices.Delete(sharers, i, i+1)
	}
	choose(statingMemory)
	for len(sharers) > 0 && len(ordered) < maxVaried {
		for i, s := range sharers {
			sharers[i].score = 0
			for _, index := range s.words {
				sharers[i].score += weights[index] * remainingShares[index]
			}
			sharers[i].score *= s.lengthFactor
		}
		choose(slices.MinFunc(sharers, nearestOrder).memory)
	}
	slices.SortFunc(sharers, nearestOrder)
	return append(ordered, sharers...)
}

// findLastStatement returns the key of the memory that changed last among those that state the
// same attribute of the same subject as a text; 0 if there is none.
func findLastStatement(ctx context.Context, r *db.Reader, text string, sharers []sharer) (stating int64, err error) {
	if len(text) > maxStatementBytes {
		return 0, nil
	}
	title, content, hasTitle := strings.Cut(text, "\n")
	if !hasTitle {
		title, content = "", text
	}
	attribute, _, ok := statement.OfMemory(title, content)
	if !ok {
		return 0, nil
	}
	keys, lastChange := []int64{}, ""
	for _, s := range sharers[:min(len(sharers), maxStatements)] {
		if s.bytes <= maxStatementBytes && !s.sortsLast {
			keys = append(keys, s.memory)
		}
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var title, content, changedAt string
		if err := row.Scan(&key, &title, &content, &changedAt); err != nil {
			return err
		}
		if other, _, ok := statement.OfMemory(title, content); ok && other == attribute && changedAt >= lastChange {
			stating, lastChange = key, changedAt
		}
		return nil
	}, `
select
  key,
  title,
  content,
  updated_at
from memories
where key in (select value from json_each(?1))
  and octet_length(content) <= ?2
order by id`, db.List(keys), maxStatementBytes)
	return stating, err
}
