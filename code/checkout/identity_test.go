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
func (p place) is(folder, name, noted string) checkout.Identity {
	p.Helper()
	i, note, err := checkout.Identify(p.Context(), p.state, filepath.Join(p.dir, folder))
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
	p.is("my ship", "my-ship", "")
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
		p.is(folder, "my-ship", "")
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
	p.is("https", "my-ship", "")
}

// A fork, the clone of a starter and a repository of the same name are projects of their own.
func TestAForkIsItsOwnProject(t *testing.T) {
	p := newPlace(t)
	p.make("a/api", "first")
	p.git("a/api", "remote", "add", "origin", "https://example.com/a/api")
	p.is("a/api", "api", "")
	p.git(".", "clone", "-q", "a/api", "fork")
	p.git("fork", "remote", "set-url", "origin", "https://example.com/b/api")
	p.is("fork", "fork", "has another origin")
	p.is("fork", "fork", "")
	p.git("b", "clone", "-q", "../a/api", "api")
	p.git("b/api", "remote", "set-url", "origin", "https://example.com/starter")
	other := p.is("b/api", "api-"+p.is("a/api", "api", "").First[:7], "has another origin")
	if other.Shares != "" {
		t.Errorf("it shares %q, which no store can have from before", other.Shares)
	}
	p.make("c/api", "another beginning")
	p.is("c/api", "api-"+firstOf(p, "c/api"), "another repository is the project api already")
	if checkout.Same(t.Context(), p.state, filepath.Join(p.dir, "a/api"), filepath.Join(p.dir, "fork")) {
		t.Error("a fork is the same repository")
	}
}

func firstOf(p place, folder string) string {
	output, err := exec.Command("git", "-C", filepath.Join(p.dir, folder), "rev-list", "--max-parents=0", "HEAD").Output()
	if err != nil {
		p.Fatal(err)
	}
	return string(output[:7])
}

// Without commits or git a project is its folder, and stays the same when they come.
func TestAFolderBecomesARepository(t *testing.T) {
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Join(p.dir, "notes", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.is("notes", "notes", "")
	p.is("notes/deep", "notes", "")
	p.git("notes", "init", "-q", "-b", "main")
	if i := p.is("notes", "notes", ""); i.First != "" || !strings.HasSuffix(i.Common, ".git") {
		t.Errorf("%+v", i)
	}
	p.git("notes", "commit", "-q", "--allow-empty", "-m", "first")
	if i := p.is("notes/deep", "notes", ""); i.First == "" || i.Shares != "" {
		t.Errorf("%+v", i)
	}
	p.git(".", "clone", "-q", "notes", "copy")
	p.is("copy", "notes", "")
}

// A folder that turns out to be of another project reads what was stored under its own name.
func TestAFolderThatMovesKeepsItsMemories(t *testing.T) {
	for name, c := range map[string]struct {
		before string // where it was a project by its folder
		move   func(p place)
		name   string
		shares string
	}{
		"a subfolder": {"work/deep", func(p place) { p.make("work", "own") }, "work", "deep"},
		"a clone in its place": {"work", func(p place) {
			p.git("work", "init", "-q", "-b", "main")
			p.git("work", "remote", "add", "origin", "https://example.com/crew/ship")
		}, "ship", "work"},
		"a repository that pulls": {"work", func(p place) {
			p.git("work", "init", "-q", "-b", "main")
			p.is("work", "work", "")
			p.git("work", "remote", "add", "origin", "https://example.com/crew/ship")
			p.git("work", "pull", "-q", "../ship", "main")
		}, "ship", "work"},
		"a name that is taken": {"b/ship", func(p place) { p.make("b/ship", "other") }, "ship-2", ""},
		"a commit of its own":  {"work", func(p place) { p.make("work", "own") }, "work", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.make("ship", "first")
			p.git("ship", "remote", "add", "origin", "git@example.com:crew/ship.git")
			p.is("ship", "ship", "")
			if err := os.MkdirAll(filepath.Join(p.dir, c.before), 0o755); err != nil {
				t.Fatal(err)
			}
			noted := ""
			if strings.HasSuffix(c.before, "ship") {
				noted = "is the project ship-2"
			}
			p.is(c.before, map[bool]string{true: "ship-2", false: filepath.Base(c.before)}[noted != ""], noted)
			c.move(p)
			if i := p.is(c.before, c.name, ""); i.Shares != c.shares || i.Common == filepath.Join(p.dir, c.before) {
				t.Errorf("%+v, want that it shares %q", i, c.shares)
			}
			if i := p.is(c.before, c.name, ""); i.Shares != c.shares {
				t.Errorf("again: %+v", i)
			}
		})
	}
}

// A clone whose history is cut off is its origin's project, before and after it has all of it.
func TestAShallowCloneIsTheProjectOfItsOrigin(t *testing.T) {
	for name, c := range map[string]struct {
		origins   [2]string // of the full and the shallow clone
		fullFirst bool
		same      bool
	}{
		"after the full one":    {[2]string{"git@example.com:crew/ship.git", "https://example.com/crew/ship"}, true, true},
		"before the full one":   {[2]string{"git@example.com:crew/ship.git", "https://example.com/crew/ship"}, false, true},
		"of another origin":     {[2]string{"https://example.com/crew/ship", "https://example.com/fork/ship"}, true, false},
		"of this machine":       {[2]string{"", ""}, true, true},
		"of the clone's origin": {[2]string{"https://example.com/crew/ship", ""}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.make("ship", "first")
			p.git("ship", "commit", "-q", "--allow-empty", "-m", "second")
			p.git(".", "clone", "-q", "--depth", "1", "file://"+filepath.Join(p.dir, "ship"), "cut")
			for folder, origin := range map[string]string{"ship": c.origins[0]} {
				if origin != "" {
					p.git(folder, "remote", "add", "origin", origin)
				}
			}
			if c.origins[1] != "" {
				p.git("cut", "remote", "set-url", "origin", c.origins[1])
			}
			one, project := "ship", "ship"
			if !c.fullFirst {
				one, project = "cut", "cut"
			}
			p.is(one, project, "")
			if !c.same {
				project = "cut"
			}
			if i := p.is("cut", project, ""); i.First != "" {
				t.Errorf("%+v: the commit at which the history is cut off is not the first", i)
			}
			p.is("ship", map[bool]string{true: project, false: "ship"}[c.same], "")
			if same := checkout.Same(t.Context(), p.state, filepath.Join(p.dir, "ship"), filepath.Join(p.dir, "cut")); same != c.same {
				t.Errorf("they are the same repository: %v", same)
			}
			p.git("cut", "fetch", "-q", "--unshallow", "file://"+filepath.Join(p.dir, "ship"))
			noted := map[bool]string{false: "has another origin"}[c.same]
			if i := p.is("cut", project, noted); i.First == "" {
				t.Errorf("%+v has all of its history now", i)
			}
			p.is("cut", project, "")
		})
	}
}

// The user's home is not a project.
func TestTheHomeIsNotAProject(t *testing.T) {
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Join(p.dir, "home", "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.is("home", "", "")
	p.is("home/work", "work", "")
	if i, _, err := checkout.Identify(t.Context(), p.state, "/"); err != nil || i.Name != "" {
		t.Errorf("the root is %+v, %v", i, err)
	}
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
	p.is("evil", "evil", "")
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program ran")
	}
}
