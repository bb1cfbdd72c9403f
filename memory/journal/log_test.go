package journal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
)

func TestLogPagesHoldEachChangeOnce(t *testing.T) {
	w, _ := newWorld(t)
	for _, title := range strings.Split("abcdefg", "") {
		remember(t, w, title)
	}
	seen := []string{}
	for before := int64(0); ; {
		page, err := w.Log(t.Context(), journal.LogArgs{Limit: 3, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			seen = append(seen, c.Title)
		}
		if before = page.Next; !page.Truncated {
			break
		}
	}
	if got := strings.Join(seen, ""); got != "gfedcba" {
		t.Errorf("the pages hold %q", got)
	}
}

func TestLogSinceATime(t *testing.T) {
	w, d := newWorld(t)
	remember(t, w, "old")
	dbtest.Script(t, d.Path(), `update journal set at = '2026-01-01T10:00:00.000Z'`)
	remember(t, w, "new")
	for since, want := range map[string]string{"": "new old", "2026-01-02": "new", "2026-01-01": "new old", "2026-01-01T10:00:00.001Z": "new", "2999-01-01": ""} {
		for _, batches := range []bool{false, true} {
			log, err := w.Log(t.Context(), journal.LogArgs{Since: since, Batches: batches})
			titles := []string{}
			for _, c := range log.Changes {
				titles = append(titles, c.Title)
			}
			if got := strings.Join(titles, " "); err != nil || got != want {
				t.Errorf("since %q: %q, %v; want %q", since, got, err, want)
			}
		}
	}
	if _, err := w.Log(t.Context(), journal.LogArgs{Since: "someday"}); err == nil {
		t.Error("a time that is not one is taken")
	}
}

func TestLogOfANamespaceTellsOfEdgesThatAreGone(t *testing.T) {
	w, d := newWorld(t)
	for _, namespace := range []string{"ours", "theirs"} {
		for _, title := range []string{" a", " b"} {
			remember(t, w, namespace+title, func(a *memory.StoreArgs) { a.Namespace = namespace })
		}
		args := edges.LinkArgs{From: namespace + " a", To: namespace + " b", Type: "causes", Rel: "led-to"}
		for _, weight := range []float64{1, 0.5} {
			args.Weight = &weight
			if _, err := w.Link(t.Context(), args); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Unlink(t.Context(), edges.UnlinkArgs{From: args.From, To: args.To, Type: "causes"}); err != nil {
			t.Fatal(err)
		}
	}
	said := func(j journal.Journal, a journal.LogArgs) (lines []string) {
		t.Helper()
		log, err := j.Log(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range log.Changes {
			lines = append(lines, c.Action+" "+c.Title+" "+c.What)
		}
		return lines
	}
	ours := journal.Journal{DB: d, Caller: ref.Caller{Namespace: "ours"}}
	want := []string{
		"unlink ours a causes (led-to) → ours b",
		"relink ours a causes (led-to) → ours b",
		"link ours a causes (led-to) → ours b",
		"store ours b ",
		"store ours a ",
	}
	if diff := cmp.Diff(want, said(ours, journal.LogArgs{})); diff != "" {
		t.Errorf("the log of ours (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:4], said(w.Journal, journal.LogArgs{ID: "ours b"})); diff != "" {
		t.Errorf("the log of one end (-want +got):\n%s", diff)
	}
	if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: "ours b", Purge: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[4:], said(ours, journal.LogArgs{})); diff != "" {
		t.Errorf("the log of ours after a purge, which leaves nothing that names it (-want +got):\n%s", diff)
	}
}
