package recall

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"hence/memory/recall/vectors"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
)

const (
	compared     = 50   // memories that share a word: once that many were read, they are ranked
	readAtOnce   = 100  // sections whose memories are read together
	nearByVector = 10   // memories near in meaning that are ranked
	afterRank    = 60.0 // as in reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)
)

// Near returns the current memories of a namespace that are nearest to a text, the
// nearest first: by the words that they share with it, and by meaning if there is a
// model. There is no threshold: none separates what says the same from what is only
// related. memory.Store.Remember takes it as an argument, because search is above
// memory. The work is bounded: see lookUpWords.
func (s Searcher) Near(ctx context.Context, namespace, text string) (near []memory.Near, err error) {
	var meaning *vectors.Question
	// A model that fails does not keep a memory from being stored.
	if m, err := vectors.ModelInForce(ctx, s.DB); err == nil && m != nil {
		meaning, _ = m.Understand(ctx, text, vectors.Brief)
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		in, err := readTextKeys(ctx, r, namespace)
		if err != nil || len(in.ranges) == 0 {
			return err
		}
		all, err := sharersOf(ctx, r, namespace, text, in)
		if err != nil {
			return err
		}
		if meaning != nil {
			f := filter{namespace: namespace, status: memory.Current, times: edges.Today(), part: part{ranges: in.ranges}}
			hits, err := nearest(ctx, r, meaning, f, nearByVector)
			if err != nil {
				return err
			}
			all = fuse(all, hits)
		}
		for _, one := range all[:min(len(all), memory.MaxNear+1)] {
			answer, err := describeNear(ctx, r, one)
			if err != nil {
				return err
			}
			near = append(near, answer)
		}
		return nil
	})
	return near, err
}

// sharer is a memory that shares words with a text, by the section that shares most.
type sharer struct {
	memory, section int64
	id, changed     string
	isLast          bool // a session, a turn or a file: none is replaced by what somebody states
	bytes           int  // of the section's text
	places          []int
	fits, score     float64
}

// sharersOf returns memories that share rare words with a text, those first whose
// shared words say most. How rare a word is counts among the memories of the namespace,
// so that the ranks do not depend on those of others.
func sharersOf(ctx context.Context, r *db.Reader, namespace, text string, in textKeys) ([]sharer, error) {
	words, err := lookUpWords(ctx, r, text, in)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	words = append(words, namesOf(text, words)...)
	order := mostTelling(words)
	has := map[int64][]int{} // places of the words that a section has
	now, sharers, memories := db.Now(), []sharer{}, map[int64]bool{}
	for len(order) > 0 && len(memories) < compared {
		group := []int64{}
		for _, one := range order[:min(len(order), readAtOnce)] {
			group = append(group, one.section)
			has[one.section] = one.places
		}
		order = order[len(group):]
		some, err := db.Select(ctx, r, scanSharer, selectSharers, db.List(group), namespace, now)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			memories[one.memory] = true
		}
		sharers = append(sharers, some...)
	}
	all, _, err := db.One[float64](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where namespace = ?
  and status = 'current'`, namespace)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, len(words))
	for place, w := range words {
		weights[place] = weigh(max(all, 1), float64(len(w.sections)))
	}
	sharers = nearestSections(sharers, has, weights, len(text))
	stated, err := lastStating(ctx, r, text, sharers)
	return orderNear(sharers, weights, stated), err
}

// holder is a section with the places of words that it has.
type holder struct {
	section int64
	places  []int
	tells   float64
}

// mostTelling returns the sections with any of the words, those first whose words tell
// most, of equals the newest.
func mostTelling(words []lookedWord) []*holder {
	bySection, order := map[int64]*holder{}, []*holder{}
	for place, w := range words {
		for _, section := range w.sections {
			one := bySection[section]
			if one == nil {
				one = &holder{section: section}
				bySection[section], order = one, append(order, one)
			}
			one.places, one.tells = append(one.places, place), one.tells+w.tells
		}
	}
	slices.SortFunc(order, func(a, b *holder) int {
		return cmp.Or(cmp.Compare(b.tells, a.tells), cmp.Compare(b.section, a.section))
	})
	return order
}

// weigh is the square of the logarithm of a word's rarity, as in the product of two
// vectors of tf·idf (Salton and Buckley, 1988): a name tells more than the many common
// words of a sentence.
func weigh(all, having float64) float64 {
	rarity := math.Log1p(all / max(1, having))
	return rarity * rarity
}

// nearestSections scores each section by what its words tell, the nearest first: less for
// one that is longer than the text of a number of bytes, because a long note shares words
// with everything. A memory has the score of its best section.
func nearestSections(sharers []sharer, has map[int64][]int, weights []float64, bytes int) []sharer {
	best := map[int64]sharer{}
	for _, one := range sharers {
		one.places, one.fits = has[one.section], 1/(1+math.Log(max(1, float64(one.bytes)/float64(max(bytes, shortBytes)))))
		for _, place := range one.places {
			one.score += weights[place]
		}
		one.score *= one.fits
		if known, ok := best[one.memory]; !ok || one.score > known.score || one.score == known.score && one.section < known.section {
			best[one.memory] = one
		}
	}
	return slices.SortedFunc(maps.Values(best), nearestOrder)
}

// nearestOrder puts what persons and agents stated first, then the best score, then
// what changed last.
func nearestOrder(a, b sharer) int {
	last := func(s sharer) int {
		if s.isLast {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.score, a.score), cmp.Compare(b.changed, a.changed), cmp.Compare(a.id, b.id))
}

var scanSharer = db.Fields(func(s *sharer) []any {
	return []any{&s.section, &s.memory, &s.id, &s.changed, &s.isLast, &s.bytes}
})

const selectSharers = `
select
  s.key,
  m.key,
  m.id,
  m.updated_at,
  m.kind in ('session', 'turn', 'file', 'canvas', 'code'),
  octet_length(coalesce(s.body, m.content))
from json_each(?1) j
cross join sections s on s.key = j.value
cross join memories m on m.key = s.memory
where m.status = 'current'
  and m.namespace = ?2
  and coalesce(m.valid_to, '~') > ?3`

// fuse ranks memories that are near by words and by meaning together.
func fuse(byWords []sharer, byMeaning []hit) []sharer {
	fused := map[int64]sharer{}
	for rank, one := range byWords {
		one.score = 1 / (afterRank + float64(rank))
		fused[one.memory] = one
	}
	for rank, h := range byMeaning {
		one, ok := fused[h.memory]
		if !ok {
			one = sharer{memory: h.memory, section: h.section, id: h.id}
		}
		one.score += 1 / (afterRank + float64(rank))
		fused[h.memory] = one
	}
	return slices.SortedFunc(maps.Values(fused), nearestOrder)
}

// nearSnippet is the longest snippet of a neighbour, in bytes.
const nearSnippet = 200

// describeNear reads a neighbour with the beginning of the section that is near.
func describeNear(ctx context.Context, r *db.Reader, s sharer) (memory.Near, error) {
	n, _, err := db.First(ctx, r, db.Fields(func(n *memory.Near) []any { return []any{n, &n.Snippet, &n.Trust} }), `
select
  m.id,
  m.title,
  substr(coalesce(s.body, m.content), 1, ?3),
  `+ref.TrustOf("m")+`
from memories m
left join sections s on s.key = ?2
where m.key = ?1`, s.memory, s.section, 20*nearSnippet)
	n.Snippet, _ = budget.Cut(strings.Join(strings.Fields(secret.Mask(n.Snippet)), " "), nearSnippet)
	return n, err
}
