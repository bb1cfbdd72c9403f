package show

import (
	"fmt"

	"hence/memory"
)

// Checkpointed shows a session that was stored, with what was learned in it.
func Checkpointed(r memory.CheckpointResult) (d Doc) {
	d.Add("", Span{"stored ", Good}, nameRef(r.Session.Named, Heading))
	if f := r.Session.Follows; f != nil {
		d.Add("  ", "follows ", nameRef(*f, Heading))
	}
	d.consequences(r.Consequences)
	for i, m := range r.Memories {
		existing := ""
		if !m.Created {
			existing = " (there already)"
		}
		d.Add("  ", fmt.Sprintf("#%d ", i+1), nameRef(m.Named, Heading), existing)
		for _, n := range m.Near {
			d.AddIn(Faint, "    ", neighbour(n)...)
		}
	}
	d.addSettle(r.Settle)
	d.Warn(r.Warnings)
	return d
}
