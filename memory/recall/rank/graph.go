package rank

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/question"
)

// conductance is the share of its score that the memory at one end of an edge lends
// to the memory at the other end.
type conductance struct {
	Kind     edges.Kind
	along    float64 // what from lends to to
	against  float64 // what to lends to from
	lendsSum bool    // lend the whole score instead of word by word; never for edges of files
	maxBytes int     // only a memory whose text is at most this long borrows; 0: any
}

// Conductances are the constants of the graph step. The package comment explains their use.
//
// follows and part-of were measured on the four conversations of LoCoMo
// (make bench-recall, docs/benchmarks.md), each in its own store and all in one,
// and are not sensitive: recall@10 of turns stays between 0.778 and 0.786 for
// along 0.3 to 0.5 with against 0.5 to 0.7 of follows, and for 0.7 to 1.0 against
// part-of; recall@1 is 0.403 to 0.422 for along 0.3, and 0.392 to 0.410 for 0.5.
// Recall@5 of sessions is between 0.899 and 0.907 for 0.3 to 1.0 along part-of.
//
// A reply depends on its message more than the other way round. Long texts have enough
// words of their own, and the texts before and after them are usually about something
// else, so follows does not lend to them: with sessions of 1,100 bytes and more,
// recall@5 was between 0.900 and 0.907 for any bound from 500 to 1,500, and recall@10
// was lower without a bound. A question that finds a superseded memory wants its
// successor. The other values are by analogy: an edge for a reason has half the weight
// of follows, and a plain link half that of a reason. Edges found by a heuristic, and
// edges between pieces of code, have no weight.
var Conductances = []conductance{
	{Kind: edges.Supersedes, along: 0, against: 0.9},
	{Kind: edges.Follows, along: 0.3, against: 0.6, maxBytes: 1000},
	{Kind: edges.PartOf, along: 0.7, against: 0.8, lendsSum: true},
	{Kind: edges.Causes, along: 0.3, against: 0.3},
	{Kind: edges.DependsOn, along: 0.3, against: 0.3},
	{Kind: edges.Supports, along: 0.3, against: 0.3},
	{Kind: edges.DerivedFrom, along: 0.3, against: 0.3},
	{Kind: edges.Contradicts, along: 0.3, against: 0.3},
	{Kind: edges.RelatesTo, along: 0.3, against: 0.3},
	{Kind: edges.Embeds, along: 0.15, against: 0.15},
	{Kind: edges.RefersTo, along: 0.15, against: 0.15},
	{Kind: edges.LinksTo, along: 0.15, against: 0.15},
	{Kind: edges.Calls},
	{Kind: edges.Imports},
	{Kind: edges.Implements},
	{Kind: edges.Mentions},
}

const (
	// minLentShare is the share of the best score that a memory without a word of the
	// question must be lent to become a candidate. Edges follows and supersedes can lend
	// that much, a plain link cannot.
	minLentShare = 0.35
	// minReportedShare is the smallest share of a score that Why.Graph reports.
	minReportedShare = 0.01
	// maxNeighbours is about how many memories without a word of the question become
	// candidates. A hub has thousands of neighbours, to which it lends the same.
	maxNeighbours = 5 * depth
	// maxEdges is the most edges that one query reads.
	maxEdges = 20000
)

// tie is an edge in one direction, along which a memory lends a share of its score.
type tie struct {
	from, to int64
	kind     edges.Kind
	share    float64
	lendsSum bool
	maxBytes int
}

// Lift is one edge that lifted a result.
type Lift struct {
	From  string     `json:"from" jsonschema:"id"`
	Type  edges.Kind `json:"type"`
	Share float64    `json:"share" jsonschema:"of the score"`
}

// spread scores the candidates, lends their scores one step along edges, and adds the
// neighbours that are lent enough to the pool.
func spread(ctx context.Context, r *db.Reader, p *pool, f question.Filter) error {
	proposedKeys := p.keys()
	candidateEdges, err := readEdges(ctx, r, proposedKeys, f.Times)
	if err != nil {
		return err
	}
	talk, ties, err := readTalk(ctx, r, p, candidateEdges, f.Times)
	if err != nil {
		return err
	}
	ties = append(ties, talk.tiesOf(candidateEdges)...)
	if err := p.addNeighbours(ctx, r, ties, f); err != nil {
		return err
	}
	// Read the other edges between candidates: those with at least one end that was proposed,
	// not added along an edge.
	candidateEdges, err = unpackEdges(db.One[[]byte](ctx, r, SelectAmong, db.List(p.keys()), f.Times.Bind(), maxEdges, kindNames, db.List(lendingOnly), db.List(proposedKeys)))
	if err != nil {
		return err
	}
	ties = append(ties, talk.tiesOf(candidateEdges)...)
	if err := p.scoreCandidates(ctx, r); err != nil {
		return err
	}
	talk.discountReplies(p)
	p.lend(ties)
	return nil
}

