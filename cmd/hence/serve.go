package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/httpserve"
	"hence/tools/stdio"
	"hence/tools/usage"
	"hence/vault"
)

// serving are the flags of serve.
type serving struct {
	toolsets   []string
	vaultWrite bool
	noUsage    bool
	watch      bool // take in the edits of the vaults
	addr       string
	tokenFile  string
	hosts      []string
	rate       float64
	metrics    bool
	explore    bool
	browse     bool // for whoever sits here, with a token of its own where one is needed
	open       bool // open the browser
}

// defaultRate is how many requests a second one token may make.
const defaultRate = 200

func (s *session) serveCommand() *cobra.Command {
	o := serving{}
	cmd := &cobra.Command{
		Use:     "serve",
		GroupID: groupSetup,
		Short:   "Serve the store to an agent over MCP",
		Long: `Speaks the Model Context Protocol on standard input and output, until the input
ends. A client starts this itself: it needs the path of this program and the
word serve; hence setup shows where. Logs go to standard error.

With --http it listens instead, at http://ADDR/mcp (streamable HTTP). On an
address of this machine (127.0.0.1, localhost) anybody on this machine may come
in, until there is a token: the one in HENCE_TOKEN or --token-file opens
everything, those of hence token add open what they say. Any other address
needs a token. /healthz says ok to anybody. --explore serves the page of hence
explore beside it.

Where the store holds a vault, its notes are offered as files too, and what is
edited in its folder is taken in as it is saved, unless --no-watch is given or
the server only reads. A folder that cannot be watched (on a network, or where
the system has no watches left) is looked at before a tool answers instead, for
half a second at most. With --vault-write agents may write them: nothing outside the vault's folder, and
never with a token that only reads.`,
		Example: `  claude mcp add hence -- /usr/local/bin/hence serve
  hence serve --db team.db --toolsets graph --read-only
  hence serve --vault-write
  HENCE_TOKEN=$(openssl rand -hex 32) hence serve --http 0.0.0.0:7420`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkAddress(cmd, o.addr); err != nil {
				return err
			}
			return asFault(s.serve(cmd.Context(), o))
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.toolsets, "toolsets", nil, "offer only these `sets` of tools: memory, graph, vault (default all; vault where the store holds one)")
	f.BoolVar(&o.vaultWrite, "vault-write", false, "let agents write notes of the vaults too")
	f.BoolVar(&o.noUsage, "no-usage", false, "do not count calls for hence stats")
	watchFlags(cmd, &o)
	f.StringVar(&o.addr, "http", "", "listen on this `address`, such as 127.0.0.1:7420")
	f.StringVar(&o.tokenFile, "token-file", "", "read the token that opens everything from this `file`")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "further `names` that the server is called by, and whose pages may ask it")
	f.Float64Var(&o.rate, "rate", defaultRate, "requests a second that one token may make; 0 for any `number`")
	f.BoolVar(&o.metrics, "metrics", false, "offer counters for Prometheus at /metrics")
	f.BoolVar(&o.explore, "explore", false, "serve the explorer too, at http://ADDR/explore/")
	_ = cmd.RegisterFlagCompletionFunc("toolsets", cobra.FixedCompletions(tools.Toolsets(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// watchFlags adds the flags that say whether vaults are watched. They are, so
// that --watch says nothing new: it is kept for settings of clients that have
// it.
func watchFlags(cmd *cobra.Command, o *serving) {
	o.watch = true
	f := cmd.Flags()
	f.BoolVar(&o.watch, "watch", true, "take in the edits of every vault in the store as they are made")
	_ = f.MarkHidden("watch")
	f.BoolFunc("no-watch", "do not take in what is edited in the folders of vaults", func(text string) error {
		no, err := strconv.ParseBool(text)
		o.watch = !no
		return err
	})
}

// checkAddress refuses flags that say nothing without an address: whoever gave
// one believes that there is a server, or a lock on it.
func checkAddress(cmd *cobra.Command, addr string) error {
	for _, name := range []string{"explore", "token-file", "allow-host", "rate", "metrics"} {
		if addr == "" && cmd.Flags().Changed(name) {
			return fault.New(fault.InvalidArgument, "serve: --%s needs an address; add --http 127.0.0.1:7420", name)
		}
	}
	return nil
}

func (s *session) serve(ctx context.Context, o serving) (err error) {
	d, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	log := slog.New(slog.NewTextHandler(s.err, nil))
	offered := tools.Options{Toolsets: o.toolsets, ReadOnly: s.readOnly, VaultWrite: o.vaultWrite, Version: hence.ThisBuild().Version, Log: log}
	if err := s.checkNotes(ctx, d, o); err != nil {
		return err
	}
	if !o.noUsage && !d.ReadOnly() {
		recorder := usage.NewRecorder(d, log)
		defer recorder.Close()
		offered.Observers = append(offered.Observers, recorder.Record)
	}
	refresh, stop := s.background(ctx, d, o.watch, log)
	defer stop()
	offered.Refresh = refresh
	if o.addr != "" {
		return s.serveHTTP(ctx, d, o, offered)
	}
	server, err := tools.New(d, s.agent(), offered)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, server, s.in, s.out)
}

// checkNotes refuses to start when notes are asked for and cannot be offered.
func (s *session) checkNotes(ctx context.Context, d *db.DB, o serving) error {
	asked := slices.Contains(o.toolsets, tools.VaultSet)
	switch {
	case o.vaultWrite && d.ReadOnly():
		return fault.New(fault.InvalidArgument, "serve: --vault-write and --read-only do not go together")
	case o.vaultWrite && len(o.toolsets) > 0 && !asked:
		return fault.New(fault.InvalidArgument, "serve: --vault-write needs the toolset vault; add it to --toolsets")
	case !asked && !o.vaultWrite:
		return nil
	}
	vaults, err := vault.Importer{DB: d, Caller: s.agent()}.Vaults(ctx)
	if err == nil && len(vaults) == 0 {
		err = fault.New(fault.NotFound, "serve: the store holds no vault whose notes could be offered; hence import DIR takes one in")
	}
	return err
}

func (s *session) serveHTTP(ctx context.Context, d *db.DB, o serving, offered tools.Options) error {
	secret, err := masterToken(o.tokenFile)
	if err != nil {
		return err
	}
	made := ""
	if secret == "" && o.browse {
		if made, err = tokenOfThisRun(ctx, d); err != nil {
			return err
		}
		secret = made
	}
	if o.rate < 0 {
		return fault.New(fault.InvalidArgument, "serve: --rate is %v, and must be at least 0", o.rate)
	}
	server, err := httpserve.Listen(ctx, d, httpserve.Options{
		Addr: o.addr, Secret: secret, Hosts: o.hosts, Rate: o.rate, Metrics: o.metrics, Caller: s.agent(), Tools: offered,
		Explore: o.explore, Person: s.person(),
	})
	if err != nil {
		return err
	}
	if !o.browse {
		fmt.Fprintln(s.err, "listening on "+server.URL())
	}
	if o.explore {
		fmt.Fprintln(s.err, "exploring at "+addressed(server.PageURL(), made))
	}
	if o.open {
		defer openBrowser(server.PageURL(), secret)()
	}
	return server.Serve(ctx)
}

// minToken is the shortest token that is taken, in bytes: one that nobody
// guesses is longer.
const minToken = 16

// masterToken returns the token that opens everything, "" where none is set.
// One that is set and blank is refused: whoever set it wants a lock.
func masterToken(file string) (string, error) {
	secret, set := os.LookupEnv("HENCE_TOKEN")
	from := "HENCE_TOKEN"
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", fault.Wrap(fault.InvalidArgument, err, "serve: the token cannot be read")
		}
		secret, set, from = string(raw), true, file
	}
	secret = strings.TrimSpace(secret)
	switch {
	case set && secret == "":
		return "", fault.New(fault.InvalidArgument, "serve: %s is set and empty; put a token there (openssl rand -hex 32 makes one), or leave it out", from)
	case set && len(secret) < minToken:
		return "", fault.New(fault.InvalidArgument, "serve: the token in %s has under %d characters, and can be guessed; openssl rand -hex 32 makes one", from, minToken)
	}
	return secret, nil
}

// agent is the caller of the tools: whoever is at the other end.
func (s *session) agent() ref.Caller {
	c := s.person()
	c.Origin = "agent"
	if s.actor == "" {
		c.Actor = "agent"
	}
	return c
}
