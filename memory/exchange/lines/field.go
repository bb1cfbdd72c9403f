package lines

import (
	"encoding/json"
	"hence/internal/db"
	"hence/memory/record"
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
	for _, c := range ColumnsOf(field) {
		c.Copy(&m.Memory, &from.Memory)
	}
}

const ForgottenField = "forgotten"

// columnsOf has the columns that make up each field.
var columnsOf = func() map[string][]record.Column {
	all := map[string][]record.Column{}
	for _, c := range record.Memories {
		field := c.Stamp
		if c.Name == "forget_reason" {
			field = ForgottenField
		}
		if field != "" {
			all[field] = append(all[field], c)
		}
	}
	return all
}()

// ColumnsOf returns the columns that make up a field, none for a tag or property. They are shared.
func ColumnsOf(field string) []record.Column { return columnsOf[field] }

// HasParts reports whether a file keeps the values of a field beside its stamps. The title
// and the text are not repeated.
func HasParts(field string) bool { return field != "title" && field != "content" }

// PartNames returns the names of the memory's fields for which HasParts is true.
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
	if field == ForgottenField && m.ForgetReason == undone {
		return append(all, json.RawMessage("null"), json.RawMessage("null"))
	}
	for _, c := range ColumnsOf(field) {
		all = append(all, c.JSON(&m.Memory))
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

// isNoEdit reports whether a change of a field is stamped, but leaves the time of the last edit.
func isNoEdit(field string) bool {
	of := ColumnsOf(field)
	return len(of) > 0 && !slices.ContainsFunc(of, func(c record.Column) bool { return c.Is("edited") })
}

// FillTimes derives the time of the last edit and the status from the other fields.
func (m *Memory) FillTimes() {
	m.UpdatedAt = m.CreatedAt
	for field, stamps := range m.Changed {
		if !isNoEdit(field) {
			m.UpdatedAt = max(m.UpdatedAt, TimeOf(stamps[0]))
		}
	}
	if len(m.Changed) == 0 {
		m.Changed = nil
	}
	if m.ForgottenAt != "" {
		m.Status = "forgotten"
	}
}

// merged are the values of a memory that have their own stamps: a merge decides them one by one.
var merged = func() (fields []string) {
	for _, c := range record.Where(record.Memories, "stamped") {
		if c.Stamp != ForgottenField && !slices.Contains(fields, c.Stamp) {
			fields = append(fields, c.Stamp)
		}
	}
	return fields
}()
