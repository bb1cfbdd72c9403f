package main

import (
	"path"
	"time"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/tools/show"
)

// path draws each hop of a path on its own line.
func (v *view) path(p show.Path) {
	if p.Alternative {
		v.Line()
		v.item("", faint("or "+plural.Count(len(p.Hops)-1, "hop", "hops")+":"))
	}
	v.item("", hopRef(p.Hops[0]))
	for i, hop := range p.Hops[:len(p.Hops)-1] {
		along := show.Link{Kind: hop.Type, Direction: hop.Direction}
		if len(hop.Edges) > 0 {
			along.Rel, along.Ended = hop.Edges[0].Rel, hop.Edges[0].Ended
		}
		v.line(show.Line{Mark: "  ", Parts: show.Join(show.Span{Text: along.Arrow() + " ", Role: show.Edge}, hopRef(p.Hops[i+1]))})
		if len(hop.Edges) > 1 {
			v.item(deeper, faint("also "+lists.Join(hop.Edges[1:], ", ", func(e edges.Parallel) string {
				return show.Link{Kind: e.Type, Rel: e.Rel, Direction: e.Direction, Ended: e.Ended}.Arrow()
			})))
		}
	}
}

// hopRef names a memory on a path.
func hopRef(h edges.Hop) show.Ref {
	return show.Ref{Named: h.Named, Status: show.StatusText(h.Status, h.Aging), Form: show.Bare}
}

// walk draws a tree for each seed, in the order of the results.
func (v *view) walk(w show.Walk) {
	roots := map[string]*screen.Node{}
	order := []*screen.Node{}
	root := func(seed string) *screen.Node {
		if roots[seed] == nil {
			line := w.Root
			if line == nil {
				line = show.Join(strong(v.title(seed)))
			}
			roots[seed] = &screen.Node{Line: v.spans(show.Plain, line)}
			order = append(order, roots[seed])
		}
		return roots[seed]
	}
	if w.Root != nil {
		root(w.Seed.ID)
	}
	nodes := map[[2]string]*screen.Node{} // by seed and id
	for _, r := range w.Reached {
		// A memory on the route may not be a result; the tree skips it.
		seed, above := r.Route[0], len(r.Route)-2
		for above > 0 && nodes[[2]string{seed, r.Route[above]}] == nil {
			above--
		}
		parent := root(seed)
		if above > 0 {
			parent = nodes[[2]string{seed, r.Route[above]}]
		}
		skipped := show.Span{}
		if hidden := len(r.Route) - 2 - above; hidden > 0 {
			skipped = faint("… (" + plural.Count(hidden, "memory", "memories") + " between, not shown) … ")
		}
		status := show.Ref{Named: r.Named(), Status: show.StatusText(r.Status, r.Aging)}.Marks()
		line := show.Join(skipped, show.ViaLink(r.Via), " ", strong(r.Title), statusSpan(status), spanToCopy(besideTitle(r.Title, r.ID, r.URI)))
		n := &screen.Node{Line: v.spans(show.Plain, line), Under: v.doubtLines(show.Doubts{Stale: r.Stale})}
		parent.Children = append(parent.Children, n)
		nodes[[2]string{seed, r.ID}] = n
	}
	for i, tree := range order {
		if i > 0 {
			v.Line()
		}
		v.Tree(tree)
	}
}

// statusSpan returns a status for use after a title; nothing for current.
func statusSpan(status string) show.Span {
	if status == "current" || status == "" {
		return show.Span{}
	}
	return warn(" (" + status + ")")
}

// faint returns the span of a remark.
func faint(text string) show.Span { return show.Span{Text: text, Role: show.Faint} }

// strong returns the span of a name.
func strong(text string) show.Span { return show.Span{Text: text, Role: show.Strong} }

// good returns the span of a success.
func good(text string) show.Span { return show.Span{Text: text, Role: show.Good} }

// warn returns the span of what a person should look at.
func warn(text string) show.Span { return show.Span{Text: text, Role: show.Warn} }

// bad returns the span of what was refused or is wrong.
func bad(text string) show.Span { return show.Span{Text: text, Role: show.Bad} }

// spanToCopy returns the span of an id or path that a person may copy, for the end of a line.
func spanToCopy(text string) show.Span {
	if text == "" {
		return show.Span{}
	}
	return faint("  " + text)
}

// name returns the identifier of a memory besides its title: the path of a note, or else the
// short id.
func name(id, uri string) string {
	if uri != "" {
		return show.NotePath(uri)
	}
	return ref.ShortID(id)
}

// besideTitle returns name for a line that shows the title too. If the file of a note is
// called like the title, it returns only the folder.
func besideTitle(title, id, uri string) string {
	whole := name(id, uri)
	folder, file := path.Split(whole)
	if whole != uri && (file == title+".md" || file == title) {
		return folder
	}
	return whole
}

// day and instant return a stored time in the time zone of the person.
func day(stored string) string     { return local(show.Time{At: stored}) }
func instant(stored string) string { return local(show.Time{At: stored, Minute: true}) }

func local(stored show.Time) string {
	t, err := time.Parse(time.RFC3339, stored.At)
	switch {
	case err != nil:
		return stored.At
	case stored.Minute:
		return t.Local().Format("2006-01-02 15:04")
	}
	return t.Local().Format(time.DateOnly)
}
