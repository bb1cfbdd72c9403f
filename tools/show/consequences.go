package show

import (
	"fmt"

	"hence/edges/belief"
	"hence/internal/plural"
	"hence/internal/ref"
)

// consequences appends what a change made stale, and what contradicts it.
func (d *Doc) consequences(c belief.Consequences) {
	for _, one := range c.NowStale {
		d.addIn(Warn, "  ", "now stale: ", nameRef(one.Named, Heading), ": ", nameRef(one.Because, Quoted), " "+Became(one.Reason), successorPart(one.Successor), Route(one.Route))
	}
	if more := c.NowStaleCount - len(c.NowStale); more > 0 {
		d.addIn(Warn, "  ", fmt.Sprintf("and %s more; ", plural.Count(more, "memory", "memories")), Call{"graph_overview", "hence stale"}, " lists them")
	}
	for _, one := range c.Conflicts {
		d.addIn(Warn, "  ", "conflict: ", end(one.A, Heading), " contradicts ", end(one.B, Heading), remark(one.Note))
	}
	if len(c.NowStale) > 0 {
		d.addIn(Faint, "  ", Call{"memory_verify", "hence verify"}, " those that still hold, supersede or forget the rest")
	}
}

// currentAgain appends memories that nothing replaces any more.
func (d *Doc) currentAgain(all []ref.Named) {
	for _, one := range all {
		d.addIn(Warn, "  ", "current again: ", nameRef(one, Heading))
	}
}

// onReplaced says how many memories rest on what a memory replaced.
func (d *Doc) onReplaced(n int) {
	if n > 0 {
		d.addIn(Warn, "", plural.Count(n, "memory rests", "memories rest")+" on what it replaced")
	}
}
