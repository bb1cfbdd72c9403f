package recall

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"hence/internal/db"
)

// near is how many words may stand between two neighbouring words of a
// question so that they speak for each other, and closeness what their
// nearness adds, as a part of what they weigh.
const (
	near      = `5`
	closeness = 0.25
)

// candidate is a memory on its way to a place in an answer.
type candidate struct {
	hit
	words       []float64 // what each clue adds; the last: its nearness in meaning
	rest        float64   // what the words that are no clues add
	broughtIn   bool      // by an edge, without having been proposed
	keywordRank int
	vectorRank  int
	lifts       []Lift
}

// own is what speaks for a candidate by itself.
func (c *candidate) own() float64 {
	sum := c.rest
	for _, w := range c.words {
		sum += w
	}
	return sum
}

// clue is one thing that speaks for a memory: a word, a phrase, or that two
// words stand near each other.
type clue struct {
	matches []match // the best of which counts
	isTerm  bool    // its weight is in a candidate's score already
}

// match is one text that a clue is found by.
type match struct {
	text   string // in the language of FTS5
	idfs   string // of its phrases, for bm25_of
	factor float64
}

// telling is how many sections may have a term for it to be a clue. What more
// have says little, and takes long to look up in each candidate.
const telling = 2000

// cluesOf returns what a question's terms, and their nearness, say.
func cluesOf(all []term) []clue {
	clues, byPlace := []clue{}, []term{}
	for _, t := range all {
		if t.rows < telling {
			clues, byPlace = append(clues, clue{t.matches(), true}), append(byPlace, t)
		}
	}
	slices.SortFunc(byPlace, func(a, b term) int { return cmp.Compare(a.place, b.place) })
	for i := 1; i < len(byPlace); i++ {
		if a, b := byPlace[i-1], byPlace[i]; b.place == a.place+1 {
			clues = append(clues, clue{matches: nearness(a, b)})
		}
	}
	return clues
}

func (t term) matches() []match {
	all := []match{}
	for _, f := range t.forms {
		all = append(all, match{f.text, f.idf, f.factor})
	}
	return all
}

// nearness is found by any form of one term near any form of the other, and
// counts alike by all of them.
func nearness(a, b term) []match {
	all, idfs := []match{}, weightOf(a.tells)+" "+weightOf(b.tells)
	for _, one := range a.forms {
		for _, other := range b.forms {
			all = append(all, match{`NEAR(` + one.text + ` ` + other.text + `, ` + near + `)`, idfs, closeness})
		}
	}
	return all
}

// pool is the candidates of one question.
type pool struct {
	clues  []clue
	speaks map[int64]bool       // sections that speak for their memory
	at     map[int64]*candidate // by the memory's key
	all    []*candidate
}

func newPool(clues []clue) *pool {
	return &pool{clues: clues, speaks: map[int64]bool{}, at: map[int64]*candidate{}}
}

// add takes a candidate in by the section that speaks for it.
func (p *pool) add(h hit) *candidate {
	c := p.at[h.memory]
	if c == nil {
		c = &candidate{hit: h, words: make([]float64, len(p.clues)+1)}
		p.at[h.memory], p.all = c, append(p.all, c)
	}
	p.speaks[h.section] = true
	return c
}

const (
	// flatness is the constant of reciprocal rank fusion (Cormack, Clarke and
	// Büttcher, Reciprocal rank fusion outperforms Condorcet and individual
	// rank learning methods, 2009).
	flatness = 60
	// meaningWeighs is what being nearest in meaning weighs, as a part of the
	// best score by words: below one, so that the best by words stays above
	// what is near in meaning alone.
	meaningWeighs = 0.8
)

