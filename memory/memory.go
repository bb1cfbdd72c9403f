// Package memory defines the record of a memory, and stores, changes, forgets and lists
// memories.
//
// The statuses current and superseded follow from edges; forgotten is set.
// Staleness is not stored: see package belief.
//
// To change a memory, a caller's word must be trusted at least as much (ref.Caller.MaxRank). An
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
	"hence/memory/record"
)

// The statuses of a memory.
const (
	Current    = "current"
	Superseded = "superseded" // replaced by a successor
	Forgotten  = "forgotten"  // hidden, and can be restored
)

// Memory is the record of a memory.
type Memory = record.Memory

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
	Everywhere bool     `json:"everywhere,omitempty"`
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

var selectMemory = "select " + record.Select(record.Memories, "m") + ", m.key, " + ref.TrustOf("m") + " from memories m\n"

func scanMemory(row *sql.Rows) (m Memory, err error) {
	err = record.Scan(row, record.Memories, &m, &m.Key, &m.Trust)
	return m, err
}

// summarise returns the entries of a list, with what contradicts each and why it
// is stale.
func summarise(ctx context.Context, r *db.Reader, memories []Memory, times edges.Times) ([]Summary, error) {
	stale, contradicting, err := belief.Doubts(ctx, r, keysOf(memories))
	if err != nil {
		return nil, err
	}
	edited := map[int64]string{} // when each was edited after times.KnownAt
	if times.KnownAt != "" {
		err = db.Fill(ctx, r, edited, selectEditedSince, db.List(keysOf(memories)), times.Bind())
	}
	all := []Summary{}
	for _, m := range memories {
		aging := ref.Aging{EditedSince: edited[m.Key]}
		aging.Ended, aging.Begins = validityAt(m, times)
		all = append(all, Summary{
			ID: m.ID, Namespace: m.Namespace, Kind: m.Kind, Title: m.Title, Tags: m.Tags, Status: m.Status,
			Importance: m.Importance, Pinned: m.Pinned, Everywhere: m.Everywhere, Origin: m.Origin, Actor: m.Actor, URI: m.URI,
			CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Stale: stale[m.Key], ContradictedBy: contradicting[m.Key],
			Aging: aging,
			Trust: m.Trust,
		})
	}
	return all, err
}

// validityAt returns the time since which a memory no longer holds, and the one from which it
// will, each "" where there is none. ref.EndedAt and ref.BeginsAfter are the same for queries
// that do not read whole memories.
func validityAt(m Memory, times edges.Times) (ended, begins string) {
	if m.ValidTo <= times.Marked {
		ended = m.ValidTo
	}
	if m.ValidFrom > times.Marked {
		begins = m.ValidFrom
	}
	return ended, begins
}

var selectEditedSince = `
select
  m.key,
  ` + ref.EditedSince("m", "?2") + `
from json_each(?1) f
cross join memories m on m.key = f.value`
