package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/recall"
)

func (s *session) searchCommand() *cobra.Command {
	why := false
	return mirror[recall.SearchArgs, recall.SearchResult]{
		use:   "search WORDS...",
		group: groupMemory,
		short: "What is remembered about something, best first",
		long: `Searches by what memories say. Among the words: "a phrase", tag:x (all of
several), path:prefix and kind:x (any of several), and -word to leave out what
has it. Put these in quotes of the shell, or after --, so that the shell and this
program leave them alone.`,
		example: `  hence search drain a stuck queue
  hence search 'cache "live holds" tag:area/booking -redis'
  hence search --why --graph=false holds
  hence search --limit 3 --status all -- claim form -refund`,
		words: count{1, unlimited},
		flags: flags.Options{Omit: []string{"query"}, Whole: []string{"path_prefix"}},
		place: func(a *recall.SearchArgs, words []string) error {
			a.Query = strings.Join(words, " ")
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a recall.SearchArgs) (recall.SearchResult, error) {
			return recall.Searcher{DB: d, Caller: c}.Search(ctx, a)
		},
		also: func(cmd *cobra.Command, _ *recall.SearchArgs) {
			cmd.Flags().BoolVar(&why, "why", false, "say how each result came to its place")
		},
		draw: func(v *view, a recall.SearchArgs, r recall.SearchResult) { drawSearch(v, a, r, why) },
	}.command(s)
}

func drawSearch(v *view, a recall.SearchArgs, r recall.SearchResult, why bool) {
	for i, f := range r.Results {
		if i > 0 && a.Detail != "index" {
			v.Line()
		}
		v.found(i+1, f)
		if why {
			v.why(f.Why)
		}
	}
	if len(r.Results) == 0 {
		v.Line(screen.Text("nothing that is remembered matches"))
	}
	v.warn(r.Warnings)
	if r.Truncated {
		v.Line()
		atLeast := ""
		if !r.TotalIsExact {
			atLeast = "at least "
		}
		v.Line(screen.Span{Text: fmt.Sprintf("%d of %s%d; %s", r.ReturnedCount, atLeast, r.TotalCount, orRaise(a, r.Next, "no more are shown at a time: narrow the question")), Style: screen.Faint})
	}
}

const numberWidth = 4 // columns that a result's number takes

func (v *view) found(n int, f recall.Found) {
	line := []screen.Span{{Text: f.Title, Style: screen.Strong}}
	if f.Section != "" && f.Section != f.Title {
		line = append(line, screen.Text(" › "+f.Section))
	}
	v.Item(fmt.Sprintf("%*d. ", numberWidth-2, n), append(line, statusSpan(f.Status))...)
	indent := strings.Repeat(" ", numberWidth)
	v.Item(indent, screen.Span{Text: where(f), Style: screen.Faint})
	if f.SupersededBy != nil {
		v.Item(indent, screen.Span{Text: "superseded by " + f.SupersededBy.Title, Style: screen.Warn})
	}
	if len(f.ContradictedBy) > 0 {
		v.Item(indent, screen.Span{Text: firstConflict(f.ContradictedBy), Style: screen.Warn})
	}
	if len(f.Stale) > 0 {
		v.Item(indent, screen.Span{Text: "stale: " + v.firstDoubt(f.Stale), Style: screen.Warn})
	}
	if len(f.Marks) > 0 {
		v.Item(indent, marked(f.Pieces())...)
		return
	}
	for _, line := range screen.CleanLines(f.Snippet) {
		if strings.TrimSpace(line) != "" {
			v.Item(indent, screen.Text(line))
		}
	}
}

// why draws how a result came to its place: its ranks, and the edges that
// lifted it with the part of the score that each lent.
func (v *view) why(w recall.Why) {
	reasons := []string{}
	if w.KeywordRank > 0 {
		reasons = append(reasons, fmt.Sprintf("%d. by words", w.KeywordRank))
	}
	if w.VectorRank > 0 {
		reasons = append(reasons, fmt.Sprintf("%d. in meaning", w.VectorRank))
	}
	for _, l := range w.Graph {
		reasons = append(reasons, fmt.Sprintf("%.0f%% from %s (%s)", 100*l.Share, v.find(l.From).Title, l.Type))
	}
	if len(reasons) > 0 {
		v.Item(strings.Repeat(" ", numberWidth), screen.Span{Text: "why: " + strings.Join(reasons, ", "), Style: screen.Faint})
	}
}

// where is a result's place: what it may be named by, the lines of a note,
// and what kind of memory it is.
func where(f recall.Found) string {
	at := name(f.ID, f.URI)
	if f.StartLine > 0 {
		at += fmt.Sprintf(":%d", f.StartLine)
		if f.EndLine > f.StartLine {
			at += fmt.Sprintf("-%d", f.EndLine)
		}
	}
	return f.Kind + "  " + at
}

// marked draws the pieces of a snippet, the hits in a style of their own.
func marked(pieces []recall.Piece) []screen.Span {
	spans := []screen.Span{}
	for _, p := range pieces {
		style := screen.Plain
		if p.Hit {
			style = screen.Match
		}
		spans = append(spans, screen.Span{Text: p.Text, Style: style})
	}
	return spans
}
