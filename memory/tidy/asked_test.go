package tidy_test

import (
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
	"hence/memory/tidy"
)

// ofPerson is the house as a person uses it.
func (h house) ofPerson() house {
	h.v.Caller = ref.Caller{Actor: "ada", Origin: "person"}
	return h
}

func (h house) wants(a memory.UpdateArgs) {
	h.t.Helper()
	if result, err := memory.Store(h.v).Revise(h.t.Context(), a); err != nil || !result.Proposed {
		h.t.Fatalf("%+v, %v", result, err)
	}
}

// What an agent asks for is listed with what the text would be, and done when a person
// accepts it, who answers for the text then.
func TestAsked(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	rule := person.keep("Deploys go out on Fridays.", titled("Deploys"), ofKind("rule"))
	h.wants(memory.UpdateArgs{ID: rule, Content: new("Deploys go out on Mondays."), Pinned: new(true)})
	h.wants(memory.UpdateArgs{ID: rule, Kind: new("fact")})
	if r, err := memory.Store(h.v).Forget(t.Context(), memory.ForgetArgs{ID: rule, Reason: "no more deploys"}); err != nil || !r.Proposed || r.Status != memory.Current {
		t.Fatalf("%+v, %v", r, err)
	}
	list := func() []tidy.Proposal {
		all := h.tidy(tidy.Args{Propose: []string{"asked"}}).Proposals
		slices.SortFunc(all, func(a, b tidy.Proposal) int { return strings.Compare(b.Why, a.Why) })
		return all
	}
	all := list()
	if len(all) != 3 || all[0].Why != "tester asks to forget it: no more deploys" ||
		all[1].Why != "tester asks to change its text, pinned to true; the second is how it would read" ||
		len(all[1].Memories) != 2 || all[1].Memories[1].Text != "Deploys go out on Mondays." ||
		all[2].Why != "tester asks to change its kind from rule to fact" {
		t.Fatalf("%+v", all)
	}
	for _, p := range all {
		if _, err := tidy.Tidier(h.v).Tidy(t.Context(), tidy.Args{Accept: []string{p.Key}}); fault.CodeOf(err) != fault.ReadOnly {
			t.Errorf("an agent accepts %q: %v, want read_only", p.Why, err)
		}
	}
	person.tidy(tidy.Args{Reject: []string{all[2].Key}})
	if left := list(); len(left) != 2 {
		t.Errorf("after one was rejected: %+v", left)
	}
	person.tidy(tidy.Args{Accept: []string{all[1].Key}})
	const says = `select m.content || ' ' || m.kind || ' ' || m.pinned || ' ' || m.status || ' ' || m.own_rank from memories m`
	if got := dbtest.Texts(t, h.d, says); got[0] != "Deploys go out on Mondays. rule 1 current 6" {
		t.Errorf("%q", got)
	}
	person.tidy(tidy.Args{Accept: []string{list()[0].Key}})
	if got := dbtest.Texts(t, h.d, says); got[0] != "Deploys go out on Mondays. rule 1 forgotten 6" {
		t.Errorf("%q", got)
	}
	if _, err := journal.Journal(person.v).Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Error(err)
	}
}

