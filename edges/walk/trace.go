package walk

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
)

// TraceArgs ask what a memory rests on, or what rests on it.
type TraceArgs struct {
	ID          string `json:"id" jsonschema:"id, path or title"`
	Direction   string `json:"direction" enum:"upstream,downstream" jsonschema:"upstream: what this rests on (why); downstream: what rests on this (what breaks)"`
	MaxHops     int    `json:"max_hops,omitempty" default:"5" min:"1" max:"10"`
	Limit       int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	AsOf        string `json:"as_of,omitempty" jsonschema:"RFC 3339 time: the graph as it was then"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64" jsonschema:"hard cap on the answer"`
}

// Traced is a memory that a trace reached.
type Traced struct {
	ID     string         `json:"id"`
	URI    string         `json:"uri,omitempty"`
	Title  string         `json:"title"`
	Kind   string         `json:"kind"`
	Status string         `json:"status"`
	Origin string         `json:"origin"`
	Actor  string         `json:"actor"`
	Via    TracedVia      `json:"via"`
	Route  []string       `json:"route" jsonschema:"ids up to this"`
	Stale  []belief.Doubt `json:"stale,omitempty"`
}

// TracedVia is the last step of a trace to a memory.
type TracedVia struct {
	Hop       int        `json:"hop"`
	EdgeType  edges.Kind `json:"edge_type"`
	Rel       string     `json:"rel"`
	Direction string     `json:"direction" jsonschema:"out: stored from → this; in: stored this → from"`
	From      string     `json:"from" jsonschema:"id, one hop nearer"`
}

// TraceResult is what a memory rests on, or what rests on it, nearest first.
type TraceResult struct {
	ID            string         `json:"id"`
	Title         string         `json:"title"`
	Status        string         `json:"status"`
	Direction     string         `json:"direction"`
	Stale         []belief.Doubt `json:"stale,omitempty"`
	Results       []Traced       `json:"results"`
	ReturnedCount int            `json:"returned_count"`
	StaleCount    int            `json:"stale_count" jsonschema:"of the results"`
	Truncated     bool           `json:"truncated"`
	Next          string         `json:"next,omitempty"`
}

// Trace follows the kinds of edge that say what rests on what: causes,
// depends-on, derived-from, supports, each in the direction of the question.
// What has been superseded or forgotten is shown too: it is what breaks.
func (g Graph) Trace(ctx context.Context, a TraceArgs) (result TraceResult, err error) {
	if err := args.Check("trace", &a); err != nil {
		return result, err
	}
	w := rules{direction: Forward, includeSuperseded: true, includeForgotten: true}
	w.kinds, w.turned = edges.Reasons()
	if a.Direction == "downstream" {
		w.direction = Backward
	}
	if w.asOf, err = db.ParseTime("as_of", a.AsOf); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		m, err := g.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		result, err = trace(ctx, r, seed{m.Key, m.ID}, a, w)
		return err
	})
	return result, err
}

func trace(ctx context.Context, r *db.Reader, s seed, a TraceArgs, w rules) (result TraceResult, err error) {
	all, more, err := nearest(ctx, r, s, a.MaxHops, a.Limit, w)
	if err != nil {
		return result, err
	}
	keys := append([]int64{s.key}, keysOf(all)...)
	nodes, err := describe(ctx, r, keys)
	if err != nil {
		return result, err
	}
	stale, err := belief.Stale(ctx, r, keys)
	if err != nil {
		return result, err
	}
	return budget.Fit(a.TokenBudget, len(all), func(n, bytes int) TraceResult {
		n = min(n, len(all))
		return drawTrace(nodes[s.key], all[:n], bytes, more, n < len(all), a.Direction, nodes, stale)
	})
}

func drawTrace(root node, all []*reached, bytes int, more, dropped bool, direction string, nodes map[int64]node, stale map[int64][]belief.Doubt) TraceResult {
	title, cut := budget.Cut(root.Title, bytes)
	result := TraceResult{
		ID: root.ID, Title: title, Status: root.Status, Direction: direction, Results: []Traced{}, ReturnedCount: len(all),
	}
	if bytes == budget.Whole {
		result.Stale = stale[root.key]
	}
	for _, a := range all {
		x := nodes[a.key]
		title, cutTitle := budget.Cut(x.Title, bytes)
		one := Traced{
			ID: x.ID, URI: x.uri, Title: title, Kind: x.kind, Status: x.Status, Origin: x.origin, Actor: x.actor, Route: a.route(),
			Via: TracedVia{Hop: a.hop, EdgeType: a.via.kind, Rel: a.via.rel, Direction: a.via.direction(), From: a.parent.id},
		}
		if len(stale[a.key]) > 0 {
			result.StaleCount++
		}
		if bytes == budget.Whole {
			one.Stale = stale[a.key]
		}
		cut = cut || cutTitle || len(one.Stale) < len(stale[a.key])
		result.Results = append(result.Results, one)
	}
	cut = cut || len(result.Stale) < len(stale[root.key])
	switch {
	case dropped || cut || bytes < budget.Whole:
		result.Truncated, result.Next = true, "token_budget"
	case more:
		result.Truncated, result.Next = true, "limit"
	}
	return result
}
