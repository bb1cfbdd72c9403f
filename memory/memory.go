// Package memory defines the record of a memory, and stores, changes, forgets and lists
// memories.
//
// The statuses current and superseded follow from edges; forgotten is set.
// Staleness is not stored: see package belief.
//
// To change a memory, a caller's word must be trusted at least as much (ref.Caller.Word). An
// agent's change of a person's words is kept as a proposal, which a person accepts.
//
// Search is in package recall, which imports this one. Remember gets it as an argument
// (Neighbours).
package memory

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/ref"
)

// The statuses of a memory.
const (
	Current    = "current"
	Superseded = "superseded" // replaced by a successor
	Forgotten  = "forgotten"  // hidden, and can be restored
)

// MaxUndone is the largest number of changes in a batch that undo takes back.
const MaxUndone = 10_000

// Memory is the record of a memory.
type Memory struct {
	ID           string        `json:"id"`
	Namespace    string        `json:"namespace"`
	Kind         string        `json:"kind"`
	Title        string        `json:"title"`
	Content      string        `json:"content,omitempty"`
	Aliases      []string      `json:"aliases,omitempty"`
	Tags         []string      `json:"tags"`
	Properties   db.Properties `json:"properties,omitempty"`
	Status       string        `json:"status"`
	Importance   float64       `json:"importance"`
	Pinned       bool          `json:"pinned,omitempty"`
	Confidence   *float64      `json:"confidence,omitempty"`
	Origin       string        `json:"origin" jsonschema:"agent, person, vault or import"`
	Actor        string        `json:"actor" jsonschema:"who wrote it"`
	Source       string        `json:"source,omitempty"` // where the text came from, if that was said
	SourceURL    string        `json:"source_url,omitempty"`
	Trust        string        `json:"trust,omitempty"` // see ref.Named
	URI          string        `json:"uri,omitempty"`
	ContentHash  string        `json:"content_hash"`
	Revision     int64         `json:"revision"`
	CreatedAt    string        `json:"created_at"`
	UpdatedAt    string        `json:"updated_at"`
	ValidFrom    string        `json:"valid_from,omitempty"`
	ValidTo      string        `json:"valid_to,omitempty"`
	VerifiedAt   string        `json:"verified_at,omitempty"`
	VerifyNote   string        `json:"verify_note,omitempty"`
	ForgetReason string        `json:"forget_reason,omitempty"`
	key          int64
}

// Named returns the id and title.
func (m Memory) Named() ref.Named { return ref.Named{ID: m.ID, Title: m.Title, Trust: m.Trust} }

// Summary is a memory in a list.
type Summary struct {
	ID         string   `json:"id"`
	Namespace  string   `json:"namespace"`
	Kind       string   `json:"kind"`
	Title      string   `json:"title"`
	Trust      string   `json:"trust,omitempty"` // see ref.Named
	Tags       []string `json:"tags"`
	Status     string   `json:"status"`
	Importance float64  `json:"importance"`
	Pinned     bool     `json:"pinned,omitempty"`
	Origin     string   `json:"origin"`
	Actor      string   `json:"actor"`
	URI        string   `json:"uri,omitempty"`
	CreatedAt  string   `json:"created_at"`
	UpdatedAt  string   `json:"updated_at"`
	ref.Aging

	ContradictedBy []ref.End      `json:"contradicted_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`
}

// Store reads and writes the memories of a database for one caller.
type Store ref.View

// graph returns the edges of the same store, for the same caller.
func (s Store) graph() edges.Graph { return edges.Graph(s) }

// memoryRow is a memory as a query reads it, with its lists in JSON.
type memoryRow struct {
	Memory
	aliases, tags, properties string
}

var memoryColumns, scanMemoryRow = db.Columns(func(m *memoryRow) []any {
	return []any{
		"m.key", &m.key,
		"m.id", &m.ID,
		"m.namespace", &m.Namespace,
		"m.kind", &m.Kind,
		"m.title", &m.Title,
		"m.content", &m.Content,
		"m.aliases", &m.aliases,
		"m.tags", &m.tags,
		"m.properties", &m.properties,
		"m.status", &m.Status,
		"m.importance", &m.Importance,
		"m.pinned", &m.Pinned,
		"m.confidence", &m.Confidence,
		"m.origin", &m.Origin,
		"m.actor", &m.Actor,
		"coalesce(m.source, '')", &m.Source,
		"coalesce(m.source_url, '')", &m.SourceURL,
		ref.TrustOf("m"), &m.Trust,
		"coalesce(m.uri, '')", &m.URI,
		"m.content_hash", &m.ContentHash,
		"m.revision", &m.Revision,
		"m.created_at", &m.CreatedAt,
		"m.updated_at", &m.UpdatedAt,
		"coalesce(m.valid_from, '')", &m.ValidFrom,
		"coalesce(m.valid_to, '')", &m.ValidTo,
		"coalesce(m.verified_at, '')", &m.VerifiedAt,
		"coalesce(m.verify_note, '')", &m.VerifyNote,
		"coalesce(m.forget_reason, '')", &m.ForgetReason,
	}
})

var selectMemory = "select " + memoryColumns + " from memories m\n"

func scanMemory(row *sql.Rows) (Memory, error) {
	m, err := scanMemoryRow(row)
	if err != nil {
		return m.Memory, err
	}
	if err := db.ReadColumn(m.ID, "aliases", m.aliases, &m.Aliases); err != nil {
		return m.Memory, err
	}
	if err := db.ReadColumn(m.ID, "tags", m.tags, &m.Tags); err != nil {
		return m.Memory, err
	}
	err = db.ReadColumn(m.ID, "properties", m.properties, &m.Properties)
	return m.Memory, err
}

// summarise returns the entries of a list, with what contradicts each and why it
// is stale.
func summarise(ctx context.Context, r *db.Reader, memories []Memory, times edges.Times) ([]Summary, error) {
	stale, err := belief.Stale(ctx, r, keysOf(memories))
	if err != nil {
		return nil, err
	}
	contradicting, err := belief.FindContradicting(ctx, r, keysOf(memories))
	if err != nil {
		return nil, err
	}
	edited := map[int64]string{} // when each was edited after times.KnownAt
	if times.KnownAt != "" {
		err = db.Fill(ctx, r, edited, selectEditedSince, db.List(keysOf(memories)), times.Bind())
	}
	all := []Summary{}
	for _, m := range memories {
		all = append(all, Summary{
			ID: m.ID, Namespace: m.Namespace, Kind: m.Kind, Title: m.Title, Tags: m.Tags, Status: m.Status,
			Importance: m.Importance, Pinned: m.Pinned, Origin: m.Origin, Actor: m.Actor, URI: m.URI,
			CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Stale: stale[m.key], ContradictedBy: contradicting[m.key],
			Aging: ref.Aging{Ended: m.endTime(times), EditedSince: edited[m.key]},
			Trust: m.Trust,
		})
	}
	return all, err
}

// endTime returns the time since which a memory no longer holds, "" if it holds. ref.EndedAt
// is the same for queries that do not read whole memories.
func (m Memory) endTime(times edges.Times) string {
	if m.ValidTo > times.Marked {
		return ""
	}
	return m.ValidTo
}

var selectEditedSince = `
select
  m.key,
  ` + ref.EditedSince("m", "?2") + `
from json_each(?1) f
cross join memories m on m.key = f.value`
