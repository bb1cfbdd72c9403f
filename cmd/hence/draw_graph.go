package main

import (
	"fmt"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/edges/walk"
	"hence/internal/ref"
	"hence/tools/show"
)

// edge says on one line what became of an edge.
func (v *view) edge(done string, e edges.Edge) {
	v.Line(
		screen.Span{Text: done, Style: screen.Good},
		screen.Span{Text: e.From.Title, Style: screen.Strong},
		screen.Text(" "), edgeSpan(e.Type, e.Rel, "out"),
		screen.Span{Text: e.To.Title, Style: screen.Strong},
	)
}

func drawPaths(v *view, _ walk.PathArgs, r walk.PathResult) {
	if !r.Found {
		v.Line(screen.Text(r.Message))
		return
	}
	v.path(r.Path)
	if r.Strength > 0 {
		v.Line(screen.Span{Text: fmt.Sprintf("strength %.3g", r.Strength), Style: screen.Faint})
	}
	for i, path := range r.Alternatives {
		v.Line()
		v.Line(screen.Span{Text: fmt.Sprintf("or, %d:", i+2), Style: screen.Faint})
		v.path(path)
	}
}

// path draws a path on one line where it fits, and else a hop on each.
func (v *view) path(path []edges.Hop) {
	if line, ok := inline(path); ok && v.Fits(line...) {
		v.Line(line...)
		return
	}
	v.Line(title(path[0])...)
	for i, hop := range path[:len(path)-1] {
		spans := append([]screen.Span{edgeSpan(hop.Type, firstRel(hop), hop.Direction)}, title(path[i+1])...)
		v.Hang("  ", deeper, spans...)
		if also := parallels(hop); also != "" {
			v.Item("      ", screen.Span{Text: "also " + also, Style: screen.Faint})
		}
	}
}

// inline draws a short path without parallel edges.
func inline(path []edges.Hop) (line []screen.Span, ok bool) {
	const mostHops = 2
	if len(path) > mostHops+1 {
		return nil, false
	}
	for i, hop := range path {
		line = append(line, title(hop)...)
		if i == len(path)-1 {
			break
		}
		if len(hop.Edges) > 1 {
			return nil, false
		}
		line = append(line, screen.Text(" "), edgeSpan(hop.Type, firstRel(hop), hop.Direction))
	}
	return line, true
}

func title(hop edges.Hop) []screen.Span {
	return []screen.Span{{Text: hop.Title, Style: screen.Strong}, statusSpan(hop.Status)}
}

func firstRel(hop edges.Hop) string {
	if len(hop.Edges) == 0 {
		return ""
	}
	return hop.Edges[0].Rel
}

// parallels draws the edges of a hop beside the first.
func parallels(hop edges.Hop) string {
	arrows := []string{}
	for i, e := range hop.Edges {
		if i > 0 {
			arrows = append(arrows, show.Arrow(e.Type, e.Rel, e.Direction))
		}
	}
	return strings.Join(arrows, ", ")
}

func drawExpansion(v *view, _ walk.ExpandArgs, r walk.ExpandResult) {
	order, bySeed := []string{}, map[string][]reached{}
	for _, x := range r.Results {
		seed := x.Via.Seed
		if bySeed[seed] == nil {
			order = append(order, seed)
		}
		bySeed[seed] = append(bySeed[seed], reached{
			id: x.ID, uri: x.URI, title: x.Title, status: x.Status,
			kind: x.Via.EdgeType, rel: x.Via.Rel, direction: x.Via.Direction, route: x.Route,
		})
	}
	for i, seed := range order {
		if i > 0 {
			v.Line()
		}
		root := &screen.Node{Line: []screen.Span{{Text: v.title(seed), Style: screen.Strong}}}
		grow(root, seed, bySeed[seed])
		v.Tree(root)
	}
	if len(r.Results) == 0 && len(r.Warnings) == 0 {
		v.Line(screen.Text("nothing is within reach"))
	}
	v.besideExpansion(r)
}

// besideExpansion says what a seed or a limit kept out.
func (v *view) besideExpansion(r walk.ExpandResult) {
	for _, w := range r.Warnings {
		v.warn([]string{w.String()})
	}
	v.more(r.Truncated, r.Next)
}

func drawNeighborhood(v *view, _ walk.NeighborhoodArgs, r walk.NeighborhoodResult) {
	routes := map[string][]string{r.Seed.ID: {r.Seed.ID}}
	titles := map[string]string{r.Seed.ID: r.Seed.Title}
	all := []reached{}
	for _, n := range r.Nodes {
		route := append(append([]string{}, routes[n.Via.From]...), n.ID)
		routes[n.ID], titles[n.ID] = route, n.Title
		all = append(all, reached{
			id: n.ID, uri: n.URI, title: n.Title, status: n.Status,
			kind: n.Via.EdgeType, rel: n.Via.Rel, direction: n.Via.Direction, route: route,
		})
	}
	root := &screen.Node{Line: []screen.Span{
		{Text: r.Seed.Title, Style: screen.Strong}, statusSpan(r.Seed.Status), faint(besideTitle(r.Seed.Title, r.Seed.ID, r.Seed.URI)),
	}}
	grow(root, r.Seed.ID, all)
	v.Tree(root)
	v.otherEdges(others(r), titles)
	v.more(r.Truncated, r.Next)
}