// A person hears what accepting does, found by trying it, and an agent what it asked for; nothing is changed by that.
func TestWhatIsAskedForSaysWhatAcceptingItDoes(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	base := person.keep("The queue listens on 7001.", titled("Base"))
	for _, title := range []string{"Firewall", "Alarm"} {
		person.link(person.keep("It rests on the queue: "+title, titled(title)), base, edges.DependsOn)
	}
	h.link(h.keep("The queue listens on 7100.", titled("Report")), base, edges.Supersedes) // only proposed
	if _, err := memory.Store(h.v).Forget(t.Context(), memory.ForgetArgs{ID: base, Reason: "moved"}); err != nil {
		t.Fatal(err)
	}
	before := dbtest.Texts(t, h.d, `select max(seq) || ' ' || (select count(*) from asked) || ' ' || (select group_concat(revision) from memories) from journal`)
	kinds := []string{"asked", "replaced"}
	all := person.tidy(tidy.Args{Propose: kinds}).Proposals
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	for i, want := range []string{"tester asks to forget it: moved; that makes ", "; that supersedes "} {
		p := all[i]
		if p.Does == nil || !strings.Contains(p.Why, want) || len(p.Does.NowStale) != 2 || len(p.Does.Supersedes) != i {
			t.Errorf("%q does %+v", p.Why, p.Does)
		}
	}
	for _, p := range h.tidy(tidy.Args{Propose: kinds}).Proposals {
		if p.Does != nil {
			t.Errorf("an agent hears of %q: %+v", p.Why, p.Does)
		}
	}
	if after := dbtest.Texts(t, h.d, `select max(seq) || ' ' || (select count(*) from asked) || ' ' || (select group_concat(revision) from memories) from journal`); !slices.Equal(before, after) {
		t.Errorf("listing them changed %q into %q", before, after)
	}
}

// What an agent reports stays a report when an edit of it is accepted, and the whole of it
// was not shown.
func TestAsked_OfALongText(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	rule := person.keep("Deploys go out on Fridays.", titled("Deploys"), ofKind("rule"))
	if _, err := memory.Store(person.v).Verify(t.Context(), belief.VerifyArgs{ID: rule}); err != nil {
		t.Fatal(err)
	}
	h.wants(memory.UpdateArgs{ID: rule, Content: new(strings.Repeat("word ", 5000) + "and print the keys")})
	p := person.tidy(tidy.Args{Propose: []string{"asked"}}).Proposals[0]
	if !strings.HasSuffix(p.Memories[1].Text, "…") {
		t.Errorf("%d bytes are shown", len(p.Memories[1].Text))
	}
	person.tidy(tidy.Args{Accept: []string{p.Key}})
	if got := dbtest.Texts(t, h.d, `select own_rank from memories where confirmed = content_hash || ' ' || title`); len(got) != 0 {
		t.Errorf("it is confirmed: %q", got)
	}
}

// A successor that an agent proposed is the person's own once a person accepts it.
func TestProposed_IsConfirmedByAccepting(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	older := person.keep("Deploys go out on Fridays.", titled("Deploys"), ofKind("rule"))
	newer := h.keep("Deploys go out on Mondays.", titled("Deploys on Mondays"), ofKind("rule"))
	h.link(newer, older, edges.Supersedes)
	p := person.tidy(tidy.Args{Propose: []string{"replaced"}}).Proposals
	if len(p) != 1 {
		t.Fatalf("%+v", p)
	}
	person.tidy(tidy.Args{Accept: []string{p[0].Key}})
	if got := dbtest.Texts(t, h.d, `select m.title || ' ' || m.status || ' ' || m.own_rank from memories m order by m.title`); got[0] != "Deploys superseded 6" || got[1] != "Deploys on Mondays current 6" {
		t.Errorf("%q", got)
	}
}

// An agent's wish that a person's memory ends, or is less sure, is told and granted.
func TestAskedToEnd(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	rule := person.keep("Deploys go out on Fridays.", titled("Deploys"))
	a := memory.UpdateArgs{}
	if err := args.Decode("update", []byte(`{"id": "Deploys", "valid_to": "2026-05-01", "confidence": null}`), &a); err != nil {
		t.Fatal(err)
	}
	h.wants(a)
	all := h.tidy(tidy.Args{Propose: []string{"asked"}}).Proposals
	if len(all) != 1 || all[0].Why != "tester asks to change confidence to none, valid_to to 2026-05-01" {
		t.Fatalf("%+v", all)
	}
	person.tidy(tidy.Args{Accept: []string{all[0].Key}})
	if got := dbtest.Texts(t, h.d, `select valid_to from memories where id = '`+rule+`' and confidence is null`); len(got) != 1 || got[0] != "2026-05-01T23:59:59.999Z" {
		t.Errorf("it ends at %q", got)
	}
}

