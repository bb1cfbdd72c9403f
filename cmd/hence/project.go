package main

import (
	"os"
	"path/filepath"
	"strings"

	"hence/memory/exchange"
)

// projectName is the project that --project names; "" for none. With auto it is the one of
// the team's folder, so that everybody in the team means the same, whatever their clones
// are called; else the repository's name is read from the current folder, and a folder
// outside of one has no project.
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

// repositoryName returns the name of the git repository that a folder is in, from the
// folder that all its worktrees share; "" outside of one.
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

// commonFolder returns the common folder of the repository whose .git a path is. In a
// worktree and a submodule .git is a file that names a folder, and in a worktree the file
// commondir there names the common one: see gitrepository-layout(5).
func commonFolder(path string) (string, bool) {
	if isRepository(path) {
		return path, true
	}
	text, err := os.ReadFile(path)
	named, isLink := strings.CutPrefix(string(text), "gitdir:")
	if err != nil || !isLink {
		return "", false
	}
	own := besides(filepath.Dir(path), named)
	if text, err = os.ReadFile(filepath.Join(own, "commondir")); err == nil {
		return besides(own, string(text)), true
	}
	return own, isRepository(own)
}

// besides is a path in a file of git: relative ones are from a folder.
func besides(folder, path string) string {
	path = filepath.FromSlash(strings.TrimSpace(path))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// isRepository reports whether a folder is one in which git keeps a repository.
func isRepository(folder string) bool {
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(folder, part)); err != nil {
			return false
		}
	}
	return true
}

// nameOfRepository returns "hence" for …/hence/.git and …/hence.git, as a tag takes it.
func nameOfRepository(common string) string {
	name := filepath.Base(common)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(common))
	}
	return asTag(strings.TrimSuffix(name, ".git"))
}

// asTag returns a project's name as a tag takes it.
func asTag(name string) string {
	return strings.Join(strings.Fields(strings.Trim(name, "#/ ")), "-")
}
