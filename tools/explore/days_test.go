package explore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/near"
)

func TestDaysCountsByDayAndNamespace(t *testing.T) {
	d := dbtest.New(t)
	store := memory.Store{DB: d, Caller: person}
	graph := edges.Graph(store)
	remember := func(title, namespace string) {
		if _, err := store.Remember(t.Context(), memory.StoreArgs{Content: title, Dedup: "off", Namespace: namespace}, near.Finder(store).Near); err != nil {
			t.Fatal(err)
		}
	}
	for _, namespace := range []string{"ours", "theirs"} {
		for _, title := range []string{" a", " b", " c"} {
			remember(namespace+title, namespace)
		}
	}
	remember("one more of theirs", "theirs")
	steps := []error{}
	step := func(_ any, err error) { steps = append(steps, err) }
	step(graph.Link(t.Context(), edges.LinkArgs{From: "ours a", To: "ours b", Type: "causes"}))
	step(graph.Link(t.Context(), edges.LinkArgs{From: "ours a", To: "ours c", Type: "causes"}))
	step(graph.Unlink(t.Context(), edges.UnlinkArgs{From: "ours a", To: "ours c", Type: "causes"}))
	step(graph.Link(t.Context(), edges.LinkArgs{From: "theirs a", To: "theirs b", Type: "causes"}))
	step(store.Revise(t.Context(), memory.UpdateArgs{ID: "ours b", Content: new("other")}))
	step(store.Forget(t.Context(), memory.ForgetArgs{ID: "ours c"}))
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	today := time.Now().UTC()
	date := func(ago int) string { return today.AddDate(0, 0, -ago).Format(time.DateOnly) }
	// The storing is of two days ago, and one change of a day that is not told.
	if _, err := d.Write(t.Context(), "test", db.Now(),
		db.S(`update journal set at = ? || 'T23:59:59.999Z' where action = 'store'`, date(2)),
		db.S(`update journal set at = ? || 'T12:00:00.000Z' where action = 'forget'`, date(9)),
		db.S(`update journal set at = ? || 'T12:00:00.000Z' where action not in ('store', 'forget')`, date(0))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		caller ref.Caller
		want   []Day
	}{
		{"All", ref.Caller{}, []Day{{Day: date(2), Changes: 7, Stored: 7}, {Day: date(1)}, {Day: date(0), Changes: 5, Revised: 1, Linked: 3}}},
		{"Ours", ref.Caller{Namespace: "ours", Confined: true}, []Day{{Day: date(2), Changes: 3, Stored: 3}, {Day: date(1)}, {Day: date(0), Changes: 4, Revised: 1, Linked: 2}}},
		{"Theirs", ref.Caller{Namespace: "theirs"}, []Day{{Day: date(2), Changes: 4, Stored: 4}, {Day: date(1)}, {Day: date(0), Changes: 1, Linked: 1}}},
		{"Nobodys", ref.Caller{Namespace: "nobodys", Confined: true}, []Day{{Day: date(2)}, {Day: date(1)}, {Day: date(0)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := reader{DB: d, Caller: c.caller}
			got, err := q.Days(t.Context(), DaysArgs{Days: 3})
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			all, err := q.Days(t.Context(), DaysArgs{})
			if err != nil || len(all) != 30 || !cmp.Equal(all[27:], c.want) {
				t.Errorf("thirty days: %+v, %v", all, err)
			}
		})
	}
	q := reader{DB: d}
	if _, err := q.Days(t.Context(), DaysArgs{Days: 367}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("more than a year: %v", err)
	}
}
