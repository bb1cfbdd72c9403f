package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"hence/cmd/hence/internal/screen"
	"hence/code/checkout"
	"hence/memory/exchange"
)

// projectName returns the project that --project names; "" for none. The name auto stands for the
// project of the team's folder in the current repository, which is the same for all members,
// however they call their clones. Without such a folder it stands for the repository, see
// checkout.Identify. shares is a project whose memories are read as its own.
func (s *session) projectName() (name, shares string) {
	if s.project != "auto" {
		return checkout.Tag(s.project), ""
	}
	here, err := os.Getwd()
	if err != nil {
		return "", ""
	}
	if root, _ := checkout.Tree(here); root != "" {
		if team, err := exchange.ReadTeamScope(filepath.Join(root, teamFolder)); err == nil && team != nil && team.Project != "" {
			return checkout.Tag(team.Project), ""
		}
	}
	state, err := stateDir(runtime.GOOS, os.Getenv, os.UserHomeDir)
	if err != nil {
		state = "" // then the folder's name is the project's
	}
	hasStore := false
	if path, err := s.path(); err == nil {
		_, err := os.Stat(path)
		hasStore = err == nil
	}
	i, note, err := checkout.Identify(context.Background(), state, here, hasStore)
	if err != nil {
		note = err.Error()
	}
	if note != "" {
		fmt.Fprintln(s.err, "hence: "+screen.Clean(note))
	}
	return i.Name, i.Shares
}