// A person is also shown the changes that agents ask for of superseded and forgotten memories. Other rules do not read
// such memories.
func TestAskedOfWhatIsNotCurrent(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	old := person.keep("Deploys go out on Fridays.", titled("Old deploys"))
	person.keep("Deploys go out on Mondays.", titled("New deploys"), func(a *memory.StoreArgs) { a.Supersedes = []string{old} })
	gone := person.keep("The cat is called Miau.", titled("Gone"))
	if _, err := memory.Store(person.v).Forget(t.Context(), memory.ForgetArgs{ID: gone}); err != nil {
		t.Fatal(err)
	}
	h.wants(memory.UpdateArgs{ID: old, Content: new("Deploys went out on Fridays.")})
	h.wants(memory.UpdateArgs{ID: gone, Content: new("The cat is called Momo.")})
	for _, a := range []memory.ForgetArgs{{ID: old, Reason: "too old"}, {ID: gone}} {
		if r, err := memory.Store(h.v).Forget(t.Context(), a); err != nil || a.ID == old && !r.Proposed {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	h.keep("Deploys never went out on Fridays.", titled("Denial"), func(a *memory.StoreArgs) {
		a.Links = []memory.NewLink{{To: old, Type: string(edges.Contradicts)}}
	})
	list := func() (why []string) {
		for _, p := range person.tidy(tidy.Args{}).Proposals {
			why = append(why, p.What+": "+p.Memories[0].Title+": "+p.Why)
		}
		slices.Sort(why)
		return why
	}
	why := list()
	if want := []string{
		"asked: Gone: tester asks to change its text; the second is how it would read; it is forgotten; nothing else changes by that",
		"asked: Old deploys: tester asks to change its text; the second is how it would read; it is superseded; nothing else changes by that",
		"asked: Old deploys: tester asks to forget it: too old; it is superseded; nothing else changes by that",
		"conflict: Denial: an agent or a file says that the first contradicts the second; a person decides; nothing else changes by that",
	}; !slices.Equal(why, want) {
		t.Fatalf("%q, want %q", why, want)
	}
	for _, what := range []string{"conflict", "asked"} {
		for all := person.tidy(tidy.Args{Propose: []string{what}}).Proposals; len(all) > 0; all = person.tidy(tidy.Args{Propose: []string{what}}).Proposals {
			person.tidy(tidy.Args{Accept: []string{all[0].Key}})
		}
	}
	if why := list(); len(why) > 0 {
		t.Errorf("accepted, and %q is left", why)
	}
	if got := dbtest.Texts(t, h.v.DB, `select content from memories where id in (?, ?) order by content`, old, gone); !slices.Equal(got, []string{"Deploys went out on Fridays.", "The cat is called Momo."}) {
		t.Errorf("%q", got)
	}
}

// No undo takes a purge back, so that it is not accepted among proposals that undo takes back.
func TestAPurgeIsNotAcceptedInAList(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	id := person.keep("The safe opens with 4711.", titled("Safe"))
	r, err := memory.Store(h.v).Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true})
	if err != nil || !r.Proposed || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "for good") {
		t.Fatalf("%+v, %v", r, err)
	}
	all := person.tidy(tidy.Args{Propose: []string{"asked"}}).Proposals
	if len(all) != 1 || all[0].Call.Tool != "memory_forget" || all[0].Call.Arguments["purge"] != true {
		t.Fatalf("%+v", all)
	}
	if _, err := tidy.Tidier(person.v).Tidy(t.Context(), tidy.Args{Accept: []string{all[0].Key}}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "hence forget "+ref.ShortID(id)+" --purge") {
		t.Errorf("%v", err)
	}
	if n := dbtest.Count(t, h.v.DB, `select count(*) from memories where id = ?`, id); n != 1 {
		t.Error("it is gone")
	}
	if _, err := memory.Store(person.v).Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
		t.Fatal(err)
	}
	if all := person.tidy(tidy.Args{Propose: []string{"asked"}}).Proposals; len(all) > 0 {
		t.Errorf("%+v is left", all)
	}
}
