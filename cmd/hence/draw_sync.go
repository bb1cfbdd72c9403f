package main

import (
	"cmp"
	"strings"

	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/exchange"
	"hence/tools/show"
)

// synced describes what a sync did, or would do.
func synced(r syncResult) show.Doc {
	d, dry := merged(r.Other, r.Here), r.Here.DryRun
	switch {
	case r.There != nil && r.There.Changes():
		d.Add("", did(dry, "there: ", "there it would be: "), mergeCounts(*r.There))
	case r.Wrote != "":
		d.Add("", did(dry, "wrote ", "would write "), r.Wrote)
	case r.There == nil && r.Sent > 0:
		d.Add("", did(dry, "sent ", "would send "), plural.Count(r.Sent, "line", "lines"))
	default:
		d.Add("", "the other side has all of this store")
	}
	return d
}

// merged describes what a merge did, or would do.
func merged(name string, m exchange.Merged) (d show.Doc) {
	counts := "nothing new"
	if m.Changes() {
		counts = mergeCounts(m)
	}
	d.Add("", did(m.DryRun, "merged ", "would merge "), strong(name), ": "+counts)
	for _, one := range m.Settle {
		title := cmp.Or(one.Title, ref.ShortID(one.ID)) + ref.Named{Trust: one.Trust}.Mark()
		other := cmp.Or(one.OtherTitle, ref.ShortID(one.Other)) + ref.Named{Trust: one.OtherTrust}.Mark()
		switch one.Kind {
		case "text":
			d.Add("  ", warn("both edited "), strong(title), spanToCopy("the other text is "+ref.ShortID(one.Other)))
		case "successor":
			d.Add("  ", warn("two successors "), strong(title), spanToCopy("the later one is "+other+"; it contradicts the other"))
		case "cycle":
			d.Add("  ", warn("would close a cycle "), title+" —"+one.Edge+"→ "+other)
		default:
			d.Add("  ", warn("waits for an end "), title+" —"+one.Edge+"→ "+other)
		}
	}
	d.Warn(m.Warnings)
	return d
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
