package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// contradiction is a memory that contradicts a result.
type contradiction struct {
	hit
	result       int64  // key of the result's memory
	began, since string // when this memory became valid, and when the result did
}

// pairContradictions moves to each of the first results a memory that contradicts it, so that
// the reader sees both and that they differ. The contradicting memory becomes a result even
// without a word of the question. Both get the better score of the two. The one that the
// question names more exactly comes first, then the one that is not a stranger's text, then
// the newer.
func pairContradictions(ctx context.Context, r *db.Reader, results []*candidate, f filter, limit int) ([]*candidate, error) {
	if len(results) == 0 {
		return results, nil
	}
	all, err := db.Select(ctx, r, db.Fields(func(o *contradiction) []any {
		return append(o.fields(), &o.result, &o.began, &o.since)
	}), selectContradictions, f.bind(db.List(keysOf(results[:min(limit, len(results))])))...)
	if err != nil || len(all) == 0 {
		return results, err
	}
	rankOf, byMemory := map[int64]int{}, map[int64]*candidate{}
	for i, c := range results {
		rankOf[c.memory], byMemory[c.memory] = i, c
	}
	added := []*candidate{}
	for _, o := range all {
		if byMemory[o.memory] == nil {
			c := &candidate{hit: o.hit}
			byMemory[o.memory], rankOf[o.memory] = c, len(results)
			added = append(added, c)
		}
	}
	if err := readTrust(ctx, r, added); err != nil {
		return nil, err
	}
	// Pair the best results first, each with its best opponent.
	slices.SortStableFunc(all, func(a, b contradiction) int {
		return cmp.Or(cmp.Compare(rankOf[a.result], rankOf[b.result]), cmp.Compare(rankOf[a.memory], rankOf[b.memory]))
	})
	pairs := map[*candidate][2]*candidate{}
	for _, o := range all {
		a, b := byMemory[o.result], byMemory[o.memory]
		if pairs[a][0] != nil || pairs[b][0] != nil {
			continue
		}
		pair := [2]*candidate{a, b}
		if o.comesFirst(b, a) {
			pair = [2]*candidate{b, a}
		}
		score := max(a.score, b.score)
		a.raise(score, b)
		b.raise(score, a)
		pairs[a], pairs[b] = pair, pair
	}
	ordered, isAdded := []*candidate{}, map[*candidate]bool{}
	for _, c := range results {
		group := []*candidate{c}
		if pair := pairs[c]; pair[0] != nil {
			group = pair[:]
		}
		if !isAdded[c] {
			ordered = append(ordered, group...)
		}
		for _, member := range group {
			isAdded[member] = true
		}
	}
	return ordered, nil
}

// comesFirst reports whether an opponent comes before the result that it contradicts.
func (c contradiction) comesFirst(opponent, result *candidate) bool {
	switch {
	case opponent.nameMatch != result.nameMatch:
		return opponent.nameMatch > result.nameMatch
	case (opponent.trust == "") != (result.trust == ""):
		return opponent.trust == ""
	}
	return cmp.Or(cmp.Compare(c.began, c.since), cmp.Compare(opponent.id, result.id)) > 0
}

// raise sets the score of a candidate to that of its pair, and records the lift from the other.
func (c *candidate) raise(score float64, from *candidate) {
	if share := (score - c.score) / score; share >= minReportedShare {
		c.lifts = append([]Lift{{From: from.id, Type: edges.Contradicts, Share: math.Round(1000*share) / 1000}}, c.lifts...)
	}
	c.score = score
}

// selectContradictions reads the memories that pass the filter and contradict one of the memories
// ?1 at the times of the question.
var selectContradictions = `
with pair (result, memory) as (` + edges.BothWays(`
  select
    k.value,
    e.{to_key|from_key}
  from json_each(?1) k
  cross join edges e on e.{from_key|to_key} = k.value and e.kind = 'contradicts'
  where `+edges.Holds("e", "?8")) + `
)
select distinct
  m.key,
  ` + firstSection + `,
  m.id,
  octet_length(m.content),
  0.0,
  true,
  p.result,
  coalesce(m.valid_from, m.created_at),
  (select coalesce(r.valid_from, r.created_at) from memories r where r.key = p.result)
from pair p
cross join memories m on m.key = p.memory
where ` + passes + `
order by coalesce(m.valid_from, m.created_at) desc, m.id desc`
