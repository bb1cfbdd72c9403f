package merge

import (
	"cmp"
	"maps"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/exchange/lines"
)

// gatherEdges collects the edges and removals of both sides by place.
func (p *planner) gatherEdges() error {
	pairs := pairs{}
	for n, e := range slices.Concat(p.theirs.edges, p.otherTextEdges, p.oldUnsettled) {
		isTheirs := n < len(p.theirs.edges)
		if isTheirs && p.isVoidThere(e.From, e.To) {
			continue
		}
		if isTheirs && e.IsClaim() && p.isPersonsEnd(e) {
			e.Propose()
			p.done.Warnings = lines.Warn(p.done.Warnings, "a supersession is kept as a proposal, because a person wrote what it would replace, and it does not say that a person declared it; hence tidy lists it")
		}
		if e.Basis == "" && edges.Kind(e.Kind).RestsOn() { // a line of an older Hence, or written by hand
			e.Basis = cmp.Or(p.theirs.hashes[e.To], p.ends[lines.EndName(e.To, e.ToURI)].hash)
		}
		p.gatherEdge(e, pairs)
	}
	for _, l := range p.theirs.removed {
		if l.Type != lines.TypeUnlinked || p.isVoidThere(l.From, l.To) {
			continue
		}
		from, to, ok := p.bothEnds(l.From, l.FromURI, l.To, l.ToURI)
		if ok && p.covers(from.namespace) && from.namespace == to.namespace {
			l.From, l.To, l.FromURI, l.ToURI, l.Namespace = from.id, to.id, from.uri, to.uri, from.namespace
			c := p.candidatesAt(l.Place())
			c.removals = append(c.removals, l)
			pairs.add(l.From, l.To)
		}
	}
	return p.readPlaces(pairs)
}

// isPersonsEnd reports whether a person wrote the text that an edge leads to. The text that gave way
// in an earlier merge does not count.
func (p *planner) isPersonsEnd(e lines.Edge) bool {
	to := p.ends[lines.EndName(e.To, e.ToURI)]
	isPersons, isJoined := p.persons[to.id]
	if !isJoined {
		isPersons = to.isPersons
	}
	return isPersons && !p.isOtherText(to.id)
}

// gatherEdge adds a version of an edge to its place. If an end is missing here, it may
// come later, so the edge is marked as unsettled.
func (p *planner) gatherEdge(e lines.Edge, pairs pairs) {
	e.Sites, e.Declared, e.Unsettled = []lines.Site{}, nil, ""
	from, to, ok := p.bothEnds(e.From, e.FromURI, e.To, e.ToURI)
	switch {
	case p.isGone(e.From) || p.isGone(e.To):
		return
	case !ok:
		_, theyHaveFrom := p.theirs.memories[e.From]
		_, theyHaveTo := p.theirs.memories[e.To]
		if p.store.Caller.Namespace != "" || from.id == "" && theyHaveFrom || to.id == "" && theyHaveTo {
			return // an end is a memory that is not merged
		}
		e.Unsettled = lines.WhyMissing
		p.namespaces[e.ID] = cmp.Or(from.namespace, to.namespace, "default")
	case from.namespace != to.namespace || !p.covers(from.namespace) || from.id == to.id:
		return
	default:
		e.From, e.To, e.FromURI, e.ToURI = from.id, to.id, from.uri, to.uri
		p.namespaces[e.ID] = from.namespace
		pairs.add(e.From, e.To)
	}
	c := p.candidatesAt(e.Place())
	c.versions = append(c.versions, e)
}

// candidatesAt returns the candidates of a place, creating them if there are none.
func (p *planner) candidatesAt(key lines.Place) *candidates {
	if p.places[key] == nil {
		p.places[key] = &candidates{}
	}
	return p.places[key]
}

// bothEnds returns the store's memories at two ends, and whether it has both.
func (p *planner) bothEnds(from, fromURI, to, toURI string) (f, t end, ok bool) {
	f, t = p.ends[lines.EndName(from, fromURI)], p.ends[lines.EndName(to, toURI)]
	return f, t, f.id != "" && t.id != ""
}

// pairs is a set of pairs of ids of memories between which edges are read.
type pairs map[[2]string]bool

// add adds a pair in both directions.
func (p pairs) add(from, to string) {
	p[[2]string{from, to}], p[[2]string{to, from}] = true, true
}

// readPlaces adds the store's edges and removals between pairs to their places.
func (p *planner) readPlaces(pairs pairs) error {
	ordered := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for batch := range slices.Chunk(ordered, lines.ChunkLines) {
		rows := db.List(batch)
		ourEdges, err := db.Select(p.ctx, p.r, lines.ScanEdge, lines.EdgesBetween, rows)
		if err != nil {
			return err
		}
		for _, e := range ourEdges {
			p.placeOurs(e)
		}
		removals, err := db.Select(p.ctx, p.r, lines.ScanRemoved, "select"+lines.UnlinkedFields+`
from unlinked u
where (u.from_id, u.to_id) in (select value ->> 0, value ->> 1 from json_each(?1))`, rows)
		if err != nil {
			return err
		}
		for _, l := range removals {
			if c := p.places[l.Place()]; c != nil && c.storedRemoval == nil && !p.isVoidHere(l.From, l.To) {
				c.storedRemoval, c.removals = &l, append(c.removals, l)
			}
		}
	}
	return nil
}

