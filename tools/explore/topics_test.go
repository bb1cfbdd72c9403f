package explore

import (
	"fmt"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// Topics are groups of connected memories, the largest first, without memories that are
// over.
func TestTopicsAreTheLargestAreas(t *testing.T) {
	d := dbtest.New(t)
	notes := map[string]string{"Alone.md": "x", "Alone too.md": "x"}
	for topic, size := range map[string]int{"Boats": 12, "Tickets": 7} {
		for i := range size {
			notes[fmt.Sprintf("%s %d.md", topic, i)] = fmt.Sprintf("[[%s 0]] [[%[1]s 1]] [[%[1]s 2]]", topic)
		}
	}
	importNotes(t, d, "v", "", notes)
	if _, err := d.Write(t.Context(), "t", db.Now(), db.S(`
update memories
set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z'
where title = 'Boats 5'`)); err != nil {
		t.Fatal(err)
	}
	q := reader{DB: d, Caller: person}
	topics, err := q.Topics(t.Context(), TopicsArgs{})
	if err != nil || len(topics) != 2 {
		t.Fatalf("%+v, %v", topics, err)
	}
	for i, want := range []Topic{{Names: []string{"Boats 0"}, Count: 11}, {Names: []string{"Tickets 0"}, Count: 7}} {
		if got := topics[i]; got.Count != want.Count || got.Names[0] != want.Names[0] {
			t.Errorf("topic %d is %+v, want %+v", i, got, want)
		}
	}
	if one, err := q.Topics(t.Context(), TopicsArgs{Limit: 1}); err != nil || len(one) != 1 {
		t.Errorf("one of them: %+v, %v", one, err)
	}
	others := reader{DB: d, Caller: ref.Caller{Namespace: "ours", Confined: true}}
	if got, err := others.Topics(t.Context(), TopicsArgs{}); err != nil || len(got) != 0 {
		t.Errorf("another namespace is told %+v, %v", got, err)
	}
}
