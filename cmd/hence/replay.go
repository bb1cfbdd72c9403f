package main

import (
	"strconv"
	"strings"

	"hence/memory/replay"
	"hence/tools/show"
)

var replayCommands = []command{
	same("replay", "session", replay.Reader.Replay, showReplay).taking(0, 1),
	same("receipts", "days", replay.Reader.Keep, func(k replay.Kept) show.Doc { return show.Doc{show.Total{None: k.Text()}} }).taking(0, 1),
}

func showReplay(r replay.Result) (d show.Doc) {
	if r.Session == "" {
		return showSessions(r)
	}
	for _, a := range r.Answers {
		d.Add("", strong(instant(a.At)+" "+a.Tool), " "+strings.Join(strings.Fields(a.Arguments), " "))
		for _, m := range a.Shown {
			line := m.Why + " "
			if m.Erased {
				d.Add("  ", line+"erased")
				continue
			}
			d.Add("  ", line, strong(m.Named.Text()), " revision "+strconv.Itoa(m.Revision))
			for text := range strings.Lines(m.Text) {
				d.Add("    ", strings.TrimSuffix(text, "\n"))
			}
			for _, news := range m.Since {
				d.AddIn(show.Warn, "    ", "since: "+news)
			}
		}
		for _, m := range a.Also {
			d.AddIn(show.Faint, "  ", "not shown: "+m.Text())
		}
		if a.LeftOut != 0 {
			d.AddIn(show.Faint, "  ", "the budget left some out")
		}
	}
	if r.Truncated {
		d.AddIn(show.Faint, "", "there are more; --skip leaves out those that you have read")
	}
	return d
}

func showSessions(r replay.Result) show.Doc {
	if len(r.Sessions) == 0 {
		return show.Doc{show.Total{None: "no receipts of this store are kept"}}
	}
	t := show.Table{Columns: []show.Column{{Head: "session", Min: 12}, {Head: "actor"}, {Head: "answers"}, {Head: "began"}, {Head: "last"}}}
	for _, s := range r.Sessions {
		t.Rows = append(t.Rows, []show.Cell{{Text: s.ID, Role: show.Strong}, {Text: s.Actor}, {Text: strconv.Itoa(s.Receipts)}, {Text: instant(s.Began)}, {Text: instant(s.Last)}})
	}
	return show.Doc{t}
}