// edge is an edge between memories, at least one of them a candidate.
type edge struct {
	key, from, to int64
	kind          edges.Kind
	weight        float64
	stated        bool // by an agent, a person or an import, not by a file
}

func compareEdges(a, b edge) int { return cmp.Compare(a.key, b.key) }

func isSameEdge(a, b edge) bool { return a.key == b.key }

// readEdges returns the edges of memories along which a neighbour may become a candidate.
func readEdges(ctx context.Context, r *db.Reader, keys []int64, times edges.Times) ([]edge, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return unpackEdges(db.One[[]byte](ctx, r, SelectReaching, db.List(keys), times.Bind(), maxEdges, kindNames, db.List(reaching)))
}

// unpackEdges returns the edges of a query of packEdges, each once, sorted by key.
func unpackEdges(packed []byte, _ bool, err error) ([]edge, error) {
	all := make([]edge, 0, db.Packed(packed).Len(6))
	for row := range db.Packed(packed).Rows(6) {
		all = append(all, edge{row[0], row[1], row[2], kindByOffset[row[3]], math.Float64frombits(uint64(row[4])), row[5] != 0})
	}
	slices.SortFunc(all, compareEdges)
	return slices.CompactFunc(all, isSameEdge), err // an edge between two of the memories may be read twice
}

// kindNames are the kinds of conductances, each between blanks. kindByOffset are the kinds
// by the offset of the blank before their name, which is how packEdges encodes them.
var kindNames, kindByOffset = func() (names string, byOffset map[int64]edges.Kind) {
	names, byOffset = " ", map[int64]edges.Kind{}
	for _, c := range Conductances {
		byOffset[int64(len(names))] = c.Kind
		names += string(c.Kind) + " "
	}
	return names, byOffset
}()

// reaching are the kinds of edges along which a neighbour may become a candidate. Along those
// of lendingOnly, candidates lend only to other candidates.
var reaching, lendingOnly = func() (reaching, lendingOnly []edges.Kind) {
	for _, c := range Conductances {
		switch maxShare := max(c.along, c.against); {
		case maxShare >= minLentShare && !c.lendsSum:
			reaching = append(reaching, c.Kind)
		case maxShare > 0:
			lendingOnly = append(lendingOnly, c.Kind)
		}
	}
	return reaching, lendingOnly
}()

// conductanceOf returns the conductance of a kind, the zero value if it has none.
func conductanceOf(kind edges.Kind) (c conductance) {
	if i := slices.IndexFunc(Conductances, func(c conductance) bool { return c.Kind == kind }); i >= 0 {
		c = Conductances[i]
	}
	return c
}

// tiesOf returns the ties of edges, one for each direction in which an edge lends.
func (t talk) tiesOf(all []edge) []tie {
	ties := make([]tie, 0, 2*len(all))
	for _, e := range all {
		c := t.adjust(e, conductanceOf(e.kind))
		c.lendsSum = c.lendsSum && e.stated
		if c.along > 0 {
			ties = append(ties, tie{e.from, e.to, e.kind, c.along * e.weight, c.lendsSum, c.maxBytes})
		}
		if c.against > 0 {
			ties = append(ties, tie{e.to, e.from, e.kind, c.against * e.weight, c.lendsSum, c.maxBytes})
		}
	}
	return ties
}

// selectReaching and selectAmong pack the edges of the kinds ?5 that belong to the answer at
// the times ?2, the first at either end of the memories ?1, the second between two of them.
// They encode a kind as its offset in kindNames, which is ?4.
var (
	SelectReaching = packEdges(edges.BothWays(selectEdge + `
from json_each(?1) c
cross join edges e on e.{from_key|to_key} = c.value
where e.kind in (select value from json_each(?5))
  and (` + edges.Holds("e", "?2") + ` or ` + edges.Succeeds("e", "?2") + `)`))

	// The plus keeps the engine from looking up each pair: most have no edge.
	SelectAmong = packEdges(selectEdge + `
from json_each(?1) c
cross join edges e on e.from_key = c.value
where +e.to_key in (select value from json_each(?1))
  and e.kind in (select value from json_each(?5))
  and (c.value in (select value from json_each(?6)) or e.to_key in (select value from json_each(?6)))
  and ` + edges.Holds("e", "?2"))
)

const selectEdge = `
select
  e.key,
  e.from_key,
  e.to_key,
  e.kind,
  e.weight,
  e.origin in ('agent', 'person', 'import') as spoken`

// packEdges returns a query that packs at most ?3 edges that another query selects, for
// unpackEdges.
func packEdges(selected string) string {
	return `
select pack(key, from_key, to_key, instr(?4, ' ' || kind || ' '), weight, spoken)
from (` + selected + `
limit ?3
)`
}

