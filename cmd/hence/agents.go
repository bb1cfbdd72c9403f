package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/clients"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/briefing"
	"hence/tools/show"
)

// agentCommands are for agents and their clients.
var agentCommands = []command{
	function(serveCommand), function(readyCommand), function(initCommand), function(hookCommand), function(setupCommand), function(primeCommand),
}

func setupCommand(s *session) *cobra.Command {
	write := false
	cmd := bare("setup", count{1, 1}, func(_ *cobra.Command, words []string) error { return setup(s, words[0], write) })
	cmd.ValidArgsFunction = completeClients
	cmd.Flags().BoolVar(&write, "write", false, "write the entry")
	return cmd
}

func setup(s *session, name string, write bool) error {
	client, err := clients.Find(name)
	if err != nil {
		return err
	}
	places, err := findPlaces()
	if err != nil {
		return err
	}
	server, err := asServer(s)
	if err != nil {
		return err
	}
	if name := projectCommand(); client.InProject && name != "" {
		server.Command = name
	}
	entry, err := client.Put(nil, server) // in an otherwise empty file
	if err != nil {
		return err
	}
	done := clients.Change{File: client.File(places), State: clients.Same}
	if write {
		done = client.Write(places, server)
		if err := verdict([]clients.Change{done}); err != nil {
			return err
		}
	}
	snippet := string(entry)
	result := map[string]any{"client": client.Name, "entry": snippet, "written": write, "file": done.File, "changed": done.State != clients.Same}
	return s.print(result, func() (d show.Doc) {
		switch {
		case done.State == clients.Changed:
			d.Add("", good("written to "+done.File))
		case done.State == clients.Made:
			d.Add("", good("made "+done.File))
		case write:
			d.Add("", done.File+" has the entry already")
		default:
			d.Add("", "in "+done.File+":")
			d = append(d, show.Line{}, show.Content("  "+strings.ReplaceAll(strings.TrimRight(snippet, "\n"), "\n", "\n  ")), show.Line{})
			d.AddIn(show.Faint, "", "--write writes it there, and changes nothing else")
		}
		if client.Note != "" {
			d.AddIn(show.Faint, "", client.Note)
		}
		return d
	})
}

// findPlaces returns the folders in which clients and Hence keep their files.
func findPlaces() (p clients.Places, err error) {
	p.Getenv = os.Getenv
	if p.Home, err = os.UserHomeDir(); err == nil {
		p.Config, err = os.UserConfigDir()
	}
	if err == nil {
		p.Project, err = os.Getwd()
	}
	if err == nil {
		p.State, err = stateHere()
	}
	if err != nil {
		return p, fault.Wrap(fault.Unavailable, err, "your home folder or the current folder is not known")
	}
	return p, nil
}

// executable returns the path of this program.
func executable() (string, error) {
	program, err := os.Executable()
	if err != nil { // Linux reads it from /proc, which may not be mounted
		if path, lookErr := exec.LookPath(os.Args[0]); lookErr == nil {
			program, err = filepath.Abs(path)
		}
	}
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "setup: the path of this program is not known; start it by its full path")
	}
	return program, nil
}

// asServer returns the command with which a client starts this program, with the global
// flags that were given. Paths are absolute, because a client has neither the current folder
// nor the environment of this shell.
func asServer(s *session) (clients.Server, error) {
	program, err := executable()
	if err != nil {
		return clients.Server{}, err
	}
	server := clients.Server{Command: program, Args: []string{"serve"}}
	if words := launchedBy(os.Getenv); len(words) > 0 {
		server = clients.Server{Command: words[0], Args: append(words[1:], "serve")}
	}
	path, err := s.path()
	if err == nil {
		path, err = db.AbsoluteName(path)
	}
	if err == nil && db.HoldsSecret(path) {
		return clients.Server{}, fault.New(fault.InvalidArgument, "setup: --db holds a password, which would stand in the client's settings; give it as HENCE_RQLITE_PASSWORD instead")
	}
	if err != nil {
		return clients.Server{}, fault.Wrap(fault.Unavailable, err, "setup: the path of the store is not known; give it with --db FILE")
	}
	usual, err := defaultPath(func(string) string { return "" })
	if s.file != "" || err != nil || path != usual {
		server.Args = append(server.Args, "--db", path)
	}
	for _, f := range []struct {
		given bool
		words []string
	}{
		{s.namespace != "", []string{"--namespace", s.namespace}}, {s.project != "", []string{"--project", s.project}},
		{s.readOnly, []string{"--read-only"}}, {s.durable, []string{"--durable"}}, {s.actor != "", []string{"--actor", s.actor}},
	} {
		if f.given {
			server.Args = append(server.Args, f.words...)
		}
	}
	return server, nil
}

func primeCommand(s *session) *cobra.Command {
	m := same("prime", "", briefing.Briefer.Brief, showBriefing)
	brief := m.call
	m.call = func(ctx context.Context, s *session, v ref.View, a briefing.Args) (briefing.Result, error) {
		seen, _ := receipts.Seen(ctx, v.DB) // 0 if it cannot be read: the receipt then names what was shown
		r, err := brief(ctx, s, v, a)
		if id := s.surroundings()["session_id"]; id != "" && err == nil {
			s.keepPrime(ctx, v, id, seen, a, r)
		}
		return r, err
	}
	m.instead = func(_ *cobra.Command, _ briefing.Args, _ []string, usual func() error) error {
		if err := usual(); fault.CodeOf(err) != fault.NotFound { // a hook must not fail before the first memory
			return err
		}
		return nil
	}
	return m.command(s)
}

// keepPrime adds the receipt of a briefing that an agent's session was given, because the hooks of some
// clients are this command. The briefing does not fail because of it.
func (s *session) keepPrime(ctx context.Context, v ref.View, id string, seen int64, a briefing.Args, r briefing.Result) {
	book, err := receipts.Open(ctx, v.DB.State(), hookWait)
	if err != nil {
		return
	}
	defer book.Close()
	stamp, err := receipts.StampOf(ctx, v.DB, seen, ref.ShownIn(r))
	if err != nil {
		return
	}
	arguments, text := db.List(a), []byte(r.Text())
	_ = book.Add(ctx, receipts.Receipt{
		Session: id, Actor: cmp.Or(s.surroundings()["client"], "agent"), Namespace: v.Caller.Namespace, At: started(), Took: time.Since(started()), Tool: "prime",
		Arguments: arguments, BytesIn: len(arguments), BytesOut: len(text), Hash: receipts.HashOf(text), Stamp: stamp,
	})
}

// brief returns a briefing, or nil if there is no store yet: a hook must not fail before
// the first memory.
func (s *session) brief(ctx context.Context, a briefing.Args) (b *briefing.Result, err error) {
	err = s.withStore(ctx, true, func(v ref.View) error {
		r, err := briefing.Briefer(v).Brief(ctx, a)
		b = &r
		return err
	})
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	return b, err
}

// showBriefing describes a briefing. It says nothing of an empty store.
func showBriefing(b briefing.Result) (d show.Doc) {
	for line := range strings.Lines(b.Text()) {
		line = strings.TrimSuffix(line, "\n")
		if item, ok := strings.CutPrefix(line, "- "); ok {
			d.Add("- ", item)
		} else {
			d.Add("", line)
		}
	}
	return d
}
