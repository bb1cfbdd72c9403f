package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newRepository returns a folder with room for others beside it, and a function that
// runs git in it and returns what it says.
func newRepository(t *testing.T) (here string, git func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root := t.TempDir()
	here = filepath.Join(root, "here")
	if err := os.Mkdir(here, 0o755); err != nil {
		t.Fatal(err)
	}
	return here, func(args ...string) string {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = here
		c.Env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		said, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
		return strings.TrimSpace(string(said))
	}
}

func TestWorkedOn(t *testing.T) {
	here, git := newRepository(t)
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(here, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(here, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("src/queue.go", "package src")
	if got := workedOn(t.Context(), here); got != "" {
		t.Errorf("outside of a repository: %q", got)
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "Begin: a queue")
	git("checkout", "-q", "-b", "drain-queue")
	git("commit", "-q", "--allow-empty", "-m", "Drain it")
	put("src/queue.go", "package src // changed")
	below := filepath.Join(here, "src")
	if got, want := workedOn(t.Context(), below), "drain-queue Drain it Begin: a queue queue.go"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// A further worktree has a file where the folder of git would be.
	git("worktree", "add", "-q", "-b", "paint", filepath.Join(here, "../there"))
	if got, want := workedOn(t.Context(), filepath.Join(here, "../there")), "paint"; got != want {
		t.Errorf("in a worktree: %q, want %q", got, want)
	}
}

func TestCheckedOut(t *testing.T) {
	here, git := newRepository(t)
	is := func(name, folder string, want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, checkedOut(folder)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	is("outside of a repository", here, map[string]string{})
	git("init", "-q", "-b", "main")
	is("before the first commit", here, map[string]string{"branch": "main"})
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("checkout", "-q", "-b", "feat/drain")
	git("commit", "-q", "--allow-empty", "-m", "two")
	two := git("rev-parse", "HEAD")
	is("a branch", here, map[string]string{"branch": "feat/drain", "commit": two})
	git("pack-refs", "--all")
	is("a branch that is packed", here, map[string]string{"branch": "feat/drain", "commit": two})
	there := filepath.Join(here, "../there")
	git("worktree", "add", "-q", "-b", "paint", there, "main")
	is("a worktree", there, map[string]string{"branch": "paint", "commit": git("rev-parse", "main")})
	git("checkout", "-q", "--detach", "main")
	is("no branch", here, map[string]string{"commit": git("rev-parse", "main")})
	for _, head := range []string{"", "ref: ../../../x", "ref: refs/heads/../../../../x", "nonsense"} {
		if err := os.WriteFile(filepath.Join(here, ".git", "HEAD"), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
		if commit := checkedOut(here)["commit"]; commit != "" {
			t.Errorf("of a HEAD %q it reads the commit %q", head, commit)
		}
	}
}
