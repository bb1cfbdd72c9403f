// Package show says results in words, for an agent that reads the text of an
// answer; programs read the structured result. The words that the drawings of
// the command line share with the texts, such as arrows and counts, are here
// too. A text says who wrote a memory where the result knows it.
package show

import (
	"fmt"
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

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

// Count says how many there are.
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// Memory says in a line what a memory is and who wrote it.
func Memory(m memory.Memory) string {
	return fmt.Sprintf("%s, %s in %s, %s%s", name(m.Title, m.ID, m.Status), m.Kind, m.Namespace, by(m.Origin, m.Actor), tags(m.Tags))
}

func edge(e edges.Edge) string {
	return fmt.Sprintf("%q %s %q", e.From.Title, Arrow(e.Type, "", "out"), e.To.Title)
}

// EdgeName names an edge by its type, and by the author's word where that says
// more.
func EdgeName(k edges.Kind, rel string) string {
	if said, _, known := edges.Lookup(rel); rel == "" || known && said == k {
		return string(k)
	}
	return string(k) + " (" + rel + ")"
}

// Arrow draws an edge the way it is stored, from what stands left of it to what
// stands right. direction is "out" where it is stored left → right.
func Arrow(k edges.Kind, rel, direction string) string {
	name := EdgeName(k, rel)
	switch {
	case k.Symmetric():
		return "—" + name + "—"
	case direction == "out":
		return "—" + name + "→"
	}
	return "←" + name + "—"
}

// Stored shows a memory that was stored, with its edges.
func Stored(r memory.StoreResult) string {
	var l lines
	l.add("Stored %s", Memory(r.Memory))
	for _, e := range r.Edges {
		l.add("%s", edge(e))
	}
	for _, d := range r.Duplicates {
		l.add("the same is stored already: %s", name(d.Title, d.ID, d.Status))
	}
	l.warn(r.Warnings)
	return l.String()
}

// Opened shows memories, each with its edges and the beginning of its content.
func Opened(r memory.GetResult) string {
	var l lines
	for _, m := range r.Memories {
		l.add("%s", Memory(m.Memory))
		if m.SupersededBy != nil {
			l.add("superseded by %s", endName(*m.SupersededBy))
		}
		l.doubts(m.Stale)
		for _, e := range m.Edges {
			l.add("%s %s", Arrow(e.Type, "", e.Direction), endName(e.Other))
		}
		content, _ := budget.Cut(m.Content, shown)
		l.add("%s", content)
	}
	l.more(r.Truncated, r.Next)
	l.warn(r.Warnings)
	return l.String()
}

// Forgotten shows that a memory was forgotten or purged.
func Forgotten(r memory.ForgetResult) string {
	if r.Status == memory.Forgotten {
		return fmt.Sprintf("Forgot %s; memory_restore brings it back", name(r.Title, r.ID, ""))
	}
	return fmt.Sprintf("Removed %s for good", name(r.Title, r.ID, ""))
}

// Listed shows a page of memories.
func Listed(r memory.ListResult) string {
	var l lines
	l.add("%d of %s", r.ReturnedCount, Count(r.TotalCount, "memory", "memories"))
	for _, m := range r.Memories {
		l.add("- %s, %s, %s%s", name(m.Title, m.ID, m.Status), m.Kind, by(m.Origin, m.Actor), tags(m.Tags))
		l.conflicts(m.ContradictedBy)
		l.doubts(m.Stale)
	}
	l.more(r.Truncated, "next")
	return l.String()
}

// Found shows the results of a search, best first.
func Found(r recall.SearchResult) string {
	var l lines
	atLeast := ""
	if !r.TotalIsExact {
		atLeast = "at least "
	}
	l.add("%d of %s%s for %q", r.ReturnedCount, atLeast, Count(r.TotalCount, "memory", "memories"), r.Query)
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

// Related shows the memories similar to one.
func Related(r recall.RelatedResult) string {
	var l lines
	l.add("%s near %s", Count(r.ReturnedCount, "memory", "memories"), name(r.Title, r.ID, ""))
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

// Linked shows an edge that was made or changed.
func Linked(r edges.LinkResult) string {
	if r.Created {
		return "Linked " + edge(r.Edge)
	}
	return "Updated the edge " + edge(r.Edge)
}

// Unlinked shows how many edges were removed.
func Unlinked(r edges.UnlinkResult) string {
	var l lines
	l.add("Removed %s", Count(int(r.Removed), "edge", "edges"))
	l.warn(r.Warnings)
	return l.String()
}

// Became says what happened to a memory that others rest on, by the reason of a
// doubt: "was superseded".
func Became(reason string) string {
	switch reason {
	case "contradicted":
		return "is contradicted"
	case "changed":
		return "has changed"
	}
	return "was " + reason
}

// doubt says why a memory is stale.
func doubt(d belief.Doubt) string {
	text := fmt.Sprintf("stale: %s %s", name(d.Title, d.ID, ""), Became(d.Reason))
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

func (l *lines) doubts(all []belief.Doubt) {
	for _, d := range all {
		l.add("  %s", doubt(d))
	}
}

// Verified shows a memory that was verified, with the doubts that this
// cleared.
func Verified(r memory.VerifyResult) string {
	var l lines
	l.add("Verified %s", Memory(r.Memory))
	for _, c := range r.Cleared {
		l.add("  no longer stale because %q %s", c.Title, Became(c.Reason))
	}
	return l.String()
}

// Whole is a memory with all of its text.
func Whole(m memory.Opened) string {
	var l lines
	l.add("# %s\n", m.Title)
	l.add("%s", Memory(m.Memory))
	l.add("created %s, changed %s", m.CreatedAt, m.UpdatedAt)
	if m.SupersededBy != nil {
		l.add("superseded by %s", endName(*m.SupersededBy))
	}
	l.doubts(m.Stale)
	for _, e := range m.Edges {
		l.add("- %s %s", Arrow(e.Type, "", e.Direction), endName(e.Other))
	}
	l.add("\n%s", m.Content)
	return l.String()
}

// Stale lists memories that are stale, each with why.
func Stale(all []memory.Summary) string {
	var l lines
	for _, m := range all {
		l.add("- %s, %s, %s", name(m.Title, m.ID, m.Status), m.Kind, by(m.Origin, m.Actor))
		l.doubts(m.Stale)
	}
	return l.String()
}
