package show

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/erase"
	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// endRef names the memory at the end of an edge.
func endRef(e ref.End, form Form) Ref {
	return Ref{Named: e.Named, Status: StatusText(e.Status, e.Aging), Form: form}
}

// nameRef names a memory, with the mark of a stranger's text.
func nameRef(n ref.Named, form Form) Ref {
	return Ref{Named: n, Form: form}
}

// titleRef names a memory by its title alone, with the mark of a stranger's text.
func titleRef(n ref.Named) Ref {
	n.ID = ""
	return Ref{Named: n, Form: InLine}
}

// SummaryRef names a memory of a list.
func SummaryRef(m memory.Summary) Ref {
	return endRef(ref.End{Named: ref.Named{ID: m.ID, Title: m.Title, Trust: m.Trust}, Status: m.Status, Aging: m.Aging}, Heading)
}

// FoundRef names a result of a search.
func FoundRef(f answer.Found) Ref {
	return endRef(ref.End{Named: f.Named, Status: f.Status, Aging: f.Aging}, Heading)
}

// StatusText returns a status with remarks on a memory's times:
// "current", "over since 2026-01-05", "not yet: from 2027-01-01", "superseded, edited since, on 2026-03-01".
func StatusText(status string, a ref.Aging) string {
	marks := []string{}
	if status != "" && (status != memory.Current || a == (ref.Aging{})) {
		marks = append(marks, status)
	}
	if a.Ended != "" {
		marks = append(marks, "over since "+db.Day(a.Ended))
	}
	if a.Begins != "" {
		marks = append(marks, "not yet: from "+db.Day(a.Begins))
	}
	if a.KnownSince != "" {
		marks = append(marks, "not known then, but since "+db.Day(a.KnownSince))
	}
	if a.EditedSince != "" {
		marks = append(marks, "edited since, on "+db.Day(a.EditedSince))
	}
	return strings.Join(marks, ", ")
}

// record names a memory, with its kind, namespace, author and tags.
func record(m memory.Memory, form Form) []Part {
	return Join(Ref{Named: m.Named(), Status: m.Status, Form: form},
		Span{detail(m.Kind+" in "+m.Namespace, m.Origin, m.Actor, m.Tags), Detail})
}

// Stored shows a memory that was stored, with its edges.
func Stored(r memory.StoreResult) (d Doc) {
	done := "stored "
	if !r.Created {
		done = "there already: "
	}
	d.Add("", Span{done, Good}, record(r.Memory, Heading))
	for _, e := range r.Edges {
		other, direction := e.To, "out"
		if e.To.ID == r.Memory.ID {
			other, direction = e.From, "in"
		}
		d.edge(Link{e.Type, e.Rel, direction, ""}, other, "")
	}
	if more := r.EdgeCount - len(r.Edges); more > 0 {
		d.AddIn(Faint, "  ", "… and "+plural.Count(more, "edge", "edges")+" more")
	}
	d.consequences(r.Consequences)
	for _, n := range r.Near {
		d.AddIn(Faint, "  ", neighbour(n)...)
	}
	d.addSettle(r.Settle)
	d.Warn(r.Warnings)
	return d
}

// addSettle appends memory.Settle, if there is a text to settle. A terminal shows the names
// of commands instead of tools.
func (d *Doc) addSettle(settle string) {
	if settle == "" {
		return
	}
	link, update, forget := Call{"memory_link", "hence link"}, Call{"memory_update", "hence update"}, Call{"memory_forget", "hence forget"}
	d.AddIn(Faint, "  ", link, " supersedes if this replaces it; ", update, " it and ", forget, " this if they say the same; ", link, " if they belong together; else leave it")
}

