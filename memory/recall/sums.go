package recall

import (
	"cmp"
	"slices"
)

// capSums keeps a whole, and a part, below the one that lends it most and says more
// of the question by itself, where both are results: several parts that are lent to
// their whole would put it before each of them. It keeps what other edges lend it.
func (p *pool) capSums(ties []tie) {
	lenders := map[int64][]*candidate{}
	for _, t := range ties {
		if from, to := p.at[t.from], p.at[t.to]; t.adds && from != nil && to != nil && from.passes && from.own() > to.own() {
			lenders[t.to] = append(lenders[t.to], from)
		}
	}
	if len(lenders) == 0 {
		return
	}
	byOwn := slices.Clone(p.all)
	slices.SortFunc(byOwn, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.own(), a.own()), cmp.Compare(a.id, b.id))
	})
	for _, c := range byOwn {
		most := 0.0
		for _, from := range lenders[c.memory] {
			most = max(most, from.score)
		}
		if most > 0 && c.score >= most {
			c.score = max(c.unsummed, most*justBelow)
		}
	}
}

const justBelow = 0.999
