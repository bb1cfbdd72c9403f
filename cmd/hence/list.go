package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

func (s *session) listCommand() *cobra.Command {
	return mirror[memory.ListArgs, memory.ListResult]{
		use:   "list",
		group: groupMemory,
		short: "Memories, the latest first",
		long:  `Lists memories by what they are, not by what they say: for that, use search.`,
		example: `  hence list --kind decision
  hence list --tags area/booking --since 2026-05-01T00:00:00Z --order importance`,
		place: func(*memory.ListArgs, []string) error { return nil },
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.ListArgs) (memory.ListResult, error) {
			return memory.Store{DB: d, Caller: c}.List(ctx, a)
		},
		draw: drawList,
	}.command(s)
}

// placeWidth is the columns that a path or an id keeps of the window: it is there
// to be copied.
const placeWidth = 36

// roomForTable is the narrowest window that a list is a table in. In a
// narrower one, each memory takes two lines.
const roomForTable = 100

func drawList(v *view, a memory.ListArgs, r memory.ListResult) {
	switch {
	case len(r.Memories) == 0:
		v.Line(screen.Text("nothing is here"))
	case v.Narrow(roomForTable):
		for _, m := range r.Memories {
			v.Line(screen.Span{Text: m.Title, Style: screen.Strong}, statusSpan(mark(m)))
			v.Item("  ", screen.Text(day(m.UpdatedAt)+"  "+m.Kind), tagsSpan(m.Tags), faint(name(m.ID, m.URI)))
		}
	default:
		drawListTable(v, a, r.Memories)
	}
	if r.Truncated {
		v.Line(screen.Span{Text: fmt.Sprintf("%d of %d; for more, %s", r.ReturnedCount, r.TotalCount, further(r)), Style: screen.Faint})
	}
}

// further says how to see the rest of a list: all of it, or the next page.
func further(r memory.ListResult) string {
	const mostAtOnce = 200
	if r.TotalCount <= mostAtOnce {
		return fmt.Sprintf("--limit %d", r.TotalCount)
	}
	return "--cursor " + r.Next
}

func drawListTable(v *view, a memory.ListArgs, all []memory.Summary) {
	columns := []screen.Column{{Head: "changed"}, {Head: "kind", Min: 8}, {Head: "title", Min: 24}, {Head: "tags", Min: 8}}
	marked := a.Status != "" && a.Status != memory.Current || slices.ContainsFunc(all, func(m memory.Summary) bool { return mark(m) != memory.Current })
	if marked {
		columns = append(columns, screen.Column{Head: "status"})
	}
	columns = append(columns, screen.Column{Head: "path or id", Min: placeWidth})
	rows := [][]screen.Span{}
	for _, m := range all {
		row := []screen.Span{
			screen.Text(day(m.UpdatedAt)),
			screen.Text(m.Kind),
			{Text: m.Title, Style: screen.Strong},
			screen.Text(strings.Join(m.Tags, ", ")),
		}
		if marked {
			row = append(row, markSpan(m))
		}
		rows = append(rows, append(row, screen.Span{Text: name(m.ID, m.URI), Style: screen.Faint}))
	}
	v.Table(columns, rows)
}

func markSpan(m memory.Summary) screen.Span {
	text := mark(m)
	if text == memory.Current {
		return screen.Text(text)
	}
	return screen.Span{Text: text, Style: screen.Warn}
}

func tagsSpan(tags []string) screen.Span {
	if len(tags) == 0 {
		return screen.Span{}
	}
	return screen.Text("  #" + strings.Join(tags, " #"))
}
