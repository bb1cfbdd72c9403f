package walk

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
)

// NeighborhoodArgs ask for the piece of the graph around one memory.
type NeighborhoodArgs struct {
	ID                string   `json:"id,omitempty" jsonschema:"id or title"`
	Path              string   `json:"path,omitempty" jsonschema:"or its path in the vault"`
	Depth             int      `json:"depth,omitempty" default:"1" min:"1" max:"5" jsonschema:"how many edges away"`
	Limit             int      `json:"limit,omitempty" default:"50" min:"1" max:"200"`
	EdgeTypes         []string `json:"edge_types,omitempty" jsonschema:"as in expand"`
	Origins           []string `json:"origins,omitempty" jsonschema:"as in expand"`
	IncludeSuperseded bool     `json:"include_superseded,omitempty"`
	TokenBudget       int      `json:"token_budget,omitempty" min:"64" jsonschema:"hard cap on the answer"`
}

// Neighbor is a memory of a neighbourhood.
type Neighbor struct {
	ID       string      `json:"id"`
	URI      string      `json:"uri,omitempty"`
	Title    string      `json:"title"`
	Kind     string      `json:"kind"`
	Status   string      `json:"status"`
	Origin   string      `json:"origin"`
	Actor    string      `json:"actor"`
	Tags     []string    `json:"tags"`
	Distance int         `json:"distance" jsonschema:"edges from the seed"`
	Via      NeighborVia `json:"via"`
}

// NeighborVia is the last step to a neighbour.
type NeighborVia struct {
	EdgeType  edges.Kind `json:"edge_type"`
	Rel       string     `json:"rel"`
	Direction string     `json:"direction" jsonschema:"out: stored from → this; in: stored this → from"`
	From      string     `json:"from"`
}

// Link is an edge between two memories of an answer, by their ids.
type Link struct {
	From string     `json:"from"`
	To   string     `json:"to"`
	Type edges.Kind `json:"type"`
	Rel  string     `json:"rel"`
}

// NeighborhoodResult is the seed, its neighbours, nearest first, and every
// edge among them.
type NeighborhoodResult struct {
	Seed          Center     `json:"seed"`
	Nodes         []Neighbor `json:"nodes"`
	Edges         []Link     `json:"edges"`
	Truncated     bool       `json:"truncated"`
	Next          string     `json:"next,omitempty"`
	ReturnedCount int        `json:"returned_count"`
}

// Center is the memory in the middle of a neighbourhood.
type Center struct {
	ID     string   `json:"id"`
	URI    string   `json:"uri,omitempty"`
	Title  string   `json:"title"`
	Kind   string   `json:"kind"`
	Status string   `json:"status"`
	Tags   []string `json:"tags"`
}

// Neighborhood returns what lies within depth edges of a memory, whatever
// their direction, and the edges among all of it.
func (g Graph) Neighborhood(ctx context.Context, a NeighborhoodArgs) (result NeighborhoodResult, err error) {
	if err := args.Check("neighborhood", &a); err != nil {
		return result, err
	}
	if (a.ID == "") == (a.Path == "") {
		return result, fault.New(fault.InvalidArgument, "neighborhood: give either id or path")
	}
	w := rules{direction: Both, includeSuperseded: a.IncludeSuperseded}
	if err = w.choose(a.EdgeTypes, a.Origins); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		m, err := g.Caller.Find(ctx, r, a.ID+a.Path)
		if err != nil {
			return err
		}
		result, err = neighborhood(ctx, r, seed{m.Key, m.ID}, a, w)
		return err
	})
	return result, err
}

func neighborhood(ctx context.Context, r *db.Reader, s seed, a NeighborhoodArgs, w rules) (result NeighborhoodResult, err error) {
	all, more, err := nearest(ctx, r, s, a.Depth, a.Limit, w)
	if err != nil {
		return result, err
	}
	keys := append([]int64{s.key}, keysOf(all)...)
	nodes, err := describe(ctx, r, keys)
	if err != nil {
		return result, err
	}
	among, err := linksAmong(ctx, r, keys, w)
	if err != nil {
		return result, err
	}
	result, err = budget.Fit(a.TokenBudget, len(all), func(n, bytes int) NeighborhoodResult {
		return assemble(nodes[s.key], all, min(n, len(all)), bytes, more, nodes, among)
	})
	if err != nil || a.TokenBudget == 0 || result.ReturnedCount > 0 {
		return result, err
	}
	// An id may have 200 bytes, and is not cut.
	cost, err := budget.Tokens(result)
	if err == nil && cost > a.TokenBudget {
		err = fault.New(fault.TooLarge, "neighborhood: token_budget is %d, and the seed alone takes %d; raise it", a.TokenBudget, cost)
	}
	return result, err
}

func assemble(center node, all []*reached, n, bytes int, more bool, nodes map[int64]node, among []Link) NeighborhoodResult {
	title, cut := budget.Cut(center.Title, bytes)
	result := NeighborhoodResult{
		Seed:  Center{ID: center.ID, URI: center.uri, Title: title, Kind: center.kind, Status: center.Status, Tags: center.tags},
		Nodes: []Neighbor{}, Edges: []Link{}, Truncated: more, ReturnedCount: n,
	}
	if bytes == 0 {
		result.Seed.URI, result.Seed.Tags = "", []string{}
	}
	if more {
		result.Next = "limit"
	}
	kept := map[string]bool{center.ID: true}
	for _, a := range all[:n] {
		x := nodes[a.key]
		title, cutTitle := budget.Cut(x.Title, bytes)
		cut = cut || cutTitle
		kept[x.ID] = true
		result.Nodes = append(result.Nodes, Neighbor{
			ID: x.ID, URI: x.uri, Title: title, Kind: x.kind, Status: x.Status,
			Origin: x.origin, Actor: x.actor, Tags: x.tags, Distance: a.hop,
			Via: NeighborVia{EdgeType: a.via.kind, Rel: a.via.rel, Direction: a.via.direction(), From: a.parent.id},
		})
	}
	for _, l := range among {
		if kept[l.From] && kept[l.To] {
			result.Edges = append(result.Edges, l)
		}
	}
	if cut || n < len(all) {
		result.Truncated, result.Next = true, "token_budget"
	}
	return result
}

// linksAmong returns the edges that a walk passes and that have both ends among the
// memories, in the order of from, to, type, rel. A plus keeps a condition from
// choosing the index.
func linksAmong(ctx context.Context, r *db.Reader, keys []int64, w rules) ([]Link, error) {
	found, err := db.Select(ctx, r, func(row *sql.Rows) (l Link, err error) {
		err = row.Scan(&l.From, &l.To, &l.Type, &l.Rel)
		return l, err
	}, `
with chosen (key) as materialized (
  select value from json_each(?1)
)
select
  f.id,
  t.id,
  e.kind,
  e.rel
from chosen c
cross join edges e on e.from_key = c.key
cross join memories f on f.key = e.from_key
cross join memories t on t.key = e.to_key
where +e.to_key in (select key from chosen)
  and (
    +e.kind in (select value from json_each(?2))
    or ?6 <> 0 and `+hasOrigin("?3")+`
  )
  and (?5 = 0 or `+hasOrigin("?4")+`)`, db.List(keys), db.List(w.kinds), db.List(w.whollyFrom), db.List(w.origins), len(w.origins), len(w.whollyFrom))
	slices.SortFunc(found, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
	})
	return found, err
}
