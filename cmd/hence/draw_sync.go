package main

import (
	"cmp"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/exchange"
)

// printSync prints what a sync did, or would do.
func (v *view) printSync(r syncResult) {
	v.printMerge(r.Other, r.Here)
	there, sent, wrote := good("there: "), good("sent "), good("wrote ")
	if r.Here.DryRun {
		there, sent, wrote = screen.Span{Text: "there it would be: ", Style: screen.Warn}, screen.Span{Text: "would send ", Style: screen.Warn}, screen.Span{Text: "would write ", Style: screen.Warn}
	}
	switch {
	case r.There != nil && r.There.Changes():
		v.Line(there, screen.Text(mergeCounts(*r.There)))
	case r.Wrote != "":
		v.Line(wrote, screen.Text(r.Wrote))
	case r.There == nil && r.Sent > 0:
		v.Line(sent, screen.Text(plural.Count(r.Sent, "line", "lines")))
	default:
		v.Line(screen.Text("the other side has all of this store"))
	}
}

// printMerge prints what a merge did, or would do.
func (v *view) printMerge(name string, m exchange.Merged) {
	verb := good("merged ")
	if m.DryRun {
		verb = screen.Span{Text: "would merge ", Style: screen.Warn}
	}
	if !m.Changes() {
		v.Line(verb, strong(name), screen.Text(": nothing new"))
	} else {
		v.Line(verb, strong(name), screen.Text(": "+mergeCounts(m)))
	}
	for _, one := range m.Settle {
		title := cmp.Or(one.Title, ref.ShortID(one.ID)) + ref.Named{Trust: one.Trust}.Mark()
		other := cmp.Or(one.OtherTitle, ref.ShortID(one.Other)) + ref.Named{Trust: one.OtherTrust}.Mark()
		switch one.Kind {
		case "text":
			v.Item("  ", screen.Span{Text: "both edited ", Style: screen.Warn}, strong(title), spanToCopy("the other text is "+ref.ShortID(one.Other)))
		case "successor":
			v.Item("  ", screen.Span{Text: "two successors ", Style: screen.Warn}, strong(title), spanToCopy("the later one is "+other+"; it contradicts the other"))
		case "cycle":
			v.Item("  ", screen.Span{Text: "would close a cycle ", Style: screen.Warn}, screen.Text(title+" —"+one.Edge+"→ "+other))
		default:
			v.Item("  ", screen.Span{Text: "waits for an end ", Style: screen.Warn}, screen.Text(title+" —"+one.Edge+"→ "+other))
		}
	}
	v.warn(m.Warnings...)
}

// mergeCounts returns the counts of a merge in words.
func mergeCounts(m exchange.Merged) string {
	words := []string{}
	for _, count := range []struct {
		n        int
		one, all string
	}{
		{m.Memories.Added, "new memory", "new memories"}, {m.Memories.Changed, "memory changed", "memories changed"},
		{m.Forgotten, "of them forgotten", "of them forgotten"}, {m.Purged, "memory purged", "memories purged"},
		{m.Edges.Added, "new edge", "new edges"}, {m.Edges.Changed, "edge changed", "edges changed"}, {m.Unlinked, "edge unlinked", "edges unlinked"},
	} {
		if count.n > 0 {
			words = append(words, plural.Count(count.n, count.one, count.all))
		}
	}
	return strings.Join(words, ", ")
}
