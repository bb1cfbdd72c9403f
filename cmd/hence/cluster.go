package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/internal/db"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/node"
	"hence/tools/show"
)

// clusterCommands are for a store on several machines.
var clusterCommands = []command{
	parent{
		use: "cluster",
		below: []command{
			function(clusterStatus), function(clusterImport),
		},
	},
}

// clusterName returns the name of the cluster's store that --db or HENCE_DB gives. It fails
// with invalid_argument if that is a plain file. Errors begin with doing.
func clusterName(s *session, doing string) (string, error) {
	name, err := s.path()
	if err == nil && !remote.Is(name) {
		err = fault.New(fault.InvalidArgument, "%s: the store at %s is a plain file; name that of a cluster with --db 'rqlite:FOLDER/db.sqlite?at=HOST:PORT'", doing, name)
	}
	return name, err
}

func clusterStatus(s *session) *cobra.Command {
	quick := false
	cmd := bare("status", count{0, 0}, func(cmd *cobra.Command, _ []string) error {
		name, err := clusterName(s, "cluster status")
		if err != nil {
			return err
		}
		address, err := remote.Parse(name)
		if err != nil {
			return err
		}
		client, err := remote.New(address)
		if err != nil {
			return err
		}
		defer client.Close()
		o, err := node.Examine(cmd.Context(), client, !quick)
		if err != nil {
			return err
		}
		if err := s.print(o, func() show.Doc { return showNodes(o) }); err != nil {
			return err
		}
		switch {
		case o.Digests == node.Differ:
			return fault.New(fault.Internal, "cluster status: %s differs from the other nodes; remove its folder and start it again, and it gets everything from them", strings.Join(o.Apart, ", "))
		case o.Leader == "":
			return fault.New(fault.Unavailable, "cluster status: no node leads; see whether more than half of them run and reach each other")
		}
		return nil
	})
	cmd.Flags().BoolVar(&quick, "quick", false, "do not compare what the nodes hold")
	return cmd
}

// showNodes describes the nodes of a cluster, the comparison of their stores, and the warnings.
func showNodes(o node.Overview) (d show.Doc) {
	t := show.Table{Columns: []show.Column{
		{Head: "node", Min: 12}, {Head: "state"}, {Head: "address", Min: 14}, {Head: "heard from its leader"}, {Head: "behind"}, {Head: "rqlited"}, {Head: "SQLite"},
	}}
	for _, n := range o.Nodes {
		role := show.Good
		if n.State != "leader" && n.State != "follower" {
			role = show.Warn
		}
		name := n.ID
		if n.Here {
			name += " (here)"
		}
		heard, behind := strconv.FormatFloat(n.SilentSeconds, 'f', 1, 64)+" s ago", digits(n.Behind)
		switch {
		case n.SilentSeconds < 0:
			heard = "not known"
		case n.State == "leader":
			heard = "leads"
		}
		switch {
		case n.Behind < 0:
			behind = "not known"
		case n.Behind == 0:
			behind = "–"
		}
		t.Rows = append(t.Rows, []show.Cell{
			{Text: name, Role: show.Strong}, {Text: n.State, Role: role}, {Text: n.HTTP}, {Text: heard}, {Text: behind}, {Text: n.Version}, {Text: n.Engine},
		})
	}
	d = show.Doc{t}
	switch o.Digests {
	case node.Equal:
		d.Add("", good("the stores of all nodes are equal"))
	case node.Differ:
		d.Add("", bad(strings.Join(o.Apart, ", ")+" differs in "+strings.Join(o.Differing, ", ")), ": "+o.Why)
	default:
		d.Add("", "it is not known whether the stores of all nodes are equal: "+o.Why)
	}
	d.Warn(o.Warnings)
	return d
}

// clusterImported is what --json prints.
type clusterImported struct {
	File     string `json:"file"`
	Memories int64  `json:"memories"`
	Saved    string `json:"saved,omitempty"` // a copy of what the cluster held before
}

func clusterImport(s *session) *cobra.Command {
	replace := false
	cmd := bare("import", count{1, 1}, func(cmd *cobra.Command, words []string) error {
		if err := checkFile(cmd, words[0]); err != nil {
			return err
		}
		name, err := clusterName(s, "cluster import")
		if err != nil {
			return err
		}
		ctx, done := cmd.Context(), clusterImported{File: words[0]}
		if done.Memories, err = countMemories(ctx, done.File, db.Options{ReadOnly: true}); err != nil {
			return err
		}
		held, err := countMemories(ctx, name, s.options())
		if err != nil {
			return err
		}
		if held > 0 && !replace {
			return fault.New(fault.Exists, "cluster import: the cluster holds %d memories; --replace replaces them, hence import adds those of hence export", held)
		}
		if done.Saved, err = db.RestoreBackup(ctx, done.File, name, s.options()); err != nil {
			return err
		}
		return s.print(done, func() (d show.Doc) {
			d.Add("", good("brought in "), strong(done.File), ": "+digits(done.Memories)+" memories")
			if done.Saved != "" {
				d.AddIn(show.Faint, "  ", "what the cluster held before is in "+done.Saved)
			}
			return d
		})
	})
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the memories that the cluster holds")
	return cmd
}

// countMemories returns how many memories a store has, forgotten ones too.
func countMemories(ctx context.Context, name string, o db.Options) (n int64, err error) {
	d, err := db.Open(ctx, name, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	n, _, err = db.One[int64](ctx, d, `select count(*) from memories`)
	return n, err
}
