package merge

import (
	"cmp"
	"slices"

	"hence/edges"
	"hence/edges/acyclic"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory/exchange/lines"
	"hence/memory/record"
)

// ruledEdge is an edge of a kind with rules: no cycles, and for supersedes only one
// successor.
type ruledEdge struct {
	id, from, to string      // ids of the edge and its ends
	linkedAt     string      // the time when it was last linked
	fromNotes    bool        // only notes declare it: it precedes the others
	place        lines.Place // zero for an edge of the store that the merge does not concern
}

// replacedBySuccessor is the reason why a second successor is not in the graph: an edge
// contradicts replaces it.
const replacedBySuccessor = "successor"

// settleGraph decides which edges of both sides are refused because earlier ones exclude
// them. The decision depends on the edges only, so every store decides the same.
func (p *planner) settleGraph() error {
	p.refusals = map[lines.Place]string{}
	for _, kind := range []edges.Kind{edges.Supersedes, edges.DependsOn} {
		all := []ruledEdge{}
		isKnown := map[string]bool{}
		for key, c := range p.places {
			if key.Kind != string(kind) {
				continue
			}
			if c.ours != nil {
				isKnown[c.ours.ID] = true
			}
			if edge := c.joinedEdge(); edge != nil && edge.Unsettled == "" {
				all = append(all, ruledEdge{id: edge.ID, from: edge.From, to: edge.To, linkedAt: edge.LinkedAt(), place: key})
			}
		}
		if len(all) == 0 {
			continue
		}
		stored, err := db.Select(p.ctx, p.r, scanRule, selectRuled, kind)
		if err != nil {
			return err
		}
		for _, e := range stored {
			if !isKnown[e.id] && !p.isVoidHere(e.from, e.to) {
				all = append(all, e)
			}
		}
		slices.SortFunc(all, func(a, b ruledEdge) int {
			return cmp.Or(lists.CompareFlags(a.fromNotes, b.fromNotes), cmp.Compare(a.linkedAt, b.linkedAt), cmp.Compare(a.id, b.id))
		})
		if err := p.judge(kind, all); err != nil {
			return err
		}
	}
	return nil
}

// selectRuled reads all edges of a kind as ruledEdges.
const selectRuled = `
select
  e.id,
  f.id,
  t.id,
  ` + lines.LinkedAt + `,
  e.declared <> 'explicit'
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind = +?1`

// judge refuses edges of a kind, in order, that would close a cycle or give a memory a second
// successor. In the latter case the two successors contradict each other instead.
func (p *planner) judge(kind edges.Kind, all []ruledEdge) (err error) {
	edgeOf := func(e ruledEdge) acyclic.Edge[string] {
		return acyclic.Edge[string]{Kind: kind, From: e.from, To: e.to}
	}
	judge := acyclic.New(nil, lists.Map(all, edgeOf))
	for _, e := range all {
		switch verdict, first := judge.Judge(edgeOf(e)); verdict {
		case acyclic.Successor:
			err = p.contradict(e, first)
		case acyclic.Cycle:
			_, err = p.refuse(e, lines.WhyCycle)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuse keeps an edge out of the graph, and returns the candidates of its place.
func (p *planner) refuse(e ruledEdge, reason string) (*candidates, error) {
	if e.place == (lines.Place{}) { // an edge of the store that was not read yet
		edge, ok, err := db.First(p.ctx, p.r, lines.ScanEdge, lines.EdgeColumns+`where e.id = ?1`, e.id)
		if err != nil || !ok {
			return nil, err
		}
		if err := p.addEnds([]string{edge.From, edge.To}); err != nil {
			return nil, err
		}
		e.place = edge.Place()
		p.candidatesAt(e.place)
		p.namespaces[edge.ID] = p.ends[edge.From].namespace
		between := pairs{}
		between.add(edge.From, edge.To)
		if err := p.readPlaces(between); err != nil {
			return nil, err
		}
	}
	p.refusals[e.place] = reason
	return p.places[e.place], nil
}

// contradict replaces the later successor's edge by an edge contradicts between the two
// successors.
func (p *planner) contradict(e ruledEdge, firstSuccessor string) error {
	c, err := p.refuse(e, replacedBySuccessor)
	if err != nil || e.fromNotes {
		return err
	}
	if err := p.addEnds([]string{e.from, firstSuccessor}); err != nil {
		return err
	}
	from, to, declared := p.ends[e.from], p.ends[firstSuccessor], c.joinedEdge()
	line := lines.Edge{FromURI: from.uri, ToURI: to.uri, Sites: []lines.Site{}, Edge: record.Edge{
		ID: lines.IdOf("successors", min(from.id, to.id), max(from.id, to.id)), From: from.id, To: to.id,
		Kind: string(edges.Contradicts), Weight: 1, Origin: declared.Origin, Actor: declared.Actor, Note: declared.Note, CreatedAt: e.linkedAt,
	}}
	p.toSettle = append(p.toSettle, ToSettle{Kind: replacedBySuccessor, ID: e.to, Other: e.from})
	pairs := pairs{}
	p.gatherEdge(line, pairs)
	return p.readPlaces(pairs)
}
