package show

import (
	"fmt"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
)

// Linked shows the edges that were made or changed.
func Linked(r belief.LinkResult) (d Doc) {
	for _, one := range r.All() {
		done := "linked "
		switch isProposal := strings.HasPrefix(one.Edge.Rel, edges.Proposed); {
		case isProposal && one.Created:
			done = "proposed "
		case isProposal:
			done = "proposed already: "
		case !one.Created:
			done = "updated "
		}
		d.Add("", Span{done, Good}, titleRef(one.Edge.From.Named), " ", Link{Kind: one.Edge.Type, Rel: one.Edge.Rel, Direction: "out"}, " ", titleRef(one.Edge.To.Named))
	}
	d.consequences(r.Consequences)
	d.Warn(r.Warnings)
	return d
}

// Unlinked shows how many edges were removed.
func Unlinked(r edges.UnlinkResult) (d Doc) {
	if r.Removed > 0 {
		d.Add("", Span{"removed ", Good}, plural.Count(int(r.Removed), "edge", "edges"))
	} else if len(r.Warnings) == 0 {
		d.Add("", "there is no such edge; nothing was removed")
	}
	d.currentAgain(r.CurrentAgain)
	d.Warn(r.Warnings)
	return d
}

// Paths shows the path from one memory to another, and the alternatives.
func Paths(r walk.PathResult) (d Doc) {
	if !r.Found {
		if r.Message != "" {
			d.Add("", r.Message)
		}
		d.AddMore(r.Truncated, More{Next: r.Next})
		return d
	}
	if len(r.Path) > 0 {
		d = append(d, Path{Hops: r.Path})
	} else {
		d.Add("", "a path of "+plural.Count(r.Hops, "hop", "hops"))
	}
	if r.Strength > 0 {
		d.AddIn(Faint, "", fmt.Sprintf("strength %.3g", r.Strength))
	}
	for _, path := range r.Alternatives {
		d = append(d, Path{Hops: path, Alternative: true})
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Expanded shows the memories within reach of the seeds.
func Expanded(r walk.ExpandResult) (d Doc) {
	atLeast := len(r.Results)
	if r.Truncated {
		atLeast++
	}
	if len(r.Results) > 0 || len(r.Warnings) == 0 {
		d = append(d, Total{atLeast, plural.Count(len(r.Results), "memory", "memories"), "no memory is within reach"})
	}
	reached := lists.Map(r.Results, func(x walk.Expanded) Reached { return Reached{Expanded: x} })
	d = append(d, Walk{Reached: reached, Lean: r.Lean, Seeds: r.SeedCount})
	d.onReplaced(r.OnReplaced)
	for _, w := range r.Warnings {
		d.Warn([]string{w.String()})
	}
	d.AddMore(r.Truncated, moreByCursor(r.Next))
	return d
}

// Neighborhood shows a memory, its neighbours and the edges among them.
func Neighborhood(r walk.NeighborhoodResult) (d Doc) {
	routes := map[string][]string{r.Seed.ID: {r.Seed.ID}}
	names := map[string]ref.Named{r.Seed.ID: r.Seed.Named()}
	shownEdges := map[walk.Link]bool{}
	reached := []Reached{}
	for _, n := range r.Nodes {
		route := append([]string{}, routes[n.Via.From]...)
		if len(route) == 0 { // it is on another page
			route = []string{r.Seed.ID, n.Via.From}
		}
		route = append(route, n.ID)
		routes[n.ID], names[n.ID] = route, n.Named()
		edge := walk.Link{From: n.Via.From, To: n.ID, Type: n.Via.EdgeType, Rel: n.Via.Rel, Ended: n.Via.Ended}
		if n.Via.Direction == "in" {
			edge.From, edge.To = edge.To, edge.From
		}
		shownEdges[edge] = true
		n.Via.Hop = n.Distance
		reached = append(reached, Reached{Expanded: walk.Expanded{Seen: n.Seen, Tags: n.Tags, Route: route, Via: n.Via}})
	}
	seed := Ref{Named: r.Seed.Named(), Status: StatusText(r.Seed.Status, r.Seed.Aging), Form: Located}
	about := pathPart(r.Seed.URI) + ", " + r.Seed.Kind + tagList(r.Seed.Tags)
	if r.ReturnedCount > 0 || !r.Truncated {
		about += " and " + plural.Count(r.ReturnedCount, "neighbour", "neighbours")
	}
	root := Join(seed, Span{about, Detail})
	d = append(d, Walk{Seed: seed, Root: root, Reached: reached, Lean: r.Lean})
	d.otherEdges(r.Edges, shownEdges, names)
	d.onReplaced(r.OnReplaced)
	d.AddMore(r.Truncated, moreByCursor(r.Next))
	return d
}

// ViaLink returns the link of the last step of a walk to a memory.
func ViaLink(v walk.Via) Link { return Link{v.EdgeType, v.Rel, v.Direction, v.Ended} }

// otherEdges appends the first edges that are not in shownEdges, and counts the rest.
func (d *Doc) otherEdges(all []walk.Link, shownEdges map[walk.Link]bool, names map[string]ref.Named) {
	const most = 20
	n := 0
	for _, l := range all {
		if shownEdges[l] {
			continue
		}
		switch n++; {
		case n == 1:
			d.Gap()
			d.AddIn(Faint, "", "and among these:")
		case n > most:
			continue
		}
		d.Add("  ", end(names, l.From), " ", Link{l.Type, l.Rel, "out", l.Ended}, " ", end(names, l.To))
	}
	if n > most {
		d.AddIn(Faint, "  ", "… and "+plural.Count(n-most, "edge", "edges")+" more, which ", Call{"the structured result", "--json"}, " has")
	}
}

// end names an end of an edge by its title, or by its id if that is on another page.
func end(names map[string]ref.Named, id string) Ref {
	if n, ok := names[id]; ok {
		return titleRef(n)
	}
	return nameRef(ref.Named{ID: id}, InLine)
}

// History shows the succession that a memory is part of, oldest first.
func History(r edges.HistoryResult) (d Doc) {
	names := map[string]ref.Named{}
	for i, v := range r.Chain {
		names[v.ID] = v.Named
		switch {
		case i > 0 && v.Reason != "":
			d.Add("     ↓      ", "because "+v.Reason)
		case i > 0:
			d.AddIn(Faint, "     ↓      ", "replaced by")
		}
		d.Add("", Time{At: v.CreatedAt}, "  ", endRef(v.End, Version))
	}
	for _, m := range r.MergedFrom {
		because := ""
		if m.Reason != "" {
			because = ", because " + m.Reason
		}
		d.Gap()
		d.Add("also        ", endRef(m.End, Version))
		d.Add("            ", "was replaced by ", titleRef(names[m.Into]), because)
	}
	if len(r.Chain) == 1 && !r.Truncated {
		d.AddIn(Faint, "            ", "replaced nothing, and nothing replaced it")
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Traced shows what a memory rests on, what rests on it, or both.
func Traced(all ...walk.TraceResult) (d Doc) {
	m := all[0]
	d.Add("", endRef(m.End, Located))
	d = append(d, Doubts{Stale: m.Stale})
	for _, r := range all {
		d.Gap()
		heading, nothing := "what rests on it", "nothing rests on it"
		if r.Direction == "upstream" {
			heading, nothing = "what it rests on", "it rests on nothing"
		}
		if r.StaleCount > 0 {
			heading += fmt.Sprintf(" (%d of %d stale)", r.StaleCount, r.ReturnedCount)
		}
		if len(r.Results) > 0 || r.Truncated {
			d = append(d, Walk{Seed: nameRef(r.Named, Heading), Root: Join(heading), Reached: lists.Map(r.Results, func(x walk.Traced) Reached {
				return Reached{walk.Expanded{Seen: x.Seen, Route: x.Route, Via: x.Via}, x.Stale}
			})})
		} else {
			d.Add("", nothing)
		}
		d.onReplaced(r.OnReplaced)
		d.AddMore(r.Truncated, More{Next: r.Next})
	}
	return d
}

// Overview shows the graph: first the memories that need attention, then counts.
func Overview(r walk.OverviewResult) (d Doc) {
	d.problems(r)
	d.Gap()
	d.shape(r)
	d.list("most linked", len(r.MostLinked), 0, func(i int) {
		l := r.MostLinked[i]
		d.Add(fmt.Sprintf("%5d  ", l.Edges), nameRef(l.Named, Located))
	})
	d.list("without an edge", len(r.Orphans), r.OrphanCount, func(i int) {
		d.Add("  ", endRef(r.Orphans[i], Located))
	})
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// problems appends contradictions, stale memories and causal cycles.
func (d *Doc) problems(r walk.OverviewResult) {
	conflicts := "in conflict"
	if r.ConflictAmong > 0 {
		conflicts = fmt.Sprintf("in conflict, among the newest %d", r.ConflictAmong)
	}
	d.list(conflicts, len(r.Conflicts), r.ConflictCount, func(i int) {
		c := r.Conflicts[i]
		d.Add("  ", endRef(c.A, InLine), " ", Link{Kind: edges.Contradicts}, " ", endRef(c.B, InLine), remark(c.Note))
	})
	stale := "stale"
	if r.StaleAmong > 0 {
		stale = fmt.Sprintf("stale, among the %d changed last", r.StaleAmong)
	}
	d.list(stale, len(r.Stale), r.StaleCount, func(i int) {
		d.Add("  ", nameRef(r.Stale[i].Named, Located))
		*d = append(*d, Doubts{r.Stale[i].Stale, true})
	})
	d.list("causes in cycles", len(r.CausalLoops), r.CausalLoopCount, func(i int) {
		l, parts := r.CausalLoops[i], []Part{}
		for j, m := range l.Memories {
			if j > 0 {
				parts = Join(parts, ", ")
			}
			parts = Join(parts, endRef(m, InLine))
		}
		if more := l.Size - len(l.Memories); more > 0 {
			parts = Join(parts, fmt.Sprintf(" and %d more", more))
		}
		d.Add("  ", parts)
	})
}

// shape appends the counts of an overview.
func (d *Doc) shape(r walk.OverviewResult) {
	joined := fmt.Sprintf("edges join them in %d components, superseded ones included, the largest of %d", r.Components, r.LargestComponent)
	switch r.Components {
	case 0:
		joined = "no edges between them"
	case 1:
		joined = fmt.Sprintf("edges join %d in one component, superseded ones included", r.LargestComponent)
	}
	d.Add("", Span{plural.Count(r.Memories, "current memory", "current memories"), Strong}, "; "+joined)
	if r.MemoriesAmong > 0 {
		d.AddIn(Faint, "", fmt.Sprintf("counted among the %d memories changed last", r.MemoriesAmong))
	}
	if r.EdgesAmong > 0 {
		d.AddIn(Faint, "", fmt.Sprintf("counted among %d edges of these", r.EdgesAmong))
	}
	facts := Facts{}
	for _, c := range []struct {
		name   string
		counts []edges.Count
	}{{"kinds", r.ByKind}, {"origins", r.ByOrigin}, {"status", r.ByStatus}, {"edges", r.EdgesByKind}} {
		if len(c.counts) > 0 {
			facts = append(facts, Fact{Name: c.name, Value: Join(countsText(c.counts))})
		}
	}
	*d = append(*d, facts)
}

// countsText lists counts: "3 fact, 1 decision".
func countsText(all []edges.Count) string {
	return lists.Join(all, ", ", func(c edges.Count) string { return fmt.Sprintf("%d %s", c.Count, c.Name) })
}

// list appends the first entries of a list, under a heading with the total. add appends entry
// i.
func (d *Doc) list(name string, count, total int, add func(i int)) {
	if count == 0 {
		return
	}
	totalText := ""
	if total > 0 {
		totalText = fmt.Sprintf(" (%d)", total)
	}
	d.Gap()
	d.Add("", Span{name, Strong}, totalText)
	for i := range count {
		add(i)
	}
	if total > count {
		d.AddIn(Faint, "  ", fmt.Sprintf("… and %d more: raise ", total-count), Call{"limit", "--limit"})
	}
}
