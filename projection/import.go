package projection

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/projection/folder"
)

// Mirror imports folders of one format into a store.
type Mirror struct {
	DB       *db.DB
	Caller   ref.Caller
	Format   Format
	Progress func(done, total int) // called after each file that is read or written; may be nil

	batch     journal.Batch     // the batch that the import is part of; zero: a batch of its own
	moved     map[string]string // new path → old path of the files that Hence itself moved
	relinked  map[string]string // path → hash, both before, of the files in which Hence itself changed links alone
	emptied   bool              // Hence itself may have removed the last file
	onlyKnown bool              // fail if the store does not have the vault from this folder
}

// ImportArgs says which folder to import, and how.
type ImportArgs struct {
	Dir       string `json:"dir" jsonschema:"the vault's folder"`
	Name      string `json:"name,omitempty" jsonschema:"the vault's name; left out, the one under which the folder was imported before, else the folder's"`
	Namespace string `json:"namespace,omitempty" jsonschema:"the namespace that it goes into"`
	DryRun    bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// Report says what an import did, and what the vault holds after it.
type Report struct {
	Vault     string `json:"vault"`
	Namespace string `json:"namespace"`
	DryRun    bool   `json:"dry_run,omitempty"`
	Code      bool   `json:"code,omitempty"` // the folder is a repository of source code

	Notes int `json:"notes"` // files of the kind note
	Files int `json:"files"` // the others

	Symbols int `json:"symbols,omitempty"` // of source code, with packages and the repository itself

	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Moved     int `json:"moved"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`

	Links     int `json:"links"`     // places that declare an edge, or would
	Edges     int `json:"edges"`     // between what the vault holds
	Dangling  int `json:"dangling"`  // links whose target does not exist
	Ambiguous int `json:"ambiguous"` // links that could also mean another file
	Refused   int `json:"refused"`   // links whose edge would close a cycle or be a second successor
	Mentions  int `json:"mentions"`  // names in plain text that nobody linked

	DanglingLinks []Place          `json:"dangling_links"` // the first of them
	RefusedLinks  []Place          `json:"refused_links"`  // the first of them
	Warnings      []folder.Warning `json:"warnings"`
}

// Place is a site in a report.
type Place struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Target string `json:"target"`
	Rel    string `json:"rel" jsonschema:"the author's word, or the type of edge"`
	Why    string `json:"why,omitempty"`
}

// HasChanged reports whether the import wrote anything.
func (r Report) HasChanged() bool { return r.Added+r.Updated+r.Moved+r.Removed > 0 }

// Import brings the store up to date with the folder. It does not read unchanged files; a
// moved file keeps its id; a removed file is forgotten, and the sites that mean it dangle.
// It writes in several transactions, so that others can write in between; the next import
// finishes one that was stopped. If Format.Open fails, it imports nothing.
func (m Mirror) Import(ctx context.Context, a ImportArgs) (Report, error) {
	t, err := m.find(ctx, a)
	if err != nil {
		return Report{}, err
	}
	report, _, err := m.importLocked(ctx, t)
	return report, err
}

// importLocked imports a folder under its lock.
func (m Mirror) importLocked(ctx context.Context, t target) (report Report, s *state, err error) {
	unlock, err := lock(ctx, t)
	if err != nil {
		return report, nil, err
	}
	defer unlock()
	if err := m.settleBefore(ctx, t); err != nil {
		return report, nil, err
	}
	return m.importAll(ctx, t)
}

// importAll imports a whole folder. It returns the state for a watcher.
func (m Mirror) importAll(ctx context.Context, t target) (report Report, s *state, err error) {
	dir, name := t.dir, t.name
	f, err := folder.Open(dir)
	if err != nil {
		return report, nil, err
	}
	defer f.Close()
	f.Label = name
	namespace, err := m.Caller.Writes(t.Namespace)
	if err != nil {
		return report, nil, err
	}
	source, err := m.Format.Open(f)
	if err != nil {
		return report, nil, err
	}
	known, err := m.ReadKnown(ctx, name)
	if err != nil {
		return report, nil, err
	}
	if m.onlyKnown && known.Root != dir {
		return report, nil, fault.Wrap(fault.NotFound, errNotInStore, "import %s", dir)
	}
	if known.Key != 0 && known.form != m.Format.Form {
		return report, nil, fault.New(fault.Conflict, "import %s: the store has a %s of the name %s already, from %s; give this one another name with --name", dir, formWords[known.form], name, known.Root)
	}
	if err := known.check(t, &namespace); err != nil {
		return report, nil, err
	}
	files, warnings, err := f.Scan(ctx)
	if err != nil {
		return report, nil, err
	}
	if len(files) == 0 && len(known.Files) > 0 && !m.emptied && !m.Format.Keeps {
		return report, nil, fault.New(fault.Conflict, "import %s: the folder is empty, and the vault had %d files; nothing was changed, because it may not be mounted", dir, len(known.Files))
	}
	if !t.DryRun && !m.onlyKnown {
		if err := permit.With(ctx, m.DB, func(r permit.Records) error { return r.Import(name, dir) }); err != nil {
			return report, nil, err
		}
	}
	p := project{Mirror: m, dir: dir, name: name, namespace: namespace, folder: f, source: source, known: known, whole: true, files: files, scanned: warnings, renamed: m.moved}
	if err := m.DB.Read(ctx, func(r *db.Reader) (err error) {
		p.directory, err = source.Directory(ctx, r, known)
		return err
	}); err != nil {
		return report, nil, err
	}
	return p.importFound(ctx, t.DryRun, source.Check(f, files))
}

