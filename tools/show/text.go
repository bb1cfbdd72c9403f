package show

import (
	"fmt"
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory"
)

// writer writes a Doc for agents.
type writer struct {
	strings.Builder
	keepsEmpty bool // writes empty lines too
}

// add writes one line. It replaces line breaks in the texts.
func (w *writer) add(format string, a ...any) {
	w.block(db.Unbroken(fmt.Sprintf(format, a...)))
}

// block writes a text of any number of lines.
func (w *writer) block(text string) { w.WriteString(text + "\n") }

// Text renders a result for agents.
func Text(d Doc) string { return text(d, false) }

// TextWithin renders a result for agents in at most a number of bytes. A text that was cut
// ends with a line that says how to get the rest: the Doc's own, or else that the structured
// result has it.
func TextWithin(d Doc, bytes int) string {
	full, end := Text(d), "… the rest is in the structured result only"
	if len(full) <= bytes {
		return full
	}
	rest := Doc{}
	for _, b := range d {
		if more, ok := b.(More); ok {
			end = Text(Doc{more})
		} else {
			rest = append(rest, b)
		}
	}
	cut, _ := budget.Cut(Text(rest), bytes-len(end)-1)
	return strings.TrimPrefix(cut+"\n"+end, "\n")
}

// text renders a result for agents, with or without empty lines.
func text(d Doc, keepsEmpty bool) string {
	w := writer{keepsEmpty: keepsEmpty}
	for _, b := range d {
		b.text(&w)
	}
	return strings.TrimSuffix(w.String(), "\n")
}

func (l Line) text(w *writer) {
	if len(l.Parts) == 0 && !w.keepsEmpty {
		return
	}
	line := partsText(l.Parts)
	switch mark := prose.OneLine(l.Mark); {
	case mark != "":
		line = mark + " " + line
	case l.Mark != "":
		line = "  " + line
	}
	w.add("%s", line)
}

func partsText(parts []Part) string { return lists.Join(parts, "", Part.text) }

func (s Span) text() string {
	if s.Role == Good {
		return strings.ToUpper(s.Text[:1]) + s.Text[1:]
	}
	return s.Text
}

func (r Ref) text() string {
	name := strconv.Quote(r.Title)
	switch {
	case r.ID != "" && r.Title == "": // the budget had no room for the title
		name = "(" + ref.ShortID(r.ID) + ")"
	case r.ID != "":
		name += " (" + ref.ShortID(r.ID) + ")"
	}
	if marks := r.Marks(); marks != "" && (marks != memory.Current || r.Form == Version) {
		name += " [" + marks + "]"
	}
	return name
}

func (l Link) text() string { return l.Arrow() }

func (r Route) text() string {
	if len(r) <= 2 {
		return ""
	}
	return fmt.Sprintf(", %d steps away", len(r)-1)
}

func (t Time) text() string { return t.At }

func (c Call) text() string { return c.Tool }

func (People) text(*writer) {}

func (Table) text(*writer) {}

func (c Content) text(w *writer) { w.block(string(c)) }

func (all Warnings) text(w *writer) {
	for _, warning := range all {
		w.add("warning: %s", warning)
	}
}

func (f Facts) text(w *writer) {
	for _, fact := range f {
		if !fact.OnlyPeople {
			w.add("%s: %s", fact.Name, partsText(fact.Value))
		}
	}
}

func (c Total) text(w *writer) {
	if c.N == 0 && c.None != "" {
		w.add("%s", c.None)
		return
	}
	w.add("%s", c.Text)
}

func (m More) text(w *writer) {
	how := strings.TrimSpace(m.Next + " " + m.Cursor)
	if m.Next == "query" {
		how = "narrow the query"
	}
	w.add("… more was left out (%s)", how)
}

func (d Doubts) text(w *writer) {
	for _, doubt := range d.Stale {
		w.add("  %s", partsText(Doubt(doubt)))
	}
}

func (p Path) text(w *writer) {
	prefix := ""
	if p.Alternative {
		prefix = "or "
	}
	w.add("%s%s: %s", prefix, plural.Count(len(p.Hops)-1, "hop", "hops"), edges.Arrows(p.Hops))
	w.add("  %s", lists.Join(p.Hops, ", ", func(hop edges.Hop) string { return endRef(hop.End, Heading).text() }))
}

