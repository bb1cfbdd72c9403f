package usage

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
)

// Stats counts the calls since a time, by tool.
type Stats struct {
	Since string `json:"since,omitempty"` // "": all recorded calls
	Calls int    `json:"calls"`
	Tools []Tool `json:"tools"` // the most used first
}

// Tool describes how one tool was used.
type Tool struct {
	Name      string         `json:"tool"`
	Calls     int            `json:"calls"`
	Failures  int            `json:"failures"`
	Outcomes  map[string]int `json:"outcomes"` // calls by outcome
	P50Millis float64        `json:"p50_ms"`
	P95Millis float64        `json:"p95_ms"`
	BytesIn   int            `json:"bytes_in"`
	BytesOut  int            `json:"bytes_out"`
	LastAt    string         `json:"last_at"`
}

// Read returns the statistics of the calls since a time in the format of db.Time ("": all).
func Read(ctx context.Context, d *db.DB, since string) (Stats, error) {
	type row struct {
		tool, outcome, at    string
		micros, bytesIn, out int
	}
	d, err := d.ServerStore(ctx)
	if err != nil {
		return Stats{}, err
	}
	rows, err := db.Select(ctx, d, db.Fields(func(c *row) []any {
		return []any{&c.tool, &c.outcome, &c.at, &c.micros, &c.bytesIn, &c.out}
	}), `
select
  tool,
  outcome,
  at,
  micros,
  bytes_in,
  bytes_out
from usage
where at >= ?
order by micros`, since)
	if err != nil {
		return Stats{}, err
	}
	tools, times := map[string]*Tool{}, map[string][]int{}
	for _, c := range rows {
		t := tools[c.tool]
		if t == nil {
			t = &Tool{Name: c.tool, Outcomes: map[string]int{}}
			tools[c.tool] = t
		}
		t.Calls++
		if c.outcome != OK {
			t.Failures++
		}
		t.Outcomes[c.outcome]++
		t.BytesIn += c.bytesIn
		t.BytesOut += c.out
		t.LastAt = max(t.LastAt, c.at)
		times[c.tool] = append(times[c.tool], c.micros)
	}
	result := Stats{Since: since, Calls: len(rows), Tools: []Tool{}}
	for name, t := range tools {
		t.P50Millis, t.P95Millis = quantile(times[name], 50), quantile(times[name], 95)
		result.Tools = append(result.Tools, *t)
	}
	slices.SortFunc(result.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return result, nil
}

// quantile returns a percentile of times by the nearest-rank method, in milliseconds. micros
// are microseconds in ascending order.
func quantile(micros []int, percent int) float64 {
	rank := (len(micros)*percent + 99) / 100 // from 1
	return float64(micros[max(rank, 1)-1]) / 1000
}
