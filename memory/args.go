package memory

import (
	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/ref"
)

// StoreArgs are a new memory with its links. The tag is marks the columns of the memory, as in record.Memory.
type StoreArgs struct {
	Content    string        `json:"content" jsonschema:"full sentences; Markdown is fine" is:""`
	Title      *string       `json:"title,omitempty" jsonschema:"default: its first line" is:""`
	Kind       string        `json:"kind,omitempty" default:"fact" jsonschema:"fact, decision, event, preference or any word of yours" is:""`
	Tags       []string      `json:"tags,omitempty" is:""`
	Source     string        `json:"source,omitempty" enum:"person,agent,note,code,tool,web,import" jsonschema:"where from; person: they said so; default: your conclusion" is:""`
	SourceURL  string        `json:"source_url,omitempty"`
	Namespace  string        `json:"namespace,omitempty" jsonschema:"a group of memories kept apart"`
	Importance *float64      `json:"importance,omitempty" default:"0.5" min:"0" max:"1" is:""`
	Pinned     bool          `json:"pinned,omitempty" is:""`
	Everywhere bool          `json:"everywhere,omitempty" jsonschema:"concerns every project, a person said" is:""`
	Confidence *float64      `json:"confidence,omitempty" min:"0" max:"1" is:""`
	Properties db.Properties `json:"properties,omitempty" is:""`
	ValidFrom  string        `json:"valid_from,omitempty" jsonschema:"time or date from which it is true"`
	ValidTo    string        `json:"valid_to,omitempty"`
	Links      []NewLink     `json:"links,omitempty" jsonschema:"edges to memories or notes that exist"`
	Supersedes []string      `json:"supersedes,omitempty" jsonschema:"memories it replaces"`
	Reason     string        `json:"reason,omitempty" jsonschema:"why"`
	Dedup      string        `json:"dedup,omitempty" default:"warn" enum:"warn,strict,off" jsonschema:"if the same is stored: warn returns it"`
}

// NewLink is an edge between a memory that is being stored and another one. It has
// either To or From.
type NewLink struct {
	To     string   `json:"to,omitempty" jsonschema:"edge from the new memory to this"`
	From   string   `json:"from,omitempty" jsonschema:"or from this to the new memory"`
	Type   string   `json:"type"`
	Rel    string   `json:"rel,omitempty"`
	Weight *float64 `json:"weight,omitempty" above:"0" max:"1"`
	Note   string   `json:"note,omitempty"`
}

// StoreResult is a stored memory, or the stored one that already says the same. Its content
// is left out, because the caller has it.
type StoreResult struct {
	Memory     Memory       `json:"memory"`
	Created    bool         `json:"created"`
	Edges      []edges.Edge `json:"edges"`
	EdgeCount  int          `json:"edge_count,omitempty"` // all of them, if Edges does not list all
	Superseded []ref.End    `json:"superseded"`
	Near       []Near       `json:"near"`
	Settle     string       `json:"settle,omitempty"`
	belief.Consequences
	Warnings []string `json:"warnings"`
}

// GetArgs name the memories to open.
type GetArgs struct {
	ID           string   `json:"id,omitempty" jsonschema:"id, path or title"`
	IDs          []string `json:"ids,omitempty" jsonschema:"or several of them"`
	Detail       string   `json:"detail,omitempty" default:"full" enum:"full,summary" jsonschema:"summary cuts the text short"`
	IncludeEdges *bool    `json:"include_edges,omitempty" default:"true"`
	Mentions     bool     `json:"mentions,omitempty" jsonschema:"guessed edges too"`
	Offset       int      `json:"offset,omitempty" min:"0" jsonschema:"characters into long contents"`
	TokenBudget  int      `json:"token_budget,omitempty" min:"64"`
}

// Opened is a memory with its edges. Edges is nil if they were not asked for.
type Opened struct {
	Memory
	length       int          // of the whole content, in characters
	start        int          // where in the whole content the content begins, in bytes
	Edges        []OpenedEdge `json:"edges,omitzero"`
	Cut          *Missing     `json:"cut,omitempty"`
	Ended        string       `json:"ended,omitempty"`
	Begins       string       `json:"begins,omitempty"`
	SupersededBy *ref.End     `json:"superseded_by,omitempty"`

	ContradictedBy []ref.End      `json:"contradicted_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`
}

// Missing says how much of a content was cut off at its end, and the offset with which to
// read on. All fields count characters.
type Missing struct {
	Left   int `json:"left"`
	Of     int `json:"of"`
	Offset int `json:"offset"`
}

// OpenedEdge is an edge as the opened memory sees it.
type OpenedEdge struct {
	ID        string     `json:"id"`
	Type      edges.Kind `json:"type"`
	Rel       string     `json:"rel"`
	Direction string     `json:"direction" jsonschema:"out: from this memory; in: to it"`
	Weight    float64    `json:"weight"`
	Note      string     `json:"note,omitempty"`
	Ended     string     `json:"ended,omitempty"`
	Other     ref.End    `json:"other"`
}

