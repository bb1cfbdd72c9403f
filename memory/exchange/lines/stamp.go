package lines

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
	"hence/memory/record"
)

// Stamps holds the stamps of a memory's or edge's fields by name: for each field the
// last stamp, then the earlier ones from the latest on, then creation marks. A field without
// stamps has not changed since its creation.
type Stamps map[string][]string

// maxPast is how many earlier stamps of a field are kept: the latest ones and the first.
// Dropping a stamp may keep a losing text although the later one's writer had seen it.
const maxPast = 50

// Creation returns the creation mark of a field, # and 14 hex digits: a checksum of its
// creation text, which replaces the missing stamp. Marks are needed because one id may be
// created in several stores. The table stamps has the text itself until a merge: see CreatedMark.
func Creation(text string) string {
	const factor, modulus = 131, 1<<55 - 55
	sum := utf8.RuneCountInString(text)
	for _, c := range text {
		sum = (sum*factor + int(c)) % modulus
	}
	return fmt.Sprintf("#%014x", sum)
}

// CreatedMark begins an earlier stamp in the table stamps that is a creation text.
const CreatedMark = "="

// isCreation reports whether a stamp is a creation mark. Marks sort before other stamps.
func isCreation(stamp string) bool { return strings.HasPrefix(stamp, "#") }

// stampsOf is the SQL expression for the stamps of the memory or edge with an alias, as in a line.
func stampsOf(alias string) string {
	return `(
    select json_group_object(s.field, json((
      select json_group_array(p.value order by p.value = s.at desc, p.value desc)
      from (select s.at as value union all select value from json_each(s.past)) p
    )))
    from stamps s
    where s.id = ` + alias + `.id
  )`
}

// UnmarshalJSON reads the stamps of a line, or of stampsOf.
func (c *Stamps) UnmarshalJSON(text []byte) error {
	err := json.Unmarshal(text, (*map[string][]string)(c))
	for _, stamps := range *c {
		for i, stamp := range stamps {
			if created, ok := strings.CutPrefix(stamp, CreatedMark); ok {
				stamps[i] = Creation(created)
				slices.Sort(stamps[1:])
				slices.Reverse(stamps[1:])
			}
		}
	}
	return err
}

// check returns an error if a stamp is malformed, or a field has too many.
func (c Stamps) check() error {
	for field, stamps := range c {
		if field == "" || len(stamps) == 0 || len(stamps) > maxPast+1 {
			return fmt.Errorf("changed has %d stamps of the field %.40q, and must have from 1 to %d", len(stamps), field, maxPast+1)
		}
		if err := CheckText("changed", field, 0); err != nil {
			return err
		}
		for _, stamp := range stamps {
			if isCreation(stamp) && len(stamp) <= 40 && !strings.ContainsRune(stamp, 0) {
				continue
			}
			at, tag, ok := strings.Cut(stamp, "~")
			if text, isTime := StoredTime(at); !ok || !isTime || text != at || len(tag) > 40 && field != createdField || strings.ContainsRune(tag, 0) {
				return fmt.Errorf("changed has the stamp %.60q, and must have stamps such as 2026-11-20T08:15:00.000Z~1f0c2a9b", stamp)
			}
		}
	}
	return nil
}

// Head returns the last stamp of a field, "" if it has not changed since its creation.
func (c Stamps) Head(field string) string { return last(c[field]) }

// TimeOf returns the time of a stamp.
func TimeOf(stamp string) string {
	at, _, _ := strings.Cut(stamp, "~")
	return at
}

// versions returns the stamps of a field, or its creation mark if it has no stamps. created is
// its creation text; if that is "", or the field keeps no earlier stamps, there is no mark.
func (c Stamps) versions(field, created string) []string {
	if stamps := c[field]; len(stamps) > 0 || created == "" || !HasPast(field) {
		return stamps
	}
	return []string{Creation(created)}
}

// last returns the last stamp of a field's stamps, "" if there are none.
func last(stamps []string) string {
	if len(stamps) == 0 {
		return ""
	}
	return stamps[0]
}

// hasSeen reports whether the writer of the version with stamps had seen the version with
// others. Exports of an older Hence have no creation marks; their creation counts as seen.
func hasSeen(stamps, others []string) bool {
	otherLast := last(others)
	return last(stamps) != otherLast &&
		(otherLast == "" || slices.Contains(stamps, otherLast) || isCreation(otherLast) && !slices.ContainsFunc(stamps, isCreation))
}

// JoinStamps returns the union of two sides' stamps of a field, cut to maxPast earlier ones.
func JoinStamps(field string, stamps, others []string) []string {
	all := slices.Concat(stamps, others)
	slices.Sort(all)
	slices.Reverse(all)
	all = slices.Compact(all)
	switch {
	case len(all) > 0 && !HasPast(field):
		return all[:1]
	case len(all) > maxPast+1:
		return append(all[:maxPast], all[len(all)-1])
	}
	return all
}

// HasPast reports whether a field keeps its earlier stamps, because neither value may be
// lost if two sides changed it, or because each store's creation of an edge counts.
func HasPast(field string) bool {
	return field == "title" || field == "content" || field == createdField || strings.HasPrefix(field, PropertyField)
}

// Prefixes of the names of fields: one field for each property, and one for each tag.
const (
	PropertyField = "property:"
	TagField      = "tag:"
)

// addRows adds a row for each stamped field of a memory or edge, for insertStamps.
func (c Stamps) addRows(rows *db.Rows, id string) {
	for _, field := range slices.Sorted(maps.Keys(c)) {
		past := slices.Clone(c[field][1:])
		slices.Reverse(past) // the latest last
		rows.Row(id, field, c[field][0], db.List(past))
	}
}

// stampsOfNew returns the statement that inserts the rows of addRows of memories or edges
// that do not exist yet in table; none if there are no rows.
func stampsOfNew(table string, rows db.Rows) []db.Stmt {
	if len(rows) == 0 {
		return nil
	}
	return []db.Stmt{db.S(insertStamps+`
where not exists (select 1 from `+table+` where id = g.value ->> 0)
on conflict do nothing`, rows.Arg())}
}

// insertStamps inserts the rows of addRows; a condition may follow.
const insertStamps = `
insert into stamps (id, field, at, past)
select
  g.value ->> 0,
  g.value ->> 1,
  g.value ->> 2,
  g.value ->> 3
from json_each(?1) g`

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

// creationText returns the text from which the creation mark of a field is computed, "" if it keeps none.
func (m *Memory) creationText(field string) string {
	switch field {
	case "title":
		return m.Title
	case "content":
		return m.ContentHash
	}
	return ""
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

const (
	ForgottenField = "forgotten"
	PurgedField    = "purged" // its stamp is when the memory was purged before it was stored again
)

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
	return field == PurgedField || len(of) > 0 && !slices.ContainsFunc(of, func(c record.Column) bool { return c.Is("edited") })
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
