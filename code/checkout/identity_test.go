package checkout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence/code/checkout"
)

// place is a folder with repositories of git, and a state directory.
type place struct {
	*testing.T
	dir, state string
}

func newPlace(t *testing.T) place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for name, value := range map[string]string{"NAME": "Ada", "EMAIL": "ada@example.com", "DATE": "2026-01-02T03:04:05Z"} {
		t.Setenv("GIT_AUTHOR_"+name, value)
		t.Setenv("GIT_COMMITTER_"+name, value)
	}
	return place{t, dir, filepath.Join(dir, "state")}
}

func (p place) git(folder string, words ...string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, folder), 0o755); err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command("git", append([]string{"-C", filepath.Join(p.dir, folder)}, words...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %s: %v: %s", strings.Join(words, " "), err, output)
	}
}

func (p place) make(folder, subject string) {
	p.Helper()
	p.git(folder, "init", "-q", "-b", "main")
	p.git(folder, "commit", "-q", "--allow-empty", "-m", subject)
}

// is checks the project of a folder, and that the note contains a text; "" for no note.
func (p place) is(folder, name, noted string, old bool) checkout.Identity {
	p.Helper()
	i, note, err := checkout.Identify(p.Context(), p.state, filepath.Join(p.dir, folder), old)
	if err != nil {
		p.Fatal(err)
	}
	if i.Name != name || (note == "") != (noted == "") || !strings.Contains(note, noted) {
		p.Errorf("%s is the project %q (%s); want %q (%s)", folder, i.Name, note, name, noted)
	}
	return i
}

// A repository is one project, whatever its worktrees, clones and folders are called.
func TestARepositoryIsOneProject(t *testing.T) {
	p := newPlace(t)
	p.make("my ship", "first")
	p.git("my ship", "remote", "add", "origin", "git@Example.com:crew/ship.git")
	p.is("my ship", "my-ship", "", false)
	p.git("my ship", "worktree", "add", "-q", "../wt1")
	p.git("my ship", "init", "-q", "--bare", "../bare.git")
	p.git("my ship", "push", "-q", "../bare.git", "main")
	p.git(".", "clone", "-q", "my ship", "of-clone")
	p.git(".", "clone", "-q", "my ship", "https")
	p.git("https", "remote", "set-url", "origin", "https://ada@example.com/crew/ship")
	if err := os.MkdirAll(filepath.Join(p.dir, "wt1", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"wt1", "wt1/deep", "of-clone", "https", "my ship"} {
		p.is(folder, "my-ship", "", false)
	}
	for _, pair := range [][2]string{{"my ship", "wt1"}, {"my ship", "of-clone"}, {"wt1", "https"}} {
		if !checkout.Same(t.Context(), p.state, filepath.Join(p.dir, pair[0]), filepath.Join(p.dir, pair[1])) {
			t.Errorf("%q are two", pair)
		}
	}
	if checkout.Same(t.Context(), p.state, filepath.Join(p.dir, "my ship"), filepath.Join(p.dir, "wt1/deep")) {
		t.Error("a folder of a worktree is the whole of another")
	}

	// What was read of git once is not read again.
	t.Setenv("PATH", "")
	p.is("https", "my-ship", "", false)
}

// A fork, the clone of a starter and a repository of the same name are projects of their own.
func TestAForkIsItsOwnProject(t *testing.T) {
	p := newPlace(t)
	p.make("a/api", "first")
	p.git("a/api", "remote", "add", "origin", "https://example.com/a/api")
	p.is("a/api", "api", "", false)
	p.git(".", "clone", "-q", "a/api", "fork")
	p.git("fork", "remote", "set-url", "origin", "https://example.com/b/api")
	p.is("fork", "fork", "has another origin", false)
	p.is("fork", "fork", "", false)
	p.git("b", "clone", "-q", "../a/api", "api")
	p.git("b/api", "remote", "set-url", "origin", "https://example.com/starter")
	other := p.is("b/api", "api-"+p.is("a/api", "api", "", false).First[:7], "has another origin", false)
	if other.Shares != "" {
		t.Errorf("it shares %q, which no store can have from before", other.Shares)
	}
	p.make("c/api", "another beginning")
	p.is("c/api", "api-"+firstOf(p, "c/api"), "another repository is the project api already", false)
	if checkout.Same(t.Context(), p.state, filepath.Join(p.dir, "a/api"), filepath.Join(p.dir, "fork")) {
		t.Error("a fork is the same repository")
	}
}

// Two repositories of one name read what either stored before, until a person splits them.
func TestAnOldTagOfTwoRepositoriesIsReadByBoth(t *testing.T) {
	p := newPlace(t)
	p.make("a/api", "first")
	p.make("b/api", "other")
	p.is("a/api", "api", "", true)
	second := p.is("b/api", "api-"+firstOf(p, "b/api"), "until you split them", true)
	if second.Shares != "api" {
		t.Errorf("it shares %q", second.Shares)
	}
	sharers, err := checkout.Sharers(p.state)
	if err != nil || len(sharers["api"]) != 1 {
		t.Errorf("%v, %v", sharers, err)
	}
	if err := checkout.Split(p.state, "api"); err != nil {
		t.Fatal(err)
	}
	if again := p.is("b/api", second.Name, "", true); again.Shares != "" {
		t.Errorf("it still shares %q", again.Shares)
	}
	if err := checkout.Split(p.state, "api"); err == nil {
		t.Error("nothing is split twice")
	}
}

func firstOf(p place, folder string) string {
	output, err := exec.Command("git", "-C", filepath.Join(p.dir, folder), "rev-list", "--max-parents=0", "HEAD").Output()
	if err != nil {
		p.Fatal(err)
	}
	return string(output[:7])
}

// Without commits a project is its folder, and stays the same when they come.
func TestAFolderBecomesARepository(t *testing.T) {
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Join(p.dir, "notes", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.is("notes/deep", "", "", false)
	p.git("notes", "init", "-q", "-b", "main")
	if i := p.is("notes", "notes", "", false); i.First != "" || !strings.HasSuffix(i.Common, ".git") {
		t.Errorf("%+v", i)
	}
	p.git("notes", "commit", "-q", "--allow-empty", "-m", "first")
	if i := p.is("notes/deep", "notes", "", false); i.First == "" {
		t.Errorf("%+v", i)
	}
	p.git(".", "clone", "-q", "notes", "copy")
	p.is("copy", "notes", "", false)
}

// No program that the settings of a repository name is run.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	p := newPlace(t)
	p.make("evil", "first")
	ran := filepath.Join(p.dir, "ran")
	program := filepath.Join(p.dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "core.pager", "pager.rev-list", "filter.x.clean", "core.sshCommand", "core.hooksPath", "gpg.program", "diff.external", "core.editor", "core.alternateRefsCommand"} {
		p.git("evil", "config", key, program)
	}
	p.git("evil", "config", "log.showSignature", "true")
	p.is("evil", "evil", "", false)
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program ran")
	}
}