// neighbour returns the parts of a line about a near memory: its name and the beginning of
// its text.
func neighbour(n memory.Near) []any {
	mark := "near: "
	switch {
	case n.Same:
		mark = "the same: "
	case n.Linked:
		mark = "near, linked: "
	}
	start := strings.TrimLeft(n.Snippet, "# ")
	if strings.HasPrefix(start, strings.TrimSuffix(n.Title, "…")) && len(start) < 2*len(n.Title) {
		start = "" // the title says it
	}
	const most = 80 // bytes: enough to recognise the memory
	start, _ = budget.Cut(start, most)
	return []any{mark, nameRef(n.Named, Heading), remark(ref.Fence(n.Trust, start))}
}

// edge appends an edge of the memory in the lines before.
func (d *Doc) edge(l Link, other ref.End, note string) {
	d.Add("  ", l, " ", endRef(other, InLine), remark(note))
}

// remark returns a note to follow a name, behind a dash.
func remark(note string) []Part {
	if note == "" {
		return nil
	}
	return Join(Span{" — " + note, Faint})
}

// Updated shows a memory that was changed.
func Updated(r memory.UpdateResult) (d Doc) {
	did := Span{"updated ", Good}
	if r.Proposed {
		did = Span{"proposed a change of ", Warn}
	}
	d.Add("", did, record(r.Memory, Heading), Span{fmt.Sprintf(", revision %d", r.Memory.Revision), Faint})
	d.consequences(r.Consequences)
	d.Warn(r.Warnings)
	return d
}

// Restored shows a memory that is no longer forgotten.
func Restored(r memory.RestoreResult) (d Doc) {
	d.Add("", Span{"restored ", Good}, record(r.Memory, Heading))
	d.consequences(r.Consequences)
	d.Warn(r.Warnings)
	return d
}

// Forgotten shows that a memory was forgotten or purged.
func Forgotten(r memory.ForgetResult) Doc {
	return forgotten(r, "its text is deleted and overwritten; half-used pages may keep pieces of it until hence vacuum, and backups and exports have it as before")
}

// Purged shows that a person forgot a memory, with the receipt if it was for good.
func Purged(r memory.ForgetResult, receipt *erase.Receipt) Doc {
	if receipt == nil {
		return forgotten(r, "")
	}
	return append(forgotten(r, ""), Receipt(*receipt)...)
}

// forgotten describes what was forgotten, with a remark on a text that is gone.
func forgotten(r memory.ForgetResult, remark string) (d Doc) {
	if r.Proposed {
		d.Add("", Span{"proposed to forget ", Warn}, nameRef(r.Named, Heading))
		d.Warn(r.Warnings)
		return d
	}
	d.Add("", Span{r.Status + " ", Good}, nameRef(r.Named, Heading))
	switch {
	case r.Status == memory.Forgotten:
		d.AddIn(Faint, "  ", Call{"memory_restore", "hence restore " + ref.ShortID(r.ID)}, " brings it back")
	case len(r.Warnings) == 0 && remark != "":
		d.AddIn(Faint, "  ", remark)
	}
	d.consequences(r.Consequences)
	for _, m := range r.Loss.RestedOnIt {
		d.AddIn(Warn, "  ", "rested on it: ", nameRef(m.Named, Heading), Route(m.Route))
	}
	if more := r.Loss.RestedOnItCount - len(r.Loss.RestedOnIt); more > 0 {
		d.AddIn(Warn, "  ", "and "+plural.Count(more, "memory", "memories")+" more")
	}
	d.currentAgain(r.Loss.CurrentAgain)
	d.Warn(r.Warnings)
	return d
}

// Verified shows a memory that was verified, with the doubts that this cleared.
func Verified(r memory.VerifyResult) (d Doc) {
	d.Add("", Span{"verified ", Good}, record(r.Memory, Heading))
	for _, c := range r.Cleared {
		d.Add("  ", "cleared: ", nameRef(c.Named, Quoted), " "+belief.ReasonText(c.Reason))
	}
	if len(r.Cleared) == 0 {
		d.AddIn(Faint, "  ", "it was not in doubt")
	}
	d.Warn(r.Warnings)
	return d
}

