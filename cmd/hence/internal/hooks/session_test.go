package hooks

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/receipts"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func bookIn(t *testing.T) *receipts.Book {
	t.Helper()
	b, err := receipts.Open(t.Context(), t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func call(session string) Call { return Call{Event: Prompted, Session: session, client: "codex"} }

func TestSession(t *testing.T) {
	folder := bookIn(t)
	s := Open(folder, call("a"), noon)
	for _, note := range [][]string{{"briefed", ""}, {"seen", "id-1", "id-2"}, {"compacted"}, {"seen", "id-3"}} {
		if err := s.Note(note[0], note[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []Call{{name: "PostToolUse", ID: "1"}, {name: "PostToolUse", ID: "2"}, {name: "PostToolUse", ID: "1"}, {name: "afterFileEdit"}, {name: "afterFileEdit"}} {
		if err := s.NoteEdit(c); err != nil { // two edits, each told by two hooks
			t.Fatal(err)
		}
	}
	again := Open(folder, call("a"), noon.Add(time.Hour))
	if diff := cmp.Diff([]string{"id-1", "id-2", "id-3"}, again.Seen); diff != "" || again.Edits != 2 || !again.Compacted || again.Told != "" || !again.Began.Equal(noon) {
		t.Errorf("%+v", again)
	}
	if err := again.Note("briefed", "hash"); err != nil {
		t.Fatal(err)
	}
	if last := Open(folder, call("a"), noon.Add(2*time.Hour)); last.Compacted || last.Told != "hash" {
		t.Errorf("%+v", last)
	}
	// The settings of another client may tell of the same session.
	other := call("a")
	other.client = "cursor"
	if s := Open(folder, other, noon); len(s.Seen) != 3 {
		t.Errorf("by another client it is %+v", s)
	}
	// Another session, and a helper in the same one, know nothing of it.
	helper, nameless := call("a"), Call{Event: HelperBegan, Session: "a"}
	helper.Agent = "h"
	for _, c := range []Call{call("b"), helper, nameless, call("../../a")} {
		if s := Open(folder, c, noon); len(s.Seen) > 0 || s.Edits > 0 {
			t.Errorf("%+v is known: %+v", c, s)
		}
	}
	// A session without an id is not kept.
	if err := Open(folder, call(""), noon).Note("seen", "id-4"); err != nil || len(Open(folder, call(""), noon).Seen) > 0 {
		t.Errorf("a session without an id is kept, %v", err)
	}
}

// A right is had once; after its life, again. Each agent has its own.
func TestClaim(t *testing.T) {
	folder := bookIn(t)
	open := func(agent string) Session { return Open(folder, Call{Session: "a", Agent: agent}, noon) }
	for _, c := range []struct {
		agent, key string
		life       time.Duration
		after      time.Duration
		want       bool
	}{
		{"", "briefing", 0, 0, true},
		{"", "briefing", 0, time.Hour, false},
		{"helper", "briefing", 0, time.Hour, true},
		{"other", "briefing", 0, time.Hour, true},
		{"helper", "briefing", 0, time.Hour, false},
		{"", "prompt", time.Minute, time.Hour, true},
		{"", "briefing", time.Minute, 30 * time.Second, false}, // the same moment, told as a resumption
		{"", "briefing", time.Minute, 2 * time.Hour, true},
		{"", "briefing", time.Minute, 2*time.Hour + time.Second, false},
		{"", "briefing", time.Minute, 2*time.Hour - time.Second, false}, // its process was slower
		{"", "briefing", 0, 9 * time.Hour, false},
		{"", "briefing", time.Minute, 9 * time.Hour, true},
	} {
		now := noon.Add(c.after)
		s := open(c.agent)
		if taken := s.IsTaken(c.key, c.life, now); taken && c.want {
			t.Errorf("%+v is taken", c)
		}
		if got := s.Claim(c.key, c.life, now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for range 2 { // nobody keeps it
		if !Open(nil, Call{Session: "a"}, noon).Claim("briefing", 0, noon) || !Open(folder, Call{}, noon).Claim("briefing", 0, noon) {
			t.Error("a right that cannot be kept is refused")
		}
	}
}

// What a long session notes last counts as what it noted first.
func TestSession_Long(t *testing.T) {
	folder := bookIn(t)
	s := Open(folder, call("a"), noon)
	if !s.Claim("briefing", 0, noon) || s.Note("seen", strings.Repeat("x", 1<<20)) != nil {
		t.Fatal("nothing is kept")
	}
	for i := range 3000 {
		if err := s.Note("touched", fmt.Sprintf("%s/%d", strings.Repeat("long", 100), i)); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Claim("late", 0, noon) || s.Claim("late", 0, noon) || s.Claim("briefing", 0, noon) || s.Note("compacted") != nil {
		t.Error("a right is had twice")
	}
	if again := Open(folder, call("a"), noon); !again.Compacted || again.Note("briefed", "x") != nil || Open(folder, call("a"), noon).Compacted {
		t.Errorf("it is compacted: %v", again.Compacted)
	}
}

// Of many calls at the same moment one gets a right.
func TestClaim_AtTheSameMoment(t *testing.T) {
	folder := bookIn(t)
	for key := range 20 {
		var all sync.WaitGroup
		var got atomic.Int32
		for range 10 {
			all.Go(func() {
				if Open(folder, call("a"), noon).Claim(fmt.Sprint(key), time.Minute, noon) {
					got.Add(1)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d calls got the right", got.Load())
		}
	}
}

// Hooks that run at the same moment do not lose each other's notes.
func TestSession_AtTheSameMoment(t *testing.T) {
	folder := bookIn(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := Open(folder, call("a"), noon).Note("seen", fmt.Sprintf("id-%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(Open(folder, call("a"), noon).Seen); got != 20 {
		t.Errorf("%d are known, want 20", got)
	}
}

// The session's own agent goes on with the files that its helpers edit.
func TestNoteTouched(t *testing.T) {
	dir, now := bookIn(t), time.Now()
	own, helper, other := Call{Session: "s"}, Call{Session: "s", Agent: "a"}, Call{Session: "s", Agent: "b"}
	for _, path := range []string{"/p/a.go", "/p/odd\nseen x", "/p/b.go"} {
		if err := Open(dir, helper, now).NoteTouched(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := Open(dir, own, now).NoteTouched("/p/c.go"); err != nil {
		t.Fatal(err)
	}
	for call, want := range map[*Call][]string{&own: {"/p/a.go", "/p/odd\nseen x", "/p/b.go", "/p/c.go"}, &helper: {"/p/a.go", "/p/odd\nseen x", "/p/b.go"}, &other: nil} {
		if s := Open(dir, *call, now); !slices.Equal(s.Touched, want) || len(s.Seen) > 0 {
			t.Errorf("%s: %q, %q", call.Agent, s.Touched, s.Seen)
		}
	}
}
