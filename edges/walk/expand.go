package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
)

// ExpandArgs are the arguments of Graph.Expand.
type ExpandArgs struct {
	Seeds             []string      `json:"seed_doc_ids" jsonschema:"ids, paths or titles"`
	Hops              int           `json:"hops,omitempty" default:"1" min:"1" max:"5" jsonschema:"how many edges away"`
	Direction         string        `json:"direction,omitempty" default:"both" enum:"both,outgoing,incoming,forward,backward" jsonschema:"outgoing follows edges as stored"`
	EdgeTypes         []string      `json:"edge_types,omitempty" jsonschema:"or wikilink, mention, frontmatter-ref, hyperlink; default: all declared"`
	Origins           []string      `json:"origins,omitempty" jsonschema:"such as wikilink, frontmatter, agent"`
	Rels              []string      `json:"rels,omitempty" jsonschema:"only edges with one of these words"`
	FilterProperties  db.Properties `json:"filter_properties,omitempty"`
	FilterApplies     string        `json:"filter_applies,omitempty" default:"results" enum:"results,traversal" jsonschema:"traversal: the rest is not passed through"`
	Files             *bool         `json:"files,omitempty" default:"true" jsonschema:"also files without text, last"`
	IncludeSuperseded bool          `json:"include_superseded,omitempty"`
	AsOf              string        `json:"as_of,omitempty"`
	KnownAt           string        `json:"known_at,omitempty"`
	IncludeEnded      bool          `json:"include_ended,omitempty"`
	Memories          string        `json:"memories,omitempty" default:"all" enum:"all,linked,none" jsonschema:"linked: agents' memories only if a note links to them; none: only notes"`
	Detail            string        `json:"detail,omitempty" default:"lean" enum:"lean,full" jsonschema:"full: with path, tags, snippet, route, hash"`
	Limit             int           `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor            string        `json:"cursor,omitempty"`
	TokenBudget       int           `json:"token_budget,omitempty" min:"64"`
}

// Via is the last step to a memory that a walk reached. Only an expansion has Seed and Line, and a
// neighborhood has no Hop.
type Via struct {
	Seed      string     `json:"seed_doc_id,omitempty"`
	Hop       int        `json:"hop,omitempty"`
	EdgeType  edges.Kind `json:"edge_type"`
	Rel       string     `json:"rel"`
	Direction string     `json:"direction" jsonschema:"out: stored from → this; in: stored this → from"`
	From      string     `json:"from" jsonschema:"id, one hop nearer to the seed"`
	Line      int        `json:"line,omitempty" jsonschema:"line of the note that declares the edge"`
	Ended     string     `json:"ended,omitempty"`
}

// Expanded is a memory that an expansion reached.
type Expanded struct {
	ref.Seen
	Tags        []string `json:"tags"`
	Snippet     string   `json:"snippet"`
	ContentHash string   `json:"content_hash"`
	Via         Via      `json:"via"`
	Route       []string `json:"route" jsonschema:"ids from the seed to this"`
}

// SeedWarning is a seed that names no memory, or several. The first five warnings of each
// reason have suggestions.
type SeedWarning struct {
	Seed   string `json:"seed_doc_id"`
	Reason string `json:"reason" jsonschema:"unknown_doc or ambiguous_doc"`

	Near       []string        `json:"near,omitempty" jsonschema:"titles much like an unknown one"`
	Candidates []ref.Candidate `json:"candidates,omitempty" jsonschema:"what an ambiguous one may mean"`
}

// String returns the warning as text, with its suggestions.
func (w SeedWarning) String() string {
	if w.Reason == "unknown_doc" {
		text := fmt.Sprintf("no memory is called %q", w.Seed)
		if len(w.Near) > 0 {
			text += "; near titles: " + strings.Join(w.Near, ", ")
		}
		return text
	}
	text := fmt.Sprintf("%q is the name of several memories; name one by its id", w.Seed)
	for i, c := range w.Candidates {
		text += []string{": ", "; "}[min(i, 1)] + c.String()
	}
	return text
}

// ExpandResult has the memories near the seeds, the nearest first.
type ExpandResult struct {
	Results       []Expanded    `json:"results"`
	Truncated     bool          `json:"truncated"`
	Next          string        `json:"next,omitempty"`
	ReturnedCount int           `json:"returned_count"`
	Warnings      []SeedWarning `json:"warnings"`
	OnReplaced    int           `json:"on_replaced,omitempty"` // number of memories that depend on a memory that a seed replaced

	Lean      bool `json:"-"` // its JSON has lean rows
	SeedCount int  `json:"-"` // of the walk
}

// Expand returns the memories that a breadth-first walk from the seeds reaches. They are
// sorted by hop, seed, type of edge, out before in, and id, so a limit always cuts off the
// same ones. A cursor continues in that order, with files without text last. A seed that names
// no memory, or several, causes a warning instead of an error.
func (g Graph) Expand(ctx context.Context, a ExpandArgs) (result ExpandResult, err error) {
	if err := args.Check("expand", &a); err != nil {
		return result, err
	}
	w := rules{direction: directions[a.Direction], rels: a.Rels, includeSuperseded: a.IncludeSuperseded, withoutFiles: !*a.Files}
	if err = w.restrict(a.EdgeTypes, a.Origins, a.AsOf, a.KnownAt, a.IncludeEnded); err != nil {
		return result, err
	}
	e := expansion{args: a, times: w.times, isNote: map[int64]bool{}, list: args.ListOf("expand", a)}
	var after db.Mark
	if err = db.ReadCursor("expand", e.list, a.Cursor, &after); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if err := g.findSeeds(ctx, r, &e); err != nil {
			return err
		}
		_, err := breadthFirst(ctx, r, e.seeds, a.Hops, w, func(level []*arrival) ([]*arrival, bool, error) {
			frontier, err := e.accept(ctx, r, level)
			return frontier, countText(e.accepted) <= after.Count+a.Limit || a.Memories == "linked", err
		})
		if err == nil && a.Memories == "linked" {
			err = e.keepLinked(ctx, r, w)
		}
		if err != nil {
			return err
		}
		if err := e.fill(ctx, r, e.seeds, e.accepted, after, a.Limit, w.times); err != nil {
			return err
		}
		e.snippets = map[int64]string{}
		for key, n := range e.nodes {
			if a.Detail == "full" {
				e.snippets[key] = snippetOf(n.text)
			}
		}
		if e.lines, err = firstLines(ctx, r, e.reached); err != nil {
			return err
		}
		result, err = budget.Fit(ref.In(ctx, r), a.TokenBudget, len(e.reached), e.result)
		return err
	})
	return result, err
}

// expansion is the state of one call of Expand.
type expansion struct {
	region   // without a root
	args     ExpandArgs
	times    edges.Times
	seeds    []seed
	warnings []SeedWarning
	accepted []*arrival
	list     string           // name of the list that a cursor belongs to
	isNote   map[int64]bool   // set for accepted memories, if Memories or FilterProperties is set
	snippets map[int64]string // of those to return, if they are wanted
	lines    map[int64]int    // first line that declares an edge, by the edge's key
}

// findSeeds finds the seeds in the order given, and adds a warning for each that it does not
// find.
func (g Graph) findSeeds(ctx context.Context, r *db.Reader, e *expansion) error {
	memories, err := g.Caller.FindEach(ctx, r, e.args.Seeds)
	if err != nil {
		return err
	}
	e.seeds, e.warnings = []seed{}, []SeedWarning{}
	for i, m := range memories {
		var lookupErr *fault.Error
		if !errors.As(m.Err, &lookupErr) {
			e.seeds = append(e.seeds, seed{m.Key, m.ID})
			continue
		}
		w := SeedWarning{Seed: e.args.Seeds[i], Reason: "unknown_doc", Near: ref.Near(lookupErr), Candidates: ref.Candidates(lookupErr)}
		if lookupErr.Code == fault.Ambiguous {
			w.Reason = "ambiguous_doc"
		}
		e.warnings = append(e.warnings, w)
	}
	return nil
}

// accept adds the memories of a level that pass the filters to accepted, and returns those
// from which the walk continues.
func (e *expansion) accept(ctx context.Context, r *db.Reader, level []*arrival) ([]*arrival, error) {
	if len(e.args.FilterProperties) == 0 && e.args.Memories == "all" {
		e.accepted = append(e.accepted, level...)
		return level, nil
	}
	nodes, err := describe(ctx, r, keysOf(level), e.times)
	if err != nil {
		return nil, err
	}
	frontier := make([]*arrival, 0, len(level))
	for _, reached := range level {
		n := nodes[reached.key]
		if e.args.Memories == "none" && !n.isNote {
			continue
		}
		if matches(n.properties, e.args.FilterProperties) {
			e.isNote[reached.key] = n.isNote
			e.accepted = append(e.accepted, reached)
		} else if e.args.FilterApplies == "traversal" {
			continue
		}
		frontier = append(frontier, reached)
	}
	return frontier, nil
}

// matches reports whether the properties have every wanted value. A list has a value if it
// contains it or equals it.
func matches(properties, wanted db.Properties) bool {
	for name, want := range wanted {
		got, ok := properties[name]
		list, _ := got.([]any)
		isWanted := func(value any) bool { return reflect.DeepEqual(value, want) }
		if !ok || !isWanted(got) && !slices.ContainsFunc(list, isWanted) {
			return false
		}
	}
	return true
}

// keepLinked drops the accepted memories of agents that no note among the seeds and accepted
// memories links to. It does nothing if no seed is a note.
func (e *expansion) keepLinked(ctx context.Context, r *db.Reader, w rules) error {
	seeds, err := describe(ctx, r, lists.Map(e.seeds, seed.keyOf), e.times)
	if err != nil {
		return err
	}
	notes := []int64{}
	for key, s := range seeds {
		if s.isNote {
			notes = append(notes, key)
		}
	}
	if len(notes) == 0 {
		return nil
	}
	for _, a := range e.accepted {
		if e.isNote[a.key] {
			notes = append(notes, a.key)
		}
	}
	w.direction = Forward
	steps, err := neighbours(ctx, r, notes, w)
	if err != nil {
		return err
	}
	linked := map[int64]bool{}
	for _, s := range steps {
		linked[s.to] = true
	}
	e.accepted = slices.DeleteFunc(e.accepted, func(a *arrival) bool {
		return !e.isNote[a.key] && !linked[a.key]
	})
	return nil
}

// firstLines returns the first line that declares the last step to each memory, by the edge's
// key.
func firstLines(ctx context.Context, r *db.Reader, arrivals []*arrival) (map[int64]int, error) {
	lines := map[int64]int{}
	err := db.Fill(ctx, r, lines, `
select
  s.edge,
  min(s.line)
from json_each(?) f
cross join sites s on s.edge = f.value
group by s.edge`, db.List(lists.Map(arrivals, func(a *arrival) int64 { return a.via.edge })))
	return lines, err
}

// result returns the result with the first n memories, each text cut to a number of bytes.
func (e *expansion) result(n, bytes int) ExpandResult {
	result := ExpandResult{Results: []Expanded{}, ReturnedCount: n, Warnings: e.warnings, OnReplaced: e.onReplaced, Lean: e.args.Detail == "lean", SeedCount: len(e.seeds)}
	isCut := false // a text is
	page := firstOf(e.reached, n)
	for _, a := range page {
		short, cutTitle := e.nodes[a.key].cut(bytes)
		snippet, cutSnippet := budget.Cut(e.snippets[a.key], bytes)
		isCut = isCut || cutTitle || cutSnippet
		via := a.lastStep(a.hop, e.ended)
		via.Seed, via.Line = a.seed.id, e.lines[a.via.edge]
		result.Results = append(result.Results, Expanded{
			Seen: short.Seen, Tags: short.tags, Snippet: snippet, ContentHash: short.contentHash, Via: via, Route: a.route(),
		})
	}
	if n == 0 && bytes == 0 {
		result.Warnings, isCut = []SeedWarning{}, true
	}
	result.Truncated = e.more || isCut || n < len(e.reached)
	switch {
	case isCut || result.Truncated && n == 0:
		result.Next = budget.Next
	case result.Truncated:
		result.Next = db.Cursor(e.list, db.NewMark(len(e.before)+n, page[n-1].id))
	}
	return result
}

// leanRow is a memory in the JSON of a lean result. It leaves out what is empty or as with most
// memories, and names other memories by their short ids.
type leanRow struct {
	ref.Named
	Kind     string `json:"kind"`
	Status   string `json:"status,omitempty"` // unless current
	Distance int    `json:"distance,omitempty"`
	ref.Aging
	Via leanVia `json:"via"`
}

// leanVia is the last step to a memory. Seed is left out if there is only one, and From at the
// first hop, where it is the seed.
type leanVia struct {
	Seed      string     `json:"seed_doc_id,omitempty"`
	Hop       int        `json:"hop,omitempty"`
	EdgeType  edges.Kind `json:"edge_type"`
	Rel       string     `json:"rel,omitempty"`
	Direction string     `json:"direction"`
	From      string     `json:"from,omitempty"`
	Ended     string     `json:"ended,omitempty"`
}

// leanLink is an edge in the JSON of a lean result.
type leanLink struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	Type  edges.Kind `json:"type"`
	Rel   string     `json:"rel,omitempty"`
	Ended string     `json:"ended,omitempty"`
}

// lean returns a memory that was reached by a step, hop edges from the seed, with the id given.
func lean(id string, m ref.Seen, hop int, v Via) leanRow {
	row := leanRow{Named: ref.Named{ID: id, Title: m.Title, Trust: m.Trust}, Kind: m.Kind, Aging: m.Aging}
	if m.Status != "current" {
		row.Status = m.Status
	}
	row.Via = leanVia{ref.ShortID(v.Seed), v.Hop, v.EdgeType, ownWord(v.EdgeType, v.Rel), v.Direction, ref.ShortID(v.From), v.Ended}
	if hop == 1 {
		row.Via.From = ""
	}
	return row
}

// ownWord returns the author's word for an edge, "" if it is the name of its kind.
func ownWord(kind edges.Kind, rel string) string {
	if rel == string(kind) {
		return ""
	}
	return rel
}

// MarshalJSON writes lean rows if the result is lean.
func (r ExpandResult) MarshalJSON() ([]byte, error) {
	type whole ExpandResult
	if !r.Lean {
		return json.Marshal(whole(r))
	}
	rows := make([]leanRow, len(r.Results))
	for i, x := range r.Results {
		if rows[i] = lean(ref.ShortID(x.ID), x.Seen, x.Via.Hop, x.Via); r.SeedCount == 1 {
			rows[i].Via.Seed = ""
		}
	}
	return json.Marshal(struct {
		Results []leanRow `json:"results"`
		whole
	}{rows, whole(r)})
}

// MarshalJSON writes lean rows if the result is lean.
func (r NeighborhoodResult) MarshalJSON() ([]byte, error) {
	type whole NeighborhoodResult
	if !r.Lean {
		return json.Marshal(whole(r))
	}
	nodes := make([]leanRow, len(r.Nodes))
	for i, x := range r.Nodes {
		nodes[i] = lean(x.ID, x.Seen, x.Distance, x.Via)
		nodes[i].Distance = x.Distance
	}
	links := lists.Map(r.Edges, func(l Link) leanLink {
		return leanLink{ref.ShortID(l.From), ref.ShortID(l.To), l.Type, ownWord(l.Type, l.Rel), l.Ended}
	})
	return json.Marshal(struct {
		Seed  Center     `json:"seed"`
		Nodes []leanRow  `json:"nodes"`
		Edges []leanLink `json:"edges"`
		whole
	}{r.Seed, nodes, links, whole(r)})
}
