package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func call(session string) Call { return Call{Event: Prompted, Session: session, client: "codex"} }

func TestSession(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "sessions")
	s := Open(folder, call("a"), noon)
	for _, note := range [][]string{{"briefed"}, {"seen", "id-1", "id-2"}, {"edited"}, {"edited"}, {"compacted"}, {"seen", "id-3"}} {
		if err := s.Note(note[0], note[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	again := Open(folder, call("a"), noon.Add(time.Hour))
	if diff := cmp.Diff([]string{"id-1", "id-2", "id-3"}, again.Seen); diff != "" || again.Edits != 2 || !again.Compacted || again.Asked || !again.Began.Equal(noon) {
		t.Errorf("%+v", again)
	}
	if err := again.Note("briefed"); err != nil {
		t.Fatal(err)
	}
	if err := again.Note("asked"); err != nil {
		t.Fatal(err)
	}
	if last := Open(folder, call("a"), noon.Add(2*time.Hour)); last.Compacted || !last.Asked {
		t.Errorf("%+v", last)
	}
	// Another session, and one of another client with the same id, know nothing of it.
	other := call("a")
	other.client = "cursor"
	for _, c := range []Call{call("b"), other, call("../../a")} {
		if s := Open(folder, c, noon); len(s.Seen) > 0 || s.Edits > 0 {
			t.Errorf("%+v is known: %+v", c, s)
		}
	}
	// The file is private, and an id cannot choose its place.
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("permissions of the folder %v, %v", info.Mode(), err)
	}
	// A session without an id is not kept.
	if err := Open(folder, call(""), noon).Note("seen", "id-4"); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

// Hooks that run at the same moment do not lose each other's notes.
func TestSession_AtTheSameMoment(t *testing.T) {
	folder := t.TempDir()
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

func TestSweep(t *testing.T) {
	folder := t.TempDir()
	for name, age := range map[string]time.Duration{"old": 8 * 24 * time.Hour, "new": 6 * 24 * time.Hour} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, noon.Add(-age), noon.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(folder, noon)
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if diff := cmp.Diff([]string{filepath.Join(folder, "new")}, left); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	Sweep(filepath.Join(folder, "none"), noon)
}
