package rank

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

const (
	nearWindow = `5`  // words that may be between two neighbouring words of a question
	nearShare  = 0.15 // of the weight of two such words, which their nearness adds
)

// Candidate is a memory that may become a result.
type Candidate struct {
	Hit
	words          []float64 // score by each clue; then by nearness in meaning, and by time
	commonWords    float64   // score by the words that are too common to be clues
	isNeighbour    bool      // added along an edge, not proposed by words
	NameMatch      int       // how exactly the question is its title: notNamed to exactName
	isLast         bool      // a file without text, or a test, that the question does not ask for
	isConversation bool      // a turn, or an imported session
	Trust          string    // source of a stranger's text, otherwise "": see ref.Trust
	KeywordRank    int
	VectorRank     int
	Lifts          []Lift
	Time           string // name of a period of the question that it fits
	Group          int    // in a list by time: see selectByTime
	Changed        string // in a list by time: when the memory was changed
	OfProject      bool   // it belongs to the caller's project
}

// ownScore returns a candidate's score without the shares that others lend.
func (c *Candidate) ownScore() float64 {
	sum := c.commonWords
	for _, w := range c.words {
		sum += w
	}
	return sum
}

// clue is one thing by which memories score: a word, a phrase, or the nearness of two words.
type clue struct {
	matches []match // the best one counts
	isTerm  bool    // hit.score includes its score; false for nearness
	weight  float64 // if it is a term
}

// match is one query that finds a clue.
type match struct {
	text   string  // an FTS5 query
	idfs   string  // weights of its phrases, for bm25_of
	factor float64 // by which the result of bm25_of is multiplied
}

// cluesOf returns a clue for each term of a question that is not too common, and one for the
// nearness of each two such terms that are neighbours in the question.
func cluesOf(terms []question.Term) []clue {
	clues, byIndex := []clue{}, []question.Term{}
	for _, t := range terms {
		if t.Rows < question.MaxClueRows {
			c := clue{isTerm: true, weight: t.SmoothWeight}
			for _, f := range t.Forms {
				c.matches = append(c.matches, match{f.Text, f.IDF, f.Factor})
			}
			clues, byIndex = append(clues, c), append(byIndex, t)
		}
	}
	slices.SortFunc(byIndex, func(a, b question.Term) int { return cmp.Compare(a.Index, b.Index) })
	for i := 1; i < len(byIndex); i++ {
		if a, b := byIndex[i-1], byIndex[i]; b.Index == a.Index+1 {
			c, idfs := clue{}, question.FormatWeight(a.SmoothWeight)+" "+question.FormatWeight(b.SmoothWeight)
			for _, formA := range a.Forms {
				for _, formB := range b.Forms {
					if strings.HasPrefix(formA.Text, lexicon.InNames) || strings.HasPrefix(formB.Text, lexicon.InNames) {
						continue // FTS5 allows no columns within NEAR
					}
					c.matches = append(c.matches, match{`NEAR(` + formA.Text + ` ` + formB.Text + `, ` + nearWindow + `)`, idfs, nearShare})
				}
			}
			clues = append(clues, c)
		}
	}
	return clues
}

// pool is the candidates of one question.
type pool struct {
	part     question.Part
	clues    []clue
	sections map[int64]bool       // keys of the sections that add was called with
	byMemory map[int64]*Candidate // by the memory's key
	all      []*Candidate

	peopleSpeak bool              // the store has a memory that a person said
	periods     []question.Period // that the question names
}

func newPool(searchedPart question.Part, clues []clue) *pool {
	return &pool{part: searchedPart, clues: clues, sections: map[int64]bool{}, byMemory: map[int64]*Candidate{}}
}

// add adds a candidate, or another section of one, and returns the candidate.
func (p *pool) add(h Hit) *Candidate {
	c := p.byMemory[h.Memory]
	if c == nil {
		c = &Candidate{Hit: h, words: make([]float64, len(p.clues)+2)}
		p.byMemory[h.Memory], p.all = c, append(p.all, c)
	}
	p.sections[h.Section] = true
	return c
}

