package explore

import (
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools"
)

func TestDismissedCandidatesStayAway(t *testing.T) {
	d := dbtest.New(t)
	furnish(newAsker(t, d, person, tools.Options{}))
	for _, pair := range [][2]string{{"Decision", "Newer ground"}, {"Newer ground", "Decision"}} {
		dbtest.Script(t, d.Path(), mention("ours", pair[0], pair[1]))
	}
	dbtest.Script(t, d.Path(), `
insert into memories (namespace, title) values ('ours', 'Third'), ('theirs', 'Theirs'), ('theirs', 'Fourth');`+
		mention("ours", "Third", "Decision")+mention("theirs", "Theirs", "Fourth"))
	q := reader{DB: d, Caller: person}
	ours := reader{DB: d, Caller: ref.Caller{Actor: "guest", Namespace: "ours", Confined: true}}
	listed := func(q reader) []Candidate {
		t.Helper()
		r, err := q.Candidates(t.Context(), edges.PageArgs{Limit: 100})
		if err != nil || r.TotalCount != len(r.Candidates) {
			t.Fatalf("%d of %d, %v", len(r.Candidates), r.TotalCount, err)
		}
		return r.Candidates
	}
	all := listed(q)
	if len(all) != 4 {
		t.Fatalf("%+v", all)
	}
	theirs := ""
	for _, c := range all {
		if c.From.Title == "Theirs" {
			theirs = c.ID
		}
	}
	if did, err := ours.Dismiss(t.Context(), DismissArgs{IDs: []string{theirs}}); err != nil || did.Changed != 0 || len(listed(q)) != 4 {
		t.Errorf("a guest dismissed %+v of others, %v", did, err)
	}
	did, err := ours.Dismiss(t.Context(), DismissArgs{IDs: []string{listed(ours)[0].ID}}) // Decision and Newer ground
	if err != nil || did.Changed != 1 || len(listed(ours)) != 1 {                         // of two that name each other
		t.Errorf("%+v, %v; left %+v", did, err, listed(ours))
	}
	if back, err := q.Dismiss(t.Context(), DismissArgs{Back: did.At}); err != nil || back.Changed != 0 {
		t.Errorf("what a guest dismissed is theirs: %+v, %v", back, err)
	}
	if back, err := ours.Dismiss(t.Context(), DismissArgs{Back: did.At}); err != nil || back.Changed != 1 || len(listed(ours)) != 3 {
		t.Errorf("brought back %+v, %v; left %+v", back, err, listed(ours))
	}
	if did, err = q.Dismiss(t.Context(), DismissArgs{All: true}); err != nil || did.Changed != 3 || len(listed(q)) != 0 {
		t.Errorf("of all %+v, %v", did, err)
	}
	if did, err := q.Dismiss(t.Context(), DismissArgs{All: true}); err != nil || did.Changed != 0 {
		t.Errorf("again %+v, %v", did, err)
	}
	if back, err := q.Dismiss(t.Context(), DismissArgs{Back: did.At}); err != nil || back.Changed != 3 || len(listed(q)) != 4 {
		t.Errorf("brought back %+v, %v", back, err)
	}
}

func TestDismissRefuses(t *testing.T) {
	q := reader{DB: dbtest.New(t), Caller: person}
	for _, a := range []DismissArgs{{}, {IDs: []string{"x"}, All: true}, {IDs: []string{"x"}, Back: "x"}, {All: true, Back: "x"}} {
		if _, err := q.Dismiss(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := q.Dismiss(t.Context(), DismissArgs{IDs: make([]string, maxDismissed+1)}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("%v", err)
	}
}
