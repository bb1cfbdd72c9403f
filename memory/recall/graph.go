package recall

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// conductance is how much of what speaks for the memory at one end of an edge
// speaks for the one at its other end too.
type conductance struct {
	kind    edges.Kind
	along   float64 // the edge's from lends to its to
	against float64 // the edge's to lends to its from
	adds    bool    // the sum of it is lent, not word by word
	upTo    int     // bytes of the longest text that is lent to; 0: any
}

// conductances is the one table of constants of the graph step.
//
// Word by word, a memory has of each word of the question the most that it
// has itself or that a neighbour lends it: a word said by both counts once,
// so that a neighbour stands in for what a short memory leaves unsaid and
// does not drown what it says. A whole and its parts speak of one matter on
// two scales; there the sum is lent on top: of the best part whole, and of
// each next one a third of the one before.
//
// follows and part-of were measured on the four conversations of LoCoMo
// (make bench-recall, docs/benchmarks.md), each in a store of its own and all in
// one, and are not sensitive: recall@10 of turns stays between 0.778 and 0.786 for
// along 0.3 to 0.5 with against 0.5 to 0.7 of follows, and for 0.7 to 1.0 against
// part-of; recall@1 is 0.403 to 0.422 for along 0.3, and 0.392 to 0.410 for 0.5.
// Recall@5 of sessions is between 0.899 and 0.907 for 0.3 to 1.0 along part-of. A
// reply leans on what it replies to more than the other way round. What is
// long speaks for itself, and its neighbours in time are of other matters:
// with sessions of 1,100 bytes and more, their recall@5 was between 0.900 and
// 0.907 for any bound from 500 to 1,500, and without one recall@10 was less. A
// successor is what one wants who asks for its predecessor. The rest is by analogy: a
// reason half of what time is, a mere link half of a reason; what a heuristic
// found, nothing.
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
	{kind: edges.Mentions},
}

const (
	// comesIn is the part of the best score that a memory must be lent to
	// come in without a word of the question: what follows and what
	// supersedes may lend as much, a mere link does not.
	comesIn = 0.35
	// leastShare is the least part of a score that is worth a word.
	leastShare = 0.01
	// maxSpread is how many edges of the candidates are looked at.
	maxSpread = 20000
)

// tie is an edge on which weight is lent: from a lender, to another memory.
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

// spread lends the candidates' scores one step along edges, and brings in the
// neighbours that are lent enough.
func spread(ctx context.Context, r *db.Reader, p *pool, f filter) error {
	ties, err := tiesOf(ctx, r, p.keys(), f.asOf)
	if err != nil {
		return err
	}
	if err := p.bringIn(ctx, r, ties, f); err != nil {
		return err
	}
	if err := p.weigh(ctx, r); err != nil {
		return err
	}
	p.lend(ties)
	return nil
}

// tiesOf reads the edges of all candidates in one query, and returns them in
// the directions that lend.
func tiesOf(ctx context.Context, r *db.Reader, keys []int64, asOf string) ([]tie, error) {
	at := asOf
	if at == "" {
		at = db.Now()
	}
	type edge struct {
		key, from, to int64
		kind          edges.Kind
		weight        float64
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (e edge, err error) {
		err = row.Scan(&e.key, &e.from, &e.to, &e.kind, &e.weight)
		return e, err
	}, selectTies, db.List(keys), at, asOf, maxSpread)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b edge) int { return cmp.Compare(a.key, b.key) })
	found = slices.CompactFunc(found, func(a, b edge) bool { return a.key == b.key }) // between two candidates
	ties := []tie{}
	for _, e := range found {
		i := slices.IndexFunc(conductances, func(c conductance) bool { return c.kind == e.kind })
		if i < 0 {
			continue
		}
		c := conductances[i]
		if c.along > 0 {
			ties = append(ties, tie{e.from, e.to, e.kind, c.along * e.weight, c.adds, c.upTo})
		}
		if c.against > 0 {
			ties = append(ties, tie{e.to, e.from, e.kind, c.against * e.weight, c.adds, c.upTo})
		}
	}
	return ties, nil
}

const selectTies = `
select
  e.key,
  e.from_key,
  e.to_key,
  e.kind,
  e.weight
from json_each(?1) c
cross join edges e on e.from_key = c.value
where ` + holding + `
union all
select
  e.key,
  e.from_key,
  e.to_key,
  e.kind,
  e.weight
from json_each(?1) c
cross join edges e on e.to_key = c.value
where ` + holding + `
limit ?4`

// holding is true of an edge e that is valid and was known.
const holding = `
  e.kind <> 'mentions'
  and coalesce(e.valid_from, '') <= ?2
  and coalesce(e.valid_to, '~') > ?2
  and (?3 = '' or e.created_at <= ?3)`

// bringIn adds the ends of ties that are no candidates yet, where one tie
// alone could lend them enough.
func (p *pool) bringIn(ctx context.Context, r *db.Reader, ties []tie, f filter) error {
	unknown := []int64{}
	for _, t := range ties {
		if !t.adds && t.share >= comesIn && p.at[t.to] == nil {
			unknown = append(unknown, t.to)
		}
	}
	slices.Sort(unknown)
	if unknown = slices.Compact(unknown); len(unknown) == 0 {
		return nil
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
		err = row.Scan(&h.memory, &h.section, &h.id, &h.size, &h.passes)
		return h, err
	}, `
select
  m.key,
  s.key,
  m.id,
  octet_length(m.content),
  true
from json_each(?1) c
cross join memories m on m.key = c.value
cross join sections s on s.memory = m.key
where `+passes+`
order by s.ordinal`, f.bind(db.List(unknown))...)
	if err != nil {
		return err
	}
	for _, h := range found {
		p.bring(h)
	}
	return nil
}

// lend works out every candidate's score from what it has and is lent.
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
	for _, c := range p.all {
		if c.passes {
			best = max(best, c.score)
		}
	}
	p.all = slices.DeleteFunc(p.all, func(c *candidate) bool { return c.broughtIn && c.score < comesIn*best })
}

// lend adds to a candidate's score what its ties lend it, and notes the edges
// that did.
func (c *candidate) lend(ties []tie, at map[int64]*candidate) {
	gains := make([]float64, len(ties))
	for word, own := range c.words {
		best, by := own, -1
		for i, t := range ties {
			if lent := t.share * at[t.from].words[word]; !t.adds && lent > best {
				best, by = lent, i
			}
		}
		if by >= 0 {
			gains[by] += best - own
		}
	}
	for _, gain := range gains {
		c.score += gain
	}
	if c.score > 0 {
		for _, one := range c.added(ties, at) {
			gains[one.by] += one.gain
			c.score += one.gain
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
	by   int
	gain float64
}

// nextCounts is what the next best part of a whole, or whole of a part, counts
// beside the one before.
const nextCounts = 1.0 / 3

// added returns what is added to what there is: a whole is lent the weight of
// its parts, and a part that of its wholes, the best one first.
func (c *candidate) added(ties []tie, at map[int64]*candidate) []addition {
	all := []addition{}
	for i, t := range ties {
		if lent := t.share * at[t.from].own(); t.adds && lent > 0 {
			all = append(all, addition{i, lent})
		}
	}
	slices.SortStableFunc(all, func(a, b addition) int { return cmp.Compare(b.gain, a.gain) })
	counts := 1.0
	for i := range all {
		all[i].gain *= counts
		counts *= nextCounts
	}
	return all
}
