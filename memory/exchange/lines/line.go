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
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/memory"
	"hence/memory/record"
	"hence/memory/review"
)

// The types of a line.
const (
	TypeMemory   = "memory"
	TypeEdge     = "edge"
	typeEntity   = "entity"   // of the official MCP memory server
	typeRelation = "relation" // likewise
	TypeUnlinked = "unlinked" // an edge that was removed
	TypePurged   = "purged"   // a memory that was purged

	typeWaiting = "call" // a call of an agent that waits for a person: see memory/review

	TypeWithdrawn = "withdrawn" // in a team's folder, a memory that somebody keeps for themselves now
)

// The reasons why an edge is not in the graph.
const (
	WhyCycle   = "cycle"
	WhyMissing = "missing" // an end is not in the store
)

// Memory is a memory as a line: its columns, and what else a line has.
type Memory struct {
	record.Memory
	Properties    json.RawMessage `json:"properties" is:"journaled edited open shown"` // the text of the line, which keeps numbers and the order of keys
	Verifications []Verification  `json:"verifications" is:"beside"`
	Changed       Stamps          `json:"changed" is:"beside"` // the stamps of changed fields: see the table stamps
}

// The forms of lines. content_hash is there if it is not the hash of content: of a picture, or after an edit
// by hand. basis is there even if the edge rests on the present text: a line says the same beside whatever text.
var (
	memoryForm = sync.OnceValue(func() *record.Form {
		return record.NewForm(TypeMemory, record.Of[Memory](), nameInLine,
			`id! namespace! kind! title! content! tags! properties! status! importance! pinned! confidence! origin! actor! uri!
		created_at! updated_at! valid_from! valid_to! verified_at! revision!
		aliases verify_note forgotten_at forget_reason content_hash verifications source source_url confirmed … changed`)
	})
	edgeForm = sync.OnceValue(func() *record.Form {
		return record.NewForm(TypeEdge, record.Of[Edge](), nameInLine,
			`id! from! to! edge_type! rel! weight! origin! actor! note! valid_from! valid_to! created_at! sites!
		basis declared from_uri to_uri unsettled … changed`)
	})
)

func nameInLine(c record.Column) string { return c.Line }

// columns are the columns of a memory, and edgeColumns those of an edge, with its ends.
var (
	columns     = withoutBeside(record.Of[Memory]())
	edgeColumns = withoutBeside(record.Of[Edge]())
)

// withoutBeside returns the fields of a line that are columns.
func withoutBeside(all []record.Column) []record.Column {
	return record.Except(all, record.Names(record.Where(all, "beside"))...)
}

// MarshalJSON returns the line of the memory.
func (m Memory) MarshalJSON() ([]byte, error) { return memoryForm().Text(&m) }

// MarshalJSON returns the line of the edge.
func (e Edge) MarshalJSON() ([]byte, error) { return edgeForm().Text(&e) }

// UnmarshalJSON reads the line of an edge.
func (e *Edge) UnmarshalJSON(line []byte) error { return edgeForm().Read(line, e) }

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
	record.Edge
	Sites     []Site `json:"sites" is:"beside"`
	Declared  *bool  `json:"declared" is:"beside"`       // if it differs from what the sites imply: an edge without sites is declared explicitly
	FromURI   string `json:"from_uri" is:"beside"`       // if the end is a note or code, whose id differs from store to store
	ToURI     string `json:"to_uri" is:"beside team"`    // likewise
	Unsettled string `json:"unsettled" is:"beside team"` // why it is not in the graph: cycle, missing
	Changed   Stamps `json:"changed" is:"beside team"`
	Word      int    // the rank of who declares it: see stranger.go; 0: it is not checked
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
	Name         string       `json:"name"`
	EntityType   string       `json:"entityType"`
	Observations observations `json:"observations"`
}

type relationLine struct {
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

// Removed is the line of an edge that was unlinked or a memory that was purged.
type Removed struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Kind      string `json:"edge_type,omitempty"`
	Rel       string `json:"rel,omitempty"`
	At        string `json:"at"`
	Namespace string `json:"namespace,omitempty"` // "" is default
	FromURI   string `json:"from_uri,omitempty"`  // if the end is a note or code
	ToURI     string `json:"to_uri,omitempty"`
}

// Waiting is the line of a call that waits for a person. It has a type of its own, so that no program takes it for
// a memory. A merge, a sync and a team's folder leave it out.
type Waiting struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	review.Call
}

// fillWaiting checks a line of a call that waits. In a given namespace, the call is carried out there.
func (r Reader) fillWaiting(l *Waiting) error {
	if r.Namespace != "" {
		l.Namespace, l.By.Namespace, l.By.Confined = r.Namespace, r.Namespace, true
	}
	if l.Status != review.Pending {
		return fmt.Errorf("its status is %q, and that of a call is %s", l.Status, review.Pending)
	}
	if why := l.Check(); why != "" {
		return errors.New(why)
	}
	return cmp.Or(checkID("id", l.ID), CheckText("actor", l.Actor, 0), CheckText("namespace", l.Namespace, MaxNamespace), checkTime("at", &l.At))
}

