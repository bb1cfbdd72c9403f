package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/exchange"
	"hence/tools/show"
)

func (s *session) checkCommand() *cobra.Command {
	var o struct{ since, folder string }
	cmd := checkVault.command(s)
	cmd.Flags().StringVar(&o.since, "since", "", "instead say what changed in a team's memory since this `revision` of git")
	cmd.Flags().StringVar(&o.folder, "folder", teamFolder, "with --since: the `folder` of the team's memory")
	_ = cmd.MarkFlagDirname("folder")
	runVault := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		switch given := cmd.Flags().Changed("since"); {
		case !given && cmd.Flags().Changed("folder"):
			return fault.New(fault.InvalidArgument, "check: --folder goes with --since REVISION")
		case !given:
			return runVault(cmd, words)
		case len(words) > 0:
			return fault.New(fault.InvalidArgument, "check: give a vault or --since, not both")
		}
		// This compares files, so it does not open the person's store.
		before, commit, err := committedFiles(cmd.Context(), o.folder, o.since, exchange.IsTeamFile)
		if err != nil {
			return err
		}
		now, err := exchange.ReadTeamFolder(filepath.Clean(o.folder))
		if err != nil {
			return err
		}
		if !now.HasScope() && !exchange.TeamFiles(before).HasScope() {
			return fault.New(fault.NotFound, "check %s: it is not a team's folder, now or at %s; name one with --folder", o.folder, o.since)
		}
		changes, err := exchange.CompareTeam(cmd.Context(), o.folder, before, now)
		if err != nil {
			return firstFault(err)
		}
		err = s.print(teamChecked{commit, o.folder, changes}, func() show.Doc { return teamChanges(o.folder, commit, changes) })
		if mend := len(changes.Marks) + len(changes.Secrets); err == nil && mend > 0 {
			return fault.New(fault.Conflict, "check %s: %s to mend before this is merged", o.folder, plural.Count(mend, "place", "places"))
		}
		return err
	}
	return cmd
}

// teamChecked is what --json prints.
type teamChecked struct {
	Since  string `json:"since"`  // commit
	Folder string `json:"folder"` // as given
	exchange.TeamChanges
}

// teamChanges describes what changed in a team's memory since a commit.
func teamChanges(folder, commit string, c exchange.TeamChanges) (d show.Doc) {
	const short = 12
	since := " since " + commit[:min(len(commit), short)]
	if c.Empty() {
		d.Add("", strong(folder), ": nothing changed"+since)
		return d
	}
	d.Add("", strong(folder), since+":")
	for _, list := range []struct {
		verb  any
		items []exchange.TeamChange
	}{
		{good("new "), c.New}, {"changed ", c.Changed}, {"superseded ", c.Superseded}, {"forgotten ", c.Forgotten}, {"restored ", c.Restored},
		{warn("contradicted "), c.Contradicted}, {warn("made stale "), c.Stale}, {"purged ", c.Purged}, {"withdrawn ", c.Withdrawn},
		{warn("deleted, and written again by the next sync "), c.Deleted},
	} {
		for _, one := range list.items {
			d.Add("  ", list.verb, strong(one.Title+one.Mark()), spanToCopy(one.Words()))
		}
	}
	if c.Scope != nil {
		d.Add("  ", warn("it keeps other memories now: those of "), strong(c.Scope.Words()))
	}
	for _, name := range c.Marks {
		d.Add("  ", bad("conflict marks "), strong(name), spanToCopy("run hence sync --folder "+folder))
	}
	for _, secret := range c.Secrets {
		d.Add("  ", bad("secret "), secret)
	}
	return d
}
