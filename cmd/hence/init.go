package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/agents"
	"hence/cmd/hence/internal/clients"
	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/briefing"
	"hence/projection/folder"
	"hence/tools/show"
	"hence/vault"
)

// initOptions are the flags of hence init.
type initOptions struct {
	names                    []string
	user, dry, check, remove bool
	optional                 map[clients.Optional]bool
}

func initCommand(s *session) *cobra.Command {
	o := initOptions{optional: map[clients.Optional]bool{}}
	team := false
	cmd := bare("init", count{0, 0}, func(cmd *cobra.Command, _ []string) error {
		if team {
			return initRun{s, o}.initTeam(cmd.Context())
		}
		for kind := range optionalHooks {
			if cmd.Flags().Changed(string(kind)) {
				o.optional[kind], _ = cmd.Flags().GetBool(string(kind)) // a flag of another type is a bug that each run finds
			}
		}
		return initRun{s, o}.init(cmd.Context())
	})
	f := cmd.Flags()
	f.StringSliceVar(&o.names, "client", nil, "only this `client` (may be repeated; default: those that are found)")
	f.BoolVar(&o.user, "user", false, "write your own settings, for all projects")
	f.BoolVar(&o.dry, "dry-run", false, "only say what would be written")
	f.BoolVar(&o.check, "check", false, "exit 4 if something is missing or old; write nothing")
	f.BoolVar(&o.remove, "remove", false, "take out what hence init wrote")
	f.BoolVar(&team, "team", false, "say what a folder .hence with the team's memories would hold, and tell agents in AGENTS.md")
	for kind, what := range optionalHooks {
		f.Bool(string(kind), false, what)
		cmd.MarkFlagsMutuallyExclusive("team", string(kind))
	}
	cmd.MarkFlagsMutuallyExclusive("check", "remove")
	for _, other := range []string{"client", "user"} {
		cmd.MarkFlagsMutuallyExclusive("team", other)
	}
	_ = cmd.RegisterFlagCompletionFunc("client", completeClients)
	return cmd
}

// optionalHooks are the kinds of hooks that a person asks for.
var optionalHooks = map[clients.Optional]string{
	clients.Prompts:     "also a hook that puts fitting titles beside a prompt",
	clients.Checkpoints: "also a hook that asks once for a checkpoint after many edits",
	clients.Actions:     "also hooks that put beside an edit or a command what was decided of it",
	clients.Helpers:     "also a hook that puts memories that fit before the task of a helper",
}

// initResult is what --json prints.
type initResult struct {
	Clients []string         `json:"clients"`
	Files   []clients.Change `json:"files"`
	DryRun  bool             `json:"dry_run"`
	Offers  []offer          `json:"offers"`           // folders that could be imported
	Agents  []agents.Found   `json:"agents,omitempty"` // folders with the memory files of agents, which could be too
}

// initRun is a run of hence init.
type initRun struct {
	*session
	o initOptions
}

func (s initRun) init(ctx context.Context) error {
	places, err := findPlaces()
	if err != nil {
		return err
	}
	chosen, err := chooseClients(places, s.o)
	if err != nil {
		return err
	}
	wish, err := s.wish()
	if err != nil {
		return err
	}
	do := clients.Put
	switch {
	case s.o.check:
		do = clients.Check
	case s.o.remove:
		do = clients.Remove
	}
	result := initResult{Clients: lists.Map(chosen, func(c clients.Client) string { return c.Name }), DryRun: s.o.dry, Offers: []offer{}}
	result.Files = clients.Apply(chosen, places, wish, do, s.o.dry)
	if do == clients.Put {
		// A store that cannot be opened is reported by the briefing, after the files.
		result.Offers, _ = s.offers(ctx, places.Project)
		result.Agents, _ = s.findAgents(ctx)
	}
	err = s.print(result, func() show.Doc { return showFiles(result, do) })
	if err := errors.Join(err, verdict(result.Files)); err != nil {
		return err
	}
	if do != clients.Put || s.o.dry || s.asJSON {
		return nil
	}
	if err := errors.Join(s.importOffered(ctx, result.Offers), s.offerAgents(ctx, result.Agents)); err != nil {
		return err
	}
	return s.printFirstBriefing(ctx, len(result.Offers)+len(result.Agents) == 0)
}

