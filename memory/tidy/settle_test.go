package tidy_test

import (
	"context"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
	"hence/memory/tidy"
)

func TestAccept(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	h.keep("Deploys happen on Fridays")
	h.keep("deploys happen on fridays!")
	all := h.tidy(tidy.Args{}).Proposals
	if len(all) != 2 {
		t.Fatalf("proposed %v, want two", described(all))
	}
	result := h.tidy(tidy.Args{Accept: []string{all[0].Key, all[1].Key}})
	if result.Accepted != 2 || len(result.Proposals) != 0 {
		t.Errorf("accepted: %+v", result)
	}
	if got := dbtest.Texts(t, h.d, `select title from memories where status = 'superseded' order by title`); len(got) != 2 {
		t.Errorf("superseded: %v", got)
	}
	h.wantProposed("same")
	h.wantProposed("replaced")
	undone, err := journal.Journal(h.v).Undo(t.Context(), journal.UndoArgs{})
	if err != nil || len(undone.Undone) != 4 { // two edges, two statuses
		t.Errorf("undone %+v, %v; want all that was accepted", undone, err)
	}
	if got := h.proposed(); len(got) != 2 {
		t.Errorf("after the undo %v are proposed", got)
	}
}

// Whoever accepts is told what became stale.
func TestAccept_TellsWhatBecameStale(t *testing.T) {
	h := newHouse(t)
	older := h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	h.link(h.keep("So we give up early."), older, edges.DependsOn)
	result := h.tidy(tidy.Args{Accept: []string{h.tidy(tidy.Args{}).Proposals[0].Key}})
	if len(result.NowStale) != 1 || result.NowStale[0].Title != "So we give up early." {
		t.Errorf("now stale: %+v", result.NowStale)
	}
}

func TestAccept_NotWhatNoLongerStands(t *testing.T) {
	for name, change := range map[string]func(h house, key string, ids []string){
		"Edited": func(h house, _ string, ids []string) {
			title := "Another title"
			if _, err := memory.Store(h.v).Revise(h.t.Context(), memory.UpdateArgs{ID: ids[0], Title: &title}); err != nil {
				h.t.Fatal(err)
			}
		},
		"Retagged": func(h house, _ string, ids []string) {
			tags := []string{"x"}
			if _, err := memory.Store(h.v).Revise(h.t.Context(), memory.UpdateArgs{ID: ids[0], Tags: &tags}); err != nil {
				h.t.Fatal(err)
			}
		},
		"Forgotten": func(h house, _ string, ids []string) {
			if _, err := memory.Store(h.v).Forget(h.t.Context(), memory.ForgetArgs{ID: ids[1]}); err != nil {
				h.t.Fatal(err)
			}
		},
		"Accepted": func(h house, key string, _ []string) { h.tidy(tidy.Args{Accept: []string{key}}) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			ids := []string{h.keep("The retry limit is 5"), h.keep("The retry limit is 8")}
			h.keep("Deploys happen on Fridays")
			h.keep("deploys happen on fridays!")
			key := h.tidy(tidy.Args{Propose: []string{"replaced"}}).Proposals[0].Key
			other := h.tidy(tidy.Args{Propose: []string{"same"}}).Proposals[0].Key
			change(h, key, ids)
			for _, a := range []tidy.Args{{Accept: []string{key}}, {Reject: []string{key}}, {Accept: []string{other, key}}} {
				_, err := tidy.Tidier(h.v).Tidy(t.Context(), a)
				wantCode(t, err, fault.Conflict)
			}
			if got := h.proposed("same"); len(got) != 1 {
				t.Errorf("a part of what was refused was done: %v", got)
			}
		})
	}
}

// Proposals that exclude each other are refused together, and the error names the cycle.
func TestAccept_NamesTheCycleThatItWouldClose(t *testing.T) {
	h := newHouse(t)
	person := h.ofPerson()
	ids := []string{}
	for _, day := range []string{"Fridays", "Mondays", "Sundays"} {
		ids = append(ids, person.keep("Deploys go out on "+day+".", titled(day)))
	}
	for i, id := range ids {
		h.link(id, ids[(i+1)%len(ids)], edges.Supersedes)
	}
	keys := keysOf(person.tidy(tidy.Args{Propose: []string{"replaced"}}).Proposals)
	if len(keys) != len(ids) {
		t.Fatalf("proposed %q, want %d", keys, len(ids))
	}
	_, err := tidy.Tidier(person.v).Tidy(t.Context(), tidy.Args{Accept: keys})
	wantCode(t, err, fault.Cycle)
	if want := "would close a cycle: "; !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not say %q", err, want)
	}
}

