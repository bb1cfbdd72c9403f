package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/answer"
	"hence/memory/recall/rank"
	"hence/tools/show"
)

// view draws results on a page for people.
type view struct {
	*screen.Page
	find func(id string) ref.Memory // the zero Memory if there is none
	args any                        // the arguments of the call
	why  bool                       // explain the rank of search results
}

// deeper indents the continuation lines of entries in a list.
const deeper = "      "

// draw draws a result for a terminal.
func (v *view) draw(d []show.Block) {
	for _, b := range d {
		switch b := b.(type) {
		case show.Line:
			v.line(b)
		case show.People:
			v.draw(b)
		case show.Content:
			v.Block("", string(b))
		case show.Warnings:
			for _, text := range b {
				v.item("! ", warn(text))
			}
		case show.Facts:
			v.facts(b)
		case show.Total:
			if b.N == 0 {
				v.item("", b.None)
			}
		case show.More:
			v.item("", faint(v.more(b)))
		case show.Table:
			v.Table(b)
		case show.Doubts:
			v.doubts(b)
		case show.Path:
			v.path(b)
		case show.Walk:
			v.walk(b)
		case show.Summaries:
			v.list(b)
		case show.Results:
			v.results(b.All)
		default:
			panic(fmt.Sprintf("there is no drawing of a %T", b))
		}
	}
}

func (v *view) line(l show.Line) {
	mark, parts := l.Mark, l.Parts
	if len(parts) > 0 {
		if at, ok := parts[0].(show.Time); ok { // before the text, so that times align
			mark, parts = local(at)+"  ", parts[2:]
		}
	}
	spans := v.spans(l.Role, parts)
	if strings.TrimSpace(mark) == "" && mark != "" && len(mark) < len(deeper) {
		v.Hang(mark, deeper, spans...)
		return
	}
	v.Item(mark, spans...)
}

// item writes parts after a mark. Each is a show.Part, a []show.Part or a string.
func (v *view) item(mark string, parts ...any) {
	v.Item(mark, v.spans(show.Plain, show.Join(parts...))...)
}

// spans draws the parts of a line. The role of the line applies to parts
// without one.
func (v *view) spans(role show.Role, parts []show.Part) (spans []show.Cell) {
	for _, part := range parts {
		switch p := part.(type) {
		case show.Span:
			if p.Role == show.Plain {
				p.Role = role
			}
			if p.Role != show.Detail {
				spans = append(spans, show.Cell{Text: p.Text, Role: p.Role})
			}
		case show.Link:
			spans = append(spans, show.Cell{Text: p.Arrow(), Role: show.Edge})
		case show.Ref:
			spans = append(spans, v.spans(role, v.ref(role, p))...)
		case show.Route:
			if len(p) > 2 {
				spans = append(spans, show.Cell{Text: ", by way of " + v.between(p[1:len(p)-1]), Role: role})
			}
		case show.Time:
			spans = append(spans, show.Cell{Text: local(p), Role: role})
		case show.Call:
			spans = append(spans, show.Cell{Text: p.Command, Role: role})
		default:
			panic(fmt.Sprintf("there is no drawing of a %T", p))
		}
	}
	return spans
}

// between draws the names of the memories on a route, of a long one its ends.
func (v *view) between(ids []string) string {
	const whole, atEnds = 7, 3
	if len(ids) <= whole {
		return lists.Join(ids, " → ", v.title)
	}
	return fmt.Sprintf("%s → … %d more … → %s", lists.Join(ids[:atEnds], " → ", v.title), len(ids)-2*atEnds, lists.Join(ids[len(ids)-atEnds:], " → ", v.title))
}

// ref draws the name of a memory.
func (v *view) ref(role show.Role, r show.Ref) []show.Part {
	title, status, place := show.Span{Text: r.Title, Role: role}, statusSpan(r.Marks()), show.Span{}
	switch r.Form {
	case show.Quoted:
		return show.Join(`"` + r.Title + `"` + r.Mark())
	case show.InLine:
		return show.Join(title, status)
	case show.Located:
		m := v.find(r.ID)
		place = spanToCopy(besideTitle(m.Title, r.ID, m.URI))
	case show.Heading, show.Version:
		place = spanToCopy(ref.ShortID(r.ID))
	}
	if r.Form == show.Version && r.Status == memory.Current {
		status = good(" (" + r.Marks() + ")")
	}
	if role == show.Plain {
		title.Role = show.Strong
	}
	return show.Join(title, status, place)
}

// title returns the title of a memory with its mark, or its id if there is no such memory.
func (v *view) title(id string) string {
	m := v.find(id)
	return cmp.Or(m.Title, id) + m.Mark()
}

