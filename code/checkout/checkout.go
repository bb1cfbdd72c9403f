// Package checkout knows repositories of git by their files, and by git without any program that
// the settings of a repository name. It tells which folders are the same repository.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hence/code/suite"
	"hence/memory"
)

// gitDelay is how long the rest of the output of a git that has ended is waited for: a busy machine
// comes to read it late.
const gitDelay = 5 * time.Second

// Git runs git in the working tree of a repository, with in as its input, and returns its
// output. It ends git with all that git has started when ctx ends.
//
// The settings of a repository can name programs for git to run. Here git runs none of them:
// it fetches nothing, and starts no hook, pager or monitor. A command that compares or shows
// the contents of files may not be run by it, because git would send them through filters.
func Git(ctx context.Context, root string, in io.Reader, words ...string) ([]byte, error) {
	git := exec.CommandContext(ctx, "git", append([]string{
		"--no-pager", "--no-replace-objects", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	}, words...)...)
	// The settings cannot allow a protocol against GIT_ALLOW_PROTOCOL, and no protocol is called none.
	git.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	git.Stdin, git.WaitDelay = in, gitDelay
	suite.InOwnGroup(git)
	git.Cancel = func() error {
		suite.SignalGroup(git.Process.Pid, true)
		return nil
	}
	out, err := git.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		const most = 300
		message := strings.TrimSpace(string(failed.Stderr))
		return out, fmt.Errorf("git %s: %s: %w", words[0], message[:min(len(message), most)], err)
	}
	return out, err
}

// Tree returns the root of the working tree that a folder is in, and the git folder of
// that worktree; "" outside of a repository.
func Tree(folder string) (root, dir string) {
	for ; ; folder = filepath.Dir(folder) {
		git := filepath.Join(folder, ".git")
		if info, err := os.Stat(git); err == nil {
			if info.IsDir() {
				return folder, git
			}
			text, err := os.ReadFile(git)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if err != nil || !ok {
				return "", ""
			}
			return folder, Resolve(folder, to)
		}
		if folder == filepath.Dir(folder) || folder == "" || folder == "." {
			return "", ""
		}
	}
}

// Common returns the git folder that all worktrees of a repository share, for the path
// of its .git. In a worktree or submodule, .git is a file that names a folder; in a worktree,
// the file commondir of that folder names the shared one: see gitrepository-layout(5).
func Common(path string) (string, bool) {
	if isRepository(path) {
		return path, true
	}
	text, err := os.ReadFile(path)
	gitDir, isLink := strings.CutPrefix(string(text), "gitdir:")
	if err != nil || !isLink {
		return "", false
	}
	own := Resolve(filepath.Dir(path), gitDir)
	if text, err = os.ReadFile(filepath.Join(own, "commondir")); err == nil {
		return Resolve(own, string(text)), true
	}
	return own, isRepository(own)
}

// Resolve returns a path that a file of git has; a relative one is relative to a folder.
func Resolve(folder, path string) string {
	path = filepath.FromSlash(strings.TrimSpace(path))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// isRepository reports whether a folder is the git folder of a repository.
func isRepository(folder string) bool {
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(folder, part)); err != nil {
			return false
		}
	}
	return true
}

// labelOf returns "hence" for …/hence/.git and …/hence.git, in the form of a tag.
func labelOf(common string) string {
	name := filepath.Base(common)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(common))
	}
	return Tag(strings.TrimSuffix(name, ".git"))
}

// Tag returns a project's name in the form of a tag: hyphens instead of spaces, and without
// # and / at its ends.
func Tag(name string) string {
	return strings.Join(strings.Fields(memory.Tag(name)), "-")
}
