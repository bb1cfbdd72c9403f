package show

import (
	"encoding/json"
	"fmt"
	"strings"

	"hence/internal/budget"
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

// Place is a line of a file, as editors take it.
func Place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// Imported shows what an import changed.
func Imported(r vault.Report) string {
	var l lines
	did := "Imported"
	if r.DryRun {
		did = "Would import"
	}
	l.add("%s %s: %d added, %d updated, %d moved, %d removed, %d unchanged", did, r.Vault, r.Added, r.Updated, r.Moved, r.Removed, r.Unchanged)
	l.add("%s; %d dangling, %d ambiguous, %d refused", Count(r.Links, "link", "links"), r.Dangling, r.Ambiguous, r.Refused)
	for _, w := range r.Warnings {
		l.add("warning: %s", strings.TrimSpace(Place(w.Path, w.Line)+" "+w.Text))
	}
	return l.String()
}

// Notes shows a page of notes.
func Notes(r reading.ListNotesResult) string {
	var l lines
	l.add("%d of %s", r.ReturnedCount, Count(r.TotalCount, "note", "notes"))
	l.notes(r.Notes)
	l.more(r.Truncated, "next")
	return l.String()
}

func (l *lines) notes(all []reading.NoteSummary) {
	for _, n := range all {
		l.add("- %s/%s%s", n.Vault, n.Path, tags(n.Tags))
	}
}

// Note shows lines of a note.
func Note(r reading.ReadNoteResult) string {
	var l lines
	l.add("%s/%s, lines %d to %d of %d, by the vault's owner%s", r.Vault, r.Path, r.StartLine, r.EndLine, r.TotalLines, tags(r.Tags))
	l.warn(r.Warnings)
	content, cut := budget.Cut(r.Content, shown)
	l.add("%s", content)
	if cut {
		l.add("… the structured result has more")
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// Headings shows the headings of a note.
func Headings(r reading.HeadingsResult) string {
	var l lines
	l.add("%s/%s: %s", r.Vault, r.Path, Count(r.TotalCount, "heading", "headings"))
	for _, h := range r.Headings {
		l.add("%s%d to %d: %s", strings.Repeat("  ", h.Level-1), h.Line, h.EndLine, oneLine(h.Text))
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// Frontmatter shows the properties of a note.
func Frontmatter(r reading.FrontmatterResult) string {
	var l lines
	if !r.HasFrontmatter {
		l.add("%s/%s has no frontmatter", r.Vault, r.Path)
		return l.String()
	}
	l.add("%s/%s: %s", r.Vault, r.Path, Count(len(r.Frontmatter), "property", "properties"))
	l.warn(r.Warnings)
	text, err := json.Marshal(r.Frontmatter)
	if err == nil && len(r.Frontmatter) > 0 {
		said, _ := budget.Cut(string(text), shown)
		l.add("%s", said)
	}
	return l.String()
}

// Tags shows tags, or the notes of one.
func Tags(r reading.TagsResult) string {
	var l lines
	if len(r.Notes) == 0 {
		l.add("%d of %s", r.ReturnedCount, Count(r.TotalCount, "tag", "tags"))
	}
	for _, t := range r.Tags {
		l.add("#%s %s", t.Tag, Count(t.Count, "note", "notes"))
	}
	l.notes(r.Notes)
	l.more(r.Truncated, "next")
	return l.String()
}

// Backlinks shows the links of a note and where it is named without one.
func Backlinks(r reading.BacklinksResult) string {
	var l lines
	outgoing := r.Direction == "outgoing"
	links, names := Count(r.LinkedCount, "link", "links"), Count(r.UnlinkedCount, "time", "times")
	if outgoing {
		l.add("%s/%s: %s from it, and it names others %s without one", r.Vault, r.Path, links, names)
	} else {
		l.add("%s/%s: %s to it, named %s without one", r.Vault, r.Path, links, names)
	}
	for _, b := range r.Linked {
		refused := ""
		if b.Refused != "" {
			refused = ", refused: " + b.Refused
		}
		if outgoing {
			l.add("%s %s %s%s: %s", Place(r.Path, b.LineNumber), Arrow(b.Type, "", b.Direction), leadsTo(b), refused, oneLine(b.Context))
		} else {
			l.add("%s %s%s: %s", Place(b.Path, b.LineNumber), Arrow(b.Type, "", opposite(b.Direction)), refused, oneLine(b.Context))
		}
	}
	for _, m := range r.Unlinked {
		if outgoing {
			l.add("%s names %s: %s", Place(r.Path, m.LineNumber), m.Path, oneLine(m.Context))
		} else {
			l.add("%s names it: %s", Place(m.Path, m.LineNumber), oneLine(m.Context))
		}
	}
	l.more(r.Truncated, "next")
	return l.String()
}

// leadsTo is the file that an outgoing link leads to.
func leadsTo(b reading.Backlink) string {
	if b.Dangling {
		return fmt.Sprintf("%q, which is not there", oneLine(b.Target))
	}
	return b.Path
}

// opposite is an edge's direction seen from its other end.
func opposite(direction string) string {
	if direction == "in" {
		return "out"
	}
	return "in"
}

// Checked shows what may need repair in a vault.
func Checked(r reading.CheckResult) string {
	var l lines
	l.add("%s: %d dangling, %d ambiguous, %d in a cycle, %s, %s, %s", r.Vault, r.Dangling.TotalCount, r.Ambiguous.TotalCount, r.Cycles.TotalCount,
		Count(r.Refused.TotalCount, "second successor", "second successors"), Count(r.Orphans.TotalCount, "orphan", "orphans"), Count(r.Warnings.TotalCount, "warning", "warnings"))
	for _, list := range []struct {
		what   string
		places vault.Listed[reading.CheckedPlace]
	}{
		{"dangling", r.Dangling}, {"ambiguous", r.Ambiguous}, {"cycle", r.Cycles}, {"second successor", r.Refused},
	} {
		for _, p := range list.places.Items {
			l.add("%s: %s → %s", list.what, Place(p.Path, p.Line), oneLine(p.Target))
		}
	}
	for _, o := range r.Orphans.Items {
		l.add("orphan: %s", o.Path)
	}
	for _, w := range r.Warnings.Items {
		l.add("warning: %s %s", Place(w.Path, w.Line), w.Text)
	}
	l.more(r.Truncated, r.Next)
	return l.String()
}

// Written shows what a write changed in a note and its edges; did is the verb:
// "Edited".
func Written(did string, r writing.WriteResult) string {
	var l lines
	switch {
	case !r.Changed:
		l.add("%s/%s is so already", r.Vault, r.Path)
	case r.Diff != "":
		l.add("Would change %s/%s:\n%s", r.Vault, r.Path, strings.TrimSuffix(r.Diff, "\n"))
	default:
		l.add("%s %s/%s (%s)", did, r.Vault, r.Path, ref.ShortID(r.ID))
	}
	if r.Replacements > 0 {
		l.add("%s", Count(r.Replacements, "replacement", "replacements"))
	}
	for _, e := range r.Effect.EdgesAdded.Items {
		l.add("+ %s", change(e))
	}
	for _, e := range r.Effect.EdgesRemoved.Items {
		l.add("- %s", change(e))
	}
	for _, d := range r.Effect.Dangling.Items {
		l.add("dangling: %s → %s", Place(r.Path, d.LineNumber), oneLine(d.Target))
	}
	l.warn(r.Warnings)
	return l.String()
}

func change(e writing.EdgeChange) string {
	return fmt.Sprintf("%q %s %q", e.From, Arrow(e.Type, "", "out"), e.To)
}

// Moved shows a move of a note, with the links that were rewritten.
func Moved(r writing.MoveNoteResult) string {
	var l lines
	did := "Moved"
	if !r.Moved {
		did = "Would move"
	}
	l.add("%s %s/%s to %s, with %s in %s", did, r.Vault, r.FromPath, r.ToPath, Count(r.TotalCount, "link", "links"), Count(r.FilesChanged, "file", "files"))
	for _, w := range r.Rewrites {
		l.add("%s: %s → %s", Place(w.Path, w.LineNumber), oneLine(w.Before), oneLine(w.After))
	}
	l.more(r.Truncated, r.Next)
	l.warn(r.Warnings)
	return l.String()
}