func TestAccept_BadKeys(t *testing.T) {
	h := newHouse(t)
	for _, keys := range [][]string{{""}, {"same"}, {"same-1"}, {"nothing-0123456789"}, {"same-0123456789", "same-0123456789"}} {
		_, err := tidy.Tidier(h.v).Tidy(t.Context(), tidy.Args{Accept: keys})
		wantCode(t, err, fault.InvalidArgument)
	}
	_, err := tidy.Tidier(h.v).Tidy(t.Context(), tidy.Args{Accept: []string{"same-0123456789"}})
	wantCode(t, err, fault.Conflict)
}

func TestReject(t *testing.T) {
	h := newHouse(t)
	older := h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	key := h.tidy(tidy.Args{Propose: []string{"replaced"}}).Proposals[0].Key
	h.tidy(tidy.Args{Reject: []string{key}})
	h.wantProposed("replaced")
	tags := []string{"x"}
	if _, err := memory.Store(h.v).Revise(t.Context(), memory.UpdateArgs{ID: older, Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	h.wantProposed("replaced") // the texts are the same, and the key is another
	said := "The retry limit is 6"
	if _, err := memory.Store(h.v).Revise(t.Context(), memory.UpdateArgs{ID: older, Content: &said, Title: &said}); err != nil {
		t.Fatal(err)
	}
	h.wantProposed("replaced", "replaced: The retry limit is 8 | The retry limit is 6")
}

// The next batch hashes what the shell wrote, and what was rejected of it does not come back.
func TestReject_OfTextsThatTheShellEdited(t *testing.T) {
	h := newHouse(t)
	dbtest.SkipOnCluster(t, "it edits texts by hand, which the store of a cluster refuses")
	h.keep("Deploys happen on Fridays")
	h.keep("deploys happen on fridays!")
	dbtest.Script(t, h.d.Path(), `update memories set content = content || ' '`)
	h.tidy(tidy.Args{Reject: []string{h.tidy(tidy.Args{Propose: []string{"same"}}).Proposals[0].Key}})
	h.wantProposed("same")
}

func TestReject_CanBeAccepted(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	key := h.tidy(tidy.Args{}).Proposals[0].Key
	h.tidy(tidy.Args{Reject: []string{key}})
	h.tidy(tidy.Args{Accept: []string{key}})
	if n := dbtest.Count(t, h.d, `select count(*) from rejections`); n != 0 {
		t.Errorf("%d rejections are left of what was accepted", n)
	}
}

// A cluster that was rejected does not come back with one memory more.
func TestReject_AClusterThatGrows(t *testing.T) {
	h := newHouse(t)
	for _, said := range []string{"one", "two", "three", "four"} {
		h.keep("The Kråkø scanner refuses wet tickets, sailing "+said, titled("sailing "+said))
	}
	h.keep("Gulls eat chips.")
	h.tidy(tidy.Args{Reject: []string{h.tidy(tidy.Args{Propose: []string{"summarise"}}).Proposals[0].Key}})
	h.keep("The Kråkø scanner refuses wet tickets, sailing five", titled("sailing five"))
	h.wantProposed("summarise")
}

// A purge takes what was rejected of a memory with it.
func TestReject_Purged(t *testing.T) {
	h := newHouse(t)
	older := h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	h.tidy(tidy.Args{Reject: []string{h.tidy(tidy.Args{}).Proposals[0].Key}})
	if err := memory.Store(h.v).KeepOpened(t.Context(), []string{older}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Store(h.v).Forget(t.Context(), memory.ForgetArgs{ID: older, Purge: true}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, h.d, `select (select count(*) from rejections) + (select count(*) from opened)`); n != 0 {
		t.Errorf("%d rows are left of a purged memory", n)
	}
}

func TestConfined(t *testing.T) {
	h := newHouse(t)
	in := func(namespace string) func(*memory.StoreArgs) {
		return func(a *memory.StoreArgs) { a.Namespace = namespace }
	}
	h.keep("The retry limit is 5", in("theirs"))
	h.keep("The retry limit is 8", in("theirs"))
	key := h.tidy(tidy.Args{}).Proposals[0].Key
	h.keep("Deploys happen on Fridays", in("ours"))
	h.keep("deploys happen on fridays!", in("ours"))
	h.v.Caller.Namespace, h.v.Caller.Confined = "ours", true
	if got := h.proposed(); len(got) != 1 || !strings.HasPrefix(got[0], "same") {
		t.Errorf("proposed %v, want ours", got)
	}
	for _, a := range []tidy.Args{{Accept: []string{key}}, {Reject: []string{key}}} {
		_, err := tidy.Tidier(h.v).Tidy(t.Context(), a)
		wantCode(t, err, fault.Conflict)
	}
	_, err := tidy.Tidier(h.v).Tidy(t.Context(), tidy.Args{Namespace: "theirs"})
	wantCode(t, err, fault.NotFound)
}

func TestSecret(t *testing.T) {
	key := "AKIA" + "QWERTYUIOPASDFGH"
	h := newHouse(t)
	id := h.keep("The deploy key is " + key + " for now.")
	h.script(`update memories set properties = '{"note": "key %s", "n": 1}' where id = '%s'`, key, id)
	h.keep("The example key is AKIAIOSFODNN7EXAMPLE.")
	got := h.tidy(tidy.Args{})
	if len(got.Proposals) != 1 || got.Proposals[0].What != "secret" {
		t.Fatalf("proposed %v, want one secret", described(got.Proposals))
	}
	if text, _ := budget.Tokens(got); text == 0 || strings.Contains(strings.Join(described(got.Proposals), ""), key) || strings.Contains(got.Proposals[0].Memories[0].Text, key) {
		t.Errorf("the proposal shows the key: %+v", got.Proposals[0])
	}
	h.tidy(tidy.Args{Accept: []string{got.Proposals[0].Key}})
	h.wantProposed("secret")
	if left := dbtest.Texts(t, h.d, `select title || content || properties from memories where title || content || properties like '%`+key+`%'`); len(left) > 0 {
		t.Errorf("the key is left in %v", left)
	}
}

func TestLimitsAndBudget(t *testing.T) {
	h := newHouse(t)
	for i := range 6 {
		said := "Deploys of the harbour happen on day " + strings.Repeat("x", i+1)
		h.keep(said)
		h.keep(said + "!")
		h.keep("The retry limit of queue " + strings.Repeat("y", i+1) + " is 5")
		h.keep("The retry limit of queue " + strings.Repeat("y", i+1) + " is 6")
	}
	whole := h.tidy(tidy.Args{Propose: []string{"same", "replaced"}})
	if whole.ReturnedCount != 12 || whole.Truncated || len(whole.NotShown) > 0 {
		t.Fatalf("all: %d, %v, %v", whole.ReturnedCount, whole.Truncated, whole.NotShown)
	}
	few := h.tidy(tidy.Args{Propose: []string{"same", "replaced"}, Limit: 5})
	if few.ReturnedCount != 5 || few.Next != "limit" || !few.Truncated || len(few.NotShown) != 2 || few.NotShown[0].Count+few.NotShown[1].Count != 7 {
		t.Errorf("limited: %d, next %s, not shown %v", few.ReturnedCount, few.Next, few.NotShown)
	}
	for tokens := 64; tokens < 2500; tokens += 37 {
		got := h.tidy(tidy.Args{TokenBudget: tokens})
		if cost, err := budget.Tokens(got); err != nil || cost > tokens {
			t.Errorf("within %d tokens it costs %d, %v", tokens, cost, err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	if err := memory.Store(h.v).KeepOpened(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

// Accepting that one memory replaces another offers what the successor may take over.
func TestAcceptOffersTheEdgesOfWhatItReplaces(t *testing.T) {
	h := newHouse(t)
	gateway, day, hour := h.keep("Klarvik settles cards.", titled("Gateway")), h.keep("The job runs by day.", titled("day")), h.keep("The job runs by the hour.", titled("hour"))
	h.link(day, gateway, edges.DependsOn)
	h.link(hour, day, edges.Contradicts)
	p := h.tidy(tidy.Args{Propose: []string{"conflict"}}).Proposals[0]
	got := h.tidy(tidy.Args{Accept: []string{p.Key}}).TakesOver
	if len(got) != 1 || got[0].From.ID != hour || got[0].Type != edges.DependsOn || got[0].To.ID != gateway {
		t.Errorf("accepting %q offers %+v", p.Why, got)
	}
}
