package walk

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// NeighborhoodArgs are the arguments of Graph.Neighborhood.
type NeighborhoodArgs struct {
	ID                string   `json:"id,omitempty" jsonschema:"id or title"`
	Path              string   `json:"path,omitempty" jsonschema:"or its path in the vault"`
	Vault             string   `json:"vault,omitempty"`
	Depth             int      `json:"depth,omitempty" default:"1" min:"1" max:"5"`
	Limit             int      `json:"limit,omitempty" default:"50" min:"1" max:"200"`
	EdgeTypes         []string `json:"edge_types,omitempty"`
	Origins           []string `json:"origins,omitempty"`
	Files             *bool    `json:"files,omitempty" default:"true"`
	IncludeSuperseded bool     `json:"include_superseded,omitempty"`
	AsOf              string   `json:"as_of,omitempty"`
	KnownAt           string   `json:"known_at,omitempty"`
	IncludeEnded      bool     `json:"include_ended,omitempty"`
	Detail            string   `json:"detail,omitempty" default:"lean" enum:"lean,full" jsonschema:"full: with path and tags"`
	Cursor            string   `json:"cursor,omitempty"`
	TokenBudget       int      `json:"token_budget,omitempty" min:"64"`
}

// Neighbor is a memory of a neighborhood.
type Neighbor struct {
	ref.Seen
	Tags     []string `json:"tags"`
	Distance int      `json:"distance" jsonschema:"edges from the seed"`
	Via      Via      `json:"via"`
}

// Link is an edge between two memories of a result, by their ids.
type Link struct {
	From string     `json:"from"`
	To   string     `json:"to"`
	Type edges.Kind `json:"type"`
	Rel  string     `json:"rel"`

	Ended string `json:"ended,omitempty"`
}

// NeighborhoodResult is the seed, its neighbours, the nearest first, and every edge between
// two of these memories.
type NeighborhoodResult struct {
	Seed          Center     `json:"seed"`
	Nodes         []Neighbor `json:"nodes"`
	Edges         []Link     `json:"edges"`
	Truncated     bool       `json:"truncated"`
	Next          string     `json:"next,omitempty"`
	ReturnedCount int        `json:"returned_count"`
	OnReplaced    int        `json:"on_replaced,omitempty"` // number of memories that depend on a memory that the seed replaced

	Lean bool `json:"-"` // its JSON has lean rows
}

// Center is the memory that a neighborhood surrounds.
type Center struct {
	ID     string   `json:"id"`
	URI    string   `json:"uri,omitempty"`
	Title  string   `json:"title"`
	Trust  string   `json:"trust,omitempty"` // see ref.Named
	Kind   string   `json:"kind"`
	Status string   `json:"status"`
	Tags   []string `json:"tags"`
	ref.Aging
}

// Named returns the id and title.
func (c Center) Named() ref.Named { return ref.Named{ID: c.ID, Title: c.Title, Trust: c.Trust} }

// Neighborhood returns the memories within depth edges of a memory, in either direction, and
// the edges between any two of these memories.
func (g Graph) Neighborhood(ctx context.Context, a NeighborhoodArgs) (result NeighborhoodResult, err error) {
	if err := args.Check("neighborhood", &a); err != nil {
		return result, err
	}
	if (a.ID == "") == (a.Path == "") {
		return result, fault.New(fault.InvalidArgument, "neighborhood: give either id or path")
	}
	w := rules{direction: Both, includeSuperseded: a.IncludeSuperseded, withoutFiles: !*a.Files}
	if err = w.restrict(a.EdgeTypes, a.Origins, a.AsOf, a.KnownAt, a.IncludeEnded); err != nil {
		return result, err
	}
	list := args.ListOf("neighborhood", a)
	var after db.Mark
	if err = db.ReadCursor("neighborhood", list, a.Cursor, &after); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		name := a.ID + a.Path
		if a.Vault != "" {
			note, err := g.Caller.FindNote(ctx, r, a.Vault, name)
			if err != nil {
				return err
			}
			name = note.ID
		}
		area, err := g.region(ctx, r, name, a.Depth, a.Limit, after, w)
		if err != nil {
			return err
		}
		links, err := linksAmong(ctx, r, append(area.keys(), keysOf(area.before)...), w)
		if err != nil {
			return err
		}
		result, err = budget.Fit(ref.In(ctx, r), a.TokenBudget, len(area.reached), func(n, bytes int) NeighborhoodResult {
			part, last := area.neighborhood(n, bytes, links)
			part.OnReplaced, part.Lean = area.onReplaced, a.Detail == "lean"
			if part.Truncated && part.Next == "" {
				part.Next = db.Cursor(list, db.NewMark(len(area.before)+n, last))
			}
			return part
		})
		return err
	})
	if err != nil || a.TokenBudget == 0 || result.ReturnedCount > 0 {
		return result, err
	}
	// The result may still be too large: an id is not cut and may have 200 bytes.
	cost, err := budget.Tokens(result)
	if err == nil && cost > a.TokenBudget {
		err = fault.New(fault.TooLarge, "neighborhood: token_budget is %d, and the seed alone takes %d; raise it", a.TokenBudget, cost)
	}
	return result, err
}

