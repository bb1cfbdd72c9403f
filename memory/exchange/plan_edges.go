package exchange

import (
	"cmp"
	"maps"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// restsOn reports whether an edge of a kind has a basis.
func restsOn(kind string) bool {
	return edges.Kind(kind) == edges.DependsOn || edges.Kind(kind) == edges.DerivedFrom
}

// gatherEdges sorts what both sides say of edges by place, and reads what the store has
// there.
func (p *planning) gatherEdges() error {
	pairs := pairs{}
	for _, e := range slices.Concat(p.theirs.edges, p.made, p.kept) {
		if e.Basis == "" && restsOn(e.EdgeType) {
			e.Basis = cmp.Or(p.theirs.hashes[e.To], p.ends[endName(e.To, e.ToURI)].hash)
		}
		p.gatherEdge(e, pairs)
	}
	for _, l := range p.theirs.removed {
		if l.Type != typeUnlinked {
			continue
		}
		from, to, ok := p.bothEnds(l.From, l.FromURI, l.To, l.ToURI)
		if ok && p.sees(from.namespace) && from.namespace == to.namespace {
			l.From, l.To, l.FromURI, l.ToURI, l.Namespace = from.id, to.id, from.uri, to.uri, from.namespace
			c := p.candidatesAt(l.place())
			c.removed = append(c.removed, l)
			pairs.add(l.From, l.To)
		}
	}
	return p.readPlaces(pairs)
}

// gatherEdge adds a side of an edge to its place. An end that is not here may come
// later, so that the edge is kept apart.
func (p *planning) gatherEdge(e edgeLine, pairs pairs) {
	e.Sites, e.Declared, e.Unsettled = []site{}, nil, ""
	from, to, ok := p.bothEnds(e.From, e.FromURI, e.To, e.ToURI)
	switch {
	case p.isGone(e.From) || p.isGone(e.To):
		return
	case !ok:
		_, fromThere := p.theirs.memories[e.From]
		_, toThere := p.theirs.memories[e.To]
		if p.store.Caller.Namespace != "" || from.id == "" && fromThere || to.id == "" && toThere {
			return // it is of a memory that is not merged
		}
		e.Unsettled = whyMissing
		p.spaces[e.ID] = cmp.Or(from.namespace, to.namespace, "default")
	case from.namespace != to.namespace || !p.sees(from.namespace) || from.id == to.id:
		return
	default:
		e.From, e.To, e.FromURI, e.ToURI = from.id, to.id, from.uri, to.uri
		p.spaces[e.ID] = from.namespace
		pairs.add(e.From, e.To)
	}
	c := p.candidatesAt(e.place())
	c.all = append(c.all, e)
}

func (p *planning) candidatesAt(where place) *candidates {
	if p.places[where] == nil {
		p.places[where] = &candidates{}
	}
	return p.places[where]
}

// bothEnds returns what two ends are here, and whether both are.
func (p *planning) bothEnds(from, fromURI, to, toURI string) (f, t end, ok bool) {
	f, t = p.ends[endName(from, fromURI)], p.ends[endName(to, toURI)]
	return f, t, f.id != "" && t.id != "" && !p.isGone(f.id) && !p.isGone(t.id)
}

// pairs are ids of memories between which edges are read.
type pairs map[[2]string]bool

// add adds a pair in both directions.
func (p pairs) add(from, to string) {
	p[[2]string{from, to}], p[[2]string{to, from}] = true, true
}

// readPlaces reads the store's own edges and removals between pairs.
func (p *planning) readPlaces(pairs pairs) error {
	ordered := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for group := range slices.Chunk(ordered, chunkLines) {
		rows := db.NewGiven(0)
		for _, pair := range group {
			rows.Row(pair[0], pair[1])
		}
		own, err := db.Select(p.ctx, p.r, scanEdge, edgeColumns+`
where (e.from_key, e.to_key) in (
  select
    x.key,
    y.key
  from given(?1) g
  cross join memories x on x.id = g.c1
  cross join memories y on y.id = g.c2
)`, rows.Arg())
		if err != nil {
			return err
		}
		for _, e := range own {
			p.placeOurs(e)
		}
		removed, err := db.Select(p.ctx, p.r, scanRemoved, "select"+unlinkedFields+`
from unlinked u
where (u.from_id, u.to_id) in (select c1, c2 from given(?1))`, rows.Arg())
		if err != nil {
			return err
		}
		for _, l := range removed {
			if c := p.places[l.place()]; c != nil && c.stored == nil {
				c.stored, c.removed = &l, append(c.removed, l)
			}
		}
	}
	return nil
}

// placeOurs adds an edge of the store to its place, if the other side says something
// of it.
func (p *planning) placeOurs(e edgeLine) {
	c := p.places[e.place()]
	if c == nil || c.ours != nil {
		return
	}
	c.sited = len(e.Sites) > 0
	if !e.isDeclared() {
		return
	}
	if e.Basis == "" && restsOn(e.EdgeType) {
		e.Basis = p.ends[endName(e.To, e.ToURI)].hash
	}
	e.Sites, e.Declared = []site{}, nil
	c.ours = &e
}

// alive returns the edge that both sides make together, nil if it was unlinked after it
// was last linked.
func (c *candidates) alive() *edgeLine {
	all := c.all
	if c.ours != nil {
		all = append(slices.Clone(all), *c.ours)
	}
	if len(all) == 0 {
		return nil
	}
	one := all[0]
	missing := one.Unsettled
	one.Unsettled = ""
	for _, other := range all[1:] {
		other.Unsettled = ""
		one = joinEdges(one, other)
	}
	one.Unsettled = missing
	if c.ours != nil && c.sited { // its places in notes hold it by its id
		one.ID = c.ours.ID
	}
	if dead := c.dead(); dead != nil && dead.At >= one.linkedAt() {
		return nil
	}
	return &one
}

// dead returns the last removal.
func (c *candidates) dead() *removedLine {
	var last *removedLine
	for _, l := range c.removed {
		if last == nil || cmp.Or(cmp.Compare(l.At, last.At), cmp.Compare(last.ID, l.ID)) > 0 {
			last = &l
		}
	}
	return last
}

// decideEdges says of every place what the store has to change.
func (p *planning) decideEdges() error {
	kept := map[string]edgeLine{}
	for _, e := range p.kept {
		kept[e.ID] = e
	}
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), cmp.Compare(a.rel, b.rel))
	}
	for _, where := range slices.SortedFunc(maps.Keys(p.places), order) {
		c := p.places[where]
		one := c.alive()
		if why := p.refused[where]; one != nil && why != "" {
			one.Unsettled = why
		}
		switch {
		case one == nil:
			p.decideDead(c)
		case one.Unsettled == replacedBySuccessor:
			p.dropOurs(c)
		case one.Unsettled != "":
			p.dropOurs(c)
			p.settle = append(p.settle, ToSettle{Kind: one.Unsettled, ID: one.From, Other: one.To, Edge: one.EdgeType})
			if before, ok := kept[one.ID]; !ok || !linesEqual(&before, one) {
				p.unsettled = append(p.unsettled, *one)
			}
			delete(kept, one.ID)
		default:
			p.decideAlive(c, *one)
		}
	}
	p.settled = slices.Sorted(maps.Keys(kept))
	return nil
}

