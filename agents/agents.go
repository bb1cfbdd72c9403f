// Package agents mirrors the files in which agents keep their own memory, and the files of rules
// that their clients load: Claude Code's memory folders, CLAUDE.md, AGENTS.md and their like.
//
// The table in formats.go says which files of which client are read, and as what. What lies in a
// client's folder of the home is an agent's own text; what comes with a repository is an
// import's, which a person raises with hence trust. A file is read as a note is, but for the front
// matter of the clients; its text stays as it is. An index that only lists other files is known by
// its name and hash, and has no text here.
//
// A row of mirrors is the whole folder of a client, so that the folder of a project that gets
// another name is a move within it; or the rules of one repository.
package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/folder"
)

// Importer imports the memory files of agents into a store.
type Importer struct {
	DB       *db.DB
	Caller   ref.Caller
	Progress func(done, total int) // called after each file that is read or written; may be nil
}

// Mirror returns the mirror of the folders, which imports and watches them.
func (i Importer) Mirror() projection.Mirror {
	format := projection.Agents
	format.Wants = wants
	format.Settings = importers
	format.Open = func(f *folder.Folder) (projection.Source, error) {
		s := open(f, i.DB.State())
		records, err := permit.Of(context.Background(), i.DB, i.DB)
		if err != nil {
			return nil, err
		}
		allowed, err := records.Folder(f.Label)
		s.isTrusted = allowed.Trusted
		return s, err
	}
	return projection.Mirror{DB: i.DB, Caller: i.Caller, Format: format, Progress: i.Progress}
}

// Places says where the clients of a person keep their files.
type Places struct {
	Home   string
	Folder string // the current folder
	Getenv func(string) string
}

// Args says what to import.
type Args struct {
	Places
	Namespace string
	DryRun    bool
}

// Import brings the store up to date with the memory files that it finds. It returns a report for
// each folder; those before an error are imported. Of one that was imported and is not there, the report only warns.
func (i Importer) Import(ctx context.Context, a Args) (reports []projection.Report, err error) {
	found, err := i.Find(ctx, a.Places)
	reports = []projection.Report{}
	for _, one := range found {
		report, err := i.Mirror().Import(ctx, projection.ImportArgs{Dir: one.Root, Name: one.Name, Namespace: a.Namespace, DryRun: a.DryRun})
		if err != nil {
			return reports, err
		}
		reports = append(reports, report)
	}
	known, failed := i.Mirror().Vaults(ctx)
	for _, v := range known {
		if v.Here && !isThere(v.Root) && !slices.ContainsFunc(found, func(one Found) bool { return one.Name == v.Name }) {
			gone := fmt.Sprintf("the folder %s is not there, and what it held stays as it was; hence forget --vault %s --yes puts it away", v.Root, v.Name)
			reports = append(reports, projection.Report{Vault: v.Name, Namespace: v.Namespace, DryRun: a.DryRun, DanglingLinks: []projection.Place{}, RefusedLinks: []projection.Place{}, Warnings: []folder.Warning{{Text: gone}}})
		}
	}
	return reports, cmp.Or(err, failed)
}

// Found is a folder with memory files.
type Found struct {
	Name  string `json:"name"`
	Root  string `json:"root"`
	Files int    `json:"files"`
	Known bool   `json:"known"` // it was imported before
}

