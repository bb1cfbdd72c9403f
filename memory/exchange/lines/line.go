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
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"hence/internal/db"
	"hence/memory"
	"hence/memory/record"
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

// Memory is a memory as a line: its columns, and what else a line has.
type Memory struct {
	record.Memory
	Properties    json.RawMessage `json:"properties" is:"journaled edited open shown"` // the text of the line, which keeps numbers and the order of keys
	Verifications []Verification
	Changed       Stamps // the stamps of changed fields: see the table stamps
}

// columns are the columns of a memory in a line, placed where shape has them, and shape is the struct of a line: a field for each of
// them, in the order of the format. A field that is nil when read was left out and takes its default.
// content_hash is there if it is not the hash of content: of a picture, or after an edit by hand.
var columns, placed, shape = func() (columns []record.Column, placed []int, shape reflect.Type) {
	fields := []reflect.StructField{{Name: "Type", Type: reflect.TypeFor[string](), Tag: `json:"type"`}}
	all := record.Of[Memory]()
	for n, listed := range slices.Concat(record.Always, record.Further) {
		c := all[slices.IndexFunc(all, func(c record.Column) bool { return c.Name == listed.Name })]
		field := reflect.StructField{Name: "Column_" + c.Name, Type: reflect.TypeOf(c.In(&Memory{})), Tag: reflect.StructTag(`json:"` + c.Name + `"`)}
		if c.IsJSON || field.Type.Elem().Kind() == reflect.Pointer {
			field.Type = field.Type.Elem()
		}
		if n >= len(record.Always) {
			field.Tag = reflect.StructTag(`json:"` + c.Name + `,omitempty"`)
		}
		columns, fields = append(columns, c), append(fields, field)
	}
	further := []reflect.StructField{
		{Name: "Verifications", Type: reflect.TypeFor[[]Verification](), Tag: `json:"verifications,omitempty"`},
		{Name: "Changed", Type: reflect.TypeFor[Stamps](), Tag: `json:"changed,omitempty"`},
	}
	fields = append(slices.Insert(fields, slices.Index(record.Names(columns), "content_hash")+2, further[0]), further[1])
	for _, c := range columns {
		placed = append(placed, slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Name == "Column_"+c.Name }))
	}
	return columns, placed, reflect.StructOf(fields)
}()

// isAlways reports for each of columns whether a line has it even if it is empty.
var isAlways = func() (all []bool) {
	for n, c := range columns {
		all = append(all, n < len(record.Always) && !c.Is("null"))
	}
	return all
}()

// line returns the memory as a struct of a line.
func (m *Memory) line() any {
	l := reflect.New(shape).Elem()
	l.Field(0).SetString(TypeMemory)
	for n, c := range columns {
		value, to := reflect.ValueOf(c.In(m)), l.Field(placed[n])
		switch {
		case value.Type() != to.Type():
			to.Set(value.Elem())
		case isAlways[n] || !value.Elem().IsZero():
			to.Set(value)
		}
	}
	if m.Verifications != nil {
		l.FieldByName("Verifications").Set(reflect.ValueOf(m.Verifications))
	}
	if m.Changed != nil {
		l.FieldByName("Changed").Set(reflect.ValueOf(m.Changed))
	}
	return l.Addr().Interface()
}

// MarshalJSON returns the line of the memory.
func (m Memory) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(m.line())
	return out.Bytes(), err
}

// readMemory sets those columns of a memory that a line states.
func readMemory(line []byte, m *Memory) error {
	l := reflect.New(shape)
	if err := decodeStrictly(line, l.Interface(), l.Elem().Field(0).Addr().Interface().(*string), TypeMemory); err != nil {
		return err
	}
	for n, c := range columns {
		value, to := l.Elem().Field(placed[n]), reflect.ValueOf(c.In(m)).Elem()
		switch {
		case value.IsNil():
		case value.Type() != to.Type():
			to.Set(value.Elem())
		default:
			to.Set(value)
		}
	}
	m.Verifications, _ = l.Elem().FieldByName("Verifications").Interface().([]Verification)
	m.Changed, _ = l.Elem().FieldByName("Changed").Interface().(Stamps)
	return nil
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
