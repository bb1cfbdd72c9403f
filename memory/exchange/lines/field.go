package lines

import (
	"encoding/json"
	"hence/internal/db"
	"reflect"
	"slices"
	"strings"
)

// fieldValue returns a field as a text.
func (m *Memory) fieldValue(field string) string {
	switch field {
	case "title":
		return m.Title
	case "content":
		return m.Content
	}
	return db.JSON(m.Parts(field))
}

// creationText returns the text from which the creation mark of a field is computed.
func (m *Memory) creationText(field string) string {
	if field == "content" {
		return m.ContentHash
	}
	return m.fieldValue(field)
}

// takeField sets a field to the value that another memory has.
func (m *Memory) takeField(field string, from *Memory) {
	if field == "content" {
		m.Content, m.ContentHash = from.Content, from.ContentHash
	}
	for _, f := range FieldsOf(field) {
		reflect.ValueOf(f.Pointer(m)).Elem().Set(reflect.ValueOf(f.Pointer(from)).Elem())
	}
}

const ForgottenField = "forgotten"

// Field is a field of a file that has one value.
type Field struct {
	Name    string
	field   string              // with whose stamps it is merged: see fields
	Pointer func(m *Memory) any // returns a pointer to the value
	Omitted string              // the default in JSON, which is not written; "": none
}

// Fields lists the fields with one value, in the order of the file. A new column that
// teams share needs one entry here.
var Fields = []Field{
	{"id", "id", func(m *Memory) any { return &m.ID }, ""},
	{"title", "title", func(m *Memory) any { return &m.Title }, ""},
	{"kind", "kind", func(m *Memory) any { return &m.Kind }, ""},
	{"tags", "tags", func(m *Memory) any { return &m.Tags }, "[]"},
	{"aliases", "aliases", func(m *Memory) any { return &m.Aliases }, "[]"},
	{"importance", "importance", func(m *Memory) any { return &m.Importance }, "0.5"},
	{"pinned", "pinned", func(m *Memory) any { return &m.Pinned }, "false"},
	{"confidence", "confidence", func(m *Memory) any { return &m.Confidence }, "null"},
	{"valid_from", "valid", func(m *Memory) any { return &m.ValidFrom }, "null"},
	{"valid_to", "valid", func(m *Memory) any { return &m.ValidTo }, "null"},
	{"forgotten", ForgottenField, func(m *Memory) any { return &m.ForgottenAt }, "null"},
	{"forget_reason", ForgottenField, func(m *Memory) any { return &m.ForgetReason }, "null"},
	{"created", "created", func(m *Memory) any { return &m.CreatedAt }, ""},
	{"by", "by", func(m *Memory) any { return &m.Actor }, `""`},
	{"origin", "origin", func(m *Memory) any { return &m.Origin }, ""},
	{"source", "source", func(m *Memory) any { return &m.Source }, "null"},
	{"source_url", "source_url", func(m *Memory) any { return &m.SourceURL }, "null"},
	{"confirmed", "confirmed", func(m *Memory) any { return &m.Confirmed }, "null"},
	{"verified", "verified", func(m *Memory) any { return &m.VerifiedAt }, "null"},
	{"verify_note", "verify_note", func(m *Memory) any { return &m.VerifyNote }, "null"},
	{"verifications", "verifications", func(m *Memory) any { return &m.Verifications }, "[]"},
}

// teamFieldsOf returns the values that make up a field, none for one that is not in Fields.
func FieldsOf(field string) (all []Field) {
	for _, f := range Fields {
		if f.field == field {
			all = append(all, f)
		}
	}
	return all
}

// HasParts reports whether a file keeps the values of a field beside its stamps. The title
// and the text are not repeated.
func HasParts(field string) bool { return field != "title" && field != "content" }

// PartNames returns the names of the memory's fields for which hasParts is true.
func (m *Memory) PartNames() (names []string) {
	for _, f := range merged {
		if HasParts(f) {
			names = append(names, f)
		}
	}
	names = append(names, ForgottenField)
	for _, tag := range m.Tags {
		names = append(names, TagField+tag)
	}
	for name := range PropertiesOf(m) {
		names = append(names, PropertyField+name)
	}
	return names
}

// Parts returns the values that make up a field: for a tag, true or false; for a missing
// property, none.
func (m *Memory) Parts(field string) []json.RawMessage {
	all := []json.RawMessage{}
	if tag, ok := strings.CutPrefix(field, TagField); ok {
		return append(all, json.RawMessage(db.JSON(slices.Contains(m.Tags, tag))))
	}
	if name, ok := strings.CutPrefix(field, PropertyField); ok {
		if value, isThere := PropertiesOf(m)[name]; isThere {
			all = append(all, json.RawMessage(escape(value)))
		}
		return all
	}
	if field == ForgottenField && Value(m.ForgetReason) == undone {
		return append(all, json.RawMessage("null"), json.RawMessage("null"))
	}
	for _, f := range FieldsOf(field) {
		all = append(all, json.RawMessage(db.JSON(f.Pointer(m))))
	}
	return all
}

// LastChange returns the time of the last stamp of a memory, or of its creation.
func (m *Memory) LastChange() string {
	last := m.CreatedAt
	for _, stamps := range m.Changed {
		last = max(last, TimeOf(stamps[0]))
	}
	return last
}

// FillTimes derives the time of the last edit and the status from the other fields.
func (m *Memory) FillTimes() {
	m.UpdatedAt = m.CreatedAt
	for field, stamps := range m.Changed {
		if !slices.Contains([]string{"source", "source_url", "confirmed"}, field) { // their changes are not edits
			m.UpdatedAt = max(m.UpdatedAt, TimeOf(stamps[0]))
		}
	}
	if len(m.Changed) == 0 {
		m.Changed = nil
	}
	if m.ForgottenAt != nil {
		m.Status = "forgotten"
	}
}

// merged are the values of a memory that have their own stamps: a merge decides them one by one. A
// new one is named here, in Fields, and in the trigger memory_stamped.
var merged = strings.Fields(`kind title content aliases importance pinned confidence source source_url confirmed valid`)
