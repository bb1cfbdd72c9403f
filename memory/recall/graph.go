package recall

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// conductance is the share of its score that the memory at one end of an edge lends
// to the memory at the other end.
type conductance struct {
	kind    edges.Kind
	along   float64 // the edge's from lends to its to
	against float64 // the edge's to lends to its from
	adds    bool    // the sum is lent, not word by word; not by edges of files
	upTo    int     // bytes of the longest text that borrows; 0: any
}

// conductances are the constants of the graph step; the package comment says how
// they are used.
//
// follows and part-of were measured on the four conversations of LoCoMo
// (make bench-recall, docs/benchmarks.md), each in its own store and all in one,
// and are not sensitive: recall@10 of turns stays between 0.778 and 0.786 for
// along 0.3 to 0.5 with against 0.5 to 0.7 of follows, and for 0.7 to 1.0 against
// part-of; recall@1 is 0.403 to 0.422 for along 0.3, and 0.392 to 0.410 for 0.5.
// Recall@5 of sessions is between 0.899 and 0.907 for 0.3 to 1.0 along part-of. A
// reply depends on what it replies to more than the other way round. Long texts
// have enough words of their own, and the ones before and after are usually about
// something else, so follows does not lend to them: with sessions of 1,100 bytes
// and more, recall@5 was between 0.900 and 0.907 for any bound from 500 to 1,500,
// and recall@10 was lower without one. Whoever asks for a superseded memory wants
// its successor. The rest is by analogy: a reason has half the weight of time, a
// plain link half that of a reason; what a heuristic found, and what one piece of
// code says of another, have none.
var conductances = []conductance{
	{kind: edges.Supersedes, along: 0, against: 0.9},
	{kind: edges.Follows, along: 0.3, against: 0.6, upTo: 1000},
	{kind: edges.PartOf, along: 0.7, against: 0.8, adds: true},
	{kind: edges.Causes, along: 0.3, against: 0.3},
	{kind: edges.DependsOn, along: 0.3, against: 0.3},
	{kind: edges.Supports, along: 0.3, against: 0.3},
	{kind: edges.DerivedFrom, along: 0.3, against: 0.3},
	{kind: edges.Contradicts, along: 0.3, against: 0.3},
	{kind: edges.RelatesTo, along: 0.3, against: 0.3},
	{kind: edges.Embeds, along: 0.15, against: 0.15},
	{kind: edges.RefersTo, along: 0.15, against: 0.15},
	{kind: edges.LinksTo, along: 0.15, against: 0.15},
	{kind: edges.Calls},
	{kind: edges.Imports},
	{kind: edges.Implements},
	{kind: edges.Mentions},
}

const (
	// comesIn is the share of the best score that a memory without a word of the
	// question must be lent to become a candidate: follows and supersedes can lend
	// as much, a plain link cannot.
	comesIn = 0.35
	// leastShare is the smallest share of a score that is reported.
	leastShare = 0.01
	// mostNeighbours is how many memories without a word of the question become
	// candidates. A hub has thousands of neighbours, which are lent the same.
	mostNeighbours = 5 * depth
	// maxSpread is how many edges of the candidates are read.
	maxSpread = 20000
)

// tie is an edge along which a memory lends part of its score to another.
type tie struct {
	from, to int64
	kind     edges.Kind
	share    float64
	adds     bool
	upTo     int
}

// Lift is one edge that lifted a result.
type Lift struct {
	From  string     `json:"from" jsonschema:"id"`
	Type  edges.Kind `json:"type"`
	Share float64    `json:"share" jsonschema:"of the score"`
}

// spread lends the candidates' scores one step along edges, and adds the
// neighbours that are lent enough.
func spread(ctx context.Context, r *db.Reader, p *pool, f filter) error {
	proposed := p.keys()
	read, err := readEdges(ctx, r, proposed, f.times)
	if err != nil {
		return err
	}
	talk, ties, err := readTalk(ctx, r, p, read, f.times)
	if err != nil {
		return err
	}
	ties = append(ties, talk.tiesOf(read)...)
	if err := p.addNeighbours(ctx, r, ties, f); err != nil {
		return err
	}
	// The other edges, with an end among the memories that were proposed.
	read, err = unpackEdges(db.One[[]byte](ctx, r, selectAmong, db.List(p.keys()), f.times.Bind(), maxSpread, kindNames, db.List(lendingOnly), db.List(proposed)))
	if err != nil {
		return err
	}
	ties = append(ties, talk.tiesOf(read)...)
	if err := p.weigh(ctx, r); err != nil {
		return err
	}
	talk.hush(p)
	p.lend(ties)
	p.capSums(ties)
	return nil
}