// others returns the edges that the tree does not show.
func others(r walk.NeighborhoodResult) []walk.Link {
	shown := map[walk.Link]bool{}
	for _, n := range r.Nodes {
		l := walk.Link{From: n.Via.From, To: n.ID, Type: n.Via.EdgeType, Rel: n.Via.Rel}
		if n.Via.Direction == "in" {
			l.From, l.To = l.To, l.From
		}
		shown[l] = true
	}
	rest := []walk.Link{}
	for _, l := range r.Edges {
		if !shown[l] {
			rest = append(rest, l)
		}
	}
	return rest
}

func (v *view) otherEdges(rest []walk.Link, titles map[string]string) {
	const most = 20
	if len(rest) == 0 {
		return
	}
	v.Line()
	v.Line(screen.Span{Text: "and among these:", Style: screen.Faint})
	for _, l := range rest[:min(len(rest), most)] {
		v.Hang("  ", deeper, screen.Text(titles[l.From]+" "), edgeSpan(l.Type, l.Rel, "out"), screen.Text(titles[l.To]))
	}
	if len(rest) > most {
		v.Item("  ", screen.Span{Text: "… and " + show.Count(len(rest)-most, "edge", "edges") + " more, which --json has", Style: screen.Faint})
	}
}

func drawHistory(v *view, _ edges.HistoryArgs, r edges.HistoryResult) {
	titles := map[string]string{}
	for i, version := range r.Chain {
		titles[version.ID] = version.Title
		if i > 0 {
			v.step(version.Reason)
		}
		v.Item(day(version.CreatedAt)+"  ",
			screen.Span{Text: version.Title, Style: screen.Strong}, versionStatus(version.Status), faint(ref.ShortID(version.ID)))
	}
	for _, m := range r.MergedFrom {
		v.Line()
		v.Item("also        ", screen.Span{Text: m.Title, Style: screen.Strong}, versionStatus(m.Status), faint(ref.ShortID(m.ID)))
		v.Item("            ", screen.Text("was replaced by "+titles[m.Into]+because(m.Reason)))
	}
	if len(r.Chain) == 1 {
		v.Item("            ", screen.Span{Text: "replaced nothing, and nothing replaced it", Style: screen.Faint})
	}
}

// step is what lies between two memories of the line.
func (v *view) step(reason string) {
	if reason == "" {
		v.Item("     ↓      ", screen.Span{Text: "replaced by", Style: screen.Faint})
		return
	}
	v.Item("     ↓      ", screen.Text("because "+reason))
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ", because " + reason
}

func versionStatus(status string) screen.Span {
	style := screen.Warn
	if status == "current" {
		style = screen.Good
	}
	return screen.Span{Text: " (" + status + ")", Style: style}
}

// The directions of a trace.
const (
	upstream   = "upstream"
	downstream = "downstream"
)

func drawTraces(v *view, _ walk.TraceArgs, all traces) {
	m := v.find(all[0].ID)
	v.Line(screen.Span{Text: all[0].Title, Style: screen.Strong}, statusSpan(all[0].Status), faint(besideTitle(m.Title, all[0].ID, m.URI)))
	for _, line := range v.doubts(all[0].Stale) {
		v.Item("  ", line...)
	}
	for _, r := range all {
		v.Line()
		v.trace(r)
	}
}

// trace draws one direction as a tree by route.
func (v *view) trace(r walk.TraceResult) {
	if len(r.Results) == 0 && !r.Truncated {
		v.Line(screen.Text(nothing(r.Direction)))
		return
	}
	all := []reached{}
	for _, x := range r.Results {
		all = append(all, reached{
			id: x.ID, uri: x.URI, title: x.Title, status: x.Status,
			kind: x.Via.EdgeType, rel: x.Via.Rel, direction: x.Via.Direction, route: x.Route, under: v.doubts(x.Stale),
		})
	}
	root := &screen.Node{Line: []screen.Span{screen.Text(heading(r))}}
	grow(root, r.ID, all)
	v.Tree(root)
	v.more(r.Truncated, r.Next)
}

func nothing(direction string) string {
	if direction == upstream {
		return "it rests on nothing"
	}
	return "nothing rests on it"
}

// heading says what a tree shows, and how much of it is stale.
func heading(r walk.TraceResult) string {
	text := "what rests on it"
	if r.Direction == upstream {
		text = "what it rests on"
	}
	if r.StaleCount > 0 {
		text += fmt.Sprintf(" (%d of %d stale)", r.StaleCount, r.ReturnedCount)
	}
	return text
}

