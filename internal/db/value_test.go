package db_test

import (
	"testing"

	"hence/internal/db"
	"hence/internal/fault"
)

func TestParseTime(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"2026-11-20T08:15:00Z", "2026-11-20T08:15:00.000Z"},
		{"2026-11-20T08:15:00.123456Z", "2026-11-20T08:15:00.123Z"},
		{"2026-11-20T00:15:00+02:00", "2026-11-19T22:15:00.000Z"},
		{"2024-02-29T00:00:00-01:30", "2024-02-29T01:30:00.000Z"},
	} {
		if got, err := db.ParseTime("as_of", c.in); got != c.want || err != nil {
			t.Errorf("ParseTime(%q) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{
		"2026-11-20", "2026-02-30T00:00:00Z", "2026-11-20T08:15:00", "2026-11-20 08:15:00Z", "20261120T081500Z",
		"2026-11-20T25:00:00Z", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "now", " 2026-11-20T08:15:00Z",
	} {
		got, err := db.ParseTime("as_of", in)
		if fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("ParseTime(%q) = %q, %v; want invalid_argument", in, got, err)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		want           fault.Code
	}{
		{"Open", "", "", ""},
		{"OpenAtItsEnd", "2026-01-01T00:00:00.000Z", "", ""},
		{"OpenAtItsStart", "", "2026-01-01T00:00:00.000Z", ""},
		{"InOrder", "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", ""},
		{"InOrderByOffset", "2026-01-01T00:30:00+01:00", "2026-01-01T00:00:00Z", ""},
		{"Equal", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00+01:00", fault.InvalidArgument},
		{"EqualToTheMillisecond", "2026-01-01T00:00:00.0001Z", "2026-01-01T00:00:00.0002Z", fault.InvalidArgument},
		{"Backward", "2026-01-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z", fault.InvalidArgument},
		{"WrongFrom", "x", "2026-01-01T00:00:00.000Z", fault.InvalidArgument},
		{"WrongTo", "2026-01-01T00:00:00.000Z", "x", fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := db.ParseSpan(c.from, c.to); fault.CodeOf(err) != c.want {
				t.Errorf("%v, want code %q", err, c.want)
			}
		})
	}
}
