package db_test

import (
	"testing"

	"hence/internal/db"
	"hence/internal/fault"
)

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
		{"ADay", "2026-01-01", "2026-01-01", ""},
		{"MonthsBackward", "2026-02", "2026-01", fault.InvalidArgument},
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
