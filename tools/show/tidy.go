package show

import (
	"strconv"
	"strings"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/tidy"
)

// Tidied shows proposals for tidying, and how many were accepted or rejected.
func Tidied(r tidy.Result) (d Doc) {
	if n := r.Accepted; n > 0 {
		d.Add("", Span{"accepted " + plural.Count(n, "proposal", "proposals"), Good}, "; hence undo takes all of it back")
	}
	if n := r.Rejected; n > 0 {
		d.Add("", Span{"rejected " + plural.Count(n, "proposal", "proposals"), Good}, "; it does not come back")
	}
	d.consequences(belief.Consequences{NowStale: r.NowStale, NowStaleCount: r.NowStaleCount})
	if len(r.Proposals) == 0 && r.Accepted+r.Rejected == 0 && !r.Truncated {
		d.Add("", "there is nothing to tidy")
	}
	for i, p := range r.Proposals {
		if i > 0 {
			d.Gap()
		}
		d = append(d, Proposed(p)...)
	}
	counts := []string{}
	for _, c := range r.NotShown {
		counts = append(counts, strconv.Itoa(c.Count)+" "+c.Name)
	}
	if len(counts) > 0 {
		d.Add("", "not shown: "+strings.Join(counts, ", "))
	}
	d.Warn(r.Warnings)
	d.AddMore(r.Truncated, More{Next: r.Next, Returned: r.ReturnedCount})
	return d
}

// Proposed shows one proposal.
func Proposed(p tidy.Proposal) (d Doc) {
	d.Add("", Span{p.Key, Strong}, ": ", p.Why)
	for _, m := range p.Memories {
		d.Add("  ", nameRef(m.Named, Heading), Span{", since " + dayOf(m.At), Faint})
		if m.Text != "" {
			d.AddIn(Faint, "    ", ref.Fence(m.Trust, m.Text))
		}
		for _, s := range m.SupportedBy {
			d.Add("    ", "supported by ", nameRef(s, InLine))
		}
	}
	d.AddIn(Faint, "  ", "call: ", p.Call.Tool+" "+OneLine(db.JSON(p.Call.Arguments)))
	return d
}
