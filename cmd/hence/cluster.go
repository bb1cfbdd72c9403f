package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/node"
)

// clusterCommands are for a store on several machines.
var clusterCommands = []command{
	parent{
		use:   "cluster",
		short: "Keep one store on several machines",
		long: `Several machines can hold one store, each a copy of it, by rqlite: SQLite replicated
over Raft. A server reads the copy on its own machine at the speed of a file, and a
write is acknowledged when more than half of the machines have it.

On each machine hence cluster run runs a node, and every command then takes the store
as --db 'rqlite:FOLDER/db.sqlite?at=HOST:PORT,HOST:PORT': the file of the node on this
machine, and the addresses for requests of that node first and then of the others.
HENCE_RQLITE_USER and HENCE_RQLITE_PASSWORD name a user, HENCE_RQLITE_CA, _CERT and
_KEY the files for TLS; ca=FILE, cert=FILE and key=FILE in the name do so too.

One store serves most teams from one file: see docs/cluster.md before you begin.`,
		example: `  hence cluster run ~/node --nodes 127.0.0.1:4002
  hence cluster status --db 'rqlite:/home/me/node/db.sqlite?at=127.0.0.1:4001'
  hence cluster import team.db --db 'rqlite:/var/lib/hence/db.sqlite?at=10.0.0.1:4001'`,
		below: []command{
			function((*session).clusterRun), function((*session).clusterStatus), function((*session).clusterImport),
		},
	},
}

func (s *session) clusterRun() *cobra.Command {
	o := node.Options{}
	program := ""
	cmd := &cobra.Command{
		Use:   "run FOLDER [-- FLAG...]",
		Short: "Run the node of this machine",
		Long: `Runs rqlited (8.26 or newer, from https://rqlite.io) with its data in FOLDER and the
flags on which a store relies, until it is told to stop. Only you can read FOLDER.

--nodes lists the addresses for nodes (--raft) of all machines. If this machine's is
among them, the nodes make a cluster as soon as all have been started; if not, this
node joins the cluster of the others. Without --nodes it is a cluster by itself. A node
that was wiped joins again with the same command, and one that has joined starts
without the others.

Addresses of other machines need certificates: --cert and --key are those of this node,
and --ca signs those of all nodes and, unless --auth gives a file of users in the form
of rqlite, of all clients too. Further flags of rqlited may follow after --.`,
		Example: `  hence cluster run /var/lib/hence --http 10.0.0.1:4001 --raft 10.0.0.1:4002 \
    --nodes 10.0.0.1:4002,10.0.0.2:4002,10.0.0.3:4002 --ca ca.pem --cert n1.pem --key n1.key`,
		Args: count{1, unlimited}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			if n := cmd.ArgsLenAtDash(); n > 1 || n < 0 && len(words) > 1 {
				return count{1, 1}.check(cmd, words)
			}
			o.Folder, o.Further = words[0], words[1:]
			return s.runNode(cmd.Context(), program, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.HTTP, "http", "127.0.0.1:4001", "listen for requests on this `address`")
	f.StringVar(&o.Raft, "raft", "127.0.0.1:4002", "listen for other nodes on this `address`")
	f.StringSliceVar(&o.Nodes, "nodes", nil, "the `addresses` for nodes of all machines")
	f.StringVar(&o.ID, "id", "", "the `name` of the node (default its address for nodes)")
	f.StringVar(&o.CA, "ca", "", "the `file` of the certificates that sign those of nodes and clients")
	f.StringVar(&o.Cert, "cert", "", "the `file` of this node's certificate")
	f.StringVar(&o.Key, "key", "", "the `file` of the certificate's key")
	f.StringVar(&o.Auth, "auth", "", "the `file` of users who may ask, in the form of rqlite")
	f.StringVar(&o.As, "join-as", "", "the `user` of that file as whom the node joins")
	f.StringVar(&program, "rqlited", "", "the `program` to run (default rqlited among your programs)")
	return cmd
}

// runNode runs a node until ctx ends. Once the node is ready, it prints how to name the store.
func (s *session) runNode(ctx context.Context, program string, o node.Options) error {
	p, err := node.Find(ctx, program)
	if err != nil {
		return err
	}
	for _, path := range []*string{&o.Folder, &o.CA, &o.Cert, &o.Key, &o.Auth} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return fault.Wrap(fault.Unavailable, err, "cluster run: the folder cannot be resolved")
		}
	}
	client, err := clientOf(o)
	if err != nil {
		return err
	}
	defer client.Close()
	page := screen.PageFor(s.err)
	page.Line(screen.Text("rqlited " + p.Version + " with SQLite " + p.Engine + ", from " + p.Path))
	if !p.Quick() {
		page.Item("  ", screen.Span{Text: "it is too old to show writes at once: stores beside a follower take up to 0.1 s each", Style: screen.Warn})
	}
	if err := page.Close(); err != nil {
		return err
	}
	denied := sync.OnceFunc(func() {
		fmt.Fprintln(s.err, "the node asks for a user, so it is not known whether it is ready: set HENCE_RQLITE_USER and HENCE_RQLITE_PASSWORD")
	})
	return p.Run(ctx, o, s.err, node.Events{
		Ready: func(ctx context.Context) bool {
			status, _, err := client.Ask(ctx, o.HTTP, http.MethodGet, "/readyz", nil)
			if status == http.StatusUnauthorized {
				denied()
			}
			return err == nil && status == http.StatusOK
		},
		Began: func() {
			fmt.Fprintln(s.err, "the node is ready; name the store with --db '"+storeName(ctx, client, o)+"'")
		},
	})
}

