package recall

import (
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/ref"
)

// Searcher searches the memories of a store that one caller may read.
type Searcher ref.View

// SearchArgs are a question and its filters.
type SearchArgs struct {
	Query        string        `json:"query" jsonschema:"words, \"phrase\", tag:x, path:x, kind:x, -word, -tag:x"`
	Mode         string        `json:"mode,omitempty" default:"hybrid" enum:"hybrid,keyword,semantic"`
	Graph        *bool         `json:"graph,omitempty" default:"true" jsonschema:"rank by edges too"`
	Kinds        []string      `json:"kinds,omitempty"`
	Tags         []string      `json:"tags,omitempty" jsonschema:"all of these; nested ones count"`
	PathPrefix   []string      `json:"path_prefix,omitempty" jsonschema:"under one of these paths or uris"`
	Vault        string        `json:"vault,omitempty"`
	Namespace    string        `json:"namespace,omitempty"`
	Properties   db.Properties `json:"properties,omitempty" jsonschema:"only with these values"`
	Status       string        `json:"status,omitempty" default:"current" enum:"current,all"`
	Since        string        `json:"since,omitempty" jsonschema:"changed since: time, date or 7d"`
	Until        string        `json:"until,omitempty"`
	AsOf         string        `json:"as_of,omitempty" jsonschema:"what held then"`
	KnownAt      string        `json:"known_at,omitempty" jsonschema:"what the store said then"`
	IncludeEnded bool          `json:"include_ended,omitempty" jsonschema:"what is over too"`
	Limit        int           `json:"limit,omitempty" default:"10" min:"1" max:"100"`
	Cursor       string        `json:"cursor,omitempty"`
	Detail       string        `json:"detail,omitempty" default:"summary" enum:"index,summary,full" jsonschema:"index: no text; full: the whole section"`
	TokenBudget  int           `json:"token_budget,omitempty" min:"64" jsonschema:"hard cap on the answer"`
}

// Found is one result.
type Found struct {
	ref.Named
	Kind      string   `json:"kind"`
	URI       string   `json:"uri,omitempty"`
	Section   string   `json:"section,omitempty" jsonschema:"its heading"`
	File      string   `json:"file,omitempty" jsonschema:"of code"`
	StartLine int      `json:"start_line,omitempty"`
	EndLine   int      `json:"end_line,omitempty"`
	Score     float64  `json:"score" jsonschema:"compares within one answer only"`
	Snippet   string   `json:"snippet" jsonschema:"the matching text"`
	Marks     []Mark   `json:"-"` // the parts of the snippet that matched
	Tags      []string `json:"tags"`
	Status    string   `json:"status"`
	Origin    string   `json:"origin"`
	Actor     string   `json:"actor"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	ref.Aging
	SupersededBy *ref.End `json:"superseded_by,omitempty"`
	Why          Why      `json:"why"`

	ContradictedBy []ref.End      `json:"contradicted_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`
}

// Why says how a result was ranked.
type Why struct {
	Title       bool `json:"title,omitempty"`        // the question is the memory's title or alias
	KeywordRank int  `json:"keyword_rank,omitempty"` // rank by words, from 1
	VectorRank  int  `json:"vector_rank,omitempty"`  // rank by meaning

	Time    string `json:"time,omitempty"`
	Project bool   `json:"project,omitempty"` // in the caller's project: before equals of others
	Graph   []Lift `json:"graph,omitempty" jsonschema:"edges that lifted it"`
}

// SearchResult is one page of results, the best first.
type SearchResult struct {
	Query         string   `json:"query"`
	TotalCount    int      `json:"total_count"`
	TotalIsExact  bool     `json:"total_is_exact" jsonschema:"false: at least"`
	ReturnedCount int      `json:"returned_count"`
	Truncated     bool     `json:"truncated"`
	Next          string   `json:"next,omitempty"`
	Results       []Found  `json:"results"`
	Warnings      []string `json:"warnings"`
}
