// Package memory is what is remembered: the record of a memory, and the store
// that remembers, revises, forgets and lists.
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
	Superseded = "superseded" // a successor took its place
	Forgotten  = "forgotten"  // put away, and can be restored
)

// MaxUndone is how many changes made together hence undo takes back.
const MaxUndone = 10_000

// Memory is one memory, whole.
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

// Summary is a memory in a list.
type Summary struct {
	ID         string   `json:"id"`
	Namespace  string   `json:"namespace"`
	Kind       string   `json:"kind"`
	Title      string   `json:"title"`
	Tags       []string `json:"tags"`
	Status     string   `json:"status"`
	Importance float64  `json:"importance"`
	Pinned     bool     `json:"pinned,omitempty"`
	Origin     string   `json:"origin"`
	Actor      string   `json:"actor"`
	URI        string   `json:"uri,omitempty"`
	CreatedAt  string   `json:"created_at"`
	UpdatedAt  string   `json:"updated_at"`

	ContradictedBy []edges.End    `json:"contradicted_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`
}

// Store is the memories of a file, as one caller may read and write them.
type Store ref.View

// graph is the edges of the same store, for the same caller.
func (s Store) graph() edges.Graph { return edges.Graph(s) }

const selectMemory = `
select
  m.key,
  m.id,
  m.namespace,
  m.kind,
  m.title,
  m.content,
  m.aliases,
  m.tags,
  m.properties,
  m.status,
  m.importance,
  m.pinned,
  m.confidence,
  m.origin,
  m.actor,
  coalesce(m.uri, ''),
  m.content_hash,
  m.revision,
  m.created_at,
  m.updated_at,
  coalesce(m.valid_from, ''),
  coalesce(m.valid_to, ''),
  coalesce(m.verified_at, ''),
  coalesce(m.verify_note, ''),
  coalesce(m.forget_reason, '')
from memories m
`

func scanMemory(row *sql.Rows) (m Memory, err error) {
	var aliases, tags, properties string
	if err := row.Scan(
		&m.key, &m.ID, &m.Namespace, &m.Kind, &m.Title, &m.Content, &aliases, &tags, &properties, &m.Status,
		&m.Importance, &m.Pinned, &m.Confidence, &m.Origin, &m.Actor, &m.URI, &m.ContentHash, &m.Revision,
		&m.CreatedAt, &m.UpdatedAt, &m.ValidFrom, &m.ValidTo, &m.VerifiedAt, &m.VerifyNote, &m.ForgetReason,
	); err != nil {
		return m, err
	}
	if err := db.ReadColumn(m.ID, "aliases", aliases, &m.Aliases); err != nil {
		return m, err
	}
	if err := db.ReadColumn(m.ID, "tags", tags, &m.Tags); err != nil {
		return m, err
	}
	return m, db.ReadColumn(m.ID, "properties", properties, &m.Properties)
}

// summarise returns what lists say of memories, with what speaks against each.
func summarise(ctx context.Context, r *db.Reader, found []Memory) ([]Summary, error) {
	stale, err := belief.Stale(ctx, r, keysOf(found))
	if err != nil {
		return nil, err
	}
	contradicting, err := belief.Contradicting(ctx, r, keysOf(found))
	all := []Summary{}
	for _, m := range found {
		one := m.summary()
		one.Stale, one.ContradictedBy = stale[m.key], contradicting[m.key]
		all = append(all, one)
	}
	return all, err
}

func (m Memory) summary() Summary {
	return Summary{
		ID: m.ID, Namespace: m.Namespace, Kind: m.Kind, Title: m.Title, Tags: m.Tags, Status: m.Status,
		Importance: m.Importance, Pinned: m.Pinned, Origin: m.Origin, Actor: m.Actor, URI: m.URI,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}