// addNeighbours adds memories that are not candidates yet if a single tie could lend them
// enough: about maxNeighbours, those that are lent most first.
func (p *pool) addNeighbours(ctx context.Context, r *db.Reader, ties []tie, f question.Filter) error {
	lent := map[int64]float64{}
	for _, t := range ties {
		if t.lendsSum || t.share < minLentShare || p.byMemory[t.to] != nil {
			continue
		}
		score := 0.0 // of a lender that is not a candidate
		if from := p.byMemory[t.from]; from != nil {
			score = from.Score
		}
		lent[t.to] = max(lent[t.to], t.share*score)
	}
	neighbours := slices.SortedFunc(maps.Keys(lent), func(a, b int64) int {
		return cmp.Or(cmp.Compare(lent[b], lent[a]), cmp.Compare(a, b))
	})
	maxCandidates := len(p.all) + maxNeighbours
	for batch := range slices.Chunk(neighbours, depth) {
		if err := p.addUnknown(ctx, r, batch, f); err != nil || len(p.all) >= maxCandidates {
			return err
		}
	}
	return nil
}

// addUnknown adds the memories that pass the filter, with all their sections. The first
// section is shown.
func (p *pool) addUnknown(ctx context.Context, r *db.Reader, keys []int64, f question.Filter) error {
	hits, err := db.Select(ctx, r, scanHit, `
select
  m.key,
  s.key,
  m.id,
  octet_length(m.content),
  0.0,
  true
from json_each(?1) c
cross join memories m on m.key = c.value
cross join sections s on s.memory = m.key
where `+question.Passes+`
order by s.ordinal`, f.Bind(db.List(keys))...)
	for _, h := range hits {
		p.add(h).isNeighbour = true
	}
	return err
}

// lend adds to every candidate's score the shares that ties lend it. It drops neighbours that
// were not lent enough.
func (p *pool) lend(ties []tie) {
	lent := map[int64][]tie{}
	for _, t := range ties {
		if to := p.byMemory[t.to]; p.byMemory[t.from] != nil && to != nil && (t.maxBytes == 0 || to.size <= t.maxBytes) {
			lent[t.to] = append(lent[t.to], t)
		}
	}
	for _, c := range p.all {
		from := lent[c.Memory]
		slices.SortFunc(from, func(a, b tie) int {
			return cmp.Or(cmp.Compare(p.byMemory[a.from].Id, p.byMemory[b.from].Id), cmp.Compare(a.kind, b.kind), cmp.Compare(b.share, a.share))
		})
		c.borrow(from, p.byMemory)
	}
	best := 0.0
	for _, c := range p.passers() {
		best = max(best, c.Score)
	}
	p.all = slices.DeleteFunc(p.all, func(c *Candidate) bool { return c.isNeighbour && c.Score < minLentShare*best })
}

// borrow adds to a candidate's score the shares that its ties lend, and records the edges that
// contributed: for each word the largest share, if it exceeds the candidate's own score for
// the word; then whole scores along part-of.
func (c *Candidate) borrow(ties []tie, lenders map[int64]*Candidate) {
	gains := make([]float64, len(ties))
	for word, own := range c.words {
		best, lender := own, -1
		for i, t := range ties {
			if lent := t.share * lenders[t.from].words[word]; !t.lendsSum && lent > best {
				best, lender = lent, i
			}
		}
		if lender >= 0 {
			gains[lender] += best - own
		}
	}
	for _, gain := range gains {
		c.Score += gain
	}
	if c.Score > 0 {
		// A whole borrows the scores of its parts, and a part those of its wholes, the
		// best first.
		additions := []addition{}
		for i, t := range ties {
			if lent := t.share * lenders[t.from].ownScore(); t.lendsSum && lent > 0 {
				additions = append(additions, addition{i, lent})
			}
		}
		slices.SortStableFunc(additions, func(a, b addition) int { return cmp.Compare(b.gain, a.gain) })
		share := 1.0
		for _, a := range additions {
			gains[a.tie] += a.gain * share
			c.Score += a.gain * share
			share *= nextPartShare
		}
	}
	for i, t := range ties {
		if share := math.Round(1000*gains[i]/c.Score) / 1000; gains[i] > 0 && share >= minReportedShare {
			c.Lifts = append(c.Lifts, Lift{From: lenders[t.from].Id, Type: t.kind, Share: share})
		}
	}
	slices.SortStableFunc(c.Lifts, func(a, b Lift) int { return cmp.Compare(b.Share, a.Share) })
}

// addition is the score that one tie along part-of adds.
type addition struct {
	tie  int // index
	gain float64
}

// nextPartShare is how much each next part of a whole, or whole of a part, counts compared
// with the better one before it.
const nextPartShare = 1.0 / 3
