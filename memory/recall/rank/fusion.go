package rank

import (
	"context"
	"slices"

	"hence/internal/db"
)

const (
	// fusionConstant is the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher,
	// Reciprocal rank fusion outperforms Condorcet and individual rank learning methods, 2009). It is
	// small, so that the gain falls quickly from the nearest to the next.
	fusionConstant = 5

	// A memory with at least answeringWords of the question's words answers it. At most accidentalWords,
	// and less than accidentalShare of their weight, meet in a memory by accident.
	answeringWords  = 4
	accidentalWords = 2
	accidentalShare = 0.6

	fewResults = 3  // by words: fewer are followed by the nearest in meaning
	maxNearest = 20 // memories that are added or raised, whatever the limit
)

// Fuse joins the nearest in meaning and the best by words into one list: a candidate scores by the sum of
// the reciprocals of its two ranks.
func Fuse(near, byWords []*Candidate) []*Candidate {
	fused, byMemory := []*Candidate{}, map[int64]*Candidate{}
	for n, list := range [][]*Candidate{near, byWords} {
		for i, found := range list {
			c := byMemory[found.Memory]
			if c == nil {
				c = found
				c.Score, c.VectorRank, c.KeywordRank = 0, 0, 0
				byMemory[c.Memory], fused = c, append(fused, c)
			}
			*[]*int{&c.VectorRank, &c.KeywordRank}[n] = i + 1
			c.Score += 1 / float64(fusionConstant+i+1)
		}
	}
	slices.SortFunc(fused, bestFirst)
	return fused
}

// coverage is how well words answer a question: the most of its words that one memory has, and the
// largest share of their weight. Words that no memory has count in the whole weight.
type coverage struct {
	words int
	share float64
}

// coverage returns the coverage of the question by the candidates that may be results.
func (p *pool) coverage() (most coverage) {
	total := 0.0
	for _, t := range p.Question.Terms {
		if t.Rows == 0 && !t.IsWhole() {
			total += t.Rarity
		}
	}
	for _, column := range p.columns {
		if column.isTerm && !column.isWhole {
			total += column.rarity
		}
	}
	for _, c := range p.all {
		words, weight := 0, 0.0
		for i, column := range p.columns {
			if column.isTerm && !column.isWhole && c.frequencies[i] != (frequency{}) {
				words, weight = words+1, weight+column.rarity
			}
		}
		if c.Name > NotNamed || total == 0 && c.passes {
			return coverage{answeringWords, 1}
		}
		if c.passes && !c.IsLast {
			most = coverage{max(most.words, words), max(most.share, weight/total)}
		}
	}
	return most
}

// raiseNear adds the memories that are nearest to the question in meaning, and raises them. Where words
// answer the question in part, the nearest gains a share of the best score, by the share of the question
// that words leave uncovered, and the others less by the reciprocal of their rank. Where words only meet by
// accident, the two lists take turns. Where words answer it, nothing is added, but to few results
// below these.
func raiseNear(ctx context.Context, r *db.Reader, p *pool, by change) error {
	covered, byWords := p.coverage(), p.results()
	isAnswered := covered.words >= answeringWords || covered.share == 1
	if isAnswered && len(byWords) >= fewResults {
		return nil
	}
	q, err := p.Meaning(ctx)
	if err != nil || q == nil {
		return err
	}
	near, err := Nearest(ctx, r, q, p.Filter, maxNearest)
	near = slices.DeleteFunc(near, func(c *Candidate) bool { return c.Score < q.Least })
	for i, c := range near {
		c.Score = 0
		near[i] = p.add(c)
		near[i].VectorRank = c.VectorRank
	}
	if len(byWords) > 0 && covered.words <= accidentalWords && covered.share < accidentalShare {
		takeTurns(byWords, near, by)
		return err
	}
	scale := by.share
	switch {
	case len(byWords) == 0:
		scale = 1
	case isAnswered:
		scale *= slices.MaxFunc(byWords, bestFirst).Score
	default:
		scale *= (1 - covered.share) * slices.MinFunc(byWords, bestFirst).Score
	}
	for _, c := range near {
		if !isAnswered || c.Score == 0 {
			c.raise(by, scale*(fusionConstant+1)/float64(fusionConstant+c.VectorRank))
		}
	}
	return err
}

// takeTurns raises each of the nearest memories in turn to a score between the two next results by
// words, unless it is above them already.
func takeTurns(byWords, near []*Candidate, by change) {
	slices.SortFunc(byWords, bestFirst)
	placed := map[*Candidate]bool{}
	next := func(list []*Candidate) []*Candidate {
		for len(list) > 0 && placed[list[0]] {
			list = list[1:]
		}
		return list
	}
	last := 0.0
	for {
		if byWords = next(byWords); len(byWords) > 0 {
			last, placed[byWords[0]] = byWords[0].Score, true
		}
		if near = next(near); len(near) == 0 {
			return
		}
		placed[near[0]] = true
		following := 0.0
		if byWords = next(byWords); len(byWords) > 0 {
			following = byWords[0].Score
		}
		last = (last + following) / 2
		near[0].set(by, last)
	}
}
