// Package near finds the memories that are near a text that was not asked as a question: a new
// memory, a prompt, the path of a file, or a command.
package near

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
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
	total := 0
	for _, w := range words {
		total += len(w.sections)
	}
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
	rankOf := func(s sharer) int {
		if s.sortsLast {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(b.score, a.score), cmp.Compare(b.changed, a.changed), cmp.Compare(a.id, b.id))
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