func (v *view) facts(all show.Facts) {
	column := 0
	for _, f := range all {
		column = max(column, screen.Width(f.Name))
	}
	for _, f := range all {
		gap := strings.Repeat(" ", column-screen.Width(f.Name)+2)
		v.Item(screen.Clean(f.Name)+gap, v.spans(show.Plain, f.Value)...)
	}
}

// more returns the line which says that there is more, and which flag shows it, unless that
// flag is at its maximum.
func (v *view) more(m show.More) string {
	name := m.Next
	if m.Cursor != "" {
		name = "limit" // shorter to type than a cursor
	}
	most, isReached := flags.Maximum(v.args, name)
	raise := "raise --" + strings.ReplaceAll(name, "_", "-")
	switch {
	case m.Cursor != "" && isReached:
		raise = "--cursor " + m.Cursor
	case m.Cursor != "" && m.Of > 0 && !m.AtLeast:
		raise = fmt.Sprintf("--limit %d", min(m.Of, most))
	}
	if m.Returned == 0 {
		return "there is more: " + raise
	}
	how := "for more, " + raise
	switch {
	case m.Next == "query":
		how = "for more, narrow the question"
	case m.Cursor == "" && isReached:
		if how = "no more are shown"; m.Of > 0 {
			how += " at a time: narrow the question"
		}
	}
	switch {
	case m.Of == 0:
		return fmt.Sprintf("the first %d; %s", m.Returned, how)
	case m.AtLeast:
		return fmt.Sprintf("%d of at least %d; %s", m.Returned, m.Of, how)
	}
	return fmt.Sprintf("%d of %d; %s", m.Returned, m.Of, how)
}

func (v *view) doubts(d show.Doubts) {
	indent := "  "
	if d.OneLine {
		indent = "    "
	}
	for _, line := range v.doubtLines(d) {
		v.Item(indent, line...)
	}
}

func (v *view) doubtLines(d show.Doubts) (lines [][]show.Cell) {
	for i, one := range d.Stale {
		parts := show.Doubt(one)
		if more := len(d.Stale) - 1; d.OneLine && more > 0 {
			parts = show.Join(parts, ", and "+plural.Count(more, "more reason", "more reasons"))
		}
		if i == 0 || !d.OneLine {
			lines = append(lines, v.spans(show.Warn, parts))
		}
	}
	return lines
}

// list draws a table, or two lines for each memory if the table is too wide for the window.
func (v *view) list(all show.Summaries) {
	if len(all) == 0 {
		return
	}
	if t := v.tableOf(all); v.FitsTable(t) {
		v.Table(t)
		return
	}
	for _, m := range all {
		v.item("", strong(m.Title), statusSpan(mark(m)))
		about := strings.TrimSpace(day(m.UpdatedAt) + "  " + m.Kind + "  " + authorship(m.Origin, m.Actor))
		if len(m.Tags) > 0 {
			about += "  #" + strings.Join(m.Tags, " #")
		}
		v.item("  ", about, spanToCopy(name(m.ID, m.URI)))
	}
}

func (v *view) tableOf(all show.Summaries) (t show.Table) {
	const placeWidth = 36 // enough to copy a path or an id
	a, _ := v.args.(memory.ListArgs)
	marked := a.Status != "" && a.Status != memory.Current || slices.ContainsFunc(all, func(m memory.Summary) bool { return mark(m) != memory.Current })
	authored := slices.ContainsFunc(all, func(m memory.Summary) bool {
		return show.Author(m.Origin, m.Actor) != show.Author(all[0].Origin, all[0].Actor)
	})
	t.Columns = []show.Column{{Head: "changed"}, {Head: "kind", Min: 8}, {Head: "title", Min: 24}, {Head: "tags", Min: 8}}
	if authored {
		t.Columns = append(t.Columns, show.Column{Head: "by", Min: 8})
	}
	if marked {
		t.Columns = append(t.Columns, show.Column{Head: "status"})
	}
	t.Columns = append(t.Columns, show.Column{Head: "path or id", Min: placeWidth})
	for _, m := range all {
		row := []show.Cell{{Text: day(m.UpdatedAt)}, {Text: m.Kind}, {Text: m.Title, Role: show.Strong}, {Text: strings.Join(m.Tags, ", ")}}
		if authored {
			row = append(row, show.Cell{Text: show.Author(m.Origin, m.Actor)})
		}
		if text := mark(m); marked && text == memory.Current {
			row = append(row, show.Cell{Text: text})
		} else if marked {
			row = append(row, show.Cell{Text: text, Role: show.Warn})
		}
		t.Rows = append(t.Rows, append(row, show.Cell{Text: name(m.ID, m.URI), Role: show.Faint}))
	}
	return t
}

