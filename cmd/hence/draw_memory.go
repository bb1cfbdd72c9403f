package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/edges/belief"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools/show"
	"hence/vault"
)

func drawStored(v *view, _ memory.StoreArgs, r memory.StoreResult) {
	v.done("stored ", r.Memory.Title, r.Memory.ID)
	for _, e := range r.Edges {
		v.storedEdge(r.Memory.ID, e)
	}
	v.warn(r.Warnings)
}

// storedEdge draws an edge of a memory that was just named.
func (v *view) storedEdge(self string, e edges.Edge) {
	other, direction := e.To, "out"
	if e.To.ID == self {
		other, direction = e.From, "in"
	}
	v.Hang("  ", deeper, edgeSpan(e.Type, e.Rel, direction), screen.Text(other.Title))
}

// done says on one line what became of a memory.
func (v *view) done(what, title, id string, further ...screen.Span) {
	line := []screen.Span{{Text: what, Style: screen.Good}, {Text: title, Style: screen.Strong}, faint(ref.ShortID(id))}
	v.Line(append(line, further...)...)
}

func drawMemories(v *view, _ memory.GetArgs, r memory.GetResult) {
	for i, m := range r.Memories {
		if i > 0 {
			v.Line()
			v.Line()
		}
		v.memory(m)
	}
	v.warn(r.Warnings)
	v.more(r.Truncated, r.Next)
}

func (v *view) memory(m memory.Opened) {
	v.Line(screen.Span{Text: m.Title, Style: screen.Strong}, statusSpan(m.Status))
	if m.SupersededBy != nil {
		v.Line(screen.Span{Text: "superseded by " + m.SupersededBy.Title, Style: screen.Warn}, faint(ref.ShortID(m.SupersededBy.ID)))
	}
	v.stale(m)
	v.facts(facts(m))
	if strings.TrimSpace(m.Content) != "" {
		v.Line()
		v.Block("", m.Content)
	}
	if len(m.Edges) > 0 {
		v.Line()
	}
	for _, e := range m.Edges {
		v.Hang("  ", deeper, edgeSpan(e.Type, e.Rel, e.Direction), screen.Text(e.Other.Title), statusSpan(e.Other.Status), note(e.Note))
	}
}

// stale says why a memory is to be looked at again.
func (v *view) stale(m memory.Opened) {
	for _, line := range v.doubts(m.Stale) {
		v.Item("", line...)
	}
	if len(m.Stale) > 0 {
		v.Item("  ", screen.Span{Text: "does it still hold? hence verify " + ref.ShortID(m.ID) + " says so", Style: screen.Faint})
	}
}

type fact struct{ name, value string }

func (v *view) facts(all []fact) {
	column := 0
	for _, f := range all {
		column = max(column, screen.Width(f.name))
	}
	for _, f := range all {
		gap := strings.Repeat(" ", column-screen.Width(f.name)+2)
		v.Item(screen.Clean(f.name)+gap, screen.Text(f.value))
	}
}

// facts are the lines under a memory's title.
func facts(m memory.Opened) []fact {
	all := []fact{{"id", m.ID}}
	add := func(name, value string) {
		if value != "" {
			all = append(all, fact{name, value})
		}
	}
	add("path", notePath(m.URI))
	add("kind", m.Kind)
	if m.Namespace != ref.DefaultNamespace {
		add("namespace", m.Namespace)
	}
	add("tags", strings.Join(m.Tags, ", "))
	add("also called", strings.Join(m.Aliases, ", "))
	add("written", written(m.Memory))
	add("verified", verified(m.Memory))
	add("true", validity(m.ValidFrom, m.ValidTo))
	add("worth", worth(m.Memory))
	add("forgotten", m.ForgetReason)
	for _, name := range slices.Sorted(maps.Keys(m.Properties)) {
		if name != "tags" && name != "aliases" { // a note's, shown above
			add(name, property(m.Properties[name]))
		}
	}
	return all
}

func written(m memory.Memory) string {
	text := moment(m.CreatedAt)
	if m.Actor != "" {
		text += " by " + m.Actor
	}
	text += " (" + m.Origin + ")"
	if m.Revision > 1 {
		text += fmt.Sprintf(", revision %d of %s", m.Revision, moment(m.UpdatedAt))
	}
	return text
}

func verified(m memory.Memory) string {
	switch {
	case m.VerifiedAt == "":
		return ""
	case m.VerifyNote == "":
		return moment(m.VerifiedAt)
	}
	return moment(m.VerifiedAt) + ": " + m.VerifyNote
}

func validity(from, to string) string {
	switch {
	case from != "" && to != "":
		return "from " + moment(from) + " until " + moment(to)
	case from != "":
		return "from " + moment(from)
	case to != "":
		return "until " + moment(to)
	}
	return ""
}