// GetResult is the memories that were found, in the order asked for.
type GetResult struct {
	Memories      []Opened `json:"memories"`
	ReturnedCount int      `json:"returned_count"`
	Truncated     bool     `json:"truncated"`
	Next          string   `json:"next,omitempty"`
	Warnings      []string `json:"warnings"`
}

// UpdateArgs are the changes to a memory. A nil field is not changed. The tag is marks the columns that change.
type UpdateArgs struct {
	ID               string        `json:"id" jsonschema:"id, path or title"`
	Title            *string       `json:"title,omitempty" is:""`
	Content          *string       `json:"content,omitempty" is:""`
	Tags             *[]string     `json:"tags,omitempty" jsonschema:"replace the tags" is:""`
	Properties       db.Properties `json:"properties,omitempty" jsonschema:"merged; null removes" is:""`
	Importance       *float64      `json:"importance,omitempty" min:"0" max:"1" is:""`
	Pinned           *bool         `json:"pinned,omitempty" is:""`
	Everywhere       *bool         `json:"everywhere,omitempty" is:""`
	Kind             *string       `json:"kind,omitempty" is:""`
	Confidence       *float64      `json:"confidence,omitempty" min:"0" max:"1" null:"removes" is:""`
	ValidFrom        *string       `json:"valid_from,omitempty" null:"removes" is:""`
	ValidTo          *string       `json:"valid_to,omitempty" null:"removes" jsonschema:"empty or null removes" is:""`
	Source           string        `json:"source,omitempty" enum:"person,tool,web,import" jsonschema:"person: they said so"`
	ExpectedRevision int64         `json:"expected_revision,omitempty" min:"1" jsonschema:"conflict if it has another"`
	WordingOnly      bool          `json:"wording_only,omitempty" jsonschema:"nothing becomes stale"`
}

// UpdateResult is the memory after the change, without its content.
type UpdateResult struct {
	Memory   Memory `json:"memory"`
	Proposed bool   `json:"proposed,omitempty"` // nothing has changed: a person decides
	belief.Consequences
	Warnings []string `json:"warnings"`
}

// ForgetArgs name a memory to forget or purge.
type ForgetArgs struct {
	ID     string `json:"id" jsonschema:"id, path or title"`
	Reason string `json:"reason,omitempty"`
	Purge  bool   `json:"purge,omitempty" jsonschema:"remove it for good"`
	Source string `json:"source,omitempty" enum:"person" jsonschema:"person: they asked for it"`
}

// ForgetResult is the memory that was forgotten or purged.
type ForgetResult struct {
	ref.Named
	Status   string `json:"status"`             // forgotten or purged
	Proposed bool   `json:"proposed,omitempty"` // nothing has changed: a person decides
	belief.Consequences
	Loss
	Warnings []string `json:"warnings,omitempty"`
}

// RestoreArgs name a forgotten memory.
type RestoreArgs struct {
	ID string `json:"id" jsonschema:"id or title of a forgotten memory"`
}

// RestoreResult is the restored memory.
type RestoreResult struct {
	Memory Memory `json:"memory"`
	belief.Consequences
	Warnings []string `json:"warnings,omitempty"`
}

// ListArgs say which memories to list.
type ListArgs struct {
	Namespace    string   `json:"namespace,omitempty"`
	Kind         []string `json:"kind,omitempty" one:"true"` // any of these
	Tags         []string `json:"tags,omitempty" jsonschema:"all of these"`
	Status       string   `json:"status,omitempty" default:"current" enum:"current,superseded,forgotten,all"`
	Since        string   `json:"since,omitempty"`
	Until        string   `json:"until,omitempty"`
	AsOf         string   `json:"as_of,omitempty"`
	KnownAt      string   `json:"known_at,omitempty"`
	IncludeEnded bool     `json:"include_ended,omitempty"`
	Order        string   `json:"order,omitempty" default:"recent" enum:"recent,created,importance"`
	Limit        int      `json:"limit,omitempty" default:"20" min:"1" max:"200"`
	Cursor       string   `json:"cursor,omitempty"`
	TokenBudget  int      `json:"token_budget,omitempty" min:"64"`
}

// ListResult is a page of memories.
type ListResult struct {
	Memories      []Summary `json:"memories"`
	TotalCount    int       `json:"total_count"`
	ReturnedCount int       `json:"returned_count"`
	Truncated     bool      `json:"truncated"`
	Next          string    `json:"next,omitempty"`
}

// VerifyResult is a verified memory, and the doubts that this cleared.
type VerifyResult struct {
	Memory   Memory           `json:"memory"`
	Cleared  []belief.Cleared `json:"cleared"`
	Warnings []string         `json:"warnings,omitempty"`
}
