package main

import (
	"os"

	"github.com/spf13/cobra"

	"hence/agents"
	"hence/internal/db"
	"hence/tools/show"
	"hence/vault"
)

// agentsPlaces says where the clients of this user keep their files.
func agentsPlaces() (p agents.Places, err error) {
	places, err := findPlaces()
	return agents.Places{Home: places.Home, Folder: places.Project, Getenv: os.Getenv}, err
}

// importAgents imports the memory files that agents on this machine keep themselves.
func (s *session) importAgents(cmd *cobra.Command) error {
	dry, err := onlyDryRun(cmd, "--agents")
	if err != nil {
		return err
	}
	places, err := agentsPlaces()
	if err != nil {
		return err
	}
	return s.withStore(cmd.Context(), false, func(d *db.DB) error {
		progress, done := progressBar(s.err, "importing")
		importer := agents.Importer{DB: d, Caller: s.person(), Progress: progress}
		reports, err := importer.Import(cmd.Context(), agents.Args{Places: places, Namespace: s.namespace, DryRun: dry})
		done()
		if err != nil {
			return err
		}
		err = s.print(listed[vault.Report]{"folders", reports}, func() show.Doc { return showAgents(reports) })
		if !dry {
			s.embedWaiting(cmd.Context(), d, unhurried)
		}
		return err
	})
}

func showAgents(reports []vault.Report) (d show.Doc) {
	for _, r := range reports {
		d = append(d, show.Imported(r)...)
	}
	if len(reports) == 0 {
		d.Add("", "no memory file of an agent was found: neither in your home nor in this repository")
	}
	return d
}
