package record

import (
	"hence/internal/db"
	"hence/internal/ref"
)

// Memory is the record of a memory: the columns of the table memories, and what is derived from them.
type Memory struct {
	Key          int64         `json:"-"`
	ID           string        `json:"id" is:"team mirrored"`
	Namespace    string        `json:"namespace" is:"journaled mirrored"`
	Kind         string        `json:"kind" is:"journaled edited stamped team shown mirrored"`
	Title        string        `json:"title" is:"journaled edited stamped team shown mirrored"`
	Content      string        `json:"content,omitempty" is:"journaled edited stamped shown mirrored"`
	Aliases      []string      `json:"aliases,omitempty" is:"journaled edited stamped team shown mirrored"`
	Tags         []string      `json:"tags" is:"journaled edited open team shown mirrored"`
	Properties   db.Properties `json:"properties,omitempty" is:"journaled edited open shown mirrored"`
	Status       string        `json:"status" is:"logged"`
	Importance   float64       `json:"importance" is:"journaled edited stamped team shown"`
	Pinned       bool          `json:"pinned,omitempty" is:"journaled edited stamped team shown"`
	Everywhere   bool          `json:"everywhere,omitempty" is:"journaled edited stamped team shown"`
	Confidence   *float64      `json:"confidence,omitempty" is:"null journaled edited stamped team shown"`
	Origin       string        `json:"origin" jsonschema:"agent, person, vault or import" is:"kept team mirrored"`
	Actor        string        `json:"actor" jsonschema:"who wrote it" is:"kept team=by mirrored"`
	Source       string        `json:"source,omitempty" is:"null journaled stamped team shown mirrored"` // where the text came from, if that was said
	SourceURL    string        `json:"source_url,omitempty" is:"null journaled stamped team shown mirrored"`
	Trust        string        `json:"trust,omitempty"` // no column: see ref.Named
	URI          string        `json:"uri,omitempty" is:"null journaled shown mirrored"`
	ContentHash  string        `json:"content_hash" is:"mirrored"`
	Revision     int64         `json:"revision" is:""`
	CreatedAt    string        `json:"created_at" is:"kept team=created mirrored"`
	UpdatedAt    string        `json:"updated_at" is:"mirrored"`
	ValidFrom    string        `json:"valid_from,omitempty" is:"null journaled edited stamped=valid team shown"`
	ValidTo      string        `json:"valid_to,omitempty" is:"null journaled edited stamped=valid team shown"`
	VerifiedAt   string        `json:"verified_at,omitempty" is:"null logged kept team=verified"`
	VerifyNote   string        `json:"verify_note,omitempty" is:"null kept team"`
	ForgottenAt  string        `json:"-" column:"forgotten_at" is:"null journaled edited stamped=forgotten team=forgotten"`
	ForgetReason string        `json:"forget_reason,omitempty" is:"null journaled team"`
	Confirmed    string        `json:"-" column:"confirmed" is:"null journaled stamped team"` // see own_rank in schema.sql
}

// Named returns the id and title.
func (m Memory) Named() ref.Named { return ref.Named{ID: m.ID, Title: m.Title, Trust: m.Trust} }

// Memories are the columns of a memory, in the order of an answer.
var Memories = Of[Memory]()

// Team are the columns in a memory's file of a team's folder, in its order. A new column is the last one.
var Team = InOrder(Where(Memories, "team"),
	`id title kind tags aliases importance pinned confidence valid_from valid_to forgotten_at forget_reason
	created_at actor origin source source_url confirmed verified_at verify_note everywhere`)

// Edge is the record of an edge. From and To are the ids of its ends, for whose keys the table edges has
// the columns from_key and to_key.
type Edge struct {
	ID        string  `json:"id" is:"team"`
	From      string  `json:"from" is:"end"`
	To        string  `json:"to" is:"end team"`
	Kind      string  `json:"kind" is:"line=edge_type team=type"`
	Rel       string  `json:"rel" is:"journaled stamped=said team"`
	Weight    float64 `json:"weight" is:"journaled stamped=said team"`
	Origin    string  `json:"origin" is:"kept team"`
	Actor     string  `json:"actor" is:"kept team=by"`
	Note      string  `json:"note" is:"journaled stamped=said team"`
	Declared  string  `json:"declared" is:""`
	Basis     string  `json:"basis" is:"null kept stamped team"`
	ValidFrom string  `json:"valid_from" is:"null journaled stamped=said team"`
	ValidTo   string  `json:"valid_to" is:"null journaled stamped=said team"`
	CreatedAt string  `json:"created_at" is:"kept team=created"`
}

// Edges are the columns of an edge, but for its ends.
var Edges = Except(Of[Edge](), "from", "to")