// placeOurs adds an edge of the store to its place, if the place has candidates.
func (p *planner) placeOurs(e lines.Edge) {
	c := p.places[e.Place()]
	if c == nil || c.ours != nil || p.isVoidHere(e.From, e.To) {
		return
	}
	c.hasSites = len(e.Sites) > 0
	if !e.IsDeclared() {
		return
	}
	e.Sites, e.Declared = []lines.Site{}, nil
	c.ours = &e
}

// all returns the versions with the store's edge.
func (c *candidates) all() []lines.Edge {
	all := slices.Clone(c.versions)
	if c.ours != nil {
		all = append(all, *c.ours)
	}
	return all
}

// joinedEdge returns the edge joined from all versions, nil if there is none or the edge was
// removed after it was last linked.
func (c *candidates) joinedEdge() *lines.Edge {
	removal := c.lastRemoval()
	versions := c.all()
	if removal != nil {
		versions = slices.DeleteFunc(versions, func(e lines.Edge) bool { return e.LinkedAt() <= removal.At })
	}
	if len(versions) == 0 {
		return nil
	}
	joined := versions[0]
	reason := joined.Unsettled
	joined.Unsettled = ""
	for _, other := range versions[1:] {
		other.Unsettled = ""
		joined = lines.JoinEdges(joined, other)
	}
	joined.Unsettled = reason
	if removal != nil {
		joined = joined.After(removal.At)
	}
	if c.ours != nil && c.hasSites { // the rows of sites refer to the store's edge
		joined.ID = c.ours.ID
	}
	return &joined
}

// lastRemoval returns the latest removal, nil if there is none.
func (c *candidates) lastRemoval() *lines.Removed {
	if len(c.removals) == 0 {
		return nil
	}
	last := slices.MaxFunc(c.removals, func(a, b lines.Removed) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.ID, a.ID)) })
	return &last
}

// decideEdges plans for every place how the store's edge changes.
func (p *planner) decideEdges() error {
	remaining := map[string]lines.Edge{}
	for _, e := range p.oldUnsettled {
		remaining[e.ID] = e
	}
	order := func(a, b lines.Place) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rel, b.Rel))
	}
	for _, key := range slices.SortedFunc(maps.Keys(p.places), order) {
		c := p.places[key]
		edge := c.joinedEdge()
		if reason := p.refusals[key]; edge != nil && reason != "" {
			edge.Unsettled = reason
		}
		switch {
		case edge == nil:
			if c.ours != nil {
				p.unlinkCount++
			}
			p.dropOurs(c)
		case edge.Unsettled == replacedBySuccessor:
			p.dropOurs(c)
		case edge.Unsettled != "":
			p.dropOurs(c)
			p.toSettle = append(p.toSettle, ToSettle{Kind: edge.Unsettled, ID: edge.From, Other: edge.To, Edge: edge.Kind})
			if old, ok := remaining[edge.ID]; !ok || !lines.LinesEqual(&old, edge) {
				p.unsettled = append(p.unsettled, *edge)
			}
			delete(remaining, edge.ID)
		default:
			p.decideLinked(c, *edge)
		}
		p.keepRemoval(c)
	}
	p.settled = slices.Sorted(maps.Keys(remaining))
	return nil
}

// dropOurs removes the store's edge of a place. Its removal is not remembered, but one from before it is.
func (p *planner) dropOurs(c *candidates) {
	if c.ours == nil {
		return
	}
	if p.unlinks = append(p.unlinks, *c.ours); c.storedRemoval != nil {
		p.newRemovals = append(p.newRemovals, *c.storedRemoval)
	}
}

// keepRemoval remembers the latest removal of a place, in which there may be an edge that was linked again since.
func (p *planner) keepRemoval(c *candidates) {
	last := c.lastRemoval()
	if last == nil || c.storedRemoval != nil && c.storedRemoval.At == last.At && c.storedRemoval.ID == last.ID {
		return
	}
	if p.isRemembered(last.At) || c.ours != nil {
		p.newRemovals = append(p.newRemovals, *last)
		if c.storedRemoval != nil { // it may have its ends in the other order
			p.voidRemovals = append(p.voidRemovals, *c.storedRemoval)
		}
	}
}

// decideLinked sets the store's edge of a place to the joined one.
func (p *planner) decideLinked(c *candidates, joined lines.Edge) {
	for _, e := range c.all() { // all versions become one edge
		if e.ID != joined.ID {
			p.newEdgeIDs[e.ID] = joined.ID
		}
	}
	switch {
	case c.ours == nil && c.hasSites: // only notes declare the row: it becomes declared explicitly too
		p.relinks = append(p.relinks, joined)
	case c.ours == nil:
		p.links = append(p.links, joined)
		if joined.Kind == string(edges.Supersedes) && p.isOtherText(joined.To) {
			p.toSettle = append(p.toSettle, ToSettle{Kind: "text", ID: joined.From, Other: joined.To})
		}
	case c.ours.ID != joined.ID || c.ours.From != joined.From:
		p.dropOurs(c)
		p.links = append(p.links, joined)
	case !lines.LinesEqual(c.ours, &joined):
		p.relinks = append(p.relinks, joined)
	}
}

// scanRule scans a row of selectRuled.
var scanRule = db.Fields(func(e *ruledEdge) []any { return []any{&e.id, &e.from, &e.to, &e.linkedAt, &e.fromNotes} })
