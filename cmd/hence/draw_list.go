package main

import (
	"fmt"
	"slices"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/memory"
	"hence/memory/recall"
)

// placeWidth is the columns that a path or an id keeps of the window: it is there
// to be copied.
const placeWidth = 36

// roomForTable is the narrowest window that a list is a table in. In a
// narrower one, each memory takes two lines.
const roomForTable = 100

func drawList(v *view, a memory.ListArgs, r memory.ListResult) {
	switch {
	case len(r.Memories) == 0:
		v.Line(screen.Text("nothing is here"))
	case v.Narrow(roomForTable):
		for _, m := range r.Memories {
			v.Line(screen.Span{Text: m.Title, Style: screen.Strong}, statusSpan(mark(m)))
			v.Item("  ", screen.Text(day(m.UpdatedAt)+"  "+m.Kind), tagsSpan(m.Tags), faint(name(m.ID, m.URI)))
		}
	default:
		drawListTable(v, a, r.Memories)
	}
	if r.Truncated {
		v.Line(screen.Span{Text: fmt.Sprintf("%d of %d; for more, %s", r.ReturnedCount, r.TotalCount, further(r)), Style: screen.Faint})
	}
}

// further says how to see the rest of a list: all of it, or the next page.
func further(r memory.ListResult) string {
	const mostAtOnce = 200
	if r.TotalCount <= mostAtOnce {
		return fmt.Sprintf("--limit %d", r.TotalCount)
	}
	return "--cursor " + r.Next
}

func drawListTable(v *view, a memory.ListArgs, all []memory.Summary) {
	columns := []screen.Column{{Head: "changed"}, {Head: "kind", Min: 8}, {Head: "title", Min: 24}, {Head: "tags", Min: 8}}
	marked := a.Status != "" && a.Status != memory.Current || slices.ContainsFunc(all, func(m memory.Summary) bool { return mark(m) != memory.Current })
	if marked {
		columns = append(columns, screen.Column{Head: "status"})
	}
	columns = append(columns, screen.Column{Head: "path or id", Min: placeWidth})
	rows := [][]screen.Span{}
	for _, m := range all {
		row := []screen.Span{
			screen.Text(day(m.UpdatedAt)),
			screen.Text(m.Kind),
			{Text: m.Title, Style: screen.Strong},
			screen.Text(strings.Join(m.Tags, ", ")),
		}
		if marked {
			row = append(row, markSpan(m))
		}
		rows = append(rows, append(row, screen.Span{Text: name(m.ID, m.URI), Style: screen.Faint}))
	}
	v.Table(columns, rows)
}

func markSpan(m memory.Summary) screen.Span {
	text := mark(m)
	if text == memory.Current {
		return screen.Text(text)
	}
	return screen.Span{Text: text, Style: screen.Warn}
}

func tagsSpan(tags []string) screen.Span {
	if len(tags) == 0 {
		return screen.Span{}
	}
	return screen.Text("  #" + strings.Join(tags, " #"))
}

func drawSearch(v *view, a recall.SearchArgs, r recall.SearchResult, why bool) {
	for i, f := range r.Results {
		if i > 0 && a.Detail != "index" {
			v.Line()
		}
		v.found(i+1, f)
		if why {
			v.why(f.Why)
		}
	}
	if len(r.Results) == 0 {
		v.Line(screen.Text("nothing that is remembered matches"))
	}
	v.warn(r.Warnings)
	if r.Truncated {
		v.Line()
		atLeast := ""
		if !r.TotalIsExact {
			atLeast = "at least "
		}
		v.Line(screen.Span{Text: fmt.Sprintf("%d of %s%d; %s", r.ReturnedCount, atLeast, r.TotalCount, orRaise(a, r.Next, "no more are shown at a time: narrow the question")), Style: screen.Faint})
	}
}

const numberWidth = 4 // columns that a result's number takes

func (v *view) found(n int, f recall.Found) {
	line := []screen.Span{{Text: f.Title, Style: screen.Strong}}
	if f.Section != "" && f.Section != f.Title {
		line = append(line, screen.Text(" › "+f.Section))
	}
	v.Item(fmt.Sprintf("%*d. ", numberWidth-2, n), append(line, statusSpan(f.Status))...)
	indent := strings.Repeat(" ", numberWidth)
	v.Item(indent, screen.Span{Text: where(f), Style: screen.Faint})
	if f.SupersededBy != nil {
		v.Item(indent, screen.Span{Text: "superseded by " + f.SupersededBy.Title, Style: screen.Warn})
	}
	if len(f.ContradictedBy) > 0 {
		v.Item(indent, screen.Span{Text: firstConflict(f.ContradictedBy), Style: screen.Warn})
	}
	if len(f.Stale) > 0 {
		v.Item(indent, screen.Span{Text: "stale: " + v.firstDoubt(f.Stale), Style: screen.Warn})
	}
	if len(f.Marks) > 0 {
		v.Item(indent, marked(f.Pieces())...)
		return
	}
	for _, line := range screen.CleanLines(f.Snippet) {
		if strings.TrimSpace(line) != "" {
			v.Item(indent, screen.Text(line))
		}
	}
}

// why draws how a result came to its place: its ranks, and the edges that
// lifted it with the part of the score that each lent.
func (v *view) why(w recall.Why) {
	reasons := []string{}
	if w.KeywordRank > 0 {
		reasons = append(reasons, fmt.Sprintf("%d. by words", w.KeywordRank))
	}
	if w.VectorRank > 0 {
		reasons = append(reasons, fmt.Sprintf("%d. in meaning", w.VectorRank))
	}
	for _, l := range w.Graph {
		reasons = append(reasons, fmt.Sprintf("%.0f%% from %s (%s)", 100*l.Share, v.find(l.From).Title, l.Type))
	}
	if len(reasons) > 0 {
		v.Item(strings.Repeat(" ", numberWidth), screen.Span{Text: "why: " + strings.Join(reasons, ", "), Style: screen.Faint})
	}
}

// where is a result's place: what it may be named by, the lines of a note,
// and what kind of memory it is.
func where(f recall.Found) string {
	at := name(f.ID, f.URI)
	if f.StartLine > 0 {
		at += fmt.Sprintf(":%d", f.StartLine)
		if f.EndLine > f.StartLine {
			at += fmt.Sprintf("-%d", f.EndLine)
		}
	}
	return f.Kind + "  " + at
}

// marked draws the pieces of a snippet, the hits in a style of their own.
func marked(pieces []recall.Piece) []screen.Span {
	spans := []screen.Span{}
	for _, p := range pieces {
		style := screen.Plain
		if p.Hit {
			style = screen.Match
		}
		spans = append(spans, screen.Span{Text: p.Text, Style: style})
	}
	return spans
}

func drawRelated(v *view, a recall.RelatedArgs, r recall.RelatedResult) {
	for i, one := range r.Results {
		if i > 0 {
			v.Line()
		}
		v.found(i+1, one.Found)
		if len(one.Linked) > 0 {
			kinds := []string{}
			for _, k := range one.Linked {
				kinds = append(kinds, string(k))
			}
			v.Item(strings.Repeat(" ", numberWidth), screen.Span{Text: "linked already: " + strings.Join(kinds, ", "), Style: screen.Faint})
		}
	}
	if len(r.Results) == 0 {
		v.Line(screen.Text("nothing that is remembered is near it"))
	}
	if r.Truncated {
		v.Line()
		v.Line(screen.Span{Text: fmt.Sprintf("the first %d; %s", r.ReturnedCount, orRaise(a, r.Next, "no more are shown")), Style: screen.Faint})
	}
}
