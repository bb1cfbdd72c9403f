package explore

import (
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/memory/tidy"
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

// What was rejected and dismissed stands among the changes, each act once, and is taken back by its time; what a proposal keeps
// when it is accepted is not a rejection, and what others rejected is theirs.
func TestRejectionsStandAmongTheChanges(t *testing.T) {
	d := dbtest.New(t)
	asker := newAsker(t, d, person, tools.Options{})
	for _, name := range []string{"one", "two", "three"} {
		asker.get("call/memory_store", `{"title": "Spare `+name+`", "content": "The spare `+name+` stands on the quay.", "valid_to": "2026-01-02"}`)
	}
	furnish(asker)
	dbtest.Script(t, d.Path(), mention("ours", "Decision", "Newer ground"))
	q := reader{DB: d, Caller: person}
	expired := func() (keys []string) {
		found, err := tidy.Tidier(q).Tidy(t.Context(), tidy.Args{Propose: []string{"expired"}})
		if err != nil {
			t.Fatal(err)
		}
		return lists.Map(found.Proposals, func(p tidy.Proposal) string { return p.Key })
	}
	if len(expired()) != 3 {
		t.Fatalf("%v", expired())
	}
	if _, err := tidy.Tidier(q).Tidy(t.Context(), tidy.Args{Reject: expired()[:2]}); err != nil {
		t.Fatal(err)
	}
	if _, err := tidy.Tidier(q).Tidy(t.Context(), tidy.Args{Accept: expired()}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond) // the acts have other times
	did, err := q.Dismiss(t.Context(), DismissArgs{All: true})
	if err != nil {
		t.Fatal(err)
	}
	changes := func(q reader) []Rejection {
		r, err := q.Changes(t.Context(), journal.LogArgs{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		return r.Rejections
	}
	all := changes(q)
	if len(all) != 2 || all[0] != (Rejection{did.At, guess, "Decision", 1, ""}) || all[1] != (Rejection{all[1].At, "expired", "Spare one", 2, ""}) {
		t.Fatalf("%+v", all)
	}
	if others := changes(reader{DB: d, Caller: ref.Caller{Actor: "eve", Origin: "person"}}); len(others) != 0 {
		t.Errorf("of others %+v", others)
	}
	if back, err := q.Dismiss(t.Context(), DismissArgs{Back: all[1].At}); err != nil || back.Changed != 2 || len(expired()) != 2 || len(changes(q)) != 1 {
		t.Errorf("%+v, %v: %v and %+v", back, err, expired(), changes(q))
	}
}

// A person sees what an agent rejected, with its name, and takes it back; an agent does not see what another rejected.
func TestRejectionsOfAgentsAreShownToThePerson(t *testing.T) {
	d := dbtest.New(t)
	newAsker(t, d, person, tools.Options{}).get("call/memory_store", `{"title": "Spare winch", "content": "It stands on the quay.", "valid_to": "2026-01-02"}`)
	claude, codex := reader{DB: d, Caller: ref.Caller{Actor: "claude", Origin: "agent"}}, reader{DB: d, Caller: ref.Caller{Actor: "codex", Origin: "agent"}}
	expired := func() []tidy.Proposal {
		found, err := tidy.Tidier(claude).Tidy(t.Context(), tidy.Args{Propose: []string{"expired"}})
		if err != nil {
			t.Fatal(err)
		}
		return found.Proposals
	}
	if _, err := tidy.Tidier(claude).Tidy(t.Context(), tidy.Args{Reject: []string{expired()[0].Key}}); err != nil {
		t.Fatal(err)
	}
	changes := func(q reader) []Rejection {
		r, err := q.Changes(t.Context(), journal.LogArgs{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		return r.Rejections
	}
	q := reader{DB: d, Caller: person}
	all := changes(q)
	if len(all) != 1 || all[0] != (Rejection{all[0].At, "expired", "Spare winch", 1, "claude"}) || len(changes(codex)) != 0 {
		t.Fatalf("%+v; another agent sees %+v", all, changes(codex))
	}
	for by, of := range map[string]reader{"": q, "claude": codex} { // neither is the caller's own
		if back, err := of.Dismiss(t.Context(), DismissArgs{Back: all[0].At, By: by}); err != nil || back.Changed != 0 {
			t.Errorf("%+v, %v", back, err)
		}
	}
	if back, err := q.Dismiss(t.Context(), DismissArgs{Back: all[0].At, By: "claude"}); err != nil || back.Changed != 1 || len(expired()) != 1 || len(changes(q)) != 0 {
		t.Errorf("%+v, %v: %v and %+v", back, err, expired(), changes(q))
	}
}
