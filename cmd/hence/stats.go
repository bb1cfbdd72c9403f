package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/tools/usage"
)

func (s *session) statsCommand() *cobra.Command {
	since := ""
	cmd := &cobra.Command{
		Use:     "stats",
		GroupID: groupSetup,
		Short:   "How agents use the tools",
		Long: `Shows which tools agents called, how often, how long the calls took and what came
of them. The store keeps the last hundred thousand calls, and of each only the
types and sizes of its arguments; hence serve --no-usage keeps none.`,
		Example: `  hence stats --since 2026-05-01T00:00:00Z`,
		Args:    count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := db.ParseTime("since", since)
			if err != nil {
				return err
			}
			return s.withStore(cmd.Context(), true, func(ctx context.Context, d *db.DB) error {
				stats, err := usage.Read(ctx, d, from)
				if err != nil {
					return err
				}
				if s.asJSON {
					return printJSON(s.out, stats)
				}
				return s.drawStats(stats)
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "count calls from this `time` on (RFC 3339)")
	return cmd
}

func (s *session) drawStats(stats usage.Stats) error {
	p := screen.PageFor(s.out)
	if stats.Calls == 0 {
		p.Line(screen.Text("no call has been counted"))
		return p.Close()
	}
	rows := [][]screen.Span{}
	for _, t := range stats.Tools {
		rows = append(rows, []screen.Span{
			screen.Text(t.Name), screen.Text(strconv.Itoa(t.Calls)), {Text: failures(t), Style: screen.Warn},
			screen.Text(millis(t.P50Millis)), screen.Text(millis(t.P95Millis)), screen.Text(strconv.Itoa(t.BytesOut / t.Calls)),
			screen.Text(moment(t.LastAt)),
		})
	}
	p.Table([]screen.Column{
		{Head: "tool", Min: 12}, {Head: "calls"}, {Head: "failed", Min: 10}, {Head: "half in"}, {Head: "95% in"}, {Head: "bytes each"}, {Head: "last"},
	}, rows)
	return p.Close()
}

// failures says how many calls failed, and by which codes.
func failures(t usage.Tool) string {
	if t.Failures == 0 {
		return ""
	}
	codes := []string{}
	for _, code := range slices.Sorted(maps.Keys(t.Outcomes)) {
		if code != usage.OK {
			codes = append(codes, fmt.Sprintf("%d %s", t.Outcomes[code], code))
		}
	}
	return strings.Join(codes, ", ")
}

func millis(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) + " ms" }