// passers returns the candidates that pass the filter and may be results. The others only
// lend.
func (p *pool) passers() (passers []*Candidate) {
	for _, c := range p.all {
		if c.passes {
			passers = append(passers, c)
		}
	}
	return passers
}

const (
	// fusionConstant is the constant of reciprocal rank fusion (Cormack, Clarke and
	// Büttcher, Reciprocal rank fusion outperforms Condorcet and individual
	// rank learning methods, 2009).
	fusionConstant = 60
	// vectorWeight is the score of the memory that is nearest in meaning, as a share of
	// the best score by words. It is below 1, so that the best by words ranks above memories
	// that are only near in meaning.
	vectorWeight = 0.8
)

// fuse adds the memories that are nearest in meaning to the pool, with their ranks. They only
// add to scores: no memory that was found by words loses.
func (p *pool) fuse(nearest []Hit) {
	for i, h := range nearest {
		h.Score = 0
		p.add(h).VectorRank = i + 1
	}
}

// bestScore returns the best own score of a candidate.
func (p *pool) bestScore() (best float64) {
	for _, c := range p.all {
		best = max(best, c.ownScore())
	}
	return best
}

func (p *pool) keys() []int64 { return KeysOf(p.all) }

// KeysOf returns the keys of the candidates' memories.
func KeysOf(candidates []*Candidate) []int64 {
	return edges.Keys(candidates, func(c *Candidate) int64 { return c.Memory })
}

// scoreCandidates computes the own score of each candidate: by words first, then by meaning
// and by time, which count as shares of the best score by words.
func (p *pool) scoreCandidates(ctx context.Context, r *db.Reader) error {
	if len(p.clues) > 0 {
		if err := p.scoreWords(ctx, r); err != nil {
			return err
		}
	}
	for _, c := range p.all {
		c.commonWords = max(0, c.Score)
	}
	// Nearness in meaning counts as one more word of the question. Its score falls with the
	// reciprocal of the rank.
	best := p.bestScore() * vectorWeight
	if best == 0 {
		best = 1
	}
	for _, c := range p.all {
		if c.VectorRank > 0 {
			c.words[len(p.clues)] = best * (fusionConstant + 1) / float64(fusionConstant+c.VectorRank)
		}
	}
	if err := p.addDateScores(ctx, r); err != nil {
		return err
	}
	for _, c := range p.all {
		c.Score = c.ownScore()
	}
	return nil
}

// scoreWords computes the score of each candidate by each clue, in its best section and in
// the memory as a whole, and takes the scores of these clues out of hit.score.
func (p *pool) scoreWords(ctx context.Context, r *db.Reader) error {
	candidateOf, wholes := map[int64]*Candidate{}, map[*Candidate]*whole{}
	sections := []int64{}
	packed, _, err := db.One[[]byte](ctx, r, selectSizes, db.List(p.keys()))
	for row := range db.Packed(packed).Rows(4) {
		c := p.byMemory[row[1]]
		candidateOf[row[0]], sections = c, append(sections, row[0])
		if wholes[c] == nil {
			wholes[c] = &whole{frequencies: make([]frequency, len(p.clues))}
		}
		wholes[c].length.add(frequency{names: float64(row[2]), text: float64(row[3])})
	}
	if err != nil {
		return err
	}
	texts, clueOf, factors := [][]string{}, []int{}, []float64{} // of each match
	for i, c := range p.clues {
		for _, m := range c.matches {
			texts, clueOf, factors = append(texts, []string{m.text, p.part.LengthPrefix + m.idfs}), append(clueOf, i), append(factors, m.factor)
		}
	}
	packed, _, err = db.One[[]byte](ctx, r, selectWeights, db.List(texts), db.List(sections), db.List(p.part.Ranges))
	for row := range db.Packed(packed).Rows(5) {
		match, section, score := row[0], row[1], math.Float64frombits(uint64(row[2]))
		c, i := candidateOf[section], clueOf[match]
		wholes[c].frequencies[i].add(frequency{names: math.Float64frombits(uint64(row[3])), text: math.Float64frombits(uint64(row[4]))})
		if p.sections[section] {
			c.words[i] = max(c.words[i], factors[match]*score)
		}
		if p.clues[i].isTerm && section == c.Section {
			c.Score -= score
		}
	}
	if err != nil {
		return err
	}
	p.addWholes(wholes)
	return err
}

