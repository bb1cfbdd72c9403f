package show

import (
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/walk"
)

// Path shows a path between two memories, with the names of all on it.
func Path(r walk.PathResult) string {
	if !r.Found {
		return r.Message
	}
	var l lines
	l.add("%s: %s", Count(r.Hops, "hop", "hops"), r.Arrows())
	l.hops(r.Path)
	for _, path := range r.Alternatives {
		l.add("or %s: %s", Count(len(path)-1, "hop", "hops"), edges.Arrows(path))
		l.hops(path)
	}
	return l.String()
}

// hops names the memories of a path, in its order.
func (l *lines) hops(path []edges.Hop) {
	names := []string{}
	for _, hop := range path {
		names = append(names, name(hop.Title, hop.ID, hop.Status))
	}
	l.add("  %s", strings.Join(names, ", "))
}

// Expanded shows the memories within reach of the seeds.
func Expanded(r walk.ExpandResult) string {
	var l lines
	l.add("%s", Count(r.ReturnedCount, "memory", "memories"))
	titles := map[string]string{}
	for _, x := range r.Results {
		titles[x.ID] = strconv.Quote(x.Title)
	}
	for _, x := range r.Results {
		from, ok := titles[x.Via.From]
		if !ok {
			from = "the seed"
		}
		l.add("%d. %s %s %s, %s%s", x.Via.Hop, from, Arrow(x.Via.EdgeType, "", x.Via.Direction), name(x.Title, x.ID, x.Status), x.Kind, tags(x.Tags))
	}
	l.more(r.Truncated, r.Next)
	for _, w := range r.Warnings {
		l.add("warning: %s", w)
	}
	return l.String()
}

// Neighborhood shows a memory, its neighbours and the edges among them.
func Neighborhood(r walk.NeighborhoodResult) string {
	var l lines
	l.add("%s and %s", name(r.Seed.Title, r.Seed.ID, r.Seed.Status), Count(r.ReturnedCount, "neighbour", "neighbours"))
	titles := map[string]string{r.Seed.ID: r.Seed.Title}
	for _, n := range r.Nodes {
		titles[n.ID] = n.Title
		l.add("%d. %s, %s%s", n.Distance, name(n.Title, n.ID, n.Status), n.Kind, tags(n.Tags))
	}
	for _, e := range r.Edges {
		l.add("%q %s %q", titles[e.From], Arrow(e.Type, "", "out"), titles[e.To])
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// History shows the succession that a memory is part of, oldest first.
func History(r edges.HistoryResult) string {
	var l lines
	for _, v := range r.Chain {
		l.add("%s %s", v.CreatedAt, name(v.Title, v.ID, v.Status))
		if v.Reason != "" {
			l.add("  because %s", v.Reason)
		}
	}
	for _, m := range r.MergedFrom {
		l.add("also replaced: %s", name(m.Title, m.ID, m.Status))
	}
	l.add("current: %s", endName(r.Current))
	return l.String()
}

// Traced shows what a memory rests on, or what rests on it.
func Traced(r walk.TraceResult) string {
	var l lines
	what := "rests on"
	if r.Direction == "downstream" {
		what = "is the ground of"
	}
	l.add("%s %s %s", name(r.Title, r.ID, r.Status), what, Count(len(r.Results), "memory", "memories"))
	l.doubts(r.Stale)
	for _, t := range r.Results {
		l.add("%d %s %s, %s", t.Via.Hop, Arrow(t.Via.EdgeType, "", t.Via.Direction), name(t.Title, t.ID, t.Status), by(t.Origin, t.Actor))
		l.doubts(t.Stale)
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// Overview shows the shape of the graph.
func Overview(r walk.OverviewResult) string {
	var l lines
	l.add("%s, %s, %s not linked", Count(r.Memories, "current memory", "current memories"),
		Count(r.Components, "piece", "pieces"), Count(r.OrphanCount, "memory", "memories"))
	for _, c := range r.EdgesByKind {
		l.add("  %d %s", c.Count, c.Name)
	}
	for _, m := range r.MostLinked {
		l.add("linked %d times: %s", m.Edges, name(m.Title, m.ID, ""))
	}
	for _, s := range r.Stale {
		l.add("%s", name(s.Title, s.ID, ""))
		l.doubts(s.Stale)
	}
	for _, c := range r.Conflicts {
		l.add("%s contradicts %s", endName(c.A), endName(c.B))
	}
	for _, loop := range r.CausalLoops {
		l.add("%s cause each other, %q among them", Count(loop.Size, "memory", "memories"), loop.Memories[0].Title)
	}
	return l.String()
}
