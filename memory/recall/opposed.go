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
	result       int64  // the result's memory
	began, since string // when it began to hold, and when the result did
}

// pairOpposed puts beside each of the first results the memory that contradicts it, the
// newer of the two first: who asks what holds must see both, and see that they differ. The
// two share the better place, unless the question names one of them or one is a
// stranger's text, which comes after the other. What contradicts a result is one too,
// without a word of the question.
func pairOpposed(ctx context.Context, r *db.Reader, results []*candidate, f filter, first int) ([]*candidate, error) {
	if len(results) == 0 {
		return results, nil
	}
	all, err := db.Select(ctx, r, db.Fields(func(o *contradiction) []any {
		return append(o.fields(), &o.result, &o.began, &o.since)
	}), selectOpposed, f.bind(db.List(keysOf(results[:min(first, len(results))])))...)
	if err != nil || len(all) == 0 {
		return results, err
	}
	rank, known := map[int64]int{}, map[int64]*candidate{}
	for i, c := range results {
		rank[c.memory], known[c.memory] = i, c
	}
	brought := []*candidate{}
	for _, o := range all {
		if known[o.memory] == nil {
			c := &candidate{hit: o.hit}
			known[o.memory], rank[o.memory] = c, len(results)
			brought = append(brought, c)
		}
	}
	if err := readTrust(ctx, r, brought); err != nil {
		return nil, err
	}
	// The best results choose first, and of several opponents the best.
	slices.SortStableFunc(all, func(a, b contradiction) int {
		return cmp.Or(cmp.Compare(rank[a.result], rank[b.result]), cmp.Compare(rank[a.memory], rank[b.memory]))
	})
	pairs := map[*candidate][2]*candidate{}
	for _, o := range all {
		a, b := known[o.result], known[o.memory]
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
	ordered, isIn := []*candidate{}, map[*candidate]bool{}
	for _, c := range results {
		beside := []*candidate{c}
		if pair := pairs[c]; pair[0] != nil {
			beside = pair[:]
		}
		if !isIn[c] {
			ordered = append(ordered, beside...)
		}
		for _, one := range beside {
			isIn[one] = true
		}
	}
	return ordered, nil
}

// comesFirst reports whether an opponent is put before the result that it contradicts.
func (o contradiction) comesFirst(opponent, result *candidate) bool {
	switch {
	case opponent.named != result.named:
		return opponent.named > result.named
	case (opponent.trust == "") != (result.trust == ""):
		return opponent.trust == ""
	}
	return cmp.Or(cmp.Compare(o.began, o.since), cmp.Compare(opponent.id, result.id)) > 0
}

// raise gives a candidate the score of a pair, and says whom it has it from.
func (c *candidate) raise(score float64, from *candidate) {
	if share := (score - c.score) / score; share >= leastShare {
		c.lifts = append([]Lift{{From: from.id, Type: edges.Contradicts, Share: math.Round(1000*share) / 1000}}, c.lifts...)
	}
	c.score = score
}

// selectOpposed reads the memories that pass and contradict one of ?1, at the times of the
// question.
var selectOpposed = `
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
