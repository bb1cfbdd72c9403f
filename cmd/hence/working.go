package main

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The limits of what workedOn reads.
const (
	lastSubjects = 3
	changedFiles = 10
	reflogTail   = 4 << 10 // bytes at the end of the log of HEAD
)

// workedOn returns words about the current work in a folder: the branch, the subjects of the
// last commits made here and the names of changed files; "" outside of a repository. Only
// for the changed files it runs git, until ctx ends, and none of the programs that the
// settings of the repository name.
func workedOn(ctx context.Context, folder string) string {
	root, dir := repository(folder)
	if dir == "" {
		return ""
	}
	words := []string{}
	if branch := branchOf(dir); !slices.Contains([]string{"", "main", "master"}, branch) {
		words = append(words, branch)
	}
	words = append(words, subjectsOf(dir)...)
	if listed, err := gitIn(ctx, root, nil, "diff", "--no-ext-diff", "--no-textconv", "--name-only", "HEAD"); err == nil { // without git, the other words are enough
		files := strings.Fields(string(listed))
		for _, file := range files[:min(len(files), changedFiles)] {
			words = append(words, path.Base(file))
		}
	}
	return strings.Join(words, " ")
}

// repository returns the root of the working tree that a folder is in, and the git folder of
// that worktree; "" outside of a repository.
func repository(folder string) (root, dir string) {
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
			return folder, resolvePath(folder, to)
		}
		if folder == filepath.Dir(folder) || folder == "" || folder == "." {
			return "", ""
		}
	}
}

// branchOf returns the branch that is checked out, for a git folder; "" if none is.
func branchOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if err != nil || !ok {
		return ""
	}
	return branch
}

// subjectsOf returns the subjects of the last commits made in a working tree, the
// latest first.
func subjectsOf(dir string) (subjects []string) {
	f, err := os.Open(filepath.Join(dir, "logs", "HEAD"))
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > reflogTail {
		if _, err := f.Seek(-reflogTail, io.SeekEnd); err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, reflogTail))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range slices.Backward(lines) {
		_, message, _ := strings.Cut(line, "\t")
		if what, subject, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(what, "commit") && len(subjects) < lastSubjects {
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// checkedOut returns the branch and the commit that are checked out in the repository of a
// folder, without those that do not exist.
func checkedOut(folder string) map[string]string {
	facts := map[string]string{}
	here, err := filepath.Abs(folder)
	if err != nil {
		return facts
	}
	_, dir := repository(here)
	if dir == "" {
		return facts
	}
	if branch := branchOf(dir); branch != "" {
		facts["branch"] = branch
	}
	if commit := commitOf(dir); commit != "" {
		facts["commit"] = commit
	}
	return facts
}

// commitHash matches the hash of a commit: SHA-1 or SHA-256 in hex.
var commitHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// commitOf returns the hash of the commit that is checked out; "" before the first commit.
// HEAD has the hash or names a branch. The hash of a branch is in a file of the git folder
// that all worktrees share, or in packed-refs there.
func commitOf(dir string) string {
	head, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	commit := strings.TrimSpace(string(head))
	if name, isRef := strings.CutPrefix(commit, "ref: "); err == nil && isRef && filepath.IsLocal(filepath.FromSlash(name)) {
		if shared, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
			dir = resolvePath(dir, string(shared))
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if commit = strings.TrimSpace(string(text)); err != nil {
			commit = packedCommit(dir, name)
		}
	}
	if !commitHash.MatchString(commit) {
		return ""
	}
	return commit
}

// packedCommit returns the hash that the file packed-refs has for a ref; "" if it has none.
func packedCommit(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if commit, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			return commit
		}
	}
	return ""
}
