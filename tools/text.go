package tools

import (
	"fmt"
	"strconv"
	"strings"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// The texts of results are for reading; programs read the structured result.
// They say who wrote each memory where the result knows it.

// shown is the most of one memory's content in a text, in bytes.
const shown = 1200

// lines gathers a text.
type lines struct{ strings.Builder }

func (l *lines) add(format string, a ...any) { fmt.Fprintf(l, format+"\n", a...) }

func (l *lines) warn(warnings []string) {
	for _, w := range warnings {
		l.add("warning: %s", w)
	}
}

// more says that something was left out, and how to go on.
func (l *lines) more(truncated bool, next string) {
	if truncated {
		l.add("… more was left out (%s)", next)
	}
}

func (l *lines) String() string { return strings.TrimSuffix(l.Builder.String(), "\n") }

// name is a memory's title and short id, and its status where it is not current.
func name(title, id, status string) string {
	text := fmt.Sprintf("%q (%s)", title, ref.ShortID(id))
	if status != memory.Current && status != "" {
		text += " [" + status + "]"
	}
	return text
}

func endName(e edges.End) string { return name(e.Title, e.ID, e.Status) }

// by says who wrote a memory.
func by(origin, actor string) string {
	if actor == "" || actor == origin {
		return "by " + origin
	}
	return fmt.Sprintf("by %s (%s)", actor, origin)
}

func tags(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return " #" + strings.Join(all, " #")
}

// count says how many there are.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

func tellMemory(m memory.Memory) string {
	return fmt.Sprintf("%s, %s in %s, %s%s", name(m.Title, m.ID, m.Status), m.Kind, m.Namespace, by(m.Origin, m.Actor), tags(m.Tags))
}

func tellEdge(e edges.Edge) string {
	return fmt.Sprintf("%q %s %q", e.From.Title, arrow(e.Type, "out"), e.To.Title)
}

// arrow draws an edge the way it is stored, seen from the one on the left.
func arrow(k edges.Kind, direction string) string {
	switch {
	case k.Symmetric():
		return fmt.Sprintf("—%s—", k)
	case direction == "out":
		return fmt.Sprintf("—%s→", k)
	}
	return fmt.Sprintf("←%s—", k)
}

func tellStored(r memory.StoreResult) string {
	var l lines
	l.add("Stored %s", tellMemory(r.Memory))
	for _, e := range r.Edges {
		l.add("%s", tellEdge(e))
	}
	for _, d := range r.Duplicates {
		l.add("the same is stored already: %s", name(d.Title, d.ID, d.Status))
	}
	l.warn(r.Warnings)
	return l.String()
}

func tellOpened(r memory.GetResult) string {
	var l lines
	for _, m := range r.Memories {
		l.add("%s", tellMemory(m.Memory))
		if m.SupersededBy != nil {
			l.add("superseded by %s", endName(*m.SupersededBy))
		}
		l.doubts(m.Stale)
		for _, e := range m.Edges {
			l.add("%s %s", arrow(e.Type, e.Direction), endName(e.Other))
		}
		content, _ := budget.Cut(m.Content, shown)
		l.add("%s", content)
	}
	l.more(r.Truncated, r.Next)
	l.warn(r.Warnings)
	return l.String()
}

func tellForgotten(r memory.ForgetResult) string {
	if r.Status == memory.Forgotten {
		return fmt.Sprintf("Forgot %s; memory_restore brings it back", name(r.Title, r.ID, ""))
	}
	return fmt.Sprintf("Removed %s for good", name(r.Title, r.ID, ""))
}

func tellList(r memory.ListResult) string {
	var l lines
	l.add("%d of %s", r.ReturnedCount, count(r.TotalCount, "memory", "memories"))
	for _, m := range r.Memories {
		l.add("- %s, %s, %s%s", name(m.Title, m.ID, m.Status), m.Kind, by(m.Origin, m.Actor), tags(m.Tags))
		l.conflicts(m.ContradictedBy)
		l.doubts(m.Stale)
	}
	l.more(r.Truncated, "next")
	return l.String()
}

func tellFound(r recall.SearchResult) string {
	var l lines
	atLeast := ""
	if !r.TotalIsExact {
		atLeast = "at least "
	}
	l.add("%d of %s%s for %q", r.ReturnedCount, atLeast, count(r.TotalCount, "memory", "memories"), r.Query)
	for i, f := range r.Results {
		l.add("%d. %s, %s, %s%s", i+1, name(f.Title, f.ID, f.Status), f.Kind, by(f.Origin, f.Actor), tags(f.Tags))
		if f.SupersededBy != nil {
			l.add("   superseded by %s", endName(*f.SupersededBy))
		}
		l.conflicts(f.ContradictedBy)
		l.doubts(f.Stale)
		if snippet := oneLine(f.Snippet); snippet != "" {
			l.add("   %s", snippet)
		}
	}
	l.more(r.Truncated, r.Next)
	l.warn(r.Warnings)
	return l.String()
}

func tellRelated(r recall.RelatedResult) string {
	var l lines
	l.add("%s near %s", count(r.ReturnedCount, "memory", "memories"), name(r.Title, r.ID, ""))
	for i, one := range r.Results {
		linked := ""
		if len(one.Linked) > 0 {
			linked = ", linked already"
		}
		l.add("%d. %s, %s, %s%s", i+1, name(one.Title, one.ID, one.Status), one.Kind, by(one.Origin, one.Actor), linked)
		l.conflicts(one.ContradictedBy)
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// oneLine is a text on one line, cut to what a list of results has room for.
func oneLine(text string) string {
	line, _ := budget.Cut(strings.Join(strings.Fields(text), " "), 160)
	return line
}

func tellLinked(r edges.LinkResult) string {
	if r.Created {
		return "Linked " + tellEdge(r.Edge)
	}
	return "Updated the edge " + tellEdge(r.Edge)
}

func tellUnlinked(r edges.UnlinkResult) string {
	var l lines
	l.add("Removed %s", count(int(r.Removed), "edge", "edges"))
	l.warn(r.Warnings)
	return l.String()
}

// doubt says why a memory is stale.
func doubt(d edges.Doubt) string {
	text := fmt.Sprintf("stale: %s was %s", name(d.Title, d.ID, ""), d.Reason)
	if len(d.Route) > 2 {
		text += fmt.Sprintf(", %d steps away", len(d.Route)-1)
	}
	return text
}

// conflicts says which current memories contradict one.
func (l *lines) conflicts(all []edges.End) {
	for _, e := range all {
		l.add("  contradicted by %s", endName(e))
	}
}

func (l *lines) doubts(all []edges.Doubt) {
	for _, d := range all {
		l.add("  %s", doubt(d))
	}
}

func tellVerified(r memory.VerifyResult) string {
	var l lines
	l.add("Verified %s", tellMemory(r.Memory))
	for _, c := range r.Cleared {
		l.add("  no longer stale because %q was %s", c.Title, c.Reason)
	}
	return l.String()
}
