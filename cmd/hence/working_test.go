package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestWorkedOn(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root := t.TempDir()
	here := filepath.Join(root, "here")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = here
		c.Env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
	}
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
	git("worktree", "add", "-q", "-b", "paint", filepath.Join(root, "there"))
	if got, want := workedOn(t.Context(), filepath.Join(root, "there")), "paint"; got != want {
		t.Errorf("in a worktree: %q, want %q", got, want)
	}
}