// dropOurs removes the store's own edge of a place, and remembers no removal of it.
func (p *planning) dropOurs(c *candidates) {
	if c.ours != nil {
		p.unlinks = append(p.unlinks, c.ours.ID)
		p.quiet = append(p.quiet, *c.ours)
	}
}

// decideDead removes the edge of a place, and remembers its removal.
func (p *planning) decideDead(c *candidates) {
	if c.ours != nil {
		p.unlinked++
	}
	p.dropOurs(c) // the removal below may have the ends the other way round
	last := c.dead()
	if last == nil {
		return
	}
	if c.stored != nil && c.stored.At == last.At && c.stored.ID == last.ID {
		return
	}
	if p.remembers(last.At) || c.ours != nil {
		p.dead = append(p.dead, *last)
	}
}

// decideAlive makes the store's edge what both sides make together.
func (p *planning) decideAlive(c *candidates, one edgeLine) {
	sides := slices.Clone(c.all)
	if c.ours != nil {
		sides = append(sides, *c.ours)
	}
	for _, e := range sides { // which are one edge from now on
		if e.ID != one.ID {
			p.renamed[e.ID] = one.ID
		}
	}
	if c.stored != nil {
		p.alive = append(p.alive, *c.stored)
	}
	switch {
	case c.ours == nil && c.sited: // a note declares it: it is declared besides
		p.relinks = append(p.relinks, one)
	case c.ours == nil:
		p.links = append(p.links, one)
		if one.EdgeType == string(edges.Supersedes) && p.isOtherText(one.To) {
			p.settle = append(p.settle, ToSettle{Kind: "text", ID: one.From, Other: one.To})
		}
	case c.ours.ID != one.ID || c.ours.From != one.From:
		p.dropOurs(c)
		p.links = append(p.links, one)
	case !linesEqual(c.ours, &one):
		p.relinks = append(p.relinks, one)
	}
}

var scanRule = db.Fields(func(e *ruledEdge) []any { return []any{&e.id, &e.from, &e.to, &e.at, &e.fixed} })
