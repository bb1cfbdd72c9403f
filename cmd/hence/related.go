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

func (s *session) relatedCommand() *cobra.Command {
	return mirror[recall.RelatedArgs, recall.RelatedResult]{
		use:   "related REF",
		group: groupMemory,
		short: "What is near a memory in meaning, what is not linked to it first",
		long: `Finds memories that say much the same as one: by their vectors where hence embed
set has chosen a model, else by their telling words. Those that no edge joins to
it yet come first.`,
		example: `  hence related "Drain time"
  hence related decisions/Queue.md --limit 3`,
		words: count{1, 1},
		flags: flags.Options{Omit: []string{"id"}},
		place: func(a *recall.RelatedArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a recall.RelatedArgs) (recall.RelatedResult, error) {
			return recall.Searcher{DB: d, Caller: c}.Related(ctx, a)
		},
		draw: drawRelated,
	}.command(s)
}

func drawRelated(v *view, a recall.RelatedArgs, r recall.RelatedResult) {
	for i, one := range r.Results {
		if i > 0 {
			v.Line()
		}
		v.found(i+1, one.Found)
		if len(one.Linked) > 0 {
			kinds := []string{}
			for _, k := range one.Linked {
				kinds = append(kinds, string(k))
			}
			v.Item(strings.Repeat(" ", numberWidth), screen.Span{Text: "linked already: " + strings.Join(kinds, ", "), Style: screen.Faint})
		}
	}
	if len(r.Results) == 0 {
		v.Line(screen.Text("nothing that is remembered is near it"))
	}
	if r.Truncated {
		v.Line()
		v.Line(screen.Span{Text: fmt.Sprintf("the first %d; %s", r.ReturnedCount, orRaise(a, r.Next, "no more are shown")), Style: screen.Faint})
	}
}