// Opened shows memories, each with its content and its edges.
func Opened(r memory.GetResult) (d Doc) {
	for i, m := range r.Memories {
		if i > 0 {
			d.Gap()
			d.Gap()
		}
		d = append(d, describe(m)...)
	}
	d.Warn(r.Warnings)
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// describe shows one memory with its content and its edges.
func describe(m memory.Opened) (d Doc) {
	d.Add("", record(m.Memory, Bare))
	if m.Ended != "" {
		d.AddIn(Warn, "", "over since ", minute(m.Ended))
	}
	if m.Begins != "" {
		d.AddIn(Warn, "", "not yet: from ", minute(m.Begins))
	}
	if m.SupersededBy != nil {
		d.AddIn(Warn, "", "superseded by ", endRef(*m.SupersededBy, Heading))
	}
	for _, other := range m.ContradictedBy {
		d.AddIn(Warn, "", "contradicted by ", endRef(other, Heading))
	}
	for _, doubt := range m.Stale {
		d.AddIn(Warn, "", Doubt(doubt))
	}
	d = append(d, facts(m)...)
	if strings.TrimSpace(m.Content) != "" {
		d.Gap()
		d = append(d, quoteUntrusted(m.Trust, m.SourceURL, m.Content)...)
	}
	switch c := m.Cut; {
	case c == nil:
	case m.Content == "":
		d.AddIn(Faint, "", "cut: "+thousands(c.Left)+" of "+thousands(c.Of)+" characters; raise ", Call{"token_budget", "--token-budget"})
	default:
		d.AddIn(Faint, "", "cut: "+thousands(c.Left)+" of "+thousands(c.Of)+" characters; go on with ", Call{"offset ", "--offset "}, strconv.Itoa(c.Offset))
	}
	if len(m.Edges) > 0 {
		d.Gap()
	}
	for _, e := range m.Edges {
		d.edge(Link{e.Type, e.Rel, e.Direction, e.Ended}, e.Other, e.Note)
	}
	return d
}

// thousands writes a number with commas between groups of three digits: 3,700.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// facts returns the facts about a memory. Agents get those that the line with its title does
// not say, and the revision, which they need to change it.
func facts(m memory.Opened) (d Doc) {
	if len(m.Stale) > 0 {
		d = append(d, People{Line{"  ", Faint, Join("does it still hold? hence verify " + ref.ShortID(m.ID) + " says so")}})
	}
	all := Facts{}
	add := func(name string, value ...any) {
		if parts := Join(value...); partsText(parts) != "" {
			all = append(all, Fact{Name: name, Value: parts})
		}
	}
	add("id", m.ID)
	add("path", NotePath(m.URI))
	add("kind", m.Kind)
	if m.Namespace != ref.DefaultNamespace {
		add("namespace", m.Namespace)
	}
	add("tags", strings.Join(m.Tags, ", "))
	for i := range all {
		all[i].OnlyPeople = true
	}
	add("also called", strings.Join(m.Aliases, ", "))
	written := Join(minute(m.CreatedAt), " by "+Author(m.Origin, m.Actor), Span{", revision 1", Detail})
	if m.Revision > 1 {
		written = Join(written[:2], fmt.Sprintf(", revision %d of ", m.Revision), minute(m.UpdatedAt))
	}
	add("written", written)
	if m.VerifyNote != "" {
		m.VerifyNote = ": " + m.VerifyNote
	}
	add("verified", minute(m.VerifiedAt), m.VerifyNote)
	switch {
	case m.ValidFrom != "" && m.ValidTo != "":
		add("true", "from ", minute(m.ValidFrom), " until ", minute(m.ValidTo))
	case m.ValidFrom != "":
		add("true", "from ", minute(m.ValidFrom))
	case m.ValidTo != "":
		add("true", "until ", minute(m.ValidTo))
	}
	add("worth", worth(m.Memory))
	add("source", strings.TrimSpace(m.Source+" "+m.SourceURL))
	add("forgotten", m.ForgetReason)
	properties := maps.Clone(m.Properties)
	delete(properties, "tags") // a note's; added above
	delete(properties, "aliases")
	if m.Trust != "" && len(properties) > 0 { // names of properties are a stranger's text too
		add("properties", ref.Fence(m.Trust, property(map[string]any(properties))))
		clear(properties)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		add(name, property(properties[name]))
	}
	return append(d, all)
}

func minute(at string) Time { return Time{at, true} }

// worth returns how a memory is weighted, if not by default.
func worth(m memory.Memory) string {
	const defaultImportance = 0.5
	marks := []string{}
	if m.Pinned {
		marks = append(marks, "pinned")
	}
	if m.Everywhere {
		marks = append(marks, "everywhere")
	}
	if m.Importance != defaultImportance {
		marks = append(marks, fmt.Sprintf("importance %g", m.Importance))
	}
	if m.Confidence != nil {
		marks = append(marks, fmt.Sprintf("confidence %g", *m.Confidence))
	}
	return strings.Join(marks, ", ")
}

// property returns a value of the frontmatter as text: a string as it is, a list with commas,
// anything else as JSON.
func property(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return lists.Join(v, ", ", property)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Whole renders a memory with all of its text, as Markdown.
func Whole(m memory.Opened) string {
	d := Doc{}
	d.Add("", "# "+m.Title+m.Named().Mark())
	d.Gap()
	return text(append(d, describe(m)...), true)
}

// Listed shows a page of memories.
func Listed(r memory.ListResult) Doc {
	d := Doc{
		Total{r.TotalCount, fmt.Sprintf("%d of %s", r.ReturnedCount, plural.Count(r.TotalCount, "memory", "memories")), "no memories"},
		Summaries(r.Memories),
	}
	more := moreByCursor(r.Next)
	more.Returned, more.Of = r.ReturnedCount, r.TotalCount
	d.AddMore(r.Truncated, more)
	return d
}

// Found shows the results of a search, best first.
func Found(r recall.SearchResult) Doc {
	atLeast, query := "", ""
	if !r.TotalIsExact {
		atLeast = "at least "
	}
	if r.Query != "" {
		query = fmt.Sprintf(" for %q", r.Query)
	}
	all := lists.Map(r.Results, func(f answer.Found) recall.Related { return recall.Related{Found: f} })
	d := Doc{
		Total{r.TotalCount, fmt.Sprintf("%d of %s%s%s", r.ReturnedCount, atLeast, plural.Count(r.TotalCount, "memory", "memories"), query), "no memory matches"},
		Results{All: all}, Warnings(r.Warnings),
	}
	if r.Truncated {
		more := moreByCursor(r.Next)
		more.Returned, more.Of, more.AtLeast = r.ReturnedCount, r.TotalCount, !r.TotalIsExact
		d = append(d, Line{}, more)
	}
	return d
}

// Related shows the memories similar to one.
func Related(r recall.RelatedResult) Doc {
	atLeast := ""
	if !r.TotalIsExact {
		atLeast = "at least "
	}
	d := Doc{
		Total{r.TotalCount, fmt.Sprintf("%d of %s%s similar to %s", len(r.Results), atLeast, plural.Count(r.TotalCount, "memory", "memories"), nameRef(r.Named, Heading).text()), "no memory is similar"},
		Results{r.Results, true},
	}
	if r.Truncated {
		d = append(d, Line{}, More{Next: r.Next, Returned: r.ReturnedCount})
	}
	return d
}

// Doubt says why a memory is stale, and the route to the cause.
func Doubt(d belief.Doubt) []Part {
	return Join("stale: ", nameRef(d.Named, Quoted), " "+belief.ReasonText(d.Reason), successorPart(d.Successor), Route(d.Route))
}

// successorPart names the successor of a superseded memory, if there is one.
func successorPart(successor *edges.Successor) []Part {
	if successor == nil {
		return nil
	}
	return Join(" by ", Ref{Named: successor.Named, Status: successor.Status, Form: Heading})
}
