package walk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
)

// PathArgs are the arguments of Graph.Path.
type PathArgs struct {
	From              string   `json:"from_id" jsonschema:"id, path or title"`
	To                string   `json:"to_id"`
	MaxHops           int      `json:"max_hops,omitempty" default:"4" min:"1" max:"10"`
	EdgeTypes         []string `json:"edge_types,omitempty" jsonschema:"default: all declared"`
	Direction         string   `json:"direction,omitempty" default:"any" enum:"any,forward,backward" jsonschema:"forward follows edges as stored"`
	Alternatives      int      `json:"alternatives,omitempty" default:"1" min:"1" max:"5" jsonschema:"number of paths"`
	Weighted          bool     `json:"weighted,omitempty" jsonschema:"the strongest path, not the shortest"`
	IncludeSuperseded *bool    `json:"include_superseded,omitempty" default:"true"`
	AsOf              string   `json:"as_of,omitempty"`
	KnownAt           string   `json:"known_at,omitempty"`
	IncludeEnded      bool     `json:"include_ended,omitempty"`
	TokenBudget       int      `json:"token_budget,omitempty" min:"64"`
}

const maxHops = 10 // the largest PathArgs.MaxHops

// PathResult is the best path and the next best ones.
type PathResult struct {
	Found        bool          `json:"found"`
	Hops         int           `json:"hops"`
	Strength     float64       `json:"strength,omitempty" jsonschema:"product of the weights, on a weighted path"`
	Path         []edges.Hop   `json:"path"`
	Alternatives [][]edges.Hop `json:"alternatives" jsonschema:"further paths, best first"`
	Message      string        `json:"message,omitempty"`
	Truncated    bool          `json:"truncated,omitempty"`
	Next         string        `json:"next,omitempty"`
}

// Path returns the shortest path between two memories, or the strongest one, of at most
// max_hops. Of equal paths it returns the first by type of edge, out before in, and the next
// memory's id, hop by hop. Alternatives are the next best paths that contain no memory twice
// (Yen 1971). It fails with not_found if an end does not exist.
func (g Graph) Path(ctx context.Context, a PathArgs) (result PathResult, err error) {
	if err := args.Check("path", &a); err != nil {
		return result, err
	}
	w := rules{direction: directions[a.Direction], includeSuperseded: *a.IncludeSuperseded}
	if w.kinds, err = edges.ParseFilter(a.EdgeTypes); err != nil {
		return result, err
	}
	if w.times, err = edges.ParseTimes(a.AsOf, a.KnownAt, a.IncludeEnded); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		from, err := g.Caller.Find(ctx, r, a.From)
		if err != nil {
			return err
		}
		to, err := g.Caller.Find(ctx, r, a.To)
		if err != nil {
			return err
		}
		w.ends = [2]int64{from.Key, to.Key}
		s := newSearch(r, w, a.Weighted, from, to)
		trails, err := s.best(ctx, a.MaxHops, a.Alternatives)
		if err != nil {
			return err
		}
		if result, err = describePaths(ctx, r, trails, a, w.times); err == nil && !result.Found {
			result.Message = noPath(a, w)
		}
		if err != nil {
			return err
		}
		result, err = budget.Hold(ctx, "path", a.TokenBudget, 1+len(result.Alternatives), result.shorten)
		return err
	})
	return result, err
}

// shorten returns the result with the first n paths, each text cut to a number of bytes. If
// texts are cut, it omits the parallel edges of the path except the first of each hop.
func (p PathResult) shorten(n, bytes int) PathResult {
	short := p
	short.Alternatives = p.Alternatives[:max(0, n-1)]
	if bytes < budget.Whole {
		short.Message, _ = budget.Cut(p.Message, bytes)
		short.Path = lists.Map(p.Path, func(hop edges.Hop) edges.Hop {
			hop.Title, _ = budget.Cut(hop.Title, bytes)
			hop.Edges = hop.Edges[:min(len(hop.Edges), 1)]
			return hop
		})
	}
	if n == 0 {
		short.Path, short.Message = []edges.Hop{}, ""
	}
	if bytes < budget.Whole || n <= len(p.Alternatives) {
		short.Truncated, short.Next = true, budget.Next
	}
	return short
}

// noPath returns a message that says to what a search without a result was restricted, and
// which restrictions the caller can lift.
func noPath(a PathArgs, w rules) string {
	restrictions := []string{fmt.Sprintf("no path of at most %d hops", a.MaxHops)}
	lift := []string{}
	if a.MaxHops < maxHops {
		lift = append(lift, fmt.Sprintf("more hops (max_hops, at most %d)", maxHops))
	}
	for _, one := range []struct {
		restricts   bool
		what, lifts string
	}{
		{len(a.EdgeTypes) == 0, "along declared edges", "mentions too (edge_types)"},
		{len(a.EdgeTypes) > 0 && len(w.kinds) < len(edges.Kinds()), "along " + edges.Join(w.kinds) + " only", "other edge_types"},
		{w.direction != Both, string(w.direction) + " only", "direction any"},
		{a.AsOf != "", "as of " + a.AsOf, "another as_of"},
		{a.KnownAt != "", "as known at " + a.KnownAt, "another known_at"},
		{!w.includeSuperseded, "around superseded memories", "include_superseded"},
	} {
		if one.restricts {
			restrictions, lift = append(restrictions, one.what), append(lift, one.lifts)
		}
	}
	text := strings.Join(restrictions, ", ")
	if len(lift) == 0 {
		return text + "; nothing else restricts the search"
	}
	return text + "; allow " + strings.Join(lift, ", or ")
}

// describePaths returns the result with the trails, the best first.
func describePaths(ctx context.Context, r *db.Reader, trails []trail, a PathArgs, times edges.Times) (PathResult, error) {
	result := PathResult{Path: []edges.Hop{}, Alternatives: [][]edges.Hop{}}
	keys, steps := []int64{}, []step{}
	for _, t := range trails {
		keys, steps = append(keys, t.keys...), append(steps, slices.Concat(t.steps...)...)
	}
	nodes, err := describe(ctx, r, keys, times)
	if err != nil {
		return result, err
	}
	stored, err := storedEdges(ctx, r, steps, times)
	if err != nil {
		return result, err
	}
	for i, t := range trails {
		hops := describePath(t, nodes, stored)
		if i > 0 {
			result.Alternatives = append(result.Alternatives, hops)
			continue
		}
		result.Found, result.Path, result.Hops = true, hops, len(hops)-1
		if a.Weighted {
			result.Strength = 1
			for _, steps := range t.steps {
				result.Strength *= strongest(steps)
			}
		}
	}
	return result, nil
}

// describePath returns the hops of a trail.
func describePath(t trail, nodes map[int64]node, stored map[int64]storedEdge) []edges.Hop {
	hops := make([]edges.Hop, len(t.keys))
	for i, key := range t.keys {
		hops[i].End = nodes[key].End()
		if i == len(t.steps) {
			break
		}
		hops[i].Type, hops[i].Direction = t.steps[i][0].kind, t.steps[i][0].direction()
		for _, s := range t.steps[i] {
			hops[i].Edges = append(hops[i].Edges, edges.Parallel{
				ID: stored[s.edge].id, Type: s.kind, Rel: s.rel, Direction: s.direction(), Weight: stored[s.edge].weight, Ended: stored[s.edge].ended,
			})
		}
	}
	return hops
}
