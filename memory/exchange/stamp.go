package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
)

// fieldStamps holds the stamps of fields: of each the last one first, then earlier ones,
// the latest first, then marks of creations. A field without a stamp is as it was created.
type fieldStamps map[string][]string

// maxPast is how many earlier stamps are kept of a field, the first and the last ones.
// With fewer, a text that is kept beside a later one may be one that the later one's
// writer had seen.
const maxPast = 50

// creation is the mark of what a field was created as, which stands for the stamp that it
// does not have: one id may be created in several stores. The trigger memory_stamped
// computes the same.
func creation(said string) string {
	const factor, modulus = 131, 1<<55 - 55
	sum := utf8.RuneCountInString(said)
	for _, c := range said {
		sum = (sum*factor + int(c)) % modulus
	}
	return fmt.Sprintf("#%014x", sum)
}

// isCreation reports whether a stamp is a mark of a creation. It sorts before the others.
func isCreation(stamp string) bool { return strings.HasPrefix(stamp, "#") }

// UnmarshalJSON reads stamps as a line holds them, or as a list of the rows of the table
// stamps: field, stamp, earlier ones.
func (c *fieldStamps) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '[' {
		return json.Unmarshal(text, (*map[string][]string)(c))
	}
	var rows [][3]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) == 0 {
		return err
	}
	*c = fieldStamps{}
	for _, row := range rows {
		var field, at string
		var past []string
		if err := errors.Join(json.Unmarshal(row[0], &field), json.Unmarshal(row[1], &at), json.Unmarshal(row[2], &past)); err != nil {
			return err
		}
		slices.Sort(past)
		slices.Reverse(past)
		(*c)[field] = append([]string{at}, past...)
	}
	return nil
}

// check refuses stamps of another form.
func (c fieldStamps) check() error {
	for field, stamps := range c {
		if field == "" || len(stamps) == 0 || len(stamps) > maxPast+1 {
			return fmt.Errorf("changed has %d stamps of the field %.40q, and must have from 1 to %d", len(stamps), field, maxPast+1)
		}
		if err := checkText("changed", field, 0); err != nil {
			return err
		}
		for _, stamp := range stamps {
			if isCreation(stamp) && len(stamp) <= 40 && !strings.ContainsRune(stamp, 0) {
				continue
			}
			at, tag, ok := strings.Cut(stamp, "~")
			if text, isTime := storedTime(at); !ok || !isTime || text != at || len(tag) > 40 || strings.ContainsRune(tag, 0) {
				return fmt.Errorf("changed has the stamp %.60q, and must have stamps such as 2026-11-20T08:15:00.000Z~1f0c2a9b", stamp)
			}
		}
	}
	return nil
}

// head returns the last stamp of a field, "" if it is as it was created.
func (c fieldStamps) head(field string) string { return last(c[field]) }

// timeOf returns the time of a stamp.
func timeOf(stamp string) string {
	at, _, _ := strings.Cut(stamp, "~")
	return at
}

// versions returns the stamps of a field, or the mark of its creation if it has none;
// neither, if nothing is said.
func (c fieldStamps) versions(field, said string) []string {
	if stamps := c[field]; len(stamps) > 0 || said == "" || !hasPast(field) {
		return stamps
	}
	return []string{creation(said)}
}

// last returns the last of some stamps, "" if there is none.
func last(stamps []string) string {
	if len(stamps) == 0 {
		return ""
	}
	return stamps[0]
}

// knows reports whether whoever wrote the version of some stamps had seen that of others.
// Exports of an older Hence tell no creation: then it was this one.
func knows(stamps, others []string) bool {
	other := last(others)
	return last(stamps) != other &&
		(other == "" || slices.Contains(stamps, other) || isCreation(other) && !slices.ContainsFunc(stamps, isCreation))
}

// joinStamps returns the stamps of a field that two sides have together.
func joinStamps(field string, stamps, others []string) []string {
	all := slices.Concat(stamps, others)
	slices.Sort(all)
	slices.Reverse(all)
	all = slices.Compact(all)
	switch {
	case len(all) > 0 && !hasPast(field):
		return all[:1]
	case len(all) > maxPast+1:
		return append(all[:maxPast], all[len(all)-1])
	}
	return all
}

// hasPast reports whether earlier stamps of a field are kept: if two sides changed it,
// nothing of either may be lost.
func hasPast(field string) bool {
	return field == "title" || field == "content" || strings.HasPrefix(field, propertyField)
}

// The names of fields that there are several of.
const (
	propertyField = "property:"
	tagField      = "tag:"
)

// giveTo adds a row for each stamp of a memory or edge, for insertStamps.
func (c fieldStamps) giveTo(rows *db.Given, id string) {
	for _, field := range slices.Sorted(maps.Keys(c)) {
		past := slices.Clone(c[field][1:])
		slices.Reverse(past) // the latest last
		rows.Row(id, field, c[field][0], db.List(past))
	}
}

// stampsOfNew returns the statement that inserts what giveTo gave of those memories or
// edges that are not there yet, none for no stamps.
func stampsOfNew(table string, stamps db.Given) []db.Stmt {
	if stamps.Len() == 0 {
		return nil
	}
	return []db.Stmt{db.S(insertStamps+`
where not exists (select 1 from `+table+` where id = g.c1)
on conflict do nothing`, stamps.Arg())}
}

// insertStamps inserts what giveTo gave; a condition may follow.
const insertStamps = `
insert into stamps (id, field, at, past)
select
  g.c1,
  g.c2,
  g.c3,
  g.c4
from given(?1) g`
