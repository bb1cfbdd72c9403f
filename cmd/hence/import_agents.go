package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/agents"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/sources"
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

// findAgents returns the folders with memory files of agents that were not imported yet.
func (s *session) findAgents(ctx context.Context) (found []agents.Found, err error) {
	places, err := agentsPlaces()
	if err != nil {
		return nil, err
	}
	err = s.withStore(ctx, true, func(d *db.DB) error {
		found, err = agents.Importer{DB: d, Caller: s.person()}.Find(ctx, places)
		return err
	})
	if fault.CodeOf(err) == fault.NotFound {
		found, err = agents.Importer{}.Find(ctx, places)
	}
	return slices.DeleteFunc(found, func(f agents.Found) bool { return f.Known }), err
}

// offerAgents asks the person at the terminal whether to import the memory files of agents, or
// prints how to.
func (s initRun) offerAgents(ctx context.Context, found []agents.Found) error {
	files, names := 0, []string{}
	for _, f := range found {
		files, names = files+f.Files, append(names, f.Name)
	}
	if files == 0 {
		return nil
	}
	what := plural.Count(files, "memory file", "memory files") + " of agents (" + strings.Join(names, ", ") + ")"
	if screen.IsTerminal(s.in) && s.agrees("Import "+what+"?") {
		s.runImport(ctx, "--agents")
		return nil
	}
	var d show.Doc
	d.AddIn(show.Faint, "", "there "+map[bool]string{true: "is ", false: "are "}[files == 1]+what+"; hence import --agents makes memories of them")
	return s.draw(s.out, d)
}

// trustCommand says where memories came from, and with --raise that a person answers for a folder of an agent.
func trustCommand(s *session) *cobra.Command {
	raise := false
	m := same("trust", "from", sources.Store.Tell, show.Sources).taking(0, 1)
	m.also = func(_ *session, cmd *cobra.Command, _ *sources.Args) {
		cmd.Flags().BoolVar(&raise, "raise", false, "count the files of this folder of an agent, or of these rules of a repository, as yours; --raise=false takes it back")
	}
	cmd := m.command(s)
	tell := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if !cmd.Flags().Changed("raise") {
			return tell(cmd, words)
		}
		if err := (count{1, 1}).check(cmd, words); err != nil {
			return err
		}
		return s.withStore(cmd.Context(), false, func(d *db.DB) error {
			report, err := agents.Importer{DB: d, Caller: s.person()}.Trust(cmd.Context(), words[0], raise)
			if err != nil {
				return err
			}
			return s.print(report, func() show.Doc { return show.Imported(report) })
		})
	}
	return cmd
}