// fuse takes in what is near in meaning. Nearness is one more word of the question, that falls
// off with the reciprocal of the rank: it lifts what has other words, and
// brings in what has none, and takes nothing from a result by words.
func (p *pool) fuse(nearest []hit) {
	best := 0.0
	for _, c := range p.all {
		best = max(best, c.score)
	}
	if best == 0 {
		best = 1
	} else {
		best *= meaningWeighs
	}
	for i, h := range nearest {
		h.score = 0
		c := p.add(h)
		c.vectorRank = i + 1
		c.words[len(p.clues)] = best * (flatness + 1) / float64(flatness+1+i)
	}
}

// bring takes a candidate in that an edge leads to: every section of it
// speaks for it, and the first one is shown.
func (p *pool) bring(h hit) { p.add(h).broughtIn = true }

func (p *pool) keys() []int64 {
	keys := make([]int64, len(p.all))
	for i, c := range p.all {
		keys[i] = c.memory
	}
	return keys
}

// elsewhere is what a word counts that stands in another section than the one
// that speaks for a memory of so many sections: one remembers a long note by
// words from anywhere in it, but the longest have every word somewhere. Of the
// notes of a real vault (dendron-site; BenchmarkFound of vault) seven words found
// 95 %; with half whatever the number 94 %, with nothing 87 %. To add up a word's
// sections in place of taking the best made it worse.
func elsewhere(sections int) float64 { return min(1, 2/math.Sqrt(float64(sections))) }

// weigh works out what speaks for each candidate by itself.
func (p *pool) weigh(ctx context.Context, r *db.Reader) error {
	if len(p.clues) > 0 {
		if err := p.readWords(ctx, r); err != nil {
			return err
		}
	}
	for _, c := range p.all {
		c.rest = max(0, c.score)
		c.score = c.own()
	}
	return nil
}

// readWords reads what each clue adds to each candidate.
func (p *pool) readWords(ctx context.Context, r *db.Reader) error {
	sections, of, count, err := p.everySection(ctx, r)
	if err != nil {
		return err
	}
	texts, clueOf, factors := [][]string{}, []int{}, []float64{} // of each match
	for i, c := range p.clues {
		for _, m := range c.matches {
			texts, clueOf, factors = append(texts, []string{m.text, m.idfs}), append(clueOf, i), append(factors, m.factor)
		}
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var match int
		var section int64
		var score float64
		if err := row.Scan(&match, &section, &score); err != nil {
			return err
		}
		c, i, counts := of[section], clueOf[match], factors[match]
		if !p.speaks[section] {
			counts *= elsewhere(count[c])
		}
		c.words[i] = max(c.words[i], counts*score)
		if p.clues[i].isTerm && section == c.section {
			c.score -= score
		}
		return nil
	}, selectWeights, db.List(texts), db.List(sections))
}

// everySection returns all sections of the candidates, whose they are, and how
// many each has.
func (p *pool) everySection(ctx context.Context, r *db.Reader) (sections []int64, of map[int64]*candidate, count map[*candidate]int, err error) {
	of, count = map[int64]*candidate{}, map[*candidate]int{}
	sections, err = db.Select(ctx, r, func(row *sql.Rows) (section int64, err error) {
		var memory int64
		err = row.Scan(&section, &memory)
		of[section] = p.at[memory]
		count[p.at[memory]]++
		return section, err
	}, `
select
  s.key,
  s.memory
from json_each(?1) c
cross join sections s on s.memory = c.value
order by s.key`, db.List(p.keys()))
	return sections, of, count, err
}

// selectWeights scores each clue ?1 in the sections ?2. The plus keeps the
// planner to reading a clue's sections once, and not once for each of ?2.
const selectWeights = `
select
  w.key,
  section_search.rowid,
  -bm25_of(section_search, w.value ->> 1, 0, ` + weights + `)
from json_each(?1) w
cross join section_search on section_search match w.value ->> 0
where +section_search.rowid in (select value from json_each(?2))`

// ranked returns the results, the best first.
func (p *pool) ranked() []*candidate {
	results := []*candidate{}
	for _, c := range p.all {
		if c.passes && c.score > 0 {
			results = append(results, c)
		}
	}
	slices.SortFunc(results, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return results
}