// Find returns the folders that have memory files: those of the clients, the current repository, and
// the repositories whose source code was imported here. Without a store none was.
func (i Importer) Find(ctx context.Context, p Places) (all []Found, err error) {
	known, repositories, taken, state := []projection.Vault{}, []projection.Vault{}, []string{}, ""
	if m := i.Mirror(); i.DB != nil {
		state = i.DB.State()
		if known, err = m.Vaults(ctx); err != nil {
			return nil, err
		}
		m.Format = projection.Code
		if repositories, err = m.Vaults(ctx); err != nil {
			return nil, err
		}
		if taken, err = db.Select(ctx, i.DB, db.Value[string], `select name from mirrors`); err != nil {
			return nil, err
		}
	}
	for _, h := range homes {
		if dir := h.find(p); dir != "" {
			all = append(all, place(h.name, known, taken, func(v projection.Vault) bool { return v.Root == dir || !isThere(v.Root) }, dir))
		}
	}
	for _, tree := range trees(p, repositories) {
		id, _, err := checkout.Identify(ctx, state, tree)
		if err != nil {
			return nil, err
		}
		found := place(id.Name+ofRepository, known, taken, func(projection.Vault) bool { return true }, tree)
		if id.Name != "" && !slices.ContainsFunc(all, func(f Found) bool { return f.Name == found.Name || f.Root == tree }) {
			all = append(all, found)
		}
	}
	for n := range all {
		all[n].Known = slices.ContainsFunc(known, func(v projection.Vault) bool { return v.Name == all[n].Name })
		if all[n].Files, err = countFiles(ctx, all[n], state); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(f Found) bool { return f.Files == 0 && !f.Known }), nil
}

// trees returns the working trees of the current repository and of the imported ones. The home
// itself is none, though it may be a repository of settings.
func trees(p Places, repositories []projection.Vault) (trees []string) {
	roots := []string{p.Folder}
	for _, v := range repositories {
		if v.Here {
			roots = append(roots, v.Root)
		}
	}
	for _, root := range roots {
		if tree, _ := checkout.Tree(root); tree != "" && tree != p.Home && !slices.Contains(trees, tree) {
			trees = append(trees, tree)
		}
	}
	return trees
}

// countFiles returns the number of memory files of a folder that say something, 0 if it cannot be
// read.
func countFiles(ctx context.Context, one Found, state string) (int, error) {
	f, err := folder.Open(one.Root)
	if err != nil {
		return 0, nil // there is none; the import of a known one says so
	}
	defer f.Close()
	f.Label = one.Name
	open(f, state)
	files, _, err := f.Scan(ctx)
	files = slices.DeleteFunc(files, func(e folder.Entry) bool {
		text, err := f.Read(e, projection.MaxFile)
		return err != nil || strings.TrimSpace(withoutBlocks(string(text))) == ""
	})
	return len(files), err
}

// place returns where a folder of a client or the rules of a repository go: into the row of that
// name, which is one of agents and fits, or into a new one with a number. The folder of a row stays as
// long as it is there: of several worktrees of a repository, the first counts.
func place(name string, known []projection.Vault, taken []string, fits func(projection.Vault) bool, dir string) Found {
	for n := 1; ; n++ {
		one := Found{Name: name, Root: dir}
		if n > 1 {
			one.Name += "-" + strconv.Itoa(n)
		}
		at := slices.IndexFunc(known, func(v projection.Vault) bool { return v.Name == one.Name })
		switch {
		case at >= 0 && fits(known[at]):
			if known[at].Here && isThere(known[at].Root) {
				one.Root = known[at].Root
			}
			return one
		case at < 0 && !slices.Contains(taken, one.Name):
			return one
		}
	}
}

func isThere(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// find returns the absolute path of a client's folder, "" if there is none.
func (h home) find(p Places) string {
	dir := cmp.Or(p.Getenv(h.env), filepath.Join(p.Home, filepath.FromSlash(h.dir)))
	if h.setting != "" {
		dir = settingOf(dir, h.setting, p.Home)
	}
	if !isThere(dir) || !filepath.IsAbs(dir) || filepath.Clean(dir) == filepath.Clean(p.Home) || dir == filepath.Dir(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// settingOf returns the folder that a person's settings.json of a client names, "" for none.
func settingOf(dir, setting, home string) string {
	var settings map[string]any
	text, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil || json.Unmarshal(text, &settings) != nil {
		return ""
	}
	value, _ := settings[setting].(string)
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(home, filepath.FromSlash(below))
	}
	return value
}
