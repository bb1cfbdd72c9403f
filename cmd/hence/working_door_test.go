//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/code/checkout"
)

// The settings of a repository may have come in an archive: whoever opens a conversation in
// its folder, or checks it, runs none of the programs that they name.
func TestReadingARepositoryRunsNoProgramOfIts(t *testing.T) {
	for _, c := range []struct{ name, attributes, config string }{
		{"FilterClean", "* filter=x", "[filter \"x\"]\n\tclean = TRAP"},
		{"FilterSmudge", "* filter=x", "[filter \"x\"]\n\tsmudge = TRAP\n\trequired"},
		{"FilterProcess", "* filter=x", "[filter \"x\"]\n\tprocess = TRAP\n\trequired"},
		{"FilterRequired", "* filter=x", "[filter \"x\"]\n\tclean = TRAP\n\trequired = true"},
		{"FilterIncluded", "* filter=x", "[include]\n\tpath = ../extra"},
		{"ExternalDiff", "* diff=x", "[diff]\n\texternal = TRAP\n[diff \"x\"]\n\tcommand = TRAP\n\ttextconv = TRAP\n\tcachetextconv = true"},
		{"Monitor", "", "[core]\n\tfsmonitor = TRAP"},
		{"Hooks", "", "[core]\n\thooksPath = ../hooks"},
		{"Pager", "", "[core]\n\tpager = TRAP\n[pager]\n\tdiff-index = TRAP\n\tls-files = TRAP"},
		{"Alias", "", "[alias]\n\tls-files = !TRAP\n\tdiff-index = !TRAP\n\trev-parse = !TRAP"},
		{"LazyFetch", "missing", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = x\n[protocol \"ext\"]\n\tallow = always\n[remote \"x\"]\n\turl = \"ext::TRAP\"\n\tpromisor = true"},
		{"UploadPack", "missing", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = x\n[protocol]\n\tallow = always\n[remote \"x\"]\n\turl = \"file:///\"\n\tuploadpack = TRAP\n\tpromisor = true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, git := newRepository(t)
			beside := filepath.Dir(here)
			write := func(path, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			ran, trap := filepath.Join(beside, "ran"), filepath.Join(beside, "trap.sh")
			write(trap, "#!/bin/sh\necho \"$@\" >> "+ran+"\ncat\n")
			write(filepath.Join(beside, "hooks", "post-index-change"), "#!/bin/sh\necho hook >> "+ran+"\n")
			write(filepath.Join(beside, "extra"), "[filter \"x\"]\n\tclean = "+trap+"\n")
			git("init", "-q", "-b", "main")
			for _, name := range []string{"same.txt", "longer.txt", "touched.txt", ".hence/a.md"} {
				write(filepath.Join(here, name), "one\n")
			}
			git("add", ".")
			git("commit", "-q", "-m", "one")
			write(filepath.Join(here, ".gitattributes"), strings.ReplaceAll(c.attributes, "missing", ""))
			config, err := os.ReadFile(filepath.Join(here, ".git", "config"))
			if err != nil {
				t.Fatal(err)
			}
			write(filepath.Join(here, ".git", "config"), string(config)+strings.ReplaceAll(c.config, "TRAP", trap)+"\n")
			write(filepath.Join(here, "longer.txt"), "one and more\n")
			if err := os.Chtimes(filepath.Join(here, "touched.txt"), time.Time{}, time.Unix(1_000_000_000, 0)); err != nil {
				t.Fatal(err)
			}
			if c.attributes == "missing" {
				if err := os.RemoveAll(filepath.Join(here, ".git", "objects")); err != nil {
					t.Fatal(err)
				}
				write(filepath.Join(here, ".git", "objects", "info", "x"), "")
			}
			words := workedOn(t.Context(), here)
			if _, _, err := committedFiles(t.Context(), filepath.Join(here, ".hence"), "HEAD", func(string) bool { return true }); err != nil && c.attributes != "missing" {
				t.Error(err)
			}
			if said, err := os.ReadFile(ran); err == nil {
				t.Errorf("it ran: %s", said)
			}
			if want := "one longer.txt touched.txt"; words != want {
				t.Errorf("%q, want %q", words, want)
			}
		})
	}
}

// Files are compared by the index of git, whatever their names are.
func TestChangedIn(t *testing.T) {
	here, git := newRepository(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(here, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	same := []string{"same", "with space", "ümlaut", "line\nend", "-dash"}
	for _, name := range append([]string{"gone", "edited", "hidden", "kept"}, same...) {
		write(name, "one")
	}
	if err := os.Symlink("same", filepath.Join(here, "link")); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-q", "-m", "one")
	if got := changedIn(t.Context(), here, filepath.Join(here, ".git")); got != nil {
		t.Errorf("of a clean tree: %q", got)
	}
	write("staged", "new")
	git("add", "staged")
	git("update-index", "--assume-unchanged", "kept")
	git("update-index", "--skip-worktree", "hidden")
	for _, name := range []string{"edited", "kept"} {
		write(name, "other text")
	}
	for _, name := range []string{"gone", "hidden", "link"} {
		if err := os.Remove(filepath.Join(here, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("longer than it was", filepath.Join(here, "link")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"staged", "edited", "gone", "link"}, changedIn(t.Context(), here, filepath.Join(here, ".git"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range same {
		write(name, "other text")
		if got := changedIn(t.Context(), here, filepath.Join(here, ".git")); !strings.Contains(strings.Join(got, "\x00"), name) {
			t.Errorf("%q is changed, and not among %q", name, got)
		}
		write(name, "one")
		git("add", ".")
	}
}

// At its limit git ends with all that it has started.
func TestGitEndsWithItsChildren(t *testing.T) {
	bin, folder := t.TempDir(), t.TempDir()
	child := filepath.Join(folder, "child")
	script := "#!/bin/sh\nsleep 600 &\necho $! > " + child + "\nwait\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("there is no sleep")
	}
	ctx, stop := context.WithCancel(t.Context())
	number := 0
	go func() {
		defer stop()
		for range 12_000 {
			if text, err := os.ReadFile(child); err == nil && strings.HasSuffix(string(text), "\n") {
				number, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, err := checkout.Git(ctx, folder, nil, "ls-files"); err == nil {
		t.Error("git that was ended says that it was not")
	}
	<-ctx.Done()
	for range 12_000 {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(number) + "/stat")
		if syscall.Kill(number, 0) != nil || err == nil && strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", number)
}
