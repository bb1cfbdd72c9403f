package rank

import (
	"database/sql"
	"math"

	"hence/edges"
	"hence/internal/lists"
)

// Candidate is a memory that may become a result.
type Candidate struct {
	Memory, Section     int64 // keys; the section is the best one
	ID                  string
	Kind, Origin, Actor string
	createdAt           string
	place               int     // among statements that are nearly as good, the newest first
	size                int     // bytes of the memory's text
	IsLast              bool    // a file without text, or a test, that the question does not ask for
	Score               float64 // the sum of its gains
	passes              bool    // the filter; otherwise it may propagate its score but is not a result

	KeywordRank int // by words, from 1; 0 if it was not found by them
	VectorRank  int // by meaning
	Name        int // how exactly the question is its title: NotNamed to exactName
	Trust       string
	Edges       []Propagated
	Time        string // name of a period of the question that it fits
	Listed      Listed // its place in a list by time
	nearness    int    // to the caller's project: see ref.Nearness; 0 if there is none
	OfProject   bool

	isNeighbour bool // added along an edge, not proposed by words
	evidence
	columns []float64 // score by each column of the pool
	common  float64   // score by words that are too common to have a column
	reached float64   // score from which it is raised: see reach
	gains   [featureCount]float64
}

// fields are pointers to the columns of candidateOf.
func (c *Candidate) fields() []any {
	return []any{&c.Memory, &c.Section, &c.ID, &c.Kind, &c.Origin, &c.Actor, &c.createdAt, &c.size, &c.IsLast, &c.Score, &c.passes}
}

func scanCandidate(row *sql.Rows) (*Candidate, error) {
	c := &Candidate{}
	return c, row.Scan(c.fields()...)
}

// candidateNames are the names of the columns of candidateOf but the last two.
const candidateNames = `
  memory,
  section,
  id,
  kind,
  origin,
  actor,
  created_at,
  size,
  last`

// candidateOf returns the SQL columns of a candidate, the memory m: the arguments are expressions.
func candidateOf(section, score, passes string) string {
	return `
    m.key as memory,
    ` + section + ` as section,
    m.id as id,
    m.kind as kind,
    m.origin as origin,
    m.actor as actor,
    m.created_at as created_at,
    octet_length(m.content) as size,
    ` + sortsLast + ` as last,
    ` + score + ` as score,
    ` + passes + ` as passes`
}

// sortsLast is the SQL condition that a memory m comes after all others: it is a file without
// text, and the question does not ask for kinds, or a test, and the question does not ask for
// tests.
const sortsLast = `iif(
      m.origin = 'code' and m.kind = 'code',
      instr(m.tags, '"test"') > 0 and not exists (select 1 from json_each(?4) where lower(value) = 'test'),
      ?3 = '[]' and ` + edges.SaysNothing + `
    )`

// Keys returns the keys of the candidates' memories.
func Keys(candidates []*Candidate) []int64 {
	return lists.Map(candidates, func(c *Candidate) int64 { return c.Memory })
}

// pool is the candidates of one question, and what the features know of it.
type pool struct {
	Asked
	features *[featureCount]feature
	columns  []column
	sections map[int64]bool       // keys of the sections that add was called with
	byMemory map[int64]*Candidate // by the memory's key
	all      []*Candidate

	arcs        []arc
	turns       conversation
	peopleSpeak bool         // the store has a memory that a person said
	reachable   []*Candidate // that could be among the results: see reach
	best        float64      // score of a result before the names count
}

func newPool(a Asked) *pool {
	return &pool{Asked: a, features: &features, columns: columnsOf(a.Question), sections: map[int64]bool{}, byMemory: map[int64]*Candidate{}}
}

// add adds a candidate, or another section of one, and returns the candidate.
func (p *pool) add(found *Candidate) *Candidate {
	c := p.byMemory[found.Memory]
	if c == nil {
		c = found
		c.columns = make([]float64, len(p.columns)+1)
		p.byMemory[c.Memory], p.all = c, append(p.all, c)
	}
	p.sections[found.Section] = true
	return c
}

// results returns the candidates that pass the filter and have a score or the question as their name.
func (p *pool) results() (results []*Candidate) {
	for _, c := range p.all {
		if c.passes && (c.Score > 0 || c.Name > NotNamed) {
			results = append(results, c)
		}
	}
	return results
}

// bestScore returns the best score of a candidate by its own words and time.
func (p *pool) bestScore() (best float64) {
	for _, c := range p.all {
		best = max(best, c.ownScore())
	}
	return best
}

// ownScore returns a candidate's score without the shares that others propagate.
func (c *Candidate) ownScore() float64 {
	sum := c.common
	for _, score := range c.columns {
		sum += score
	}
	return sum
}

// Reason is one feature that moved a result.
type Reason struct {
	Feature string
	Share   float64 // of the score that it added; negative if it took away
}

// Reasons returns the features that moved a candidate, in the order of the table.
func (c *Candidate) Reasons() (reasons []Reason) {
	for id, gain := range c.gains {
		if share := math.Round(100*gain/c.Score) / 100; c.Score > 0 && share != 0 {
			reasons = append(reasons, Reason{features[id].name, share})
		}
	}
	return reasons
}
