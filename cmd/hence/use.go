package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/exchange/transcripts"
	"hence/memory/replay"
	"hence/memory/use"
	"hence/tools"
	"hence/tools/show"
)

// importHeard imports conversations, and judges which of the memories that they were shown they used. Where that cannot be judged,
// it warns.
func importHeard(ctx context.Context, v ref.View, a transcripts.Args) (done transcripts.Imported, err error) {
	listener, unheard := use.Reader(v).Listen(ctx)
	if listener != nil && !a.DryRun {
		a.Hear = func(c transcripts.Conversation) { unheard = errors.Join(unheard, listener.Hear(ctx, c.ID, c.Steps)) }
	}
	done, err = transcripts.Import(ctx, v, a)
	if unheard = errors.Join(unheard, listener.Close()); unheard != nil {
		done.Warnings = append(done.Warnings, "it was not judged which memories were used: "+unheard.Error())
	}
	return done, err
}

// showUse describes what was shown and used. It never says that something helped.
func showUse(s use.Stats) (d show.Doc) {
	if s.Sessions == 0 && len(s.NotFound) == 0 {
		return show.Doc{show.Total{None: "no receipt tells of a memory that was shown"}}
	}
	d.Add("", "In "+plural.Count(s.Sessions, "conversation", "conversations")+": ", strong(strconv.Itoa(s.Shown)+" shown"), " → ", strong(strconv.Itoa(s.Used)+" used"),
		" ("+strconv.Itoa(s.Possible)+" more may be) → ", strong(strconv.Itoa(s.Corrected)+" corrected"))
	if s.Used > 0 {
		d.Add("", strconv.Itoa(s.TokensPerUsed)+" tokens of answers for each that was used")
	}
	rows := func(head string, all []use.Row) {
		if len(all) == 0 {
			return
		}
		d = append(d, show.Line{})
		t := show.Table{Columns: []show.Column{{Head: head, Min: 16}, {Head: "conversations"}, {Head: "shown"}, {Head: "used"}, {Head: "may be"}, {Head: "corrected"}, {Head: "how"}, {Head: "last"}}}
		for _, m := range all {
			t.Rows = append(t.Rows, []show.Cell{
				{Text: m.Named.Text(), Role: show.Strong}, {Text: strconv.Itoa(m.Sessions)}, {Text: strconv.Itoa(m.Shown)}, {Text: strconv.Itoa(m.Used)},
				{Text: strconv.Itoa(m.Possible)}, {Text: strconv.Itoa(m.Corrected)}, {Text: strings.Join(m.How, ", ")}, {Text: instant(m.Last)},
			})
		}
		d = append(d, t)
	}
	rows("used or corrected", s.Memories)
	rows("shown often, never used", s.NeverUsed)
	if len(s.NotFound) > 0 {
		d = append(d, show.Line{})
		t := show.Table{Columns: []show.Column{{Head: "searched and not found", Min: 16}, {Head: "times"}, {Head: "conversations"}, {Head: "last"}}}
		for _, m := range s.NotFound {
			t.Rows = append(t.Rows, []show.Cell{{Text: strconv.Quote(m.Words), Role: show.Strong}, {Text: strconv.Itoa(m.Searches)}, {Text: strconv.Itoa(m.Sessions)}, {Text: instant(m.Last)}})
		}
		d = append(d, t)
	}
	if s.Truncated {
		d = append(d, show.More{Next: "limit"})
	}
	return d
}

var replayCommands = []command{
	calling("replay", "session", func(ctx context.Context, v ref.View, a replay.Args) (replay.Result, error) {
		return replay.Reader(v).Replay(ctx, a, tools.ReadAgain)
	}, showSessions).taking(0, 1),
	same("receipts", "days", replay.Reader.Keep, func(k replay.Kept) show.Doc { return show.Doc{show.Total{None: k.Text()}} }).taking(0, 1),
}

// showSessions lists the sessions with receipts, or shows those of one.
func showSessions(r replay.Result) show.Doc {
	switch {
	case r.Session != "":
		return show.Replayed(r.Shown)
	case len(r.Sessions) == 0:
		return show.Doc{show.Total{None: "no receipts of this store are kept"}}
	}
	t := show.Table{Columns: []show.Column{{Head: "session", Min: 12}, {Head: "actor"}, {Head: "answers"}, {Head: "began"}, {Head: "last"}}}
	for _, s := range r.Sessions {
		t.Rows = append(t.Rows, []show.Cell{{Text: s.ID, Role: show.Strong}, {Text: s.Actor}, {Text: strconv.Itoa(s.Receipts)}, {Text: instant(s.Began)}, {Text: instant(s.Last)}})
	}
	return show.Doc{t}
}
