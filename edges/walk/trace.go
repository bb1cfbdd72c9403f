package walk

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
)

// TraceArgs are the arguments of Graph.Trace.
type TraceArgs struct {
	ID           string `json:"id" jsonschema:"id, path or title"`
	Direction    string `json:"direction,omitempty" default:"upstream" enum:"upstream,downstream" jsonschema:"upstream: what it rests on; downstream: what rests on it"`
	MaxHops      int    `json:"max_hops,omitempty" default:"5" min:"1" max:"10"`
	Limit        int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	AsOf         string `json:"as_of,omitempty"`
	KnownAt      string `json:"known_at,omitempty"`
	IncludeEnded bool   `json:"include_ended,omitempty"`
	TokenBudget  int    `json:"token_budget,omitempty" min:"64"`
}

// Traced is a memory that a trace reached.
type Traced struct {
	ref.Seen
	Via   Via            `json:"via"`
	Route []string       `json:"route" jsonschema:"ids up to this"`
	Stale []belief.Doubt `json:"stale,omitempty"`
}

// TraceResult has the memories that a memory depends on, or that depend on it, the nearest
// first.
type TraceResult struct {
	ref.End
	Direction     string         `json:"direction"`
	Stale         []belief.Doubt `json:"stale,omitempty"`
	Results       []Traced       `json:"results"`
	ReturnedCount int            `json:"returned_count"`
	StaleCount    int            `json:"stale_count" jsonschema:"of the results"`
	Truncated     bool           `json:"truncated"`
	Next          string         `json:"next,omitempty"`
	OnReplaced    int            `json:"on_replaced,omitempty"` // number of memories that depend on a memory that it replaced
}

// Trace returns the memories that a memory depends on (upstream), or that depend on it
// (downstream). It follows the kinds of edge of which one end depends on the other (see
// edges.Reasons), and between symbols of code also the uses of one by another, which are
// refers-to. The result includes superseded and forgotten memories, because these make
// others stale. It fails with too_large where the budget has no room for the memory itself.
func (g Graph) Trace(ctx context.Context, a TraceArgs) (result TraceResult, err error) {
	if err := args.Check("trace", &a); err != nil {
		return result, err
	}
	w := rules{direction: Forward, includeSuperseded: true, includeForgotten: true}
	w.kinds, w.reversed = edges.Reasons()
	w.orOrigins, w.kindsOfOrigins = []string{"code"}, []edges.Kind{edges.RefersTo}
	if a.Direction == "downstream" {
		w.direction = Backward
	}
	if w.times, err = edges.ParseTimes(a.AsOf, a.KnownAt, a.IncludeEnded); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		area, err := g.region(ctx, r, a.ID, a.MaxHops, a.Limit, db.Mark{}, w)
		if err != nil {
			return err
		}
		stale, err := belief.Stale(ctx, r, area.keys())
		if err != nil {
			return err
		}
		result, err = budget.Hold(ref.In(ctx, r), "trace", a.TokenBudget, len(area.reached), func(n, bytes int) TraceResult { return area.trace(n, bytes, a.Direction, stale) })
		return err
	})
	return result, err
}

// trace returns the result with the first n memories, each title cut to a number of bytes, and of
// the doubts what belief.Brief leaves.
func (a region) trace(n, bytes int, direction string, stale map[int64][]belief.Doubt) TraceResult {
	root, isCut := a.root.cut(bytes)
	result := TraceResult{End: root.End(), Direction: direction, Results: []Traced{}, ReturnedCount: n, OnReplaced: a.onReplaced}
	result.Stale, _ = belief.Brief(stale[a.rootKey], nil, bytes)
	for _, m := range firstOf(a.reached, n) {
		short, cutTitle := a.nodes[m.key].cut(bytes)
		isCut = isCut || cutTitle
		traced := Traced{Seen: short.Seen, Route: m.route(), Via: m.lastStep(m.hop, a.ended)}
		if len(stale[m.key]) > 0 {
			result.StaleCount++
		}
		traced.Stale, _ = belief.Brief(stale[m.key], nil, bytes)
		result.Results = append(result.Results, traced)
	}
	switch {
	case isCut || n < len(a.reached) || bytes < budget.Whole:
		result.Truncated, result.Next = true, "token_budget"
	case a.more:
		result.Truncated, result.Next = true, "limit"
	}
	return result
}
