package exchange

import (
	"encoding/json"
	"hence/internal/db"
	"reflect"
	"slices"
	"strings"
)

// fieldValue returns a field as a text.
func (m *memoryLine) fieldValue(field string) string {
	switch field {
	case "title":
		return m.Title
	case "content":
		return m.Content
	}
	return db.JSON(m.parts(field))
}

// creationText returns the text from which the creation mark of a field is computed.
func (m *memoryLine) creationText(field string) string {
	if field == "content" {
		return m.ContentHash
	}
	return m.fieldValue(field)
}

// takeField sets a field to the value that another memory has.
func (m *memoryLine) takeField(field string, from *memoryLine) {
	if field == "content" {
		m.Content, m.ContentHash = from.Content, from.ContentHash
	}
	for _, f := range teamFieldsOf(field) {
		reflect.ValueOf(f.pointer(m)).Elem().Set(reflect.ValueOf(f.pointer(from)).Elem())
	}
}

const forgottenField = "forgotten"

// teamField is a field of a file that has one value.
type teamField struct {
	name    string
	field   string                  // with whose stamps it is merged: see fields
	pointer func(m *memoryLine) any // returns a pointer to the value
	omitted string                  // the default in JSON, which is not written; "": none
}

// teamFields lists the fields with one value, in the order of the file. A new column that
// teams share needs one entry here.
var teamFields = []teamField{
	{"id", "id", func(m *memoryLine) any { return &m.ID }, ""},
	{"title", "title", func(m *memoryLine) any { return &m.Title }, ""},
	{"kind", "kind", func(m *memoryLine) any { return &m.Kind }, ""},
	{"tags", "tags", func(m *memoryLine) any { return &m.Tags }, "[]"},
	{"aliases", "aliases", func(m *memoryLine) any { return &m.Aliases }, "[]"},
	{"importance", "importance", func(m *memoryLine) any { return &m.Importance }, "0.5"},
	{"pinned", "pinned", func(m *memoryLine) any { return &m.Pinned }, "false"},
	{"confidence", "confidence", func(m *memoryLine) any { return &m.Confidence }, "null"},
	{"valid_from", "valid", func(m *memoryLine) any { return &m.ValidFrom }, "null"},
	{"valid_to", "valid", func(m *memoryLine) any { return &m.ValidTo }, "null"},
	{"forgotten", forgottenField, func(m *memoryLine) any { return &m.ForgottenAt }, "null"},
	{"forget_reason", forgottenField, func(m *memoryLine) any { return &m.ForgetReason }, "null"},
	{"created", "created", func(m *memoryLine) any { return &m.CreatedAt }, ""},
	{"by", "by", func(m *memoryLine) any { return &m.Actor }, `""`},
	{"origin", "origin", func(m *memoryLine) any { return &m.Origin }, ""},
	{"source", "source", func(m *memoryLine) any { return &m.Source }, "null"},
	{"source_url", "source_url", func(m *memoryLine) any { return &m.SourceURL }, "null"},
	{"confirmed", "confirmed", func(m *memoryLine) any { return &m.Confirmed }, "null"},
	{"verified", "verified", func(m *memoryLine) any { return &m.VerifiedAt }, "null"},
	{"verify_note", "verify_note", func(m *memoryLine) any { return &m.VerifyNote }, "null"},
	{"verifications", "verifications", func(m *memoryLine) any { return &m.Verifications }, "[]"},
}

// teamFieldsOf returns the values that make up a field, none for one that is not in teamFields.
func teamFieldsOf(field string) (all []teamField) {
	for _, f := range teamFields {
		if f.field == field {
			all = append(all, f)
		}
	}
	return all
}

// hasParts reports whether a file keeps the values of a field beside its stamps. The title
// and the text are not repeated.
func hasParts(field string) bool { return field != "title" && field != "content" }

// partNames returns the names of the memory's fields for which hasParts is true.
func (m *memoryLine) partNames() (names []string) {
	for _, f := range fields {
		if hasParts(f) {
			names = append(names, f)
		}
	}
	names = append(names, forgottenField)
	for _, tag := range m.Tags {
		names = append(names, tagField+tag)
	}
	for name := range propertiesOf(m) {
		names = append(names, propertyField+name)
	}
	return names
}

// parts returns the values that make up a field: for a tag, true or false; for a missing
// property, none.
func (m *memoryLine) parts(field string) []json.RawMessage {
	all := []json.RawMessage{}
	if tag, ok := strings.CutPrefix(field, tagField); ok {
		return append(all, json.RawMessage(db.JSON(slices.Contains(m.Tags, tag))))
	}
	if name, ok := strings.CutPrefix(field, propertyField); ok {
		if value, isThere := propertiesOf(m)[name]; isThere {
			all = append(all, json.RawMessage(escape(value)))
		}
		return all
	}
	if field == forgottenField && value(m.ForgetReason) == undone {
		return append(all, json.RawMessage("null"), json.RawMessage("null"))
	}
	for _, f := range teamFieldsOf(field) {
		all = append(all, json.RawMessage(db.JSON(f.pointer(m))))
	}
	return all
}

// lastChange returns the time of the last stamp of a memory, or of its creation.
func (m *memoryLine) lastChange() string {
	last := m.CreatedAt
	for _, stamps := range m.Changed {
		last = max(last, timeOf(stamps[0]))
	}
	return last
}

// fillTimes derives the time of the last edit and the status from the other fields.
func (m *memoryLine) fillTimes() {
	m.UpdatedAt = m.CreatedAt
	for field, stamps := range m.Changed {
		if !slices.Contains([]string{"source", "source_url", "confirmed"}, field) { // their changes are not edits
			m.UpdatedAt = max(m.UpdatedAt, timeOf(stamps[0]))
		}
	}
	if len(m.Changed) == 0 {
		m.Changed = nil
	}
	if m.ForgottenAt != nil {
		m.Status = "forgotten"
	}
}

// fields are the values of a memory that have their own stamps: a merge decides them one by one. A
// new one is named here, in teamFields, and in the trigger memory_stamped.
var fields = strings.Fields(`kind title content aliases importance pinned confidence source source_url confirmed valid`)
