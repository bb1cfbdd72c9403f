package show

import (
	"cmp"
	"fmt"
	"strings"

	"hence/code/reading"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/plural"
	"hence/internal/ref"
)

// Outlined shows the symbols of a file, type, package or repository.
func Outlined(r reading.OutlineResult) (d Doc) {
	title := Short(r.Title)
	if title != "" {
		title += ": "
	}
	d.Add("", Span{title, Strong}, plural.Count(r.TotalCount, "symbol", "symbols"))
	path := ""
	for _, s := range r.Symbols {
		if s.Path != path {
			path = s.Path
			d.AddIn(Faint, "", Short(path))
		}
		lines := ""
		if s.StartLine > 0 {
			lines = fmt.Sprintf("%d-%d ", s.StartLine, s.EndLine)
		}
		signature := cmp.Or(Short(s.Signature), s.Sort)
		calls := ""
		if s.Callers+s.Callees > 0 {
			calls = fmt.Sprintf(" (%s, %s)", plural.Count(s.Callers, "caller", "callers"), plural.Count(s.Callees, "callee", "callees"))
		}
		d.Add("  ", lines, Span{Short(s.Title), Strong}, Span{" " + ref.ShortID(s.ID), Faint}, ": "+signature, Span{calls, Faint})
	}
	d.AddMore(r.Truncated, More{Next: r.Next, Returned: r.ReturnedCount, Of: r.TotalCount})
	return d
}

// CodeRead shows lines of a file of source code.
func CodeRead(r reading.ReadResult) (d Doc) {
	if r.Path == "" { // the budget had no room for it
		d.Say("0 of %s", plural.Count(r.TotalLines, "line", "lines"))
		d.AddMore(r.Truncated, More{Next: r.Next})
		return d
	}
	changed := ""
	if r.Changed {
		changed = ", edited since it was imported"
	}
	title := ""
	if r.Title != "" && r.Title != r.Path {
		title = fmt.Sprintf("%s (%s) in ", Short(r.Title), ref.ShortID(r.ID))
	}
	d.Say("%s%s/%s, lines %d to %d of %d%s", title, r.Repository, r.Path, r.StartLine, r.EndLine, r.TotalLines, changed)
	d.Say("content_hash %s", r.ContentHash)
	d = append(d, Content(strings.TrimSuffix(r.Text, "\n")))
	d.AddMore(r.Truncated, More{Next: r.Next})
	return d
}

// Patched shows a change of a file of source code, with the symbols that change and the
// memories that become stale.
func Patched(r writing.PatchResult) (d Doc) {
	d.Add("", Outcome(r.DryRun, "changed ", "would change "), r.Repository+"/"+r.Path+": "+plural.Count(r.Replacements, "replacement", "replacements")+"; content_hash "+r.ContentHash)
	d = append(d, Content(strings.TrimSuffix(r.Diff, "\n")))
	for _, s := range r.Symbols {
		d.Add("  ", s.How+" ", nameRef(ref.Named{ID: s.ID, Title: s.Title}, Heading))
	}
	if len(r.WouldBeStale) > 0 {
		d.AddIn(Warn, "", map[bool]string{false: "stale now:", true: "would be stale:"}[r.DryRun])
		for _, m := range r.WouldBeStale {
			d.Add("  ", nameRef(m.Named, Heading), Route(m.Route))
		}
		if more := r.StaleCount - len(r.WouldBeStale); more > 0 {
			d.AddIn(Faint, "  ", fmt.Sprintf("… and %d more", more))
		}
	}
	return d
}

// Tested shows a run of a test suite.
func Tested(r suite.Result) (d Doc) {
	seconds := fmt.Sprintf(" in %.1f s", float64(r.DurationMS)/1000)
	switch {
	case r.TimedOut:
		d.Add("", Span{"stopped ", Warn}, "the suite "+r.Suite+" at its time limit,"+strings.TrimPrefix(seconds, " in"))
	case r.Exit == 0:
		d.Add("", Span{"passed ", Good}, "the suite "+r.Suite+seconds)
	default:
		d.Add("", Span{"failed ", Warn}, fmt.Sprintf("the suite %s, exit %d,%s", r.Suite, r.Exit, seconds))
	}
	for _, name := range r.Failures {
		d.Add("  ", Short(name))
	}
	if r.Output != "" {
		d = append(d, Content(strings.TrimSuffix(r.Output, "\n")))
	}
	d.AddMore(r.Truncated && r.Next != "", More{Next: r.Next})
	return d
}

// Permissions shows what tools may do to repositories.
func Permissions(all []writing.Permissions) (d Doc) {
	if len(all) == 0 {
		d.Say("there is no repository; hence import --code DIR imports one")
	}
	for _, p := range all {
		d.Add("", Span{p.Repository, Strong}, Span{"  " + p.Root, Faint})
		if p.Elsewhere {
			d.Add("  ", "it was imported elsewhere: its folder is not opened here")
			continue
		}
		d.Add("  ", map[bool]string{false: "tools may not change its files", true: "tools may change its files"}[p.Patch])
		for _, s := range p.Suites {
			d.Add("  ", "test "+s.Name+": "+strings.Join(s.Arguments, " "), Span{fmt.Sprintf("  at most %d s", s.TimeoutS), Faint})
		}
	}
	return d
}
