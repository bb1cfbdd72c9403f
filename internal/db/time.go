package db

import (
	"strconv"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/pattern"
	"hence/internal/prose"
)

// Time formats t as the schema does: RFC 3339 in UTC with milliseconds, always of the
// same length.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Day returns the day of a time as it is stored.
func Day(at string) string { return at[:min(len(at), len(time.DateOnly))] }

// Now is the current time in the format of Time.
func Now() string { return Time(time.Now()) }

// ParseTime reads a time of a call: an RFC 3339 date-time with any offset, or in UTC
// without one; a year, month or date in UTC, which means its first moment; or words (now,
// today, tomorrow, this or last week, month or year, 7d, 3 days ago and the like). It returns the
// time as it is stored, "" for "". Anything else is an invalid_argument.
func ParseTime(name, text string) (string, error) {
	start, _, err := parsePeriod(name, text, time.Now())
	return start, err
}

// ParseSpan reads the two ends of a time of validity, [from, to).
func ParseSpan(from, to string) (start, end string, err error) {
	return parseEnds("valid_from", from, "valid_to", to)
}

// ParseWindow reads since and until, the two ends of the time in which something was
// changed.
func ParseWindow(since, until string) (start, end string, err error) {
	return parseEnds("since", since, "until", until)
}

func parseEnds(startName, from, endName, to string) (start, end string, err error) {
	if start, err = ParseTime(startName, from); err != nil {
		return "", "", err
	}
	// As the end, a year, month or date means its last moment.
	if _, end, err = parsePeriod(endName, to, time.Now()); err != nil {
		return "", "", err
	}
	if start != "" && end != "" && start >= end {
		return "", "", fault.New(fault.InvalidArgument, "%s (%s) must be before %s (%s); change one of them", startName, from, endName, to)
	}
	return start, end, nil
}

// parsePeriod returns the first and the last moment that a text means, which for
// a moment are the same.
func parsePeriod(name, text string, now time.Time) (start, end string, err error) {
	if text == "" {
		return "", "", nil
	}
	from, next, ok := period(text, now.UTC())
	if !ok || from.UTC().Year() < 0 || from.UTC().Year() > 9999 {
		return "", "", fault.New(fault.InvalidArgument,
			"%s is %q, which is not a time; give a date-time such as 2026-11-20T08:15:00Z, a date, a month such as 2026-03, now, today, yesterday, tomorrow, last month, or 7d for seven days ago", name, text)
	}
	if from.Equal(next) {
		return Time(from), Time(from), nil
	}
	return Time(from), Time(next.Add(-time.Millisecond)), nil
}

// Period returns the first and the last moment that a text means which is a time of a
// call, at a time that is now.
func Period(text string, now time.Time) (start, end string, ok bool) {
	start, end, err := parsePeriod("", text, now)
	return start, end, err == nil && start != ""
}

// unit is a length of time by the calendar.
type unit struct{ years, months, days int }

// after returns the time that is a number of units after another one.
func (u unit) after(t time.Time, n int) time.Time { return t.AddDate(n*u.years, n*u.months, n*u.days) }

var (
	day, week, month, year = unit{days: 1}, unit{days: 7}, unit{months: 1}, unit{years: 1}

	units = map[string]unit{"d": day, "day": day, "w": week, "week": week, "month": month, "y": year, "year": year}

	// layouts are the forms of dates, and the unit that each names.
	layouts = []struct {
		layout string
		unit
	}{{"2006-01-02", day}, {"2006-01", month}, {"2006", year}}

	// periods are the words for a unit, and where it is after the present one.
	periods = map[string]struct {
		unit
		place int
	}{
		"yesterday": {day, -1}, "today": {day, 0}, "tomorrow": {day, 1}, "last week": {week, -1}, "this week": {week, 0},
		"last month": {month, -1}, "this month": {month, 0}, "last year": {year, -1}, "this year": {year, 0},
	}
)

// moments are the forms of date-times, and zones what may follow them; without one it is UTC.
var (
	moments = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}
	zones   = []string{"", "Z07:00", " Z07:00", "Z0700", " Z0700", "Z07", " UTC"}
)

// ago is a time before now, such as 7d or 7 days ago.
var ago = pattern.Lazy(`(?i)^([0-9]{1,6})(?:([hdwy])|\s+(hour|day|week|month|year)s?\s+ago)$`)

// period returns when a text begins and what comes right after it.
func period(text string, now time.Time) (from, next time.Time, ok bool) {
	for _, layout := range moments {
		for _, zone := range zones {
			if t, err := time.Parse(layout+zone, strings.ToUpper(text)); err == nil {
				return t, t, true
			}
		}
	}
	for _, l := range layouts {
		if t, err := time.Parse(l.layout, text); err == nil {
			return t, l.after(t, 1), true
		}
	}
	if parts := ago().FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // at most six digits
		from = now.Add(-time.Duration(n) * time.Hour)
		if u, ok := units[strings.ToLower(parts[2]+parts[3])]; ok {
			from = u.after(now, -n)
		}
		return from, from, true
	}
	words := prose.OneLine(strings.ToLower(text))
	if words == "now" {
		return now, now, true
	}
	today := now.Truncate(24 * time.Hour)
	present := map[unit]time.Time{
		day: today, week: today.AddDate(0, 0, -(int(now.Weekday())+6)%7), month: today.AddDate(0, 0, 1-now.Day()), year: today.AddDate(0, 0, 1-now.YearDay()),
	}
	p, ok := periods[words]
	return p.after(present[p.unit], p.place), p.after(present[p.unit], p.place+1), ok
}
