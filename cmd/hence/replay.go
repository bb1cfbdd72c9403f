package main

import (
	"strconv"

	"hence/memory/replay"
	"hence/tools/show"
)

var replayCommands = []command{
	same("replay", "session", replay.Reader.Replay, showReplay).taking(0, 1),
	same("receipts", "days", replay.Reader.Keep, func(k replay.Kept) show.Doc { return show.Doc{show.Total{None: k.Text()}} }).taking(0, 1),
}

func showReplay(r replay.Result) show.Doc {
	if r.Session == "" {
		return showSessions(r)
	}
	return show.Replayed(r.Shown)
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