// selectWeights scores each clue ?1 in the sections ?2 among the ranges ?3, and counts its
// occurrences in the names of the memory (title, aliases, tags) and in its text. The plus
// makes the planner read a clue's sections once, not once for each of ?2.
var selectWeights = `
with weighed as materialized (
  select
    w.key as clue,
    section_search.rowid as section,
    -bm25_of(section_search, w.value ->> 1, 0, ` + weights + `) as score,
    often_of(section_search, ` + weightsOfNames + `) as names,
    often_of(section_search, ` + weightsOfText + `) as text
  from json_each(?1) w
  cross join ` + question.RangesIn("?3") + ` keys` + question.JoinMatches("w.value ->> 0") + `
  where +section_search.rowid in (select value from json_each(?2))
)
select pack(clue, section, score, names, text)
from weighed`

// selectSizes packs the sections of the memories ?1, with the number of tokens in the names of
// the memory and in the section's text.
const selectSizes = `
select pack(key, memory, names, text)
from (
  select
    s.key,
    s.memory,
    number_of(z.sz, 0) + number_of(z.sz, 2) + number_of(z.sz, 3) as names,
    number_of(z.sz, 1) + number_of(z.sz, 4) as text
  from json_each(?1) c
  cross join sections s on s.memory = c.value
  left join section_search_docsize z on z.id = s.key
  order by s.key
)`

// markLast marks the candidates that come last, unless they are named: see sortsLast. Files
// have no bytes, and tests are source code, for which a question asks by kind.
func (p *pool) markLast(ctx context.Context, r *db.Reader, f question.Filter) error {
	possible := []int64{}
	for _, c := range p.all {
		if (c.size == 0 || len(f.Kinds) > 0) && c.passes {
			possible = append(possible, c.Memory)
		}
	}
	if len(possible) == 0 {
		return nil
	}
	last := map[int64]bool{}
	err := db.Fill(ctx, r, last, `
select
  m.key,
  m.kind = 'code'
from json_each(?10) c
cross join memories m on m.key = c.value
where `+sortsLast, f.Bind("", db.List(possible))...)
	for key, isTest := range last {
		c := p.byMemory[key]
		c.isLast = !isTest || c.NameMatch == NotNamed
	}
	return err
}

// FilesAmong returns the keys of the memories that are files without text.
func FilesAmong(ctx context.Context, r *db.Reader, keys []int64) (map[int64]bool, error) {
	files := map[int64]bool{}
	return files, db.Fill(ctx, r, files, `
select
  m.key,
  true
from json_each(?1) c
cross join memories m on m.key = c.value
where `+edges.SaysNothing, db.List(keys))
}

// rank returns the results, the best first: memories whose title is the question before all
// others, those that sort last after them. It lowers the scores of conversations and of
// strangers' texts.
func (p *pool) rank() []*Candidate {
	results, bestScore := []*Candidate{}, 1.0
	for _, c := range p.all {
		if c.isConversation {
			c.Score *= turnShare
		}
		if c.Trust != "" {
			c.Score *= strangerShare
		}
		if c.passes && (c.Score > 0 || c.NameMatch > 0) {
			results, bestScore = append(results, c), max(bestScore, c.Score)
		}
	}
	leastScore := math.Inf(1)
	for _, c := range results {
		gain := bestScore * float64(c.NameMatch)
		if c.Trust != "" {
			gain *= strangerShare
		}
		if c.Score += gain; !c.isLast {
			leastScore = min(leastScore, c.Score)
		}
	}
	for _, c := range results {
		if c.isLast && !math.IsInf(leastScore, 1) {
			c.Score *= leastScore / (bestScore * float64(2+exactName))
		}
	}
	slices.SortFunc(results, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Id, b.Id))
	})
	return results
}