// clientOf returns a client for the node that runs with these options.
func clientOf(o node.Options) (*remote.Client, error) {
	// The environment gives the user, the options of the node give the certificates.
	a, err := remote.Parse(remote.Scheme + filepath.Join(o.Folder, node.File) + "?at=" + o.HTTP)
	if err != nil {
		return nil, err
	}
	a.TLS, a.CA, a.Cert, a.Key = !node.IsLoopback(o.HTTP), o.CA, o.Cert, o.Key
	if !a.TLS {
		a.CA, a.Cert, a.Key = "", "", ""
	}
	return remote.New(a)
}

// storeName returns the name, for --db, of the store beside a node.
func storeName(ctx context.Context, c *remote.Client, o node.Options) string {
	addresses := []string{o.HTTP}
	listed, _ := c.Nodes(ctx) // without an answer, the name has only this node
	for _, n := range listed {
		_, address, _ := strings.Cut(n.API, "://")
		if address != "" && !slices.Contains(addresses, address) && (n.Raft != o.Raft) {
			addresses = append(addresses, address)
		}
	}
	name := remote.Scheme + filepath.Join(o.Folder, node.File) + "?at=" + strings.Join(addresses, ",")
	if a := c.Address(); a.TLS {
		name += "&ca=" + url.QueryEscape(a.CA) + "&cert=" + url.QueryEscape(a.Cert) + "&key=" + url.QueryEscape(a.Key)
	}
	return name
}

// clusterName returns the name of the cluster's store that --db or HENCE_DB gives. It fails
// with invalid_argument if that is a plain file. Errors begin with doing.
func (s *session) clusterName(doing string) (string, error) {
	name, err := s.path()
	if err == nil && !remote.Is(name) {
		err = fault.New(fault.InvalidArgument, "%s: the store at %s is a plain file; name that of a cluster with --db 'rqlite:FOLDER/%s?at=HOST:PORT'", doing, name, node.File)
	}
	return name, err
}

func (s *session) clusterStatus() *cobra.Command {
	quick := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the nodes, how far each is behind, and whether their stores are equal",
		Long: `Shows each node: whether it leads, how long ago it heard from its leader, how many
entries of the log it is behind, and its versions. Then the store of each node is
copied to this machine, and their tables are compared row by row; --quick leaves that
out. It exits with 1 if nodes differ or none leads.`,
		Example: `  hence cluster status
  hence cluster status --quick --json`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := s.clusterName("cluster status")
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
			if err := s.print(o, func(v *view) { v.cluster(o) }); err != nil {
				return err
			}
			switch {
			case o.Digests == node.Differ:
				return fault.New(fault.Internal, "cluster status: %s differs from the other nodes; remove its folder and start it again, and it gets everything from them", strings.Join(o.Apart, ", "))
			case o.Leader == "":
				return fault.New(fault.Unavailable, "cluster status: no node leads; see whether more than half of them run and reach each other")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "do not compare what the nodes hold")
	return cmd
}

// cluster draws the nodes of a cluster, the comparison of their stores, and the warnings.
func (v *view) cluster(o node.Overview) {
	rows := [][]screen.Span{}
	for _, n := range o.Nodes {
		style := screen.Good
		if n.State != "leader" && n.State != "follower" {
			style = screen.Warn
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
		rows = append(rows, []screen.Span{
			strong(name), {Text: n.State, Style: style}, screen.Text(n.HTTP), screen.Text(heard), screen.Text(behind),
			screen.Text(n.Version), screen.Text(n.Engine),
		})
	}
	v.Table([]screen.Column{
		{Head: "node", Min: 12}, {Head: "state"}, {Head: "address", Min: 14}, {Head: "heard from its leader"}, {Head: "behind"}, {Head: "rqlited"}, {Head: "SQLite"},
	}, rows)
	switch o.Digests {
	case node.Equal:
		v.Line(good("the stores of all nodes are equal"))
	case node.Differ:
		v.Line(screen.Span{Text: strings.Join(o.Apart, ", ") + " differs in " + strings.Join(o.Differing, ", "), Style: screen.Bad}, screen.Text(": "+o.Why))
	default:
		v.Line(screen.Text("it is not known whether the stores of all nodes are equal: " + o.Why))
	}
	v.warn(o.Warnings...)
}

// clusterImported is what --json prints.
type clusterImported struct {
	File     string `json:"file"`
	Memories int64  `json:"memories"`
	Saved    string `json:"saved,omitempty"` // a copy of what the cluster held before
}

func (s *session) clusterImport() *cobra.Command {
	replace := false
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Bring the store of a plain file into a cluster",
		Long: `Makes the store in FILE that of the cluster: memories with their ids and times,
edges, vaults, the journal, tokens and settings. FILE is left as it is, and is not
used any more. A cluster that holds memories is only replaced with --replace; a copy
of what it held is then saved beside the node's file.

The way out is hence backup FILE, which writes a plain store. Some memories are
brought by hence export --namespace and hence import.`,
		Example: `  hence cluster import ~/hence.db --db 'rqlite:/var/lib/hence/db.sqlite?at=10.0.0.1:4001'`,
		Args:    count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := checkFile(cmd, words[0]); err != nil {
				return err
			}
			name, err := s.clusterName("cluster import")
			if err != nil {
				return err
			}
			ctx, done := cmd.Context(), clusterImported{File: words[0]}
			if done.Memories, err = countMemories(ctx, done.File, db.Options{ReadOnly: true, Brief: true}); err != nil {
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
			return s.print(done, func(v *view) {
				v.Line(good("brought in "), strong(done.File), screen.Text(": "+digits(done.Memories)+" memories"))
				if done.Saved != "" {
					v.Item("  ", faint("what the cluster held before is in "+done.Saved))
				}
			})
		},
	}
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
