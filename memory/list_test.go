package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
)

func TestListPagesHoldEachMemoryOnce(t *testing.T) {
	s := newStore(t)
	want := map[string]bool{}
	for i := range 23 {
		m := remember(t, s, fmt.Sprint("m", i), func(a *memory.StoreArgs) {
			a.Importance = pointer(float64(i%3) / 2)
			a.Tags = []string{"even/odd"}
		})
		want[m.ID] = true
	}
	remember(t, s, "untagged")
	for _, order := range []string{"recent", "created", "importance"} {
		t.Run(order, func(t *testing.T) {
			seen := map[string]bool{}
			last := 2.0
			for cursor, page := "", 0; page == 0 || cursor != ""; page++ {
				got, err := s.List(t.Context(), memory.ListArgs{Order: order, Tags: []string{"Even"}, Limit: 5, Cursor: cursor})
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range got.Memories {
					if seen[m.ID] {
						t.Errorf("%s is listed twice", m.Title)
					}
					if order == "importance" && m.Importance > last {
						t.Errorf("importance %v comes after %v", m.Importance, last)
					}
					seen[m.ID], last = true, m.Importance
				}
				if got.TotalCount != len(want) || got.Truncated != (len(seen) < len(want)) {
					t.Errorf("page %d: total %d, truncated %v", page, got.TotalCount, got.Truncated)
				}
				cursor = got.Next
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := s.List(t.Context(), memory.ListArgs{Cursor: "nonsense"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("List with a made-up cursor: %v, want invalid_argument", err)
	}
}

// A forgotten memory is found by its status to be restored, though its validity is over.
func TestList_OfWhatIsForgottenAndOver(t *testing.T) {
	s := newStore(t)
	over := func(a *memory.StoreArgs) { a.ValidTo = "2026-01-01" }
	remember(t, s, "over", over)
	remember(t, s, "kept")
	gone := remember(t, s, "forgotten", over)
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: gone.ID}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args memory.ListArgs
		want string
	}{
		{memory.ListArgs{Status: "forgotten"}, "forgotten"},
		{memory.ListArgs{Status: "forgotten", Kind: []string{"fact"}, Order: "created"}, "forgotten"},
		{memory.ListArgs{Status: "all", Order: "created"}, "forgotten kept"},
		{memory.ListArgs{Status: "forgotten", AsOf: "now"}, ""},
		{memory.ListArgs{Order: "created"}, "kept"},
	} {
		got, err := s.List(t.Context(), c.args)
		titles := []string{}
		for _, m := range got.Memories {
			titles = append(titles, m.Title)
			if m.Title == "forgotten" && m.Ended == "" {
				t.Errorf("%+v is not marked as over", m)
			}
		}
		if all := strings.Join(titles, " "); err != nil || all != c.want || got.TotalCount != len(titles) {
			t.Errorf("%+v lists %q of %d, %v; want %q", c.args, all, got.TotalCount, err, c.want)
		}
	}
}

// A cursor of one list is refused by another, which would silently skip rows; how much a page
// shows may change.
func TestList_RefusesTheCursorOfAnother(t *testing.T) {
	s := newStore(t)
	for i := range 4 {
		remember(t, s, fmt.Sprint("m", i))
	}
	first, err := s.List(t.Context(), memory.ListArgs{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]memory.ListArgs{
		"Kind": {Kind: []string{"decision"}}, "Tags": {Tags: []string{"x"}}, "Namespace": {Namespace: "default"}, "Status": {Status: "all"},
		"Since": {Since: "7d"}, "Until": {Until: "today"}, "AsOf": {AsOf: "now"}, "KnownAt": {KnownAt: "now"}, "Ended": {IncludeEnded: true}, "Order": {Order: "created"},
	} {
		a.Cursor = first.Next
		if got, err := s.List(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := s.List(t.Context(), memory.ListArgs{Limit: 1, TokenBudget: 4000, Cursor: first.Next}); err != nil || got.ReturnedCount != 1 {
		t.Errorf("a shorter page: %+v, %v", got, err)
	}
}

func TestListSinceTellsWhatWasSupersededAndVerified(t *testing.T) {
	s := newStore(t)
	for _, word := range []string{"replaced", "given back", "looked at", "rests on it", "untouched", "edited"} {
		remember(t, s, word)
	}
	first := remember(t, s, "first", func(a *memory.StoreArgs) { a.Supersedes = []string{"given back"} })
	dbtest.Script(t, s.DB.Path(), `
update journal set at = '2026-01-01T00:00:00.000Z';
update memories set created_at = '2026-01-01T00:00:00.000Z', updated_at = '2026-01-01T00:00:00.000Z'`)
	remember(t, s, "second", func(a *memory.StoreArgs) { a.Supersedes = []string{"replaced"} })
	g := edges.Graph{DB: s.DB, Caller: s.Caller}
	if _, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: first.ID, To: "given back", Type: "supersedes"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := belief.Graph(g).Verify(t.Context(), belief.VerifyArgs{ID: "looked at"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "edited", Pinned: pointer(true)}); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[string][]string{
		"2026-01-02T00:00:00Z": {"edited", "given back", "looked at", "replaced", "second"},
		"9000-01-01T00:00:00Z": {},
	} {
		got, err := s.List(t.Context(), memory.ListArgs{Status: "all", Since: since})
		titles := []string{}
		for _, m := range got.Memories {
			titles = append(titles, m.Title)
		}
		slices.Sort(titles)
		if diff := cmp.Diff(want, titles); err != nil || diff != "" || got.TotalCount != len(want) {
			t.Errorf("since %s: %d, %v (-want +got):\n%s", since, got.TotalCount, err, diff)
		}
	}
}

// To forget a memory and to bring it back edits nothing.
func TestList_ARestoredMemoryIsNotEdited(t *testing.T) {
	s := memory.Store{DB: dbtest.New(t)}
	stored, err := s.Remember(t.Context(), memory.StoreArgs{Content: "the ferry"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id, then := stored.Memory.ID, stored.Memory.CreatedAt
	time.Sleep(2 * time.Millisecond) // times are in milliseconds
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), memory.RestoreArgs{ID: id}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{false, true} {
		got, err := s.List(t.Context(), memory.ListArgs{KnownAt: then})
		if err != nil || len(got.Memories) != 1 || (got.Memories[0].EditedSince != "") != want {
			t.Errorf("edited %v: %+v, %v", want, got.Memories, err)
		}
		content := "the ferry at nine"
		if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: id, Content: &content}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestListOfSeveralKinds(t *testing.T) {
	s := newStore(t)
	for _, kind := range []string{"fact", "decision", "event"} {
		remember(t, s, "a "+kind, func(a *memory.StoreArgs) { a.Kind = kind })
	}
	for want, kinds := range map[int][]string{1: {"Decision"}, 2: {"fact", "EVENT"}, 3: {""}, 0: {"none"}} {
		if got, err := s.List(t.Context(), memory.ListArgs{Kind: kinds}); err != nil || got.TotalCount != want {
			t.Errorf("%q: %d memories, want %d; %v", kinds, got.TotalCount, want, err)
		}
	}
}

// TestListOfTodayCountsWhatItLists compares the count of a list without filters, which adds up counts, with that of a
// list with a filter that each memory passes, and with the rows.
func TestListOfTodayCountsWhatItLists(t *testing.T) {
	s := newStore(t)
	remember(t, s, "Stays")
	remember(t, s, "Over", func(a *memory.StoreArgs) { a.ValidTo = "2020-01-01" })
	remember(t, s, "To end", func(a *memory.StoreArgs) { a.ValidTo = "2999-01-01" })
	old := remember(t, s, "Old")
	remember(t, s, "New", func(a *memory.StoreArgs) { a.Supersedes = []string{old.ID} })
	gone := remember(t, s, "Gone")
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: gone.ID}); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []bool{false, true} {
		for _, order := range []string{"recent", "created", "importance"} {
			all, err := s.List(t.Context(), memory.ListArgs{Order: order, IncludeEnded: ended})
			if err != nil {
				t.Fatal(err)
			}
			filtered, err := s.List(t.Context(), memory.ListArgs{Order: order, IncludeEnded: ended, Kind: []string{"fact"}})
			if err != nil {
				t.Fatal(err)
			}
			want := 3
			if ended {
				want = 4
			}
			if all.TotalCount != want || len(all.Memories) != want {
				t.Errorf("by %s, ended %v: %d counted, %d listed, want %d", order, ended, all.TotalCount, len(all.Memories), want)
			}
			if diff := cmp.Diff(filtered, all); diff != "" {
				t.Errorf("by %s, ended %v: (-filtered +all):\n%s", order, ended, diff)
			}
		}
	}
}