// edge is an edge between memories, of which one at least is a candidate.
type edge struct {
	key, from, to int64
	kind          edges.Kind
	weight        float64
	spoken        bool // not by a file
}

func byKey(a, b edge) int     { return cmp.Compare(a.key, b.key) }
func sameEdge(a, b edge) bool { return a.key == b.key }

// readEdges reads the edges of memories along which one that is not a candidate may
// become one.
func readEdges(ctx context.Context, r *db.Reader, keys []int64, times edges.Times) ([]edge, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return unpackEdges(db.One[[]byte](ctx, r, selectReaching, db.List(keys), times.Bind(), maxSpread, kindNames, db.List(reaching)))
}

func unpackEdges(packed []byte, _ bool, err error) ([]edge, error) {
	read := make([]edge, 0, db.Packed(packed).Len(6))
	for row := range db.Packed(packed).Rows(6) {
		read = append(read, edge{row[0], row[1], row[2], kindAt[row[3]], math.Float64frombits(uint64(row[4])), row[5] != 0})
	}
	slices.SortFunc(read, byKey)
	return slices.CompactFunc(read, sameEdge), err // an edge between two of the memories may be read twice
}

// kindNames are the kinds of conductances with a blank around each, and kindAt those
// by the place of the blank before them.
var kindNames, kindAt = func() (names string, at map[int64]edges.Kind) {
	names, at = " ", map[int64]edges.Kind{}
	for _, c := range conductances {
		at[int64(len(names))] = c.kind
		names += string(c.kind) + " "
	}
	return names, at
}()

// reaching are the kinds along which a memory may become a candidate. Along lendingOnly
// candidates lend to one another.
var reaching, lendingOnly = func() (reaching, lendingOnly []edges.Kind) {
	for _, c := range conductances {
		switch most := max(c.along, c.against); {
		case most >= comesIn && !c.adds:
			reaching = append(reaching, c.kind)
		case most > 0:
			lendingOnly = append(lendingOnly, c.kind)
		}
	}
	return reaching, lendingOnly
}()

// conductanceOf returns the row of a kind, zero if there is none.
func conductanceOf(kind edges.Kind) (c conductance) {
	if i := slices.IndexFunc(conductances, func(c conductance) bool { return c.kind == kind }); i >= 0 {
		c = conductances[i]
	}
	return c
}

// tiesOf returns edges in the directions in which they lend.
func (t talk) tiesOf(read []edge) []tie {
	ties := make([]tie, 0, 2*len(read))
	for _, e := range read {
		c := t.adjust(e, conductanceOf(e.kind))
		c.adds = c.adds && e.spoken
		if c.along > 0 {
			ties = append(ties, tie{e.from, e.to, e.kind, c.along * e.weight, c.adds, c.upTo})
		}
		if c.against > 0 {
			ties = append(ties, tie{e.to, e.from, e.kind, c.against * e.weight, c.adds, c.upTo})
		}
	}
	return ties
}

