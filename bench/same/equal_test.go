package main

import (
	"fmt"
	"testing"
	"time"
)

func TestIDsAndTimesOfARunAreMadeEqual(t *testing.T) {
	e := equal{"/tmp/x/old", map[string]string{}, nil}
	e.name("01a216cb-388d-738d-872d-076e4722b7f2", "default||Queue")
	today := time.Now().UTC().Format(time.RFC3339Nano)
	for _, one := range []struct{ name, text, want string }{
		{"an id", `{"id":"01a216cb-388d-738d-872d-076e4722b7f2"}`, `{"id":"‹default||Queue›"}`},
		{"a short id", "Queue (4722b7f2)", "Queue (‹default||Queue›)"},
		{"an id of nothing", "01a216cb-388d-738d-872d-076e4722b7f3", "‹id›"},
		{"a day of eight digits", "20240501.md", "20240501.md"},
		{"a hash", "6bcbdd15d181b3b9a962bff7ae738b22", "6bcbdd15d181b3b9a962bff7ae738b22"},
		{"a time of this run", today, "‹now›"},
		{"a time of the data", "2024-05-01T12:00:00.000Z", "2024-05-01T12:00:00.000Z"},
		{"the side's folder", "/tmp/x/old/vault", "‹dir›/vault"},
		{"a stamp", today + "~16208a5439417140", "‹now›‹stamp›"},
		{"a score", `"score":8.03554280956576`, `"score":8.03554280956576`},
	} {
		t.Run(one.name, func(t *testing.T) {
			if got := e.text(one.text); got != one.want {
				t.Errorf("%q becomes %q, want %q", one.text, got, one.want)
			}
		})
	}
}

func TestTheFirstLinesThatDifferAreShown(t *testing.T) {
	got := firstDifference("a\nb\nc", "a\nx\nc")
	if want := "    a\n  - b\n  - c\n  + x\n  + c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyWhatBothSchemasHaveIsCompared(t *testing.T) {
	old := schema{"memories": {"id", "title", "rank"}, "ranks": {"memory"}, "stale": {"id"}}
	both, only := old.sharedWith(schema{"memories": {"title", "id", "mood"}, "stale": {"id"}, "moods": {"memory"}})
	if got, want := fmt.Sprint(both, only), "map[memories:[id title] stale:[id]] [memories.rank ranks]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
