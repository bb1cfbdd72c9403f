package exchange

import (
	"cmp"
	"slices"

	"hence/edges"
	"hence/internal/components"
	"hence/internal/db"
)

// ruledEdge is an edge of a kind that has rules: no cycles, and for supersedes one successor.
type ruledEdge struct {
	id, from, to string // ids
	at           string // when it was last linked
	fixed        bool   // only notes declare it: it stands before the others
	where        place  // "" for an edge of the store that the other side says nothing of
}

// replacedBySuccessor is why a second successor is not in the graph: an edge contradicts
// stands for it.
const replacedBySuccessor = "successor"

// settleGraph decides which edges the graph of both sides takes: the earlier ones. It
// is the same on every store, because it depends on the edges only.
func (p *planning) settleGraph() error {
	p.refused = map[place]string{}
	for _, kind := range []edges.Kind{edges.Supersedes, edges.DependsOn} {
		all := []ruledEdge{}
		touched := map[string]bool{}
		for where, c := range p.places {
			if where.kind != string(kind) {
				continue
			}
			if c.ours != nil {
				touched[c.ours.ID] = true
			}
			if one := c.alive(); one != nil && one.Unsettled == "" {
				all = append(all, ruledEdge{id: one.ID, from: one.From, to: one.To, at: one.linkedAt(), where: where})
			}
		}
		if len(all) == 0 {
			continue
		}
		own, err := db.Select(p.ctx, p.r, scanRule, selectRuled, kind)
		if err != nil {
			return err
		}
		for _, e := range own {
			if !touched[e.id] && !p.isGone(e.from) && !p.isGone(e.to) {
				all = append(all, e)
			}
		}
		slices.SortFunc(all, func(a, b ruledEdge) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
		})
		if kind == edges.Supersedes {
			err = p.settleSuccessors(all)
		} else {
			err = p.settleCycles(all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rank puts what only notes declare first.
func (e ruledEdge) rank() int {
	if e.fixed {
		return 0
	}
	return 1
}

const selectRuled = `
select
  e.id,
  f.id,
  t.id,
  max(e.created_at, coalesce((select substr(at, 1, 24) from stamps where id = e.id and field = 'said'), '')),
  e.declared <> 'explicit'
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind = +?1`

// settleSuccessors takes the edges of supersedes that leave each memory one successor.
// Instead of another one, the two successors contradict each other.
func (p *planning) settleSuccessors(all []ruledEdge) error {
	successor := map[string][]string{} // one each
	for _, e := range all {
		other := successor[e.to]
		switch {
		case slices.Contains(other, e.from): // a note says so too
		case len(other) > 0:
			if err := p.contradict(e, other[0]); err != nil {
				return err
			}
		case leads(successor, e.from, e.to):
			if _, err := p.refuse(e, whyCycle); err != nil {
				return err
			}
		default:
			successor[e.to] = []string{e.from}
		}
	}
	return nil
}

// settleCycles takes the edges of depends-on that close no cycle with earlier ones.
func (p *planning) settleCycles(all []ruledEdge) error {
	next := map[string][]string{}
	for _, e := range all {
		next[e.from] = append(next[e.from], e.to)
	}
	component := components.Number(next)
	used := map[string][]string{} // within components only
	for _, e := range all {
		if component[e.from] != component[e.to] {
			continue
		}
		if leads(used, e.to, e.from) {
			if _, err := p.refuse(e, whyCycle); err != nil {
				return err
			}
			continue
		}
		used[e.from] = append(used[e.from], e.to)
	}
	return nil
}

// leads reports whether there is a way from one memory to another.
func leads(next map[string][]string, from, to string) bool {
	seen := map[string]bool{from: true}
	for open := []string{from}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at == to {
			return true
		}
		for _, n := range next[at] {
			if !seen[n] {
				seen[n] = true
				open = append(open, n)
			}
		}
	}
	return false
}

// refuse keeps an edge out of the graph, and returns what both sides say of it.
func (p *planning) refuse(e ruledEdge, why string) (*candidates, error) {
	if e.where == (place{}) { // of the store, and the other side says nothing of it
		own, ok, err := db.First(p.ctx, p.r, scanEdge, edgeColumns+`where e.id = ?1`, e.id)
		if err != nil || !ok {
			return nil, err
		}
		if err := p.readNames([]string{own.From, own.To}); err != nil {
			return nil, err
		}
		e.where = own.place()
		p.candidatesAt(e.where)
		p.spaces[own.ID] = p.ends[own.From].namespace
		p.placeOurs(own)
	}
	p.refused[e.where] = why
	return p.places[e.where], nil
}

// contradict says that two successors of a memory contradict each other, in place of the
// later one's edge.
func (p *planning) contradict(e ruledEdge, other string) error {
	c, err := p.refuse(e, replacedBySuccessor)
	if err != nil || e.fixed {
		return err
	}
	if err := p.readNames([]string{e.from, other}); err != nil {
		return err
	}
	from, to, said := p.ends[e.from], p.ends[other], c.alive()
	line := edgeLine{
		Type: typeEdge, ID: idOf("successors", min(from.id, to.id), max(from.id, to.id)), From: from.id, To: to.id,
		FromURI: from.uri, ToURI: to.uri, EdgeType: string(edges.Contradicts), Weight: new(1.0), Origin: said.Origin, Actor: said.Actor,
		Note: said.Note, CreatedAt: e.at, Sites: []site{},
	}
	p.settle = append(p.settle, ToSettle{Kind: replacedBySuccessor, ID: e.to, Other: e.from})
	pairs := pairs{}
	p.gatherEdge(line, pairs)
	return p.readPlaces(pairs)
}