// SelectRemoved reads the unlinked edges, then the purged memories, of the namespace ?1, or
// of all for "".
const SelectRemoved = "select" + UnlinkedFields + unlinkedFrom + "\nunion all\nselect" + purgedFields + purgedFrom + `
order by 1 desc, 3, 4, 5, 6, 2`

const UnlinkedFields = `
  'unlinked',
  u.id,
  u.from_id,
  u.to_id,
  u.kind,
  u.rel,
  u.at,
  iif(u.namespace = 'default', '', u.namespace),
  coalesce((select uri from memories where id = u.from_id), ''),
  coalesce((select uri from memories where id = u.to_id), '')`

const unlinkedFrom = `
from unlinked u
where ?1 in ('', u.namespace)`

const purgedFields = `
  'purged',
  id,
  '',
  '',
  '',
  '',
  at,
  iif(namespace = 'default', '', namespace),
  '',
  ''`

const purgedFrom = `
from purged
where ?1 in ('', namespace)`

var ScanRemoved = db.Fields(func(l *Removed) []any {
	return []any{&l.Type, &l.ID, &l.From, &l.To, &l.Kind, &l.Rel, &l.At, &l.Namespace, &l.FromURI, &l.ToURI}
})

// InNamespace returns the namespace of the removed edge or memory.
func (l Removed) InNamespace() string {
	return cmp.Or(l.Namespace, "default")
}

// FillRemoved checks a line about a removal, sets its namespace, and turns an inverse edge
// type around.
func (r Reader) FillRemoved(l *Removed) error {
	l.Namespace = cmp.Or(r.Namespace, l.Namespace)
	err := checkID("id", l.ID)
	if l.Type == TypeUnlinked {
		kind, backward, typeErr := edges.Parse(l.Kind)
		if typeErr != nil {
			return typeErr
		}
		if l.Kind = string(kind); backward {
			l.From, l.To, l.FromURI, l.ToURI = l.To, l.From, l.ToURI, l.FromURI
		}
		err = cmp.Or(err, checkID("from", l.From), checkID("to", l.To))
	}
	return cmp.Or(err, CheckText("a line of type "+l.Type, l.Rel+l.FromURI+l.ToURI, 0), CheckText("namespace", l.Namespace, MaxNamespace),
		checkTime("at", &l.At))
}

// InsertRemoved returns the statement that remembers a removal, unless the store has the
// memory, or the edge and not linked it again since, or a later unlinking.
func InsertRemoved(l *Removed) db.Stmt {
	if l.Type == TypePurged {
		return db.S(`
insert into purged (id, namespace, at)
select ?1, ?2, ?3
where not exists (select 1 from memories where id = ?1)
on conflict do nothing`, l.ID, l.InNamespace(), l.At)
	}
	return db.S(`
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7
where not exists (
  select 1
  from edges e
  where e.from_key = (select key from memories where id = ?1)
    and e.to_key = (select key from memories where id = ?2)
    and e.kind = +?3
    and e.rel = ?4
    and e.declared = 'explicit'
    and `+LinkedAt+` <= ?7
)
on conflict (from_id, to_id, kind, rel) do update set id = excluded.id, at = excluded.at where (excluded.at, id) > (at, excluded.id)`, l.From, l.To, l.Kind, l.Place().Rel, l.ID, l.InNamespace(), l.At)
}

const UnsettledFields = `
  line,
  why`

// UnsettledFrom reads the lines of the edges that are not in the graph.
const UnsettledFrom = `
from unsettled
where ?1 in ('', namespace)`

func ScanUnsettled(row *sql.Rows) (e Edge, err error) {
	var line, why string
	if err = row.Scan(&line, &why); err == nil {
		err = json.Unmarshal([]byte(line), &e)
	}
	e.Unsettled = why
	return e, err
}

// InsertUnsettled returns the statement that keeps an edge outside the graph. If namespace
// is "", the edge gets the namespace of its ends.
func InsertUnsettled(e *Edge, namespace string) db.Stmt {
	line := *e
	line.Unsettled = ""
	return db.S(`
insert or replace into unsettled (id, namespace, from_id, to_id, why, line)
select
  ?1,
  coalesce(
    nullif(?2, ''),
    (select namespace from memories where id = ?3),
    (select namespace from memories where id = ?4),
    'default'
  ),
  ?3,
  ?4,
  ?5,
  ?6`, e.ID, namespace, e.From, e.To, e.Unsettled, db.List(line))
}
