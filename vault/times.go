package vault

import (
	"maps"
	"slices"
	"strings"
	"time"

	"hence/edges"
)

// The properties by which a note says when it was written and when it was changed.
// The first one that holds a time counts, those of the settings before these.
var (
	createdWords = []string{"created", "created-at", "date-created", "creation-date", "date"}
	updatedWords = []string{"updated", "updated-at", "date-updated", "modified", "modified-at", "date-modified", "last-modified", "lastmod"}
)

// takeTimes keeps when a note says that it was written and changed: by its
// properties, or by the date that its name begins with, as a daily note's does. A
// time after the file's own is a plan and is not counted.
func (s settings) takeTimes(d *document) {
	last := time.Unix(0, d.Modified).Add(24 * time.Hour) // dates may be those of any time zone
	values := map[string]any{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(d.Properties))) {
		values[edges.Fold(name)] = d.Properties[name]
	}
	find := func(words []string) time.Time {
		for _, word := range words {
			if t, ok := timeOf(values[word]); ok && !t.After(last) {
				return t
			}
		}
		return time.Time{}
	}
	d.Created, d.Updated = find(slices.Concat(s.created, createdWords)), find(slices.Concat(s.updated, updatedWords))
	if t, ok := dateOfName(d.Path); ok && d.Created.IsZero() && !t.After(last) {
		d.Created = t
	}
}

// layouts are the forms of times in properties, without and with an offset. A time
// without one is taken for UTC.
var layouts = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006/01/02",
	time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00",
}

// timeOf reads the value of a property: a text, a link to a daily note, or a number
// of seconds or milliseconds since 1970. Times before 1000 and after 9999 are none.
func timeOf(value any) (t time.Time, ok bool) {
	switch value := value.(type) {
	case string:
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "[["), "]]")
		for _, layout := range layouts {
			if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1000 {
				return t, true
			}
		}
	case int64:
		t, ok = sinceEpoch(float64(value))
	case float64:
		t, ok = sinceEpoch(value)
	}
	return t, ok
}

// sinceEpoch reads a number as the tools write it that count times: milliseconds
// where as seconds it would be after 5138.
func sinceEpoch(n float64) (t time.Time, ok bool) {
	switch {
	case n > 1e8 && n < 1e11:
		return time.Unix(int64(n), 0), true
	case n >= 1e11 && n < 1e14:
		return time.UnixMilli(int64(n)), true
	}
	return t, false
}

// dateOfName returns the date that a note's name begins with: 2026-03-11, or
// 2026_03_11 as Logseq has it, alone or before a space.
func dateOfName(file string) (t time.Time, ok bool) {
	if !IsNote(file) {
		return t, false
	}
	name, _, _ := strings.Cut(titleOf(file), " ")
	t, err := time.Parse("2006-01-02", strings.ReplaceAll(name, "_", "-"))
	return t, err == nil && t.Year() >= 1000
}