// selectReaching and selectAmong pack the edges of the kinds ?5 that hold at the times of
// the question, their kinds as places in the names ?4.
var (
	selectReaching = packEdges(edges.BothWays(selectEdge + `
from json_each(?1) c
cross join edges e on e.{from_key|to_key} = c.value
where e.kind in (select value from json_each(?5))
  and (` + edges.Holds("e", "?2") + ` or ` + edges.Succeeds("e", "?2") + `)`))

	// The plus keeps the engine from looking up each pair: most have no edge.
	selectAmong = packEdges(selectEdge + `
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

// packEdges returns a query that packs the edges of another, as unpackEdges reads them.
func packEdges(selected string) string {
	return `
select pack(key, from_key, to_key, instr(?4, ' ' || kind || ' '), weight, spoken)
from (` + selected + `
limit ?3
)`
}

// addNeighbours adds memories that are not candidates yet, if a single tie could
// lend them enough: about mostNeighbours, those first that are lent most.
func (p *pool) addNeighbours(ctx context.Context, r *db.Reader, ties []tie, f filter) error {
	lent := map[int64]float64{}
	for _, t := range ties {
		if t.adds || t.share < comesIn || p.at[t.to] != nil {
			continue
		}
		score := 0.0 // of one that is not a candidate
		if from := p.at[t.from]; from != nil {
			score = from.score
		}
		lent[t.to] = max(lent[t.to], t.share*score)
	}
	unknown := slices.SortedFunc(maps.Keys(lent), func(a, b int64) int {
		return cmp.Or(cmp.Compare(lent[b], lent[a]), cmp.Compare(a, b))
	})
	most := len(p.all) + mostNeighbours
	for some := range slices.Chunk(unknown, depth) {
		if err := p.addUnknown(ctx, r, some, f); err != nil || len(p.all) >= most {
			return err
		}
	}
	return nil
}

// addUnknown adds those of some memories that the question may find. All their sections
// count, and the first one is shown.
func (p *pool) addUnknown(ctx context.Context, r *db.Reader, keys []int64, f filter) error {
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
where `+passes+`
order by s.ordinal`, f.bind(db.List(keys))...)
	for _, h := range hits {
		p.add(h).broughtIn = true
	}
	return err
}

// lend computes every candidate's score from its own and what it is lent.
func (p *pool) lend(ties []tie) {
	lent := map[int64][]tie{}
	for _, t := range ties {
		if to := p.at[t.to]; p.at[t.from] != nil && to != nil && (t.upTo == 0 || to.size <= t.upTo) {
			lent[t.to] = append(lent[t.to], t)
		}
	}
	for _, c := range p.all {
		from := lent[c.memory]
		slices.SortFunc(from, func(a, b tie) int {
			return cmp.Or(cmp.Compare(p.at[a.from].id, p.at[b.from].id), cmp.Compare(a.kind, b.kind), cmp.Compare(b.share, a.share))
		})
		c.lend(from, p.at)
	}
	best := 0.0
	for _, c := range p.passers() {
		best = max(best, c.score)
	}
	p.all = slices.DeleteFunc(p.all, func(c *candidate) bool { return c.broughtIn && c.score < comesIn*best })
}

// lend adds what its ties lend to a candidate's score, and keeps the edges that
// contributed.
func (c *candidate) lend(ties []tie, at map[int64]*candidate) {
	gains := make([]float64, len(ties))
	for word, own := range c.words {
		best, lender := own, -1
		for i, t := range ties {
			if lent := t.share * at[t.from].words[word]; !t.adds && lent > best {
				best, lender = lent, i
			}
		}
		if lender >= 0 {
			gains[lender] += best - own
		}
	}
	for _, gain := range gains {
		c.score += gain
	}
	c.unsummed = c.score
	if c.score > 0 {
		// A whole is lent the scores of its parts, and a part those of its wholes, the
		// best one first.
		additions := []addition{}
		for i, t := range ties {
			if lent := t.share * at[t.from].own(); t.adds && lent > 0 {
				additions = append(additions, addition{i, lent})
			}
		}
		slices.SortStableFunc(additions, func(a, b addition) int { return cmp.Compare(b.gain, a.gain) })
		counts := 1.0
		for _, a := range additions {
			gains[a.tie] += a.gain * counts
			c.score += a.gain * counts
			counts *= nextCounts
		}
	}
	for i, t := range ties {
		if share := math.Round(1000*gains[i]/c.score) / 1000; gains[i] > 0 && share >= leastShare {
			c.lifts = append(c.lifts, Lift{From: at[t.from].id, Type: t.kind, Share: share})
		}
	}
	slices.SortStableFunc(c.lifts, func(a, b Lift) int { return cmp.Compare(b.Share, a.Share) })
}

// addition is what one tie adds.
type addition struct {
	tie  int // index
	gain float64
}

// nextCounts is how much the next best part of a whole, or whole of a part, counts
// compared with the one before.
const nextCounts = 1.0 / 3