func (k Walk) text(w *writer) {
	if len(k.Root) > 0 {
		w.add("%s", partsText(k.Root))
	}
	titles := map[string]string{}
	if k.Seed.Title != "" {
		titles[k.Seed.ID] = strconv.Quote(k.Seed.Title) + k.Seed.Mark()
	}
	for _, r := range k.Reached {
		titles[r.ID] = strconv.Quote(r.Title) + r.Named().Mark()
	}
	for _, r := range k.Reached {
		from, about := titles[r.Via.From], detail(r.Kind, r.Origin, r.Actor, r.Tags)
		switch {
		case r.Via.Hop == 1 && k.Seeds < 2:
			from = ""
		case from == "":
			from = nameRef(ref.Named{ID: r.Via.From}, Heading).text() + " "
		default:
			from += " "
		}
		path := pathPart(r.URI)
		if k.Lean {
			path, about = "", ", "+r.Kind
		}
		w.add("%s- %s%s %s%s%s", strings.Repeat("  ", r.Via.Hop-1), from, ViaLink(r.Via).Arrow(), endRef(r.End(), Heading).text(), path, about)
		Doubts{Stale: r.Stale}.text(w)
	}
}

func (all Summaries) text(w *writer) {
	for _, m := range all {
		w.add("- %s%s, %s", SummaryRef(m).text(), detail(m.Kind, m.Origin, m.Actor, m.Tags), db.Day(m.UpdatedAt))
		w.objections(m.ContradictedBy, m.Stale)
	}
}

func (r Results) text(w *writer) {
	for i, f := range r.All {
		linked := ""
		if len(f.Linked) > 0 {
			linked = ", linked already: " + edges.Join(f.Linked)
		}
		if r.Brief {
			f.Tags, f.Snippet = nil, ""
		}
		name := FoundRef(f.Found).text() + placePart(f.File, f.StartLine)
		w.add("%d. %s%s, %s%s", i+1, name, detail(f.Kind, f.Origin, f.Actor, f.Tags), db.Day(f.UpdatedAt), linked)
		if f.SupersededBy != nil {
			w.add("  superseded by %s", endRef(*f.SupersededBy, InLine).text())
		}
		w.objections(f.ContradictedBy, f.Stale)
		if snippet := Short(f.Snippet); snippet != "" {
			w.add("  %s", ref.Fence(f.Trust, snippet))
		}
	}
}

// objections writes the memories that contradict a memory, and why it is stale.
func (w *writer) objections(contradictedBy []ref.End, stale []belief.Doubt) {
	for _, e := range contradictedBy {
		w.add("  contradicted by %s", endRef(e, InLine).text())
	}
	Doubts{Stale: stale}.text(w)
}

// pathPart returns the path of a note, to follow its title.
func pathPart(uri string) string {
	if uri == "" {
		return ""
	}
	return ", " + NotePath(uri)
}

// placePart returns the file and line of a symbol of source code, to follow its title; "" for
// other memories.
func placePart(file string, line int) string {
	if file == "" {
		return ""
	}
	return ", " + Place(file, line)
}

// detail returns the kind, author and tags of a memory, to follow its title.
func detail(kind, origin, actor string, tags []string) string {
	return ", " + kind + ", by " + Author(origin, actor) + tagList(tags)
}

// Author returns who wrote a memory: "ada (person)".
func Author(origin, actor string) string {
	if actor == "" || actor == origin {
		return origin
	}
	return actor + " (" + origin + ")"
}

func tagList(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return " #" + strings.Join(tags, " #")
}

// Short returns a text on one line, cut to 160 bytes.
func Short(text string) string {
	line, _ := budget.Cut(prose.OneLine(text), 160)
	return line
}

// Arrow draws an edge in its stored direction: "out" is from left to right. The author's word for it stands in
// parentheses behind the type, unless it is a known word for that. It says within
// the arrow that the edge is over, because the memory behind the arrow may not be.
func (l Link) Arrow() string {
	name := string(l.Kind)
	if kind, _, isKnown := edges.Lookup(l.Rel); l.Rel != "" && !(isKnown && kind == l.Kind) {
		name += " (" + l.Rel + ")"
	}
	if l.Ended != "" {
		name += ", over since " + db.Day(l.Ended)
	}
	switch {
	case l.Kind.Symmetric():
		return "—" + name + "—"
	case l.Direction == "out":
		return "—" + name + "→"
	}
	return "←" + name + "—"
}