// importFound imports the changes of the files that were found, with the warnings so far. It returns the
// state for a watcher.
func (p *project) importFound(ctx context.Context, dryRun bool, warnings []folder.Warning) (report Report, s *state, err error) {
	if err := p.run(ctx, dryRun); err != nil {
		return report, nil, err
	}
	report, err = p.report(ctx, dryRun)
	report.Warnings = listOf(slices.Concat(warnings, p.scanned, report.Warnings))
	return report, &state{source: p.source, directory: p.directory, importedAt: p.importedAt}, err
}

// locate returns the absolute path of a vault's folder, and the vault's name.
func locate(a ImportArgs) (dir, name string, err error) {
	if strings.TrimSpace(a.Dir) == "" { // filepath.Abs would take "" for the working directory
		return "", "", fault.New(fault.InvalidArgument, "import: the folder has no name; say which, or . for the one you are in")
	}
	if dir, err = filepath.Abs(a.Dir); err != nil {
		return "", "", fault.Wrap(fault.InvalidArgument, err, "import %s: the working directory cannot be found; give an absolute path", a.Dir)
	}
	name = cmp.Or(a.Name, filepath.Base(dir))
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "/\\\x00") || name == "." || name == ".." {
		return "", "", fault.New(fault.InvalidArgument, "import %s: %q cannot be the name of a vault; give one with --name", a.Dir, name)
	}
	return dir, name, nil
}

// formWords maps a form to the word for it in messages.
var formWords = map[string]string{"vault": "vault", "code": "repository", "agents": "folder of an agent"}

// target is a folder to import.
type target struct {
	ImportArgs        // Name is "" if neither the caller nor an earlier import gave one
	dir, name  string // the folder's absolute path, and the vault's name
}

// target returns the folder of a vault, to import it again.
func (v Vault) target() target {
	return target{ImportArgs{Dir: v.Root, Name: v.Name}, v.Root, v.Name}
}

// find returns the folder that arguments name. If they give no name, it is that under which the folder, or
// another that is the same, was imported before. Otherwise a folder that was first imported with --name would
// become a second vault of the same files.
func (m Mirror) find(ctx context.Context, a ImportArgs) (t target, err error) {
	t.ImportArgs = a
	if t.dir, t.name, err = locate(a); err != nil || a.Name != "" {
		return t, err
	}
	all, err := m.Vaults(ctx)
	if err != nil {
		return t, err
	}
	isSame := func(v Vault) bool { return v.Root == t.dir || v.Here && folder.Same(v.Root, t.dir) }
	if m.Format.Same != nil && !slices.ContainsFunc(all, isSame) {
		isSame = func(v Vault) bool { return v.Here && m.Format.Same(ctx, m.DB.State(), t.dir, v.Root) }
	}
	all = slices.DeleteFunc(all, func(v Vault) bool { return !isSame(v) })
	switch {
	case len(all) == 0:
		return t, nil
	case slices.ContainsFunc(all, func(v Vault) bool { return v.Name == t.name }):
	case len(all) > 1:
		names := lists.Map(all[:min(len(all), 5)], func(v Vault) string { return v.Name })
		return t, fault.New(fault.Ambiguous, "import %s: the folder was imported as %d vaults; say which with --name", a.Dir, len(all)).With("candidates", names)
	default:
		t.name = all[0].Name
	}
	t.Name = t.name
	return t, nil
}

// check fails with conflict if the folder is probably not the known vault with that name, or
// if the arguments name another namespace. It sets namespace to the vault's.
func (k Known) check(t target, namespace *string) error {
	if k.Key == 0 {
		return nil
	}
	if t.Namespace != "" && t.Namespace != k.Namespace {
		return fault.New(fault.Conflict, "import %s: the vault %s is in the namespace %q; give another --name to have it in two", t.dir, k.Name, k.Namespace)
	}
	*namespace = k.Namespace
	if k.Root == t.dir || t.Name != "" {
		return nil
	}
	if _, err := os.Stat(k.Root); errors.Is(err, os.ErrNotExist) {
		return nil // the folder was moved
	}
	return fault.New(fault.Conflict, "import %s: a vault of the name %s was imported from %s; give this one another name with --name", t.dir, k.Name, k.Root)
}
