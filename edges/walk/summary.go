package walk

import (
	"slices"

	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/ref"
)

// lengths returns the lengths of the lists of an overview, in order of importance.
func (o OverviewResult) lengths() []int {
	return []int{
		len(o.Conflicts), len(o.Stale), len(o.CausalLoops), len(o.MostLinked), len(o.Orphans),
		len(o.ByStatus), len(o.ByKind), len(o.EdgesByKind), len(o.ByOrigin),
	}
}

// entries returns the number of entries of all lists.
func (o OverviewResult) entries() (n int) {
	for _, length := range o.lengths() {
		n += length
	}
	return n
}

// shorten returns the overview with n entries, which it takes from the lists in turn, each
// text cut to a number of bytes.
func (o OverviewResult) shorten(n, bytes int) OverviewResult {
	short, share := o, budget.Share(n, o.lengths()...)
	short.Conflicts, short.Stale, short.CausalLoops = o.Conflicts[:share[0]], o.Stale[:share[1]], o.CausalLoops[:share[2]]
	short.MostLinked, short.Orphans = o.MostLinked[:share[3]], o.Orphans[:share[4]]
	short.ByStatus, short.ByKind = o.ByStatus[:share[5]], o.ByKind[:share[6]]
	short.EdgesByKind, short.ByOrigin = o.EdgesByKind[:share[7]], o.ByOrigin[:share[8]]
	if bytes < budget.Whole {
		short.cutTexts(bytes)
	}
	if bytes < budget.Whole || n < o.entries() {
		short.Truncated, short.Next = true, budget.Next
	}
	return short
}

// cutTexts cuts the texts to a number of bytes, and removes the doubts of stale memories and
// the memories of loops.
func (o *OverviewResult) cutTexts(bytes int) {
	cut := func(title *string) { *title, _ = budget.Cut(*title, bytes) }
	o.Conflicts, o.Stale, o.CausalLoops = slices.Clone(o.Conflicts), slices.Clone(o.Stale), slices.Clone(o.CausalLoops)
	o.MostLinked, o.Orphans, o.ByKind = slices.Clone(o.MostLinked), slices.Clone(o.Orphans), slices.Clone(o.ByKind)
	for i := range o.Conflicts {
		cut(&o.Conflicts[i].A.Title)
		cut(&o.Conflicts[i].B.Title)
		cut(&o.Conflicts[i].Note)
	}
	for i := range o.Stale {
		cut(&o.Stale[i].Title)
		o.Stale[i].Stale = []belief.Doubt{}
	}
	for i := range o.CausalLoops {
		o.CausalLoops[i].Memories = []ref.End{}
	}
	for i := range o.MostLinked {
		cut(&o.MostLinked[i].Title)
	}
	for i := range o.Orphans {
		cut(&o.Orphans[i].Title)
	}
	for i := range o.ByKind {
		cut(&o.ByKind[i].Name)
	}
}
