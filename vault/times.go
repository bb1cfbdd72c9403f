package vault

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/pattern"
	"hence/vault/note"
)

// takeTimes sets Created and Updated from the note's properties, or Created from the date at
// the start of its name, as in daily notes. It ignores times more than a day after the
// file's own, which are plans.
func (s settings) takeTimes(d *document) {
	last := time.Unix(0, d.Modified).Add(24 * time.Hour) // dates may be those of any time zone
	names, values := map[string]string{}, map[string]any{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(d.Properties))) {
		names[edges.Fold(name)], values[edges.Fold(name)] = name, d.Properties[name]
	}
	find := func(words []string, inName time.Time) time.Time {
		unread := ""
		for _, word := range words {
			t, ok := timeOf(values[word])
			switch {
			case ok && !t.After(last):
				return t
			case !ok && unread == "" && textIn(values[word]) != "":
				unread = names[word]
			}
		}
		if unread != "" && inName.IsZero() {
			d.Warn(0, fmt.Sprintf("%s: %s%s", unread, textIn(d.Properties[unread]), unreadTime))
		}
		return inName
	}
	nameDate, ok := dateOfName(d.Path)
	if !ok || nameDate.After(last) {
		nameDate = time.Time{}
	}
	d.Created = find(slices.Concat(s.created, note.CreatedWords), nameDate)
	d.Updated = find(slices.Concat(s.updated, note.UpdatedWords), time.Time{})
}

// unreadTime is the end of the warning about a time that cannot be read.
const unreadTime = " is not a time that can be read; the file's time is used instead"

// textIn returns the text of a property, or the first text of a list, at any depth: YAML
// reads an unquoted link [[x]] as a list in a list.
func textIn(value any) string {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		if len(value) > 0 {
			return textIn(value[0])
		}
	}
	return ""
}

// timeOf returns the time in a property's value: a text, a link to a daily note, a list of
// these, or a number: 20260311, 202603110815 as in the ids of a Zettelkasten, seconds or
// milliseconds since 1970. A text is a date, alone or with a time of day and an offset; without an offset the time is in UTC. ok is false for years
// before 1000 and after 9999.
func timeOf(value any) (t time.Time, ok bool) {
	switch value := value.(type) {
	case int64:
		if t, ok := readDate(strconv.FormatInt(value, 10)); ok && t.Year()/100 >= 19 && t.Year()/100 <= 20 {
			return t, true
		}
		return sinceEpoch(float64(value))
	case float64:
		return sinceEpoch(value)
	}
	text := textIn(value)
	if link, isLink := strings.CutPrefix(text, "[["); isLink {
		link, _, _ = strings.Cut(strings.TrimSuffix(link, "]]"), "|")
		text = path.Base(link)
	}
	if at := clock().FindStringSubmatchIndex(text); at != nil {
		if day, ok := readDate(text[:at[0]]); ok {
			ofDay := strings.ToUpper(strings.ReplaceAll(text[at[2]:at[3]], " ", ""))
			if passed, ok := readClock(ofDay, text[max(at[4], 0):max(at[5], 0)]); ok {
				return day.Add(passed), true
			}
		}
	}
	return readDate(text)
}

var (
	// clock is what follows a date: 15:04, T15:04:05.000+0200, ", 9:30:00 pm", at 9 am.
	clock = pattern.Lazy(`(?i)(?:t|,? +(?:at +)?)(\d{1,2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?)?(?: ?[ap]m)?) ?(z|utc|gmt|[+-]\d{2}:?\d{2}|[+-]\d{2})?$`)

	ordinal = pattern.Lazy(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b`)
	weekday = pattern.Lazy(`(?i)^(?:mon|tues|wednes|thurs|fri|satur|sun)day,? |^(?:mon|tue|wed|thu|fri|sat|sun),? `)
)

// dates are the layouts of a date, without the ending of an ordinal number and the weekday.
// There is none for 03/04/2026, in which either number may be the month.
var dates = []string{"2006-1-2", "2006/1/2", "2006.1.2", "2006-01", "20060102", "200601021504", "20060102150405", "January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006"}

func readDate(text string) (time.Time, bool) {
	text = ordinal().ReplaceAllString(weekday().ReplaceAllString(text, ""), "$1")
	for _, layout := range dates {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1000 {
			return t, true
		}
	}
	return time.Time{}, false
}

// readClock returns a time of day as the duration since midnight in UTC. An hour without
// minutes needs am or pm.
func readClock(text, offset string) (time.Duration, bool) {
	for _, layout := range []string{"15:04", "15:04:05", "3PM", "3:04PM", "3:04:05PM"} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		passed := t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
		if offset == "" || offset[0] != '+' && offset[0] != '-' {
			return passed, true
		}
		zone, err := time.Parse("-0700", (strings.ReplaceAll(offset, ":", "") + "00")[:len("-0700")])
		_, seconds := zone.Zone()
		return passed - time.Duration(seconds)*time.Second, err == nil
	}
	return 0, false
}

// sinceEpoch returns the time for a number of seconds since 1970, or of milliseconds if it
// would be after the year 5138 in seconds.
func sinceEpoch(n float64) (t time.Time, ok bool) {
	switch {
	case n > 1e8 && n < 1e11:
		return time.Unix(int64(n), 0), true
	case n >= 1e11 && n < 1e14:
		return time.UnixMilli(int64(n)), true
	}
	return t, false
}

// dated matches a name that begins with a date: 2026-03-11, 2026_03_11 as in Logseq, or
// 20260311, also followed by a time of day, as in the ids of a Zettelkasten.
var dated = pattern.Lazy(`^(?:(\d{4})([-_.])(\d{2})[-_.](\d{2})|((?:19|20)\d{6})T?(\d{4}(?:\d{2})?)?)(?:[^\pL\pN]|$)`)

// dateOfName returns the date that a note's name begins with.
func dateOfName(file string) (time.Time, bool) {
	if !IsNote(file) {
		return time.Time{}, false
	}
	parts := dated().FindStringSubmatch(titleOf(file))
	if parts == nil {
		return time.Time{}, false
	}
	t, err := time.Parse("20060102150405"[:len("20060102")+len(parts[6])], parts[1]+parts[3]+parts[4]+parts[5]+parts[6])
	return t, err == nil && t.Year() >= 1000
}
