package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"
	"hence/memory/recall/spoken"

	"hence/edges"
	"hence/internal/db"
)

// near is how many words may be between two neighbouring words of a question so
// that their nearness counts, and closeness how much it adds, as a share of their
// weight.
const (
	near      = `5`
	closeness = 0.15
)

// candidate is a memory that may become a result.
type candidate struct {
	hit
	words       []float64 // what each clue adds; then its nearness in meaning, and its time
	rest        float64   // what the words that are not clues add
	unsummed    float64   // its score without what wholes and parts add
	broughtIn   bool      // added by an edge, not proposed by words
	named       int       // whether the question is its title: sameName …
	saysNothing bool      // a file without text that the question does not ask for
	said        bool      // in a conversation that was imported
	trust       string    // of a stranger's text, whose: see ref.Trust
	keywordRank int
	vectorRank  int
	lifts       []Lift
	time        string // of the question that it fits
	last        int    // in a list by time: its group, of which those of files without text are the last
	changed     string // likewise: when it was changed
	ofProject   bool   // of the caller's, so that it comes before others as good
}

// own is a candidate's score without what others lend.
func (c *candidate) own() float64 {
	sum := c.rest
	for _, w := range c.words {
		sum += w
	}
	return sum
}

// clue is something that adds to the score of a memory: a word, a phrase, or the
// nearness of two words.
type clue struct {
	matches []match // the best one counts
	isTerm  bool    // its weight is in a candidate's score already
	tells   float64 // its weight, if it is a term
}

// match is one query that finds a clue.
type match struct {
	text   string // as a query of FTS5
	idfs   string // of its phrases, for bm25_of
	factor float64
}

// telling is how many sections may have a term for it to be a clue. A more common
// one says little, and takes long to look up in each candidate.
const telling = 2000

// cluesOf returns the clues of a question's terms and of their nearness.
func cluesOf(all []term) []clue {
	clues, byPlace := []clue{}, []term{}
	for _, t := range all {
		if t.rows < telling {
			c := clue{isTerm: true, tells: t.tells}
			for _, f := range t.forms {
				c.matches = append(c.matches, match{f.text, f.idf, f.factor})
			}
			clues, byPlace = append(clues, c), append(byPlace, t)
		}
	}
	slices.SortFunc(byPlace, func(a, b term) int { return cmp.Compare(a.place, b.place) })
	for i := 1; i < len(byPlace); i++ {
		if a, b := byPlace[i-1], byPlace[i]; b.place == a.place+1 {
			c, idfs := clue{}, weightOf(a.tells)+" "+weightOf(b.tells)
			for _, one := range a.forms {
				for _, other := range b.forms {
					if strings.HasPrefix(one.text, lexicon.InNames) || strings.HasPrefix(other.text, lexicon.InNames) {
						continue // FTS5 has no columns within NEAR
					}
					c.matches = append(c.matches, match{`NEAR(` + one.text + ` ` + other.text + `, ` + near + `)`, idfs, closeness})
				}
			}
			clues = append(clues, c)
		}
	}
	return clues
}

// pool is the candidates of one question.
type pool struct {
	part   part
	clues  []clue
	counts map[int64]bool       // sections whose words count in full
	at     map[int64]*candidate // by the memory's key
	all    []*candidate

	peopleSpeak bool            // the store has something that a person said
	spokenOf    []spoken.Period // times that the question speaks of
}

func newPool(of part, clues []clue) *pool {
	return &pool{part: of, clues: clues, counts: map[int64]bool{}, at: map[int64]*candidate{}}
}

// add adds a candidate, or another section of one.
func (p *pool) add(h hit) *candidate {
	c := p.at[h.memory]
	if c == nil {
		c = &candidate{hit: h, words: make([]float64, len(p.clues)+2)}
		p.at[h.memory], p.all = c, append(p.all, c)
	}
	p.counts[h.section] = true
	return c
}

// passers returns the candidates that may be results; the others only lend.
func (p *pool) passers() (some []*candidate) {
	for _, c := range p.all {
		if c.passes {
			some = append(some, c)
		}
	}
	return some
}

const (
	// flatness is the constant of reciprocal rank fusion (Cormack, Clarke and
	// Büttcher, Reciprocal rank fusion outperforms Condorcet and individual
	// rank learning methods, 2009).
	flatness = 60
	// meaningWeighs is what being the nearest in meaning weighs, as a share of the
	// best score by words: below one, so that the best by words stays above
	// memories that are only near in meaning.
	meaningWeighs = 0.8
)

// fuse adds memories that are near in meaning. It lifts memories that have words of the
// question, adds memories that have none, and lowers no result by words.
func (p *pool) fuse(nearest []hit) {
	for i, h := range nearest {
		h.score = 0
		p.add(h).vectorRank = i + 1
	}
}

// best is the best score of a candidate.
func (p *pool) best() (best float64) {
	for _, c := range p.all {
		best = max(best, c.own())
	}
	return best
}

func (p *pool) keys() []int64 { return keysOf(p.all) }

// keysOf returns the keys of the candidates' memories.
func keysOf(some []*candidate) []int64 {
	return edges.Keys(some, func(c *candidate) int64 { return c.memory })
}

