package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory/exchange/team"
	"hence/tools/show"
)

// defaultPath returns the path of the store if none is given.
func defaultPath(env func(string) string) (string, error) {
	folder, err := dataDir(runtime.GOOS, env, os.UserHomeDir)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "the place of the store is not known; name a file with --db or HENCE_DB")
	}
	return filepath.Join(folder, "hence", "hence.db"), nil
}

// stateHere is stateDir of this process.
func stateHere() (string, error) { return stateDir(runtime.GOOS, os.Getenv, os.UserHomeDir) }

// stateDir returns the folder of Hence's own records: of what it wrote into files of clients,
// of the sessions of hooks, and of the folders of teams.
func stateDir(system string, env func(string) string, home func() (string, error)) (string, error) {
	if folder := env("XDG_STATE_HOME"); filepath.IsAbs(folder) && system != "windows" {
		return filepath.Join(folder, "hence"), nil
	}
	if system == "windows" || system == "darwin" || system == "ios" {
		folder, err := dataDir(system, env, home)
		return filepath.Join(folder, "hence"), err
	}
	folder, err := home()
	return filepath.Join(folder, ".local", "state", "hence"), err
}

// dataDir returns the folder in which programs keep a user's data.
func dataDir(system string, env func(string) string, home func() (string, error)) (string, error) {
	named, usual := "", ""
	switch system {
	case "windows":
		named, usual = env("LocalAppData"), filepath.Join("AppData", "Local")
	case "darwin", "ios":
		usual = filepath.Join("Library", "Application Support")
	default:
		usual = filepath.Join(".local", "share")
		if folder := env("XDG_DATA_HOME"); filepath.IsAbs(folder) {
			named = folder
		}
	}
	if named != "" {
		return named, nil
	}
	folder, err := home()
	return filepath.Join(folder, usual), err
}

// projectName returns the project that --project names; "" for none. The name auto stands for the
// project of the team's folder in the current repository, which is the same for all members,
// however they call their clones. Without such a folder it stands for the repository, see
// checkout.Identify. shares is a project whose memories are read as its own.
func (s *session) projectName() (name, shares string) {
	if s.project != "auto" {
		return checkout.Tag(s.project), ""
	}
	here, err := os.Getwd()
	if err != nil {
		return "", ""
	}
	if root, _ := checkout.Tree(here); root != "" {
		if team, err := team.ReadScope(filepath.Join(root, teamFolder)); err == nil && team != nil && team.Project != "" {
			return checkout.Tag(team.Project), ""
		}
	}
	state, err := stateHere()
	if err != nil {
		state = "" // then the folder's name is the project's
	}
	i, note, err := checkout.Identify(context.Background(), state, here)
	if err != nil {
		note = err.Error()
	}
	if note != "" {
		fmt.Fprintln(s.err, "hence: "+screen.Clean(note))
	}
	return i.Name, i.Shares
}

// adoptArgs say whether to adopt.
type adoptArgs struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"only list what the store brings"`
}

// adopted is what --json prints.
type adopted struct {
	permit.Brought
	DryRun bool `json:"dry_run,omitempty"`
}

// adoptCommand takes a store from elsewhere over.
var adoptCommand = calling("adopt", "", func(ctx context.Context, v ref.View, a adoptArgs) (adopted, error) {
	brought, records, err := brings(ctx, v.DB)
	if err == nil && !a.DryRun {
		err = records.Take(brought)
	}
	return adopted{brought, a.DryRun}, err
}, func(a adopted) (d show.Doc) {
	switch {
	case a.DryRun && !a.IsEmpty():
		return showBrought(a.Brought)
	case a.IsEmpty():
		d.Add("", "everything in the store counts here")
	default:
		d.Add("", good("adopted "), a.String())
	}
	return d
})

// brings returns what a store brings that does not count here, and the records about it.
func brings(ctx context.Context, d *db.DB) (b permit.Brought, records permit.Records, err error) {
	if records, err = permit.Of(ctx, d, d); err == nil {
		b, err = records.Brings(ctx, d)
	}
	return b, records, err
}

// askToAdopt tells the user once that a store brings what does not count here. A store that
// cannot be read is reported by the command, not here.
func (s *session) askToAdopt(ctx context.Context, d *db.DB) {
	b, records, err := brings(ctx, d)
	if err == nil && !b.IsEmpty() && records.AskOnce() {
		fmt.Fprintln(s.err, "hence: the store was made elsewhere and brings "+b.String()+", which does not count here; hence adopt --dry-run lists it, hence adopt takes it over")
	}
}

// showBrought describes what a store brings that does not count here.
func showBrought(b permit.Brought) (d show.Doc) {
	if b.IsEmpty() {
		return nil
	}
	d.Add("", warn("left behind "), b.String()+" from elsewhere; hence adopt takes this over")
	for _, f := range b.Folders {
		d.Add("  ", "folder of "+f.Name, faint("  "+f.Root))
	}
	for _, name := range b.Tokens {
		d.Add("  ", "token "+name)
	}
	for _, claim := range b.Claims {
		d.Add("  ", "token map "+claim)
	}
	return d
}

// projectVariables name the folder of the project in the environment of what a client starts.
var projectVariables = []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CODEX_PROJECT_DIR", "COPILOT_PROJECT_DIR", "QWEN_PROJECT_DIR"}

// manifests are the files that make a folder a plugin.
var manifests = []string{"plugin.json", ".plugin/plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", ".github/plugin/plugin.json", "gemini-extension.json"}

// leavePlugin makes the folder of the project the current one if that is the plugin's, where
// clients start the server of a plugin. Where the client does not name the project, there is
// none, and the home is the current folder.
func (s *session) leavePlugin() error {
	here, err := os.Getwd()
	if err != nil || !isPlugin(here, os.Environ()) {
		return nil
	}
	for _, name := range projectVariables {
		folder := os.Getenv(name)
		if info, err := os.Stat(folder); filepath.IsAbs(folder) && err == nil && info.IsDir() && !isPlugin(folder, os.Environ()) {
			return s.goTo(folder)
		}
	}
	if s.project == "auto" {
		s.project = ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // nothing else is known
	}
	return s.goTo(home)
}

// isPlugin reports whether a folder is within that of a plugin: one that a variable of the
// environment names, or one with a manifest of Hence's own plugin.
func isPlugin(folder string, environment []string) bool {
	for _, variable := range environment {
		name, root, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(name, "PLUGIN_ROOT") || !filepath.IsAbs(root) {
			continue
		}
		if below, err := filepath.Rel(root, folder); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	for _, file := range manifests {
		var manifest struct{ Name string }
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err == nil && json.Unmarshal(text, &manifest) == nil && manifest.Name == "hence" {
			return true
		}
	}
	return false
}

// goTo makes a folder the current one. A relative path of the store keeps its meaning.
func (s *session) goTo(folder string) error {
	path, err := s.path()
	if err != nil {
		return err
	}
	if s.file, err = db.AbsoluteName(path); err != nil {
		return err
	}
	_ = os.Chdir(folder) // a deleted folder has no project
	return nil
}