// worth says what is not as usual about how much a memory counts.
func worth(m memory.Memory) string {
	const usual = 0.5
	said := []string{}
	if m.Pinned {
		said = append(said, "pinned")
	}
	if m.Importance != usual {
		said = append(said, fmt.Sprintf("importance %g", m.Importance))
	}
	if m.Confidence != nil {
		said = append(said, fmt.Sprintf("confidence %g", *m.Confidence))
	}
	return strings.Join(said, ", ")
}

// property shows a value of the frontmatter: a text as it is, a list of texts
// with commas, anything else as JSON.
func property(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := []string{}
		for _, one := range v {
			texts = append(texts, property(one))
		}
		return strings.Join(texts, ", ")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func note(text string) screen.Span {
	if text == "" {
		return screen.Span{}
	}
	return screen.Span{Text: " — " + text, Style: screen.Faint}
}

func drawVerified(v *view, _ belief.VerifyArgs, r memory.VerifyResult) {
	v.done("verified ", r.Memory.Title, r.Memory.ID)
	for _, c := range r.Cleared {
		v.Item("  ", screen.Text("cleared: "+reason(c.Title, c.Reason)))
	}
	if len(r.Cleared) == 0 {
		v.Item("  ", screen.Span{Text: "it was not in doubt", Style: screen.Faint})
	}
}

// consequence says what goes with a vault.
func consequence(r vault.ForgetVaultResult) string {
	verb, after := "puts away ", "importing "+r.Root+" brings them back"
	if r.Status != memory.Forgotten {
		verb, after = "purges ", "they are gone for good"
	}
	text := verb + show.Count(r.Memories, "memory", "memories") + " of the vault " + r.Vault + " with " + show.Count(r.Edges, "edge", "edges") + "; " + after + "."
	if r.Others > 0 {
		text += " " + show.Count(r.Others, "other memory has", "other memories have") + " edges to them."
	}
	return text + " The files in " + r.Root + " are not touched."
}

// drawForgotten says what went with a vault.
func (v *view) drawForgotten(r vault.ForgetVaultResult) {
	verb := "put away "
	if r.Status != memory.Forgotten {
		verb = "purged "
	}
	v.Line(screen.Span{Text: verb, Style: screen.Good}, screen.Span{Text: r.Vault, Style: screen.Strong},
		screen.Text(": "+show.Count(r.Memories, "memory", "memories")+", "+show.Count(r.Edges, "edge", "edges")+"; the files in "+r.Root+" are as they were"))
	if r.Status == memory.Forgotten {
		v.Item("  ", screen.Span{Text: "hence import " + r.Root + " brings it back", Style: screen.Faint})
	}
}

// doubt says why a memory is stale, and by what way where it does not rest on
// the cause itself.
func (v *view) doubt(d belief.Doubt) string {
	text := reason(d.Title, d.Reason)
	if len(d.Route) <= 2 {
		return text
	}
	between := []string{}
	for _, id := range d.Route[1 : len(d.Route)-1] {
		between = append(between, v.title(id))
	}
	return text + ", by way of " + strings.Join(between, " → ")
}

func reason(title, reason string) string { return `"` + title + `" ` + show.Became(reason) }

// doubts are lines on why a memory is stale.
func (v *view) doubts(all []belief.Doubt) [][]screen.Span {
	lines := [][]screen.Span{}
	for _, d := range all {
		lines = append(lines, []screen.Span{{Text: "stale: " + v.doubt(d), Style: screen.Warn}})
	}
	return lines
}

// firstDoubt is the nearest of the reasons, where there is room for one line.
func (v *view) firstDoubt(all []belief.Doubt) string {
	text := v.doubt(all[0])
	if more := len(all) - 1; more > 0 {
		text += ", and " + show.Count(more, "more reason", "more reasons")
	}
	return text
}

// firstConflict names one of the memories that contradict another, where there
// is room for one line.
func firstConflict(all []edges.End) string {
	text := `contradicted by "` + all[0].Title + `"`
	if more := len(all) - 1; more > 0 {
		text += ", and " + show.Count(more, "more memory", "more memories")
	}
	return text
}

// mark is what is not as usual about a memory: that it is contradicted, that it
// is stale, or its status.
func mark(m memory.Summary) string {
	marks := []string{}
	if len(m.ContradictedBy) > 0 {
		marks = append(marks, "contradicted")
	}
	if len(m.Stale) > 0 {
		marks = append(marks, "stale")
	}
	if len(marks) == 0 {
		return m.Status
	}
	return strings.Join(marks, ", ")
}

// title is the title of a memory of which a result has only the id.
func (v *view) title(id string) string {
	if m := v.find(id); m.Title != "" {
		return m.Title
	}
	return id
}
