// Package question reads what a search asks for: it parses the words and filters, looks the
// words up in the index, corrects those that no memory has, and says which memories may answer.
package question

import (
	"hence/internal/db"
)

// Args are a question and its filters.
type Args struct {
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
