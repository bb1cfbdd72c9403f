package show

import (
	"strings"

	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/sources"
)

// Sources shows the number of memories from each source or, for one source, the tree of the
// memories that go back to it.
func Sources(r sources.Result) (d Doc) {
	if r.From == "" {
		if len(r.Counts) == 0 {
			d.Add("", "there are no memories")
		}
		for _, c := range r.Counts {
			remarks := []string{}
			if c.Behind > 0 {
				remarks = append(remarks, plural.Count(c.Behind, "goes", "go")+" back to a stranger's text")
			}
			if c.Confirmed > 0 {
				remarks = append(remarks, thousands(c.Confirmed)+" confirmed by a person")
			}
			name := c.Source
			if c.Host != "" {
				name += " " + c.Host
			}
			line := name + ": " + thousands(c.Memories)
			if len(remarks) > 0 {
				line += " (" + strings.Join(remarks, ", ") + ")"
			}
			d.Add("", line)
		}
		return d
	}
	d.Add("", plural.Count(r.Came, "memory", "memories")+" from "+r.From)
	for _, n := range r.Tree {
		d.node(n)
	}
	d.AddMore(r.Truncated, More{Next: r.Next, Returned: len(r.Tree)})
	return d
}

// node appends a memory of a tree, indented by its depth.
func (d *Doc) node(n sources.Node) {
	trust := ""
	if trusted := n.Trust == ref.Person || n.Trust == ref.Note || n.Trust == ref.Agent; !trusted {
		trust = n.Trust
	}
	edge := ""
	if n.Edge != "" {
		edge = n.Edge + ": "
	}
	byline := ", " + n.Kind + ", " + dayOf(n.At)
	if n.Actor != "" {
		byline += ", by " + n.Actor
	}
	if n.Edited {
		byline += ", edited"
	}
	if n.URL != "" && n.Depth == 0 {
		byline += ", " + n.URL
	}
	d.Add(strings.Repeat("  ", n.Depth+1), edge, Ref{Named: ref.Named{ID: n.ID, Title: n.Title, Trust: trust}, Status: n.Status, Form: Heading}, Span{byline, Faint})
}

// ForgottenFrom shows the memories from one source that were forgotten, the edits from it that
// were undone, and the memories that rested on them.
func ForgottenFrom(r sources.Forgotten) (d Doc) {
	done := "forgot "
	if r.DryRun {
		done = "would forget "
	}
	d.Add("", Span{done, Good}, plural.Count(r.Forgotten, "memory", "memories")+" from "+r.From)
	for _, n := range r.Memories {
		d.node(n)
	}
	if more := r.Forgotten - len(r.Memories); more > 0 {
		d.AddIn(Faint, "  ", "and "+thousands(more)+" more")
	}
	if len(r.TakenBack) > 0 {
		d.Add("", Span{map[bool]string{false: "took back", true: "would take back"}[r.DryRun] + " its edits of ", Good}, plural.Count(len(r.TakenBack), "memory", "memories")+" of others")
	}
	for _, n := range r.TakenBack {
		d.node(n)
	}
	if len(r.Rested) > 0 {
		d.Add("", "what went back to them stays:")
	}
	for _, n := range r.Rested {
		n.Depth = 0
		d.node(n)
	}
	if r.RestedMore {
		d.AddIn(Faint, "  ", "and more")
	}
	if r.Forgotten+len(r.TakenBack) > 0 && !r.DryRun {
		d.AddIn(Faint, "  ", "hence undo brings all of them back")
	}
	d.consequences(r.Consequences)
	d.Warn(r.Warnings)
	return d
}
