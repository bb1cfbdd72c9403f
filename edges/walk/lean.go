package walk

import (
	"encoding/json"

	"hence/edges"
	"hence/internal/ref"
)

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
	nodes, links := make([]leanRow, len(r.Nodes)), make([]leanLink, len(r.Edges))
	for i, x := range r.Nodes {
		nodes[i] = lean(x.ID, x.Seen, x.Distance, x.Via)
		nodes[i].Distance = x.Distance
	}
	for i, l := range r.Edges {
		links[i] = leanLink{ref.ShortID(l.From), ref.ShortID(l.To), l.Type, ownWord(l.Type, l.Rel), l.Ended}
	}
	return json.Marshal(struct {
		Seed  Center     `json:"seed"`
		Nodes []leanRow  `json:"nodes"`
		Edges []leanLink `json:"edges"`
		whole
	}{r.Seed, nodes, links, whole(r)})
}
