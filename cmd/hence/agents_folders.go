package main

import (
	"context"

	"hence/agents"
	"hence/internal/ref"
	"hence/tools/show"
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
