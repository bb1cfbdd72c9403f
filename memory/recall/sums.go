package recall

import (
	"cmp"
	"slices"
)

// capSums keeps a whole below its best part, and a part below its best whole, if both are
// results and the lender's own score is higher. Otherwise several parts that lend to their
// whole would put it before each of them. What other edges lend is not capped.
func (p *pool) capSums(ties []tie) {
	lenders := map[int64][]*candidate{}
	for _, t := range ties {
		if from, to := p.byMemory[t.from], p.byMemory[t.to]; t.lendsSum && from != nil && to != nil && from.passes && from.ownScore() > to.ownScore() {
			lenders[t.to] = append(lenders[t.to], from)
		}
	}
	if len(lenders) == 0 {
		return
	}
	byOwn := slices.Clone(p.all)
	slices.SortFunc(byOwn, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.ownScore(), a.ownScore()), cmp.Compare(a.id, b.id))
	})
	for _, c := range byOwn {
		best := 0.0
		for _, from := range lenders[c.memory] {
			best = max(best, from.score)
		}
		if best > 0 && c.score >= best {
			c.score = max(c.scoreWithoutSums, best*justBelow)
		}
	}
}

const justBelow = 0.999 // of the best lender's score, which a capped memory keeps