// weigh computes the own score of each candidate: of its words, then of what counts as
// much as a share of these.
func (p *pool) weigh(ctx context.Context, r *db.Reader) error {
	if len(p.clues) > 0 {
		if err := p.readWords(ctx, r); err != nil {
			return err
		}
	}
	for _, c := range p.all {
		c.rest = max(0, c.score)
	}
	// Nearness in meaning counts as one more word of the question, which falls with the
	// reciprocal of the rank.
	best := p.best() * meaningWeighs
	if best == 0 {
		best = 1
	}
	for _, c := range p.all {
		if c.vectorRank > 0 {
			c.words[len(p.clues)] = best * (flatness + 1) / float64(flatness+c.vectorRank)
		}
	}
	if err := p.date(ctx, r); err != nil {
		return err
	}
	for _, c := range p.all {
		c.score = c.own()
	}
	return nil
}

// readWords reads what each clue adds to each candidate.
func (p *pool) readWords(ctx context.Context, r *db.Reader) error {
	candidateOf, wholes := map[int64]*candidate{}, map[*candidate]*whole{}
	sections := []int64{}
	packed, _, err := db.One[[]byte](ctx, r, selectSizes, db.List(p.keys()))
	for row := range db.Packed(packed).Rows(4) {
		c := p.at[row[1]]
		candidateOf[row[0]], sections = c, append(sections, row[0])
		if wholes[c] == nil {
			wholes[c] = &whole{often: make([]frequency, len(p.clues))}
		}
		wholes[c].length.add(frequency{names: float64(row[2]), text: float64(row[3])})
	}
	if err != nil {
		return err
	}
	texts, clueOf, factors := [][]string{}, []int{}, []float64{} // of each match
	for i, c := range p.clues {
		for _, m := range c.matches {
			texts, clueOf, factors = append(texts, []string{m.text, p.part.usual + m.idfs}), append(clueOf, i), append(factors, m.factor)
		}
	}
	packed, _, err = db.One[[]byte](ctx, r, selectWeights, db.List(texts), db.List(sections), giveRanges(p.part.ranges))
	for row := range db.Packed(packed).Rows(5) {
		match, section, score := row[0], row[1], math.Float64frombits(uint64(row[2]))
		c, i := candidateOf[section], clueOf[match]
		wholes[c].often[i].add(frequency{names: math.Float64frombits(uint64(row[3])), text: math.Float64frombits(uint64(row[4]))})
		if p.counts[section] {
			c.words[i] = max(c.words[i], factors[match]*score)
		}
		if p.clues[i].isTerm && section == c.section {
			c.score -= score
		}
	}
	if err != nil {
		return err
	}
	p.joinWholes(wholes)
	return err
}

// selectWeights scores each clue ?1 in the sections ?2, and counts its places in what
// names a memory and in its text. The plus makes the planner read a clue's sections
// once, not once for each of ?2.
var selectWeights = `
with weighed as materialized (
  select
    w.key as clue,
    section_search.rowid as section,
    -bm25_of(section_search, w.value ->> 1, 0, ` + weights + `) as score,
    often_of(section_search, ` + weightsOfNames + `) as names,
    often_of(section_search, ` + weightsOfText + `) as text
  from json_each(?1) w
  cross join given(?3) keys` + matching("w.value ->> 0") + `
  where +section_search.rowid in (select value from json_each(?2))
)
select pack(clue, section, score, names, text)
from weighed`

// selectSizes packs the sections of the memories ?1, with the tokens in what names the
// memory and in its text.
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

// markFiles marks the files without text, unless the question says which kinds it
// wants.
func (p *pool) markFiles(ctx context.Context, r *db.Reader, f filter) error {
	empty := []int64{}
	for _, c := range p.all {
		if c.size == 0 && len(f.kinds) == 0 {
			empty = append(empty, c.memory)
		}
	}
	if len(empty) == 0 {
		return nil
	}
	files, err := filesAmong(ctx, r, empty)
	for key := range files {
		p.at[key].saysNothing = true
	}
	return err
}

// filesAmong returns those of some memories that are files without text.
func filesAmong(ctx context.Context, r *db.Reader, keys []int64) (map[int64]bool, error) {
	files := map[int64]bool{}
	return files, db.Fill(ctx, r, files, `
select
  m.key,
  true
from json_each(?1) c
cross join memories m on m.key = c.value
where `+edges.SaysNothing, db.List(keys))
}

// rank returns the results, the best first: those that the question names before
// all others, and files without text after them.
func (p *pool) rank() []*candidate {
	results, best := []*candidate{}, 1.0
	for _, c := range p.all {
		if c.said {
			c.score *= behind
		}
		if c.trust != "" {
			c.score *= belowEquals
		}
		if c.passes && (c.score > 0 || c.named > 0) {
			results, best = append(results, c), max(best, c.score)
		}
	}
	least := math.Inf(1)
	for _, c := range results {
		named := best * float64(c.named)
		if c.trust != "" {
			named *= belowEquals
		}
		if c.score += named; !c.saysNothing {
			least = min(least, c.score)
		}
	}
	for _, c := range results {
		if c.saysNothing && !math.IsInf(least, 1) {
			c.score *= least / (best * float64(2+exactName))
		}
	}
	slices.SortFunc(results, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return results
}