// chooseClients returns the clients that were named, or else those that are found. For a
// removal it returns all, because a client may have been uninstalled since.
func chooseClients(places clients.Places, o initOptions) (chosen []clients.Client, err error) {
	for _, name := range o.names {
		c, err := clients.Find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, c)
	}
	switch {
	case len(chosen) > 0:
		return chosen, nil
	case o.remove:
		return clients.All(), nil
	}
	if chosen = clients.Present(places, exec.LookPath); len(chosen) == 0 {
		return nil, fault.New(fault.NotFound, "init: no client was found; name one with --client: %s", strings.Join(clients.Names(), ", "))
	}
	return chosen, nil
}

// wish returns what the files of the clients must contain.
func (s initRun) wish() (clients.Wish, error) {
	s.project = cmp.Or(s.project, "auto")
	server, err := asServer(s.session)
	if err != nil {
		return clients.Wish{}, err
	}
	// A hook never goes through npx, which costs half a second each time. Files of the person's own
	// name the program itself. A project's are for others too, who have it elsewhere, if a shell finds it here or not.
	program, err := executable()
	if err != nil {
		return clients.Wish{}, err
	}
	w := clients.Wish{Server: server, User: s.o.user, Optional: s.o.optional, Program: shellWord(program)}
	if !s.o.user {
		w.Program, w.Name = ownName, projectCommand()
	}
	w.Flags = lists.Join(server.Args[slices.Index(server.Args, "serve")+1:], " ", shellWord)
	return w, nil
}

// ownName is the name of this program, by which the files of a project call it.
const ownName = "hence"

// projectCommand returns the command with which the files of a project start the server; "" if npx has started this
// program, which then starts the server too.
func projectCommand() string {
	if len(launchedBy(os.Getenv)) > 0 {
		return ""
	}
	return ownName
}

// pathAdvice returns what a person must do so that a shell finds this program by the name that the files of a project have;
// "" if it does.
func pathAdvice() string {
	path, lookErr := exec.LookPath(ownName)
	program, err := executable()
	switch {
	case len(launchedBy(os.Getenv)) > 0:
		return "the hooks of the project call hence, which npm install --global hence puts on your path"
	case err != nil || lookErr == nil && (folder.Same(path, program) || folder.Same(path, os.Getenv("HENCE_LAUNCHER"))): // that of the npm package
		return ""
	}
	return "the files of the project call hence, and your shell does not find this one by that name: put " + filepath.Dir(program) + " on your path"
}

// shellWord returns a text, in quotes if necessary, so that a shell reads it as one word.
func shellWord(text string) string {
	if !strings.ContainsAny(text, " \t\n'\"`$\\&|;<>()*?[]#~") {
		return text
	}
	return quote(text)
}

// verdict returns the error of a run: for the first file that was refused, or else for files
// that a check found missing or old.
func verdict(files []clients.Change) error {
	open := 0
	for _, f := range files {
		switch f.State {
		case clients.Refused:
			return fault.New(fault.InvalidArgument, "init: %s: %s", shortPath(f.File), f.Problem)
		case clients.Missing, clients.Old:
			open++
		}
	}
	if open > 0 {
		return fault.New(fault.Conflict, "init: %s not as hence init writes it; run hence init", plural.Count(open, "file is", "files are"))
	}
	return nil
}

// shortPath returns a path relative to the current folder, if it is below that.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// showFiles describes the outcome for each file.
func showFiles(r initResult, do clients.Do) (d show.Doc) {
	if do == clients.Remove && len(r.Files) == 0 {
		d.Add("", "there is nothing to remove")
	}
	for _, f := range r.Files {
		word := string(f.State)
		if f.State == clients.Same {
			word = "unchanged"
		}
		if r.DryRun {
			word = "would be " + word
		}
		d.Add("", fmt.Sprintf("%-9s ", word), strong(shortPath(f.File)), faint("  "+strings.Join(f.What, ", ")+" for "+strings.Join(f.Clients, ", ")))
		if f.Problem != "" {
			d.Add("  ", f.Problem)
		}
	}
	return d
}

