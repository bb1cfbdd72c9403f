package show

import (
	"fmt"

	"hence/edges/belief"
	"hence/internal/plural"
	"hence/internal/ref"
)

// consequences appends the memories that a change made stale, and the conflicts with it.
func (d *Doc) consequences(c belief.Consequences) {
	for _, s := range c.NowStale {
		d.AddIn(Warn, "  ", "now stale: ", nameRef(s.Named, Heading), ": ", nameRef(s.Because, Quoted), " "+reasonText(s.Reason), successorPart(s.Successor), Route(s.Route))
	}
	if more := c.NowStaleCount - len(c.NowStale); more > 0 {
		d.AddIn(Warn, "  ", fmt.Sprintf("and %s more; ", plural.Count(more, "memory", "memories")), Call{"graph_overview", "hence stale"}, " lists them")
	}
	for _, conflict := range c.Conflicts {
		d.AddIn(Warn, "  ", "conflict: ", endRef(conflict.A, Heading), " contradicts ", endRef(conflict.B, Heading), remark(conflict.Note))
	}
	if len(c.NowStale) > 0 {
		d.AddIn(Faint, "  ", Call{"memory_verify", "hence verify"}, " those that still hold, supersede or forget the rest")
	}
}

// currentAgain appends the memories that are current again, because nothing supersedes them
// any more.
func (d *Doc) currentAgain(all []ref.Named) {
	for _, n := range all {
		d.AddIn(Warn, "  ", "current again: ", nameRef(n, Heading))
	}
}

// onReplaced appends the number of memories that rest on one that this memory superseded.
func (d *Doc) onReplaced(n int) {
	if n > 0 {
		d.AddIn(Warn, "", plural.Count(n, "memory rests", "memories rest")+" on what it replaced")
	}
}
