package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

func (s *session) overviewCommand() *cobra.Command {
	return mirror[edges.OverviewArgs, edges.OverviewResult]{
		use:   "overview",
		group: groupGraph,
		short: "The whole, in counts, and what stands out in it",
		long: `Counts memories and edges by what they are, and lists what is most linked, what
is not linked at all, what is stale, what contradicts what, and which causes go
in circles.`,
		example: `  hence overview
  hence overview --namespace friends --limit 50`,
		place: func(*edges.OverviewArgs, []string) error { return nil },
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.OverviewArgs) (edges.OverviewResult, error) {
			return edges.Graph{DB: d, Caller: c}.Overview(ctx, a)
		},
		draw: drawOverview,
	}.command(s)
}

func drawOverview(v *view, _ edges.OverviewArgs, r edges.OverviewResult) {
	v.Line(screen.Span{Text: number(r.Memories, "current memory", "current memories"), Style: screen.Strong}, screen.Text("; "+pieces(r)))
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
		{"causes in circles", r.CausalLoopCount, len(r.CausalLoops), func(i int) { v.loop(r.CausalLoops[i]) }},
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

// loop names the memories of a circle, as many as the result has.
func (v *view) loop(l edges.Loop) {
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
func pieces(r edges.OverviewResult) string {
	switch r.Components {
	case 0:
		return "no edge ties one to another"
	case 1:
		return fmt.Sprintf("edges tie %d to one piece, superseded ones included", r.LargestComponent)
	}
	return fmt.Sprintf("edges tie them to %d pieces, the largest of %d", r.Components, r.LargestComponent)
}

func countFacts(r edges.OverviewResult) []fact {
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
