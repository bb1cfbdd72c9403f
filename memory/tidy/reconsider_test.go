package tidy_test

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/tidy"
)

func TestReconsider_ListsAgainWhatWasRejected(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	h.keep("Deploys happen on Fridays")
	h.keep("deploys happen on fridays!")
	keys := []string{}
	for _, p := range h.tidy(tidy.Args{}).Proposals {
		keys = append(keys, p.Key)
	}
	all := h.proposed()
	h.tidy(tidy.Args{Reject: keys})
	if got := h.proposed(); len(keys) != 2 || len(got) != 0 {
		t.Fatalf("%d were rejected, and %v is left", len(keys), got)
	}
	if did, err := tidy.Tidier(h.v).Reconsider(t.Context(), tidy.ReconsiderArgs{Keys: keys[:1]}); err != nil || did.Changed != 1 {
		t.Errorf("Reconsider: %+v, %v", did, err)
	}
	if got := h.proposed(); len(got) != 1 || got[0] != all[0] {
		t.Errorf("after that %v is proposed, want %v", got, all[:1])
	}
	if n := dbtest.Count(t, h.d, `select count(distinct mark) from rejections`); n != 1 {
		t.Errorf("%d proposals are rejected, want the other one", n)
	}
}

func TestReconsider_Refuses(t *testing.T) {
	h := newHouse(t)
	older := h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	key := h.tidy(tidy.Args{}).Proposals[0].Key
	h.tidy(tidy.Args{Reject: []string{key}})
	said := "The retry limit is 6"
	if _, err := memory.Store(h.v).Revise(t.Context(), memory.UpdateArgs{ID: older, Content: &said, Title: &said}); err != nil {
		t.Fatal(err)
	}
	_, err := tidy.Tidier(h.v).Reconsider(t.Context(), tidy.ReconsiderArgs{Keys: []string{key}})
	wantCode(t, err, fault.Conflict)
	_, err = tidy.Tidier(h.v).Reconsider(t.Context(), tidy.ReconsiderArgs{Keys: []string{"nothing"}})
	wantCode(t, err, fault.InvalidArgument)
	h.v.Caller.Namespace, h.v.Caller.Confined = "ours", true
	stands := tidy.Tidier{DB: h.v.DB}
	all, err := stands.Tidy(t.Context(), tidy.Args{})
	if err != nil || len(all.Proposals) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	_, err = tidy.Tidier(h.v).Reconsider(t.Context(), tidy.ReconsiderArgs{Keys: []string{all.Proposals[0].Key}})
	wantCode(t, err, fault.Conflict)
}
