package show

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"hence/internal/plural"
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

// Say appends a line of plain text.
func (d *Doc) Say(format string, a ...any) { d.Add("", fmt.Sprintf(format, a...)) }

// Place returns a line of a file in the form that editors read: "path:12"; the path alone for
// line 0.
func Place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// NotePath returns the path of a note in its vault, decoded from its uri. It returns any
// other uri as it is.
func NotePath(uri string) string {
	_, file, ok := ref.SplitNoteURI(uri)
	if !ok {
		return uri
	}
	if plain, err := url.PathUnescape(file); err == nil {
		return plain
	}
	return file
}

// Imported shows what an import changed.
func Imported(r vault.Report) (d Doc) {
	contents := plural.Count(r.Notes, "note", "notes")
	if r.Files > 0 {
		contents += " and " + plural.Count(r.Files, "other file", "other files")
	}
	if r.Code {
		contents = plural.Count(r.Files, "file", "files") + " and " + plural.Count(r.Symbols, "symbol", "symbols")
	}
	changes := Sum(Counted{r.Added, "added"}, Counted{r.Updated, "updated"}, Counted{r.Moved, "moved"}, Counted{r.Removed, "removed"}, Counted{r.Unchanged, "unchanged"})
	name := Span{r.Vault, Strong}
	switch {
	case !r.HasChanged() && r.Notes == 0 && !r.Code:
		d.Add("", name, ": the folder has no notes")
	case !r.HasChanged():
		d.Add("", name, ": nothing has changed in "+contents)
	default:
		d.Add("", Outcome(r.DryRun, "imported ", "would import "), name, ": "+contents+" ("+changes+")")
	}
	if r.HasChanged() || r.Notes > 0 || r.Code {
		links := plural.Count(r.Links, "link", "links")
		switch {
		case !r.DryRun || !r.HasChanged():
			links += ", " + plural.Count(r.Edges, "edge", "edges")
		case r.Unchanged > 0:
			links += " in what would be written"
		}
		if rest := Sum(Counted{r.Dangling, "dangling"}, Counted{r.Ambiguous, "ambiguous"}, Counted{r.Refused, "refused"}); rest != "" {
			links += "; " + rest
		}
		d.Add("  ", links)
	}
	if r.HasChanged() {
		d.places("dangling until their target exists:", r.DanglingLinks, r.Dangling)
		d.places("refused:", r.RefusedLinks, r.Refused)
	}
	if len(r.Warnings) > 0 {
		d.Gap()
		d.AddIn(Warn, "", "warnings:")
	}
	for _, w := range r.Warnings {
		d.Add("  ", strings.TrimSpace(Place(w.Path, w.Line)+"  "+w.Text))
	}
	return d
}

// places appends the first eight of some links in notes, under a heading.
func (d *Doc) places(listHeading string, places []vault.Place, total int) {
	const most = 8
	if len(places) == 0 {
		return
	}
	d.Gap()
	d.AddIn(Warn, "", listHeading)
	listed := places[:min(len(places), most)]
	for _, p := range listed {
		why := ""
		if p.Why != "" {
			why = " (" + p.Why + ")"
		}
		d.place(p, why)
	}
	if more := total - len(listed); more > 0 {
		d.AddIn(Faint, "  ", fmt.Sprintf("… and %d more", more))
	}
}

// place appends a link in a note, followed by a remark.
func (d *Doc) place(p vault.Place, remark string) {
	d.Add("  ", Place(p.Path, p.Line), Span{" —" + p.Rel + "→ ", Edge}, Short(p.Target), remark)
}

// Counted is a number and the noun or verb for it.
type Counted struct {
	N    int
	What string
}

// Sum lists the counts that are not 0: "3 added, 1 moved".
func Sum(all ...Counted) string {
	counts := []string{}
	for _, c := range all {
		if c.N > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.N, c.What))
		}
	}
	return strings.Join(counts, ", ")
}