// authorship returns who wrote a memory, or "" for a note, whose path says enough.
func authorship(origin, actor string) string {
	if origin == "vault" {
		return ""
	}
	return "by " + show.Author(origin, actor) + "  "
}

// mark returns the mark of a memory: that it is contradicted or stale, or else its status.
func mark(m memory.Summary) string {
	r, doubts := show.SummaryRef(m), []string{}
	if len(m.ContradictedBy) > 0 {
		doubts = append(doubts, "contradicted")
	}
	if len(m.Stale) > 0 {
		doubts = append(doubts, "stale")
	}
	r.Status = cmp.Or(strings.Join(doubts, ", "), r.Status)
	return r.Marks()
}

func (v *view) results(all []recall.Related) {
	const indent = "    "
	hasSnippets := slices.ContainsFunc(all, func(f recall.Related) bool { return f.Snippet != "" })
	for i, f := range all {
		if i > 0 && hasSnippets {
			v.Line()
		}
		section := ""
		if f.Section != "" && f.Section != f.Title {
			section = " › " + f.Section
		}
		v.item(fmt.Sprintf("%*d. ", len(indent)-2, i+1), strong(f.Title), section, statusSpan(show.FoundRef(f.Found).Marks()))
		place := f.Kind + "  " + authorship(f.Origin, f.Actor) + name(f.ID, f.URI)
		if f.File != "" {
			place += "  " + f.File
		}
		if f.StartLine > 0 {
			place += fmt.Sprintf(":%d", f.StartLine)
			if f.EndLine > f.StartLine {
				place += fmt.Sprintf("-%d", f.EndLine)
			}
		}
		v.item(indent, faint(place))
		if f.SupersededBy != nil {
			v.item(indent, warn("superseded by "+f.SupersededBy.Title+f.SupersededBy.Mark()))
		}
		if others := f.ContradictedBy; len(others) > 0 {
			text := `contradicted by "` + others[0].Title + `"` + others[0].Mark()
			if more := len(others) - 1; more > 0 {
				text += ", and " + plural.Count(more, "more memory", "more memories")
			}
			v.item(indent, warn(text))
		}
		v.doubts(show.Doubts{Stale: f.Stale, OneLine: true})
		v.snippet(indent, f.Found)
		if len(f.Linked) > 0 {
			v.item(indent, faint("linked already: "+edges.Join(f.Linked)))
		}
		if reasons := v.reasons(f.Why); v.why && reasons != "" {
			v.item(indent, faint("why: "+reasons))
		}
	}
}

// snippet draws the lines of a snippet. A snippet with hits is one line, with
// the hits highlighted; one of a stranger is one line between fences.
func (v *view) snippet(indent string, f answer.Found) {
	if f.Trust != "" && f.Snippet != "" {
		v.item(indent, ref.Fence(f.Trust, prose.OneLine(f.Snippet)))
		return
	}
	if len(f.Marks) == 0 {
		for _, line := range screen.CleanLines(f.Snippet) {
			if strings.TrimSpace(line) != "" {
				v.item(indent, line)
			}
		}
		return
	}
	spans := []show.Cell{}
	for _, p := range f.Pieces() {
		span := show.Cell{Text: p.Text}
		if p.Hit {
			span.Role = show.Match
		}
		spans = append(spans, span)
	}
	v.Item(indent, spans...)
}

// reasons returns an explanation of a result's rank: its ranks by words and meaning, the
// share that each edge added, and the share of each feature of the ranking.
func (v *view) reasons(w answer.Why) string {
	reasons := []string{}
	if w.Title {
		reasons = append(reasons, "by its name")
	}
	if w.KeywordRank > 0 {
		reasons = append(reasons, fmt.Sprintf("%d. by words", w.KeywordRank))
	}
	if w.VectorRank > 0 {
		reasons = append(reasons, strings.TrimSuffix(fmt.Sprintf("%d. in meaning (%s)", w.VectorRank, strings.Join(w.Meaning, ", ")), " ()"))
	}
	if w.Time != "" {
		reasons = append(reasons, "of "+w.Time)
	}
	if w.Project {
		reasons = append(reasons, "of this project")
	}
	for _, l := range w.Graph {
		reasons = append(reasons, fmt.Sprintf("%.0f%% from %s (%s)", 100*l.Share, v.title(l.From), l.Type))
	}
	parts := []string{strings.Join(reasons, ", ")}
	parts = append(parts, lists.Join(w.Features, ", ", func(f rank.Reason) string { return fmt.Sprintf("%s %.0f%%", f.Feature, 100*f.Share) }))
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
