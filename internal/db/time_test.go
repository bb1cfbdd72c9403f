package db

import (
	"testing"
	"time"

	"hence/internal/fault"
)

func TestParsePeriod(t *testing.T) {
	now := time.Date(2026, 3, 1, 13, 30, 0, 0, time.FixedZone("", 3600)) // a Sunday, 12:30 in UTC
	for text, want := range map[string][2]string{
		"":                            {"", ""},
		"2026-11-20T08:15:00Z":        {"2026-11-20T08:15:00.000Z", "2026-11-20T08:15:00.000Z"},
		"2026-11-20T08:15:00.123456Z": {"2026-11-20T08:15:00.123Z", "2026-11-20T08:15:00.123Z"},
		"2026-11-20T00:15:00+02:00":   {"2026-11-19T22:15:00.000Z", "2026-11-19T22:15:00.000Z"},
		"2024-02-29":                  {"2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"},
		"2026-12":                     {"2026-12-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"},
		"2025":                        {"2025-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z"},
		"now":                         {"2026-03-01T12:30:00.000Z", "2026-03-01T12:30:00.000Z"},
		"Today":                       {"2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z"},
		"yesterday":                   {"2026-02-28T00:00:00.000Z", "2026-02-28T23:59:59.999Z"},
		"this week":                   {"2026-02-23T00:00:00.000Z", "2026-03-01T23:59:59.999Z"},
		"last week":                   {"2026-02-16T00:00:00.000Z", "2026-02-22T23:59:59.999Z"},
		"this  month":                 {"2026-03-01T00:00:00.000Z", "2026-03-31T23:59:59.999Z"},
		"last month":                  {"2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"},
		"this year":                   {"2026-01-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"},
		"last year":                   {"2025-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z"},
		"36h":                         {"2026-02-28T00:30:00.000Z", "2026-02-28T00:30:00.000Z"},
		"7d":                          {"2026-02-22T12:30:00.000Z", "2026-02-22T12:30:00.000Z"},
		"3w":                          {"2026-02-08T12:30:00.000Z", "2026-02-08T12:30:00.000Z"},
		"1y":                          {"2025-03-01T12:30:00.000Z", "2025-03-01T12:30:00.000Z"},
	} {
		start, end, err := parsePeriod("as_of", text, now)
		if start != want[0] || end != want[1] || err != nil {
			t.Errorf("%q is from %s to %s, %v; want %s to %s", text, start, end, err, want[0], want[1])
		}
	}
	for _, text := range []string{
		"2026-02-30", "2026-13", "26-01-01", "2026-02-30T00:00:00Z", "2026-11-20T08:15:00", "2026-11-20 08:15:00Z", "20261120T081500Z",
		"2026-11-20T25:00:00Z", "9999-12-31T23:59:59-01:00", "9999", "0000-01-01T00:00:00+01:00", " 2026-11-20T08:15:00Z", "soon", "7", "d", "-7d", "7 d", "999999y", "1234567d",
	} {
		if start, _, err := parsePeriod("as_of", text, now); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q is %q, %v; want invalid_argument", text, start, err)
		}
	}
}

func FuzzParsePeriod(f *testing.F) {
	for _, seed := range []string{"2026-03", "7d", "last month", "2026-11-20T08:15:00+02:00", "9999-12-31"} {
		f.Add(seed, int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		now := time.Unix(seconds%(1<<36), 0)
		start, end, err := parsePeriod("since", text, now)
		if err == nil && (start > end || len(start) != len(end) || text != "" && len(start) != len("2026-11-20T08:15:00.000Z")) {
			t.Fatalf("%q is from %q to %q", text, start, end)
		}
	})
}
