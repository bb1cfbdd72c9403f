package main

import (
	"os"
	"path/filepath"
	"strings"

	"hence/memory"
	"hence/memory/exchange"
)

// projectName returns the project that --project names; "" for none. The name auto stands for
// the project of the team's folder in the current repository, which is the same for all
// members, however they call their clones. Without such a folder it stands for the name of
// the repository; outside of a repository it is "".
func (s *session) projectName() string {
	if s.project != "auto" {
		return asTag(s.project)
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	if root, _ := repository(here); root != "" {
		if team, err := exchange.ReadTeamScope(filepath.Join(root, teamFolder)); err == nil && team != nil && team.Project != "" {
			return asTag(team.Project)
		}
	}
	return repositoryName(here)
}

// repositoryName returns the name of the git repository that a folder is in, which is the same
// in all its worktrees; "" outside of a repository.
func repositoryName(folder string) string {
	for {
		if common, ok := commonFolder(filepath.Join(folder, ".git")); ok {
			return nameOfRepository(common)
		}
		if isRepository(folder) { // bare
			return nameOfRepository(folder)
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// commonFolder returns the git folder that all worktrees of a repository share, for the path
// of its .git. In a worktree or submodule, .git is a file that names a folder; in a worktree,
// the file commondir of that folder names the shared one: see gitrepository-layout(5).
func commonFolder(path string) (string, bool) {
	if isRepository(path) {
		return path, true
	}
	text, err := os.ReadFile(path)
	gitDir, isLink := strings.CutPrefix(string(text), "gitdir:")
	if err != nil || !isLink {
		return "", false
	}
	own := resolvePath(filepath.Dir(path), gitDir)
	if text, err = os.ReadFile(filepath.Join(own, "commondir")); err == nil {
		return resolvePath(own, string(text)), true
	}
	return own, isRepository(own)
}

// resolvePath returns a path that a file of git has; a relative one is relative to a folder.
func resolvePath(folder, path string) string {
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

// nameOfRepository returns "hence" for …/hence/.git and …/hence.git, in the form of a tag.
func nameOfRepository(common string) string {
	name := filepath.Base(common)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(common))
	}
	return asTag(strings.TrimSuffix(name, ".git"))
}

// asTag returns a project's name in the form of a tag: hyphens instead of spaces, and without
// # and / at its ends.
func asTag(name string) string {
	return strings.Join(strings.Fields(memory.Tag(name)), "-")
}