// neighborhood returns the result with the first n memories of the page, each title cut to a
// number of bytes, and the id of the last one. Its links have an end among these, and the other
// there, at the seed or on an earlier page, so that all pages together have every link.
func (a region) neighborhood(n, bytes int, links []Link) (result NeighborhoodResult, last string) {
	root, isCut := a.root.cut(bytes)
	result = NeighborhoodResult{
		Seed:  Center{ID: root.ID, URI: root.URI, Title: root.Title, Trust: root.Trust, Kind: root.Kind, Status: root.Status, Tags: root.tags, Aging: root.Aging},
		Nodes: []Neighbor{}, Edges: []Link{}, ReturnedCount: n,
	}
	if bytes == 0 {
		result.Seed.URI, result.Seed.Tags = "", []string{}
	}
	isKnown, isNew := map[string]bool{root.ID: true}, map[string]bool{root.ID: len(a.before) == 0}
	for _, m := range a.before {
		isKnown[m.id] = true
	}
	for _, m := range firstOf(a.reached, n) {
		neighbour, cutTitle := a.nodes[m.key].cut(bytes)
		isCut, last = isCut || cutTitle, m.id
		isKnown[m.id], isNew[m.id] = true, true
		result.Nodes = append(result.Nodes, Neighbor{
			Seen: neighbour.Seen, Tags: neighbour.tags, Distance: m.hop, Via: m.lastStep(0, a.ended),
		})
	}
	for _, l := range links {
		if isKnown[l.From] && isKnown[l.To] && (isNew[l.From] || isNew[l.To]) {
			result.Edges = append(result.Edges, l)
		}
	}
	result.Truncated = a.more || isCut || n < len(a.reached)
	if isCut || result.Truncated && n == 0 {
		result.Next = budget.Next
	}
	return result, last
}

var scanLink = db.Fields(func(l *Link) []any { return []any{&l.From, &l.To, &l.Type, &l.Rel, &l.Ended} })

// linksAmong returns the edges that the rules allow and that have both ends among the
// memories, sorted by from, to, type, rel. In the query, a plus before a column prevents
// SQLite from choosing an index by that condition.
func linksAmong(ctx context.Context, r *db.Reader, keys []int64, w rules) ([]Link, error) {
	links, err := db.Select(ctx, r, scanLink, `
with chosen (key) as materialized (
  select value from json_each(?1)
)
select
  f.id,
  t.id,
  e.kind,
  e.rel,
  `+ref.EndedAt("e", "?7")+`
from chosen c
cross join edges e on e.from_key = c.key
cross join memories f on f.key = e.from_key
cross join memories t on t.key = e.to_key
where +e.to_key in (select key from chosen)
  and (
    +e.kind in (select value from json_each(?2))
    or ?6 <> 0 and `+hasOrigin("?3")+`
  )
  and (?5 = 0 or `+hasOrigin("?4")+`)
  and `+edges.Holds("e", "?7"),
		db.List(keys), db.List(w.kinds), db.List(w.orOrigins), db.List(w.origins), len(w.origins), len(w.orOrigins), w.times.Bind())
	slices.SortFunc(links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
	})
	return links, err
}