func drawOverview(v *view, _ walk.OverviewArgs, r walk.OverviewResult) {
	v.Line(screen.Span{Text: show.Count(r.Memories, "current memory", "current memories"), Style: screen.Strong}, screen.Text("; "+pieces(r)))
	v.facts(countFacts(r))
	for _, list := range []struct {
		name  string
		count int
		shown int
		line  func(i int)
	}{
		{"most linked", 0, len(r.MostLinked), func(i int) {
			l := r.MostLinked[i]
			v.Item(fmt.Sprintf("%5d  ", l.Edges), screen.Text(l.Title), v.where(l.ID))
		}},
		{"stale", r.StaleCount, len(r.Stale), func(i int) {
			v.entry(r.Stale[i].ID, r.Stale[i].Title)
			v.Item("    ", screen.Span{Text: v.firstDoubt(r.Stale[i].Stale), Style: screen.Warn})
		}},
		{"in conflict", r.ConflictCount, len(r.Conflicts), func(i int) {
			c := r.Conflicts[i]
			v.Hang("  ", deeper, screen.Text(c.A.Title+" "), edgeSpan(edges.Contradicts, "", "out"), screen.Text(c.B.Title), note(c.Note))
		}},
		{"causes in cycles", r.CausalLoopCount, len(r.CausalLoops), func(i int) { v.loop(r.CausalLoops[i]) }},
		{"without an edge", r.OrphanCount, len(r.Orphans), func(i int) { v.entry(r.Orphans[i].ID, r.Orphans[i].Title) }},
	} {
		if list.shown > 0 {
			v.list(list.name, list.count, list.shown, list.line)
		}
	}
}

// list writes the first entries of a list under its name and its whole count.
func (v *view) list(name string, count, shown int, line func(i int)) {
	v.Line()
	heading := []screen.Span{{Text: name, Style: screen.Strong}}
	if count > 0 {
		heading = append(heading, screen.Text(fmt.Sprintf(" (%d)", count)))
	}
	v.Line(heading...)
	for i := range shown {
		line(i)
	}
	if count > shown {
		v.Item("  ", screen.Span{Text: fmt.Sprintf("… and %d more: raise --limit", count-shown), Style: screen.Faint})
	}
}

func (v *view) entry(id, title string) { v.Hang("  ", deeper, screen.Text(title), v.where(id)) }

// where is how a memory of which a result has the id may be named.
func (v *view) where(id string) screen.Span {
	m := v.find(id)
	return faint(besideTitle(m.Title, id, m.URI))
}

// loop names the memories of a cycle, as many as the result has.
func (v *view) loop(l walk.Loop) {
	titles := []string{}
	for _, m := range l.Memories {
		titles = append(titles, m.Title)
	}
	text := strings.Join(titles, ", ")
	if more := l.Size - len(titles); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	v.Hang("  ", deeper, screen.Text(text))
}

// pieces says how well the whole hangs together, superseded memories included.
func pieces(r walk.OverviewResult) string {
	switch r.Components {
	case 0:
		return "no edge ties one to another"
	case 1:
		return fmt.Sprintf("edges tie %d to one piece, superseded ones included", r.LargestComponent)
	}
	return fmt.Sprintf("edges tie them to %d pieces, the largest of %d", r.Components, r.LargestComponent)
}

func countFacts(r walk.OverviewResult) []fact {
	all := []fact{}
	for _, c := range []struct {
		name   string
		counts []edges.Count
	}{{"kinds", r.ByKind}, {"origins", r.ByOrigin}, {"status", r.ByStatus}, {"edges", r.EdgesByKind}} {
		if len(c.counts) > 0 {
			all = append(all, fact{c.name, inWords(c.counts)})
		}
	}
	return all
}

func inWords(counts []edges.Count) string {
	texts := []string{}
	for _, c := range counts {
		texts = append(texts, fmt.Sprintf("%d %s", c.Count, c.Name))
	}
	return strings.Join(texts, ", ")
}

// reached is a memory as a tree of a walk shows it.
type reached struct {
	id, uri, title, status string
	kind                   edges.Kind
	rel, direction         string
	route                  []string // ids from the seed to this
	under                  [][]screen.Span
}

// grow hangs each memory from the nearest one on its route that the tree
// shows, and says how many between them it does not.
func grow(root *screen.Node, seed string, all []reached) {
	nodes := map[string]*screen.Node{seed: root}
	for _, r := range all {
		above := len(r.route) - 2
		for above > 0 && nodes[r.route[above]] == nil {
			above--
		}
		parent := nodes[r.route[above]]
		n := &screen.Node{Line: r.line(len(r.route) - 2 - above), Under: r.under}
		parent.Children = append(parent.Children, n)
		nodes[r.id] = n
	}
}

func (r reached) line(hidden int) []screen.Span {
	line := []screen.Span{}
	if hidden > 0 {
		line = append(line, screen.Span{Text: "… (" + show.Count(hidden, "memory", "memories") + " between, not shown) … ", Style: screen.Faint})
	}
	return append(line,
		edgeSpan(r.kind, r.rel, r.direction),
		screen.Span{Text: r.title, Style: screen.Strong},
		statusSpan(r.status),
		faint(besideTitle(r.title, r.id, r.uri)),
	)
}
