package show

import (
	"fmt"

	"hence/memory"
)

// Checkpointed shows a session that was stored, with what was learned in it.
func Checkpointed(r memory.CheckpointResult) (d Doc) {
	d.add("", Span{"stored ", Good}, nameRef(r.Session.Named, Heading))
	if f := r.Session.Follows; f != nil {
		d.add("  ", "follows ", nameRef(*f, Heading))
	}
	d.consequences(r.Consequences)
	for i, one := range r.Memories {
		there := ""
		if !one.Created {
			there = " (there already)"
		}
		d.add("  ", fmt.Sprintf("#%d ", i+1), nameRef(one.Named, Heading), there)
		for _, n := range one.Near {
			d.addIn(Faint, "    ", neighbour(n)...)
		}
	}
	d.addSettle(r.Settle)
	d.warn(r.Warnings)
	return d
}
