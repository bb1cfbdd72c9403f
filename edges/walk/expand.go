package walk

import (
	"context"
	"database/sql"
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
	"hence/internal/ref"
)

// ExpandArgs ask what lies around one or more memories.
type ExpandArgs struct {
	Seeds             []string      `json:"seed_doc_ids" jsonschema:"ids, paths or titles"`
	Hops              int           `json:"hops" min:"1" max:"5" jsonschema:"how many edges away"`
	Direction         string        `json:"direction,omitempty" default:"both" enum:"both,outgoing,incoming,forward,backward" jsonschema:"outgoing follows edges as stored"`
	EdgeTypes         []string      `json:"edge_types,omitempty" jsonschema:"or wikilink, mention, frontmatter-ref, hyperlink; default: all declared"`
	Origins           []string      `json:"origins,omitempty" jsonschema:"such as wikilink, frontmatter, agent"`
	Rels              []string      `json:"rels,omitempty" jsonschema:"only edges with one of these words"`
	FilterProperties  db.Properties `json:"filter_properties,omitempty" jsonschema:"only with these values"`
	FilterApplies     string        `json:"filter_applies,omitempty" default:"results" enum:"results,traversal" jsonschema:"traversal: what the filter rejects is not passed through either"`
	IncludeSuperseded bool          `json:"include_superseded,omitempty"`
	Memories          string        `json:"memories,omitempty" default:"all" enum:"all,linked,none" jsonschema:"linked: of agents' memories only those that a note links to; none: notes only"`
	Limit             int           `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	TokenBudget       int           `json:"token_budget,omitempty" min:"64" jsonschema:"hard cap on the answer"`
}

// Via is the last step to a memory.
type Via struct {
	Seed      string     `json:"seed_doc_id"`
	Hop       int        `json:"hop"`
	EdgeType  edges.Kind `json:"edge_type"`
	Rel       string     `json:"rel"`
	Direction string     `json:"direction" jsonschema:"out: stored from → this; in: stored this → from"`
	From      string     `json:"from" jsonschema:"id, one hop nearer to the seed"`
	Line      int        `json:"line,omitempty" jsonschema:"line of the note that declares the edge"`
}

// Expanded is a memory that an expansion reached.
type Expanded struct {
	ID          string   `json:"id"`
	URI         string   `json:"uri,omitempty"`
	Title       string   `json:"title"`
	Kind        string   `json:"kind"`
	Status      string   `json:"status"`
	Origin      string   `json:"origin"`
	Actor       string   `json:"actor"`
	Tags        []string `json:"tags"`
	Snippet     string   `json:"snippet"`
	ContentHash string   `json:"content_hash"`
	Via         Via      `json:"via"`
	Route       []string `json:"route" jsonschema:"ids from the seed to this"`
}

// SeedWarning is a seed that means nothing, or too much. The first five of each
// sort say what may have been meant.
type SeedWarning struct {
	Seed   string `json:"seed_doc_id"`
	Reason string `json:"reason" jsonschema:"unknown_doc or ambiguous_doc"`

	Near       []string        `json:"near,omitempty" jsonschema:"titles much like an unknown one"`
	Candidates []ref.Candidate `json:"candidates,omitempty" jsonschema:"what an ambiguous one may mean"`
}

// String says what is wrong with the seed, and what may have been meant.
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

// ExpandResult is what lies around the seeds, nearest first.
type ExpandResult struct {
	Results       []Expanded    `json:"results"`
	Truncated     bool          `json:"truncated"`
	Next          string        `json:"next,omitempty"`
	ReturnedCount int           `json:"returned_count"`
	Warnings      []SeedWarning `json:"warnings"`
}

// Expand walks breadth first from the seeds. Results are in the order (hop,
// seed, type of edge, out before in, id), the same under a limit each time.
// An unknown seed is a warning beside the answers of the others.
func (g Graph) Expand(ctx context.Context, a ExpandArgs) (result ExpandResult, err error) {
	if err := args.Check("expand", &a); err != nil {
		return result, err
	}
	w := rules{rels: a.Rels, includeSuperseded: a.IncludeSuperseded}
	if w.direction, err = parseDirection(a.Direction); err != nil {
		return result, err
	}
	if err = w.choose(a.EdgeTypes, a.Origins); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		result, err = g.expand(ctx, r, a, w)
		return err
	})
	return result, err
}

func (g Graph) expand(ctx context.Context, r *db.Reader, a ExpandArgs, w rules) (result ExpandResult, err error) {
	seeds, warnings, err := g.seeds(ctx, r, a.Seeds)
	if err != nil {
		return result, err
	}
	e := expansion{args: a, seeds: seeds, isNote: map[int64]bool{}}
	_, err = breadthFirst(ctx, r, seeds, a.Hops, w, func(level []*reached) ([]*reached, bool, error) {
		through, err := e.take(ctx, r, level)
		return through, len(e.accepted) <= a.Limit || a.Memories == "linked", err
	})
	if err != nil {
		return result, err
	}
	if a.Memories == "linked" {
		if err := e.keepLinked(ctx, r, w); err != nil {
			return result, err
		}
	}
	more := len(e.accepted) > a.Limit
	if more {
		e.accepted = e.accepted[:a.Limit]
	}
	if e.nodes, err = describe(ctx, r, keysOf(e.accepted)); err != nil {
		return result, err
	}
	lines, err := siteLines(ctx, r, e.accepted)
	if err != nil {
		return result, err
	}
	return budget.Fit(a.TokenBudget, len(e.accepted), func(n, bytes int) ExpandResult {
		return e.result(min(n, len(e.accepted)), bytes, more, lines, warnings)
	})
}

// seeds finds the seeds, each once, in the order given.
func (g Graph) seeds(ctx context.Context, r *db.Reader, names []string) ([]seed, []SeedWarning, error) {
	all, err := g.Caller.FindEach(ctx, r, names)
	if err != nil {
		return nil, nil, err
	}
	found, warnings := []seed{}, []SeedWarning{}
	for i, f := range all {
		var known *fault.Error
		if !errors.As(f.Err, &known) {
			found = append(found, seed{f.Key, f.ID})
			continue
		}
		w := SeedWarning{Seed: names[i], Reason: "unknown_doc", Near: ref.Near(known), Candidates: ref.Candidates(known)}
		if known.Code == fault.Ambiguous {
			w.Reason = "ambiguous_doc"
		}
		warnings = append(warnings, w)
	}
	return found, warnings, nil
}

// expansion gathers what an Expand returns.
type expansion struct {
	args     ExpandArgs
	seeds    []seed
	accepted []*reached
	isNote   map[int64]bool // of what was accepted, where agents' memories are kept apart
	nodes    map[int64]node // of what is returned
}

// take keeps those of a level that are to be returned, and returns those to
// be passed through.
func (e *expansion) take(ctx context.Context, r *db.Reader, level []*reached) ([]*reached, error) {
	if len(e.args.FilterProperties) == 0 && e.args.Memories == "all" {
		e.accepted = append(e.accepted, level...)
		return level, nil
	}
	nodes, err := describe(ctx, r, keysOf(level))
	if err != nil {
		return nil, err
	}
	through := make([]*reached, 0, len(level))
	for _, l := range level {
		n := nodes[l.key]
		if e.args.Memories == "none" && !n.isNote() {
			continue
		}
		if matches(n.properties, e.args.FilterProperties) {
			e.isNote[l.key] = n.isNote()
			e.accepted = append(e.accepted, l)
		} else if e.args.FilterApplies == "traversal" {
			continue
		}
		through = append(through, l)
	}
	return through, nil
}

// matches reports whether the properties have each value that is wanted. A
// list has a value that it contains.
func matches(properties, wanted db.Properties) bool {
	for name, value := range wanted {
		has, ok := properties[name]
		if !ok {
			return false
		}
		list, isList := has.([]any)
		if !reflect.DeepEqual(has, value) && !(isList && slices.ContainsFunc(list, func(one any) bool {
			return reflect.DeepEqual(one, value)
		})) {
			return false
		}
	}
	return true
}

// keepLinked drops agents' memories that no note among the seeds and results
// links to, where a seed is a note.
func (e *expansion) keepLinked(ctx context.Context, r *db.Reader, w rules) error {
	keys := []int64{}
	for _, s := range e.seeds {
		keys = append(keys, s.key)
	}
	seeds, err := describe(ctx, r, keys)
	if err != nil {
		return err
	}
	notes := []int64{}
	for _, s := range seeds {
		if s.isNote() {
			notes = append(notes, s.key)
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
	e.accepted = slices.DeleteFunc(e.accepted, func(a *reached) bool {
		return !e.isNote[a.key] && !linked[a.key]
	})
	return nil
}

// siteLines returns the first line that declares the last step of each, by
// the edge's key.
func siteLines(ctx context.Context, r *db.Reader, all []*reached) (map[int64]int, error) {
	keys := make([]int64, len(all))
	for i, a := range all {
		keys[i] = a.via.edge
	}
	type line struct {
		edge int64
		line int
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (l line, err error) {
		err = row.Scan(&l.edge, &l.line)
		return l, err
	}, `
select
  s.edge,
  min(s.line)
from json_each(?) f
cross join sites s on s.edge = f.value
group by s.edge`, db.List(keys))
	lines := make(map[int64]int, len(found))
	for _, l := range found {
		lines[l.edge] = l.line
	}
	return lines, err
}

func (e *expansion) result(n, bytes int, more bool, lines map[int64]int, warnings []SeedWarning) ExpandResult {
	result := ExpandResult{Results: []Expanded{}, Truncated: more, ReturnedCount: n, Warnings: warnings}
	if more {
		result.Next = "limit"
	}
	for _, a := range e.accepted[:n] {
		x := e.nodes[a.key]
		snippet, cut := budget.Cut(x.snippet, bytes)
		title, cutTitle := budget.Cut(x.Title, bytes)
		if cut || cutTitle {
			result.Truncated, result.Next = true, "token_budget"
		}
		result.Results = append(result.Results, Expanded{
			ID: x.ID, URI: x.uri, Title: title, Kind: x.kind, Status: x.Status, Origin: x.origin, Actor: x.actor, Tags: x.tags,
			Snippet: snippet, ContentHash: x.contentHash,
			Via: Via{
				Seed: a.seed.id, Hop: a.hop, EdgeType: a.via.kind, Rel: a.via.rel,
				Direction: a.via.direction(), From: a.parent.id, Line: lines[a.via.edge],
			},
			Route: a.route(),
		})
	}
	if n < len(e.accepted) {
		result.Truncated, result.Next = true, "token_budget"
	}
	if n == 0 && bytes == 0 {
		result.Warnings = []SeedWarning{}
		result.Truncated, result.Next = true, "token_budget"
	}
	return result
}
