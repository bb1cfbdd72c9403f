package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
)

func (s *session) diffCommand() *cobra.Command {
	return mirror[journal.DiffArgs, journal.DiffResult]{
		use:   "diff --since TIME",
		group: groupMemory,
		short: "What is different now from what was then",
		long: `Compares the store with what it was at a time: memories that are new, that read
otherwise or that were purged, edges that came and went. What came and went in
between is not told; hence log tells it.`,
		example: `  hence diff --since 2026-05-01T00:00:00Z`,
		place:   func(*journal.DiffArgs, []string) error { return nil },
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a journal.DiffArgs) (journal.DiffResult, error) {
			return journal.Journal{DB: d, Caller: c}.Diff(ctx, a)
		},
		draw: drawDiff,
	}.command(s)
}

func drawDiff(v *view, _ journal.DiffArgs, r journal.DiffResult) {
	nothing := true
	line := func(mark string, style screen.Style, spans ...screen.Span) {
		nothing = false
		v.Hang("", deeper, append([]screen.Span{{Text: mark + " ", Style: style}}, spans...)...)
	}
	for _, m := range r.Added {
		line("+", screen.Good, screen.Span{Text: m.Title, Style: screen.Strong}, faint(ref.ShortID(m.ID)))
	}
	for _, m := range r.Changed {
		line("~", screen.Warn, screen.Span{Text: m.Title, Style: screen.Strong}, faint(ref.ShortID(m.ID)))
		for _, f := range m.Fields {
			v.Hang("    ", deeper, screen.Text(f.Name+fieldChange(f)))
		}
	}
	for _, m := range r.Purged {
		line("-", screen.Bad, screen.Text("a memory that was purged"), faint(m.ID))
	}
	for _, e := range r.Linked {
		line("+", screen.Good, edgeSpans(e)...)
	}
	for _, e := range r.Unlinked {
		line("-", screen.Bad, edgeSpans(e)...)
	}
	if nothing {
		v.Line(screen.Text("nothing is different"))
	}
}

func edgeSpans(e journal.EdgeNamed) []screen.Span {
	return []screen.Span{screen.Text(e.From + " "), edgeSpan(e.Type, e.Rel, "out"), screen.Text(e.To)}
}

// fieldChange is what became of a value, where that is short.
func fieldChange(f journal.Field) string {
	const most = 60
	before, after := fmt.Sprint(f.Before), fmt.Sprint(f.After)
	if f.Name == "content" || len(before)+len(after) > most {
		return ""
	}
	return ": " + strings.ReplaceAll(before, "<nil>", "nothing") + " → " + strings.ReplaceAll(after, "<nil>", "nothing")
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }

// minute is a time as lists show it.
func minute(at string) string {
	const upTo = len("2026-11-20T08:15")
	if len(at) < upTo {
		return at
	}
	return strings.Replace(at[:upTo], "T", " ", 1)
}

func changeNumber(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 {
		return 0, fault.New(fault.InvalidArgument, "undo: %q is no number of a change; hence log lists them", word)
	}
	return n, nil
}