// Checked shows what may need repair in a vault.
func Checked(r reading.CheckResult) (d Doc) {
	for _, list := range []struct {
		heading string
		places  vault.Listed[reading.CheckedPlace]
	}{
		{"lead nowhere", r.Dangling}, {"could mean another note too", r.Ambiguous},
		{"kept out, because they close a cycle", r.Cycles}, {"kept out, because there is a successor already", r.Refused},
	} {
		d.listHeading(list.heading, list.places.TotalCount)
		for _, p := range list.places.Items {
			targets := ""
			if p.ResolvedTo != "" && len(p.Candidates) > 0 {
				targets = ", taken for " + p.ResolvedTo + ", not " + strings.Join(p.Candidates, ", ")
			}
			d.place(p.Place, targets)
		}
	}
	d.listHeading("notes without a link", r.Orphans.TotalCount)
	for _, o := range r.Orphans.Items {
		d.Add("  ", o.Path)
	}
	d.listHeading("could not be read as written", r.Warnings.TotalCount)
	for _, w := range r.Warnings.Items {
		d.Add("  ", Place(w.Path, w.Line)+"  "+w.Text)
	}
	d.listHeading("look like secrets", r.Secrets.TotalCount)
	for _, p := range r.Secrets.Items {
		d.Add("  ", Place(p.Path, p.Line)+"  "+p.Text)
	}
	if len(d) == 0 {
		d.Add("", Span{r.Vault, Strong}, ": nothing to repair")
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// listHeading appends the heading of a list of n entries, if n is not 0.
func (d *Doc) listHeading(text string, n int) {
	if n > 0 {
		d.Add("", Span{text, Warn}, " ("+plural.Count(n, "place", "places")+")")
	}
}

// Notes shows a page of notes.
func Notes(r reading.ListNotesResult) (d Doc) {
	d.Say("%d of %s", r.ReturnedCount, plural.Count(r.TotalCount, "note", "notes"))
	d.notes(r.Notes)
	d.AddMore(r.Truncated, moreByCursor(r.Next))
	return d
}

// notes appends the lines of a list of notes.
func (d *Doc) notes(all []reading.NoteSummary) {
	for _, n := range all {
		d.Say("- %s/%s%s", n.Vault, n.Path, tagList(n.Tags))
	}
}

// Note shows lines of a note.
func Note(r reading.ReadNoteResult) (d Doc) {
	if r.Path == "" { // the budget had no room for it
		d.Say("0 of %s", plural.Count(r.TotalLines, "line", "lines"))
	} else {
		d.Say("%s/%s, lines %d to %d of %d, by the vault's owner%s", r.Vault, r.Path, r.StartLine, r.EndLine, r.TotalLines, tagList(r.Tags))
		d.Say("content_hash %s", r.ContentHash)
	}
	d.Warn(r.Warnings)
	d = append(d, quoteUntrusted(r.Trust, r.SourceURL, r.Content)...)
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Headings shows the headings of a note.
func Headings(r reading.HeadingsResult) (d Doc) {
	d.Say("%s/%s: %s", r.Vault, r.Path, plural.Count(r.TotalCount, "heading", "headings"))
	for _, h := range r.Headings {
		d.Say("%s%d to %d: %s", strings.Repeat("  ", h.Level-1), h.Line, h.EndLine, Short(h.Text))
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Frontmatter shows the properties of a note.
func Frontmatter(r reading.FrontmatterResult) (d Doc) {
	if !r.HasFrontmatter {
		d.Say("%s/%s has no frontmatter", r.Vault, r.Path)
		return d
	}
	d.Say("%s/%s: %s", r.Vault, r.Path, plural.Count(len(r.Frontmatter), "property", "properties"))
	d.Warn(r.Warnings)
	if text, err := json.Marshal(r.Frontmatter); err == nil && len(r.Frontmatter) > 0 {
		d = append(d, Content(text))
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Tags shows tags, or the notes of one.
func Tags(r reading.TagsResult) (d Doc) {
	if len(r.Notes) == 0 {
		d.Say("%d of %s", r.ReturnedCount, plural.Count(r.TotalCount, "tag", "tags"))
	}
	for _, t := range r.Tags {
		d.Say("#%s %s", t.Tag, plural.Count(t.Count, "note", "notes"))
	}
	d.notes(r.Notes)
	d.AddMore(r.Truncated, moreByCursor(r.Next))
	return d
}

// Backlinks shows the links to or from a note, and the places that name a note without a
// link.
func Backlinks(r reading.BacklinksResult) (d Doc) {
	outgoing := r.Direction == "outgoing"
	summary := "%s/%s: %s to it, named %s without one"
	if outgoing {
		summary = "%s/%s: %s from it, and it names others %s without one"
	}
	d.Say(summary, r.Vault, r.Path, plural.Count(r.LinkedCount, "link", "links"), plural.Count(r.UnlinkedCount, "time", "times"))
	for _, b := range r.Linked {
		source, arrow := Place(b.Path, b.LineNumber), Link{Kind: b.Type, Rel: b.Rel, Direction: map[string]string{"in": "out", "out": "in"}[b.Direction]}.Arrow()
		switch {
		case outgoing && b.Dangling:
			source, arrow = Place(r.Path, b.LineNumber), Link{Kind: b.Type, Rel: b.Rel, Direction: b.Direction}.Arrow()+fmt.Sprintf(" %q, which is not there", Short(b.Target))
		case outgoing:
			source, arrow = Place(r.Path, b.LineNumber), Link{Kind: b.Type, Rel: b.Rel, Direction: b.Direction}.Arrow()+" "+b.Path
		}
		if b.Refused != "" {
			arrow += ", refused: " + b.Refused
		}
		d.Say("%s %s: %s", source, arrow, Short(b.Context))
	}
	for _, m := range r.Unlinked {
		if outgoing {
			d.Say("%s names %s: %s", Place(r.Path, m.LineNumber), m.Path, Short(m.Context))
		} else {
			d.Say("%s names it: %s", Place(m.Path, m.LineNumber), Short(m.Context))
		}
	}
	d.AddMore(r.Truncated, moreByCursor(r.Next))
	return d
}

// Written shows what a write changed in a note and its edges. verb is in the past tense:
// "Edited".
func Written(verb string, r writing.WriteResult) (d Doc) {
	switch {
	case !r.Changed:
		d.Say("%s/%s has not changed", r.Vault, r.Path)
	case r.Diff != "":
		d.Say("Would change %s/%s:", r.Vault, r.Path)
		d = append(d, Content(strings.TrimSuffix(r.Diff, "\n")))
	default:
		d.Say("%s %s/%s (%s)", verb, r.Vault, r.Path, ref.ShortID(r.ID))
	}
	if r.Diff == "" {
		d.Say("content_hash %s", r.ContentHash)
	}
	if r.Replacements > 0 {
		d.Say("%s", plural.Count(r.Replacements, "replacement", "replacements"))
	}
	for _, list := range []struct {
		sign  string
		edges []writing.EdgeChange
	}{{"+", r.Effect.EdgesAdded.Items}, {"-", r.Effect.EdgesRemoved.Items}} {
		for _, e := range list.edges {
			from, to := titleRef(ref.Named{Title: e.From, Trust: e.FromTrust}), titleRef(ref.Named{Title: e.To, Trust: e.ToTrust})
			d.Add(list.sign+" ", from, " ", Link{Kind: e.Type, Rel: e.Rel, Direction: "out"}, " ", to)
		}
	}
	for _, link := range r.Effect.Dangling.Items {
		d.Say("dangling: %s → %s", Place(r.Path, link.LineNumber), Short(link.Target))
	}
	d.Warn(r.Warnings)
	return d
}

// Moved shows a move of a note, with the links that were rewritten.
func Moved(r writing.MoveNoteResult) (d Doc) {
	verb := "Moved"
	if !r.Moved {
		verb = "Would move"
	}
	d.Say("%s %s/%s to %s, with %s in %s", verb, r.Vault, r.FromPath, r.ToPath, plural.Count(r.TotalCount, "link", "links"), plural.Count(r.FilesChanged, "file", "files"))
	for _, w := range r.Rewrites {
		d.Say("%s: %s → %s", Place(w.Path, w.LineNumber), Short(w.Before), Short(w.After))
	}
	d.AddMore(r.Truncated, More{Next: r.Next})
	d.Warn(r.Warnings)
	return d
}
