// Package lines exports and imports memories and edges as lines of JSON.
//
// A line is one memory or one edge, with the fields and the order of the contract.
// The other columns of a store (aliases, forgotten_at, basis, verifications …) are
// in further fields at the end, which are present only if they are not empty or
// default. What was unlinked or purged has a line too, without its text. The journal
// and dangling links are not exported. A store that is exported, imported into an
// empty one and exported again gives the same bytes.
//
// An import adds what is missing, and takes in what is newer. Of two versions of a memory,
// every field has a stamp, the time of its last change; the later wins. A
// stamp is later than all that its writer had seen, even if a clock is wrong. The
// stamps before it tell whether a later text replaced the other one knowingly; if not,
// the other text becomes a memory of its own, superseded by the first. A field without
// a stamp has a mark instead, computed from its first value, because imports create one id
// in several stores: an editor has seen the first value of their own store only.
package lines

import (
	"encoding/json"
	"slices"
	"time"

	"hence/internal/db"
	"hence/memory"
)

// The types of a line.
const (
	TypeMemory   = "memory"
	TypeEdge     = "edge"
	typeEntity   = "entity"   // of the official MCP memory server
	typeRelation = "relation" // likewise
	TypeUnlinked = "unlinked" // an edge that was removed
	TypePurged   = "purged"   // a memory that was purged

	TypeWithdrawn = "withdrawn" // in a team's folder, a memory that somebody keeps for themselves now
)

// The reasons why an edge is not in the graph.
const (
	WhyCycle   = "cycle"
	WhyMissing = "missing" // an end is not in the store
)

// Memory is a memory as a line. A field that is nil when read was left out and
// takes its default.
type Memory struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Namespace  string          `json:"namespace"`
	Kind       string          `json:"kind"`
	Title      string          `json:"title"`
	Content    string          `json:"content"`
	Tags       []string        `json:"tags"`
	Properties json.RawMessage `json:"properties"`
	Status     string          `json:"status"`
	Importance *float64        `json:"importance"`
	Pinned     bool            `json:"pinned"`
	Confidence *float64        `json:"confidence"`
	Origin     string          `json:"origin"`
	Actor      *string         `json:"actor"`
	URI        *string         `json:"uri"`
	CreatedAt  string          `json:"created_at"`
	UpdatedAt  string          `json:"updated_at"`
	ValidFrom  *string         `json:"valid_from"`
	ValidTo    *string         `json:"valid_to"`
	VerifiedAt *string         `json:"verified_at"`
	Revision   int64           `json:"revision"`

	Aliases       []string       `json:"aliases,omitempty"`
	VerifyNote    *string        `json:"verify_note,omitempty"`
	ForgottenAt   *string        `json:"forgotten_at,omitempty"`
	ForgetReason  *string        `json:"forget_reason,omitempty"`
	ContentHash   string         `json:"content_hash,omitempty"` // if it is not the hash of content: of a picture, or after an edit by hand
	Verifications []Verification `json:"verifications,omitempty"`
	Source        *string        `json:"source,omitempty"`
	SourceURL     *string        `json:"source_url,omitempty"`
	Confirmed     *string        `json:"confirmed,omitempty"`
	Changed       Stamps         `json:"changed,omitempty"` // the stamps of changed fields: see the table stamps
}

// Verification is a row of the table verifications.
type Verification struct {
	Because    string `json:"because"`
	BecauseURI string `json:"because_uri,omitempty"` // if it is a note or code, whose id differs from store to store
	Reason     string `json:"reason"`
	Mark       string `json:"mark"`
	At         string `json:"at"`
}

// Edge is an edge as a line.
type Edge struct {
	Type      string   `json:"type"`
	ID        string   `json:"id"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	EdgeType  string   `json:"edge_type"`
	Rel       string   `json:"rel"`
	Weight    *float64 `json:"weight"`
	Origin    string   `json:"origin"`
	Actor     *string  `json:"actor"`
	Note      string   `json:"note"`
	ValidFrom *string  `json:"valid_from"`
	ValidTo   *string  `json:"valid_to"`
	CreatedAt string   `json:"created_at"`
	Sites     []Site   `json:"sites"`

	Basis    string `json:"basis,omitempty"`    // if the text that it rests on has changed since
	Declared *bool  `json:"declared,omitempty"` // if it differs from what the sites imply: an edge without sites is declared explicitly

	FromURI   string `json:"from_uri,omitempty"`  // if the end is a note or code, whose id differs from store to store
	ToURI     string `json:"to_uri,omitempty"`    // likewise
	Unsettled string `json:"unsettled,omitempty"` // why it is not in the graph: cycle, missing
	Changed   Stamps `json:"changed,omitempty"`
	Word      int    `json:"-"` // the rank of who declares it: see stranger.go; 0: it is not checked
}

// Site is a place in a note that declares the edge.
type Site struct {
	Line     int    `json:"line"`
	Anchor   string `json:"anchor"`
	Context  string `json:"context"`
	Backward bool   `json:"backward,omitempty"` // the note is the edge's to
}

// entityLine and relationLine are the lines of the official MCP memory server.
type entityLine struct {
	Type         string       `json:"type"`
	Name         string       `json:"name"`
	EntityType   string       `json:"entityType"`
	Observations observations `json:"observations"`
}

type relationLine struct {
	Type         string `json:"type"`
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// StoredTime returns a time as it is stored, and whether the text is a time.
func StoredTime(text string) (string, bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Year() < 0 || t.UTC().Year() > 9999 {
		return text, false
	}
	return db.Time(t), true
}

// CleanTags returns tags as the store keeps them: without '#', sorted, each once.
func CleanTags(tags []string) []string {
	clean := []string{}
	for _, tag := range tags {
		if tag = memory.Tag(tag); tag != "" {
			clean = append(clean, tag)
		}
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}
