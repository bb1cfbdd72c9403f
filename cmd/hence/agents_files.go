package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/agents"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/sources"
	"hence/tools/show"
	"hence/vault"
)

// agentFolderCommands are for the files in which agents keep their own memory.
var agentFolderCommands = []command{
	calling("diff", "", func(ctx context.Context, v ref.View, a agents.DiffArgs) (agents.DiffResult, error) {
		return agents.Importer{DB: v.DB, Caller: v.Caller}.Diff(ctx, a)
	}, showDiff),
	parent{
		use: "agents",
		below: []command{
			listing("allowed", "folders", func(ctx context.Context, v ref.View) ([]agents.Permission, error) {
				return agents.Importer{DB: v.DB, Caller: v.Caller}.Permissions(ctx)
			}, showAgentFolders),
			parent{use: "allow", below: []command{restoreCommand(true)}},
			parent{use: "forbid", below: []command{restoreCommand(false)}},
		},
	},
}

// restoreArgs names a folder, "" for all.
type restoreArgs struct {
	Folder string `json:"folder,omitempty" jsonschema:"only of this folder, such as claude-code"`
}

// restoreCommand allows or forbids that hence undo writes agents' files.
func restoreCommand(allow bool) command {
	return calling("restore", "", func(ctx context.Context, v ref.View, a restoreArgs) (listed[agents.Permission], error) {
		all, err := agents.Importer{DB: v.DB, Caller: v.Caller}.AllowRestore(ctx, a.Folder, allow)
		return listed[agents.Permission]{"folders", all}, err
	}, func(l listed[agents.Permission]) show.Doc { return showAgentFolders(l.All) }).writing()
}

func showAgentFolders(all []agents.Permission) (d show.Doc) {
	if len(all) == 0 {
		d.Add("", "there is no folder of an agent; hence import --agents finds them")
	}
	for _, p := range all {
		d.Add("", strong(p.Folder), faint("  "+p.Root))
		switch {
		case p.Elsewhere:
			d.Add("  ", "it was imported elsewhere: its folder is not opened here")
		case p.Restore:
			d.Add("  ", "hence undo may put its files back")
		default:
			d.Add("  ", "its files are only read")
		}
	}
	return d
}

// showDiff lists the changes, a line each.
func showDiff(r agents.DiffResult) (d show.Doc) {
	d.Warn(r.Warnings)
	if len(r.Changes) == 0 {
		d.Add("", "no file has changed since")
		return d
	}
	t := show.Table{Columns: []show.Column{{Head: "folder"}, {Head: "what"}, {Head: "file", Min: 20}, {Head: "seen"}, {Head: "by"}, {Head: "change"}}}
	for _, c := range r.Changes {
		file, seen, seq := c.Path, "not imported yet", ""
		if c.From != "" {
			file = c.From + " → " + c.Path
		}
		if c.Seen != "" {
			seen, seq = instant(c.Seen), digits(c.Seq)
		}
		t.Rows = append(t.Rows, []show.Cell{{Text: c.Folder}, {Text: c.Change}, {Text: file, Role: show.Strong, Whole: true}, {Text: seen}, {Text: c.By}, {Text: seq}})
	}
	d = append(d, t)
	for _, c := range r.Changes {
		if c.Diff != "" {
			d = append(d, show.Line{}, show.Content(c.Diff))
		}
	}
	return d
}

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
	return takeIn(cmd.Context(), s, dry, func(ctx context.Context, v ref.View, progress func(done, total int)) (listed[vault.Report], error) {
		importer := agents.Importer{DB: v.DB, Caller: v.Caller, Progress: progress}
		reports, err := importer.Import(ctx, agents.Args{Places: places, Namespace: s.namespace, DryRun: dry})
		return listed[vault.Report]{"folders", reports}, err
	}, showAgents)
}

func showAgents(reports listed[vault.Report]) (d show.Doc) {
	for _, r := range reports.All {
		d = append(d, show.Imported(r)...)
	}
	if len(reports.All) == 0 {
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
	err = s.withStore(ctx, true, func(v ref.View) error {
		found, err = agents.Importer{DB: v.DB, Caller: v.Caller}.Find(ctx, places)
		return err
	})
	if fault.CodeOf(err) == fault.NotFound {
		found, err = agents.Importer{}.Find(ctx, places)
	}
	return slices.DeleteFunc(found, func(f agents.Found) bool { return f.Known }), err
}

// offerAgents offers to import the memory files of agents.
func (s initRun) offerAgents(ctx context.Context, found []agents.Found) error {
	files, names := 0, []string{}
	for _, f := range found {
		files, names = files+f.Files, append(names, f.Name)
	}
	if files == 0 {
		return nil
	}
	what := plural.Count(files, "memory file", "memory files") + " of agents (" + strings.Join(names, ", ") + ")"
	return s.offerImport(ctx, what, "there "+map[bool]string{true: "is ", false: "are "}[files == 1]+what+"; hence import --agents", "--agents")
}

// trustCommand says where memories came from, and with --raise that a person answers for a folder of an agent.
func trustCommand(s *session) *cobra.Command {
	raise := false
	m := same("trust", "from", sources.Store.Tell, show.Sources).taking(0, 1)
	m.also = func(_ *session, cmd *cobra.Command, _ *sources.Args) {
		cmd.Flags().BoolVar(&raise, "raise", false, "count the files of this folder of an agent, or of these rules of a repository, as yours; --raise=false takes it back")
	}
	m.instead = func(cmd *cobra.Command, _ sources.Args, words []string, usual func() error) error {
		if !cmd.Flags().Changed("raise") {
			return usual()
		}
		if err := (count{1, 1}).check(cmd, words); err != nil {
			return err
		}
		return calling("trust", "", func(ctx context.Context, v ref.View, folder string) (vault.Report, error) {
			return agents.Importer{DB: v.DB, Caller: v.Caller}.Trust(ctx, folder, raise)
		}, show.Imported).writing().run(cmd.Context(), s, words[0])
	}
	return m.command(s)
}
