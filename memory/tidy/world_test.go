package tidy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/tidy"
)

// house is a store with what tests do in it.
type house struct {
	t testing.TB
	d *db.DB
	v ref.View
}

func newHouse(t testing.TB) house {
	d := dbtest.New(t)
	return house{t, d, ref.View{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}}
}

// apart returns the house with a namespace of its own, so that many cases share a store.
func (h house) apart(t testing.TB, namespace string) house {
	h.t, h.v.Caller.Namespace = t, namespace
	return h
}

// keep stores a memory, and returns its id. It begins to hold a day after the one
// before it.
func (h house) keep(content string, change ...func(*memory.StoreArgs)) string {
	h.t.Helper()
	a := memory.StoreArgs{Content: content, Dedup: "off"}
	for _, c := range change {
		c(&a)
	}
	result, err := memory.Store(h.v).Remember(context.Background(), a, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	day := dbtest.Count(h.t, h.d, `select count(*) from memories`)
	at := db.Time(time.Date(2026, 1, day, 8, 0, 0, 0, time.UTC))
	dbtest.Script(h.t, h.d.Path(), `update memories set created_at = '`+at+`' where id = '`+result.Memory.ID+`'`)
	return result.Memory.ID
}

func titled(title string) func(*memory.StoreArgs) {
	return func(a *memory.StoreArgs) { a.Title = &title }
}

func ofKind(kind string) func(*memory.StoreArgs) {
	return func(a *memory.StoreArgs) { a.Kind = kind }
}

func tagged(tags ...string) func(*memory.StoreArgs) {
	return func(a *memory.StoreArgs) { a.Tags = tags }
}

func important(importance float64) func(*memory.StoreArgs) {
	return func(a *memory.StoreArgs) { a.Importance = &importance }
}

func (h house) link(from, to string, kind edges.Kind) {
	h.t.Helper()
	if _, err := edges.Graph(h.v).Link(context.Background(), edges.LinkArgs{From: from, To: to, Type: string(kind)}); err != nil {
		h.t.Fatal(err)
	}
}

func (h house) script(text string, args ...any) {
	h.t.Helper()
	dbtest.Script(h.t, h.d.Path(), fmt.Sprintf(text, args...))
}

func (h house) tidy(a tidy.Args) tidy.Result {
	h.t.Helper()
	result, err := tidy.Tidier(h.v).Tidy(context.Background(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return result
}

// proposed returns the proposals of some kinds as text: the kind with the titles.
func (h house) proposed(kinds ...string) []string {
	h.t.Helper()
	return described(h.tidy(tidy.Args{Propose: kinds, Limit: 200}).Proposals)
}

func described(all []tidy.Proposal) []string {
	texts := []string{}
	for _, p := range all {
		titles := []string{}
		for _, m := range p.Memories {
			titles = append(titles, m.Title)
		}
		texts = append(texts, p.What+": "+strings.Join(titles, " | "))
	}
	return texts
}

func (h house) wantProposed(kind string, want ...string) {
	h.t.Helper()
	got := h.proposed(kind)
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 {
		want = []string{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("proposed (-want +got):\n%s", diff)
	}
}

func wantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