// printFirstBriefing prints the briefing of the next session, or how to begin; alone means
// that nothing was said of folders to import.
func (s initRun) printFirstBriefing(ctx context.Context, alone bool) error {
	b, err := s.brief(ctx, briefing.Args{})
	if err != nil {
		return err
	}
	d := show.Doc{show.Line{}}
	if store := os.Getenv("HENCE_DB"); store != "" && s.file == "" {
		d.Add("", "the clients get the store that HENCE_DB names here, "+store)
	}
	if advice := pathAdvice(); advice != "" && !s.o.user {
		d.Add("", advice)
	}
	if b != nil && b.Text() != "" {
		d.Add("", "the first briefing, once the client is restarted:")
		d = append(append(d, show.Line{}), showBriefing(*b)...)
	} else {
		d.Add("", "nothing is stored yet; restart the client to begin")
		if alone {
			d.AddIn(show.Faint, "", "hence import DIR makes memories of notes")
		}
	}
	return s.draw(s.out, d)
}

// launchedBy returns the command with which a client starts this program; nil for its path.
// npx keeps packages in folders that it may delete, so the launcher of the npm package, if
// npx started it, sets HENCE_LAUNCHED_BY to such a command: a JSON list of words. Any other
// value is ignored, because the path works as long as the folder exists.
func launchedBy(env func(string) string) (words []string) {
	if json.Unmarshal([]byte(env("HENCE_LAUNCHED_BY")), &words) != nil || len(words) == 0 || words[0] == "" {
		return nil
	}
	return words
}

// offer is a folder of notes that could be imported.
type offer struct {
	Folder string `json:"folder"`
	Notes  int    `json:"notes"` // Markdown files, up to enoughNotes
	Vault  bool   `json:"vault"` // Obsidian has opened it
}

// enoughNotes is the number of notes at which counting stops.
const enoughNotes = 1000

// offers returns the folders of the project that have notes and are not in the store: the
// project if it is a vault of Obsidian, or else its vaults and folders such as docs or notes.
func (s initRun) offers(ctx context.Context, project string) ([]offer, error) {
	known := map[string]bool{}
	err := s.withStore(ctx, true, func(v ref.View) error {
		vaults, err := vault.Importer{DB: v.DB, Caller: v.Caller}.Vaults(ctx)
		for _, one := range vaults {
			known[one.Root] = true
		}
		return err
	})
	offers := []offer{}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return offers, err
	}
	if known[project] {
		return offers, nil
	}
	entries, err := os.ReadDir(project)
	if err != nil {
		return offers, nil // there is nothing to offer
	}
	if isVault(project) {
		return append(offers, offerOf(project)), nil
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		folder := filepath.Join(project, e.Name())
		if known[folder] {
			continue
		}
		usual := slices.Contains([]string{"docs", "doc", "notes", "wiki", "vault"}, strings.ToLower(e.Name()))
		if usual || isVault(folder) {
			if o := offerOf(folder); o.Notes > 0 {
				offers = append(offers, o)
			}
		}
	}
	return offers, nil
}

// offerOf returns the offer of a folder, with the number of its notes.
func offerOf(folder string) offer {
	o := offer{Folder: folder, Vault: isVault(folder)}
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || o.Notes == enoughNotes:
			return filepath.SkipAll
		case d.IsDir() && path != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".md"):
			o.Notes++
		}
		return nil
	})
	return o
}

// importOffered offers to import each folder.
func (s initRun) importOffered(ctx context.Context, all []offer) error {
	for _, o := range all {
		notes := plural.Count(o.Notes, "note", "notes")
		if o.Notes == enoughNotes {
			notes = strconv.Itoa(enoughNotes) + " notes or more"
		}
		folder := shortPath(o.Folder)
		if err := s.offerImport(ctx, "the "+notes+" of "+folder, folder+" has "+notes+"; hence import "+shellWord(folder), o.Folder); err != nil {
			return err
		}
	}
	return nil
}

// offerImport asks the person at the terminal whether to import what is there, and runs hence import with
// a word, or prints how to. The error of the import is only reported, because the files of the clients
// are written.
func (s initRun) offerImport(ctx context.Context, what, command, word string) error {
	if !screen.IsTerminal(s.in) || !s.agrees("Import "+what+"?") {
		return s.draw(s.out, show.OneLine(faint(command+" makes memories of them")))
	}
	importer := importCommand(s.session)
	importer.SetContext(ctx)
	err := importer.ParseFlags([]string{word})
	if err == nil {
		err = importer.RunE(importer, importer.Flags().Args())
	}
	if err != nil {
		s.report(ctx, importer, err)
	}
	return nil
}
