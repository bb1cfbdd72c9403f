package projection

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection/folder"
)

// Mirror imports folders of one format into a store.
type Mirror struct {
	DB       *db.DB
	Caller   ref.Caller
	Format   Format
	Progress func(done, total int) // called as files are read and written; may be nil

	batch     memory.Batch      // what the import is part of; the zero one: a batch of its own
	moved     map[string]string // new path → old path of what Hence itself has moved
	emptied   bool              // Hence itself may have removed the last file
	onlyKnown bool              // import no folder that the store does not have from there
}

// ImportArgs say which vault to import.
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
	Code      bool   `json:"code,omitempty"` // it is a repository of source code

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
	Ambiguous int `json:"ambiguous"` // links that could have meant another file too
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

// Import brings the store to what the folder holds. A file that has not changed
// is not read, a file that was moved keeps its id, a file that is gone is forgotten
// and the sites that mean it dangle. It writes in groups, so that others can write
// in between; an import that was stopped is finished by the next one. Where
// Format.Open fails nothing is imported.
func (m Mirror) Import(ctx context.Context, a ImportArgs) (Report, error) {
	report, _, err := m.importLocked(ctx, a)
	return report, err
}

// importLocked imports a folder under its lock.
func (m Mirror) importLocked(ctx context.Context, a ImportArgs) (report Report, s *state, err error) {
	if a, err = m.keepName(ctx, a); err != nil {
		return report, nil, err
	}
	unlock, err := lock(ctx, a)
	if err != nil {
		return report, nil, err
	}
	defer unlock()
	if err := m.settleBefore(ctx, a); err != nil {
		return report, nil, err
	}
	return m.importAll(ctx, a)
}

// importAll imports a whole folder. It returns what a watcher keeps in mind.
func (m Mirror) importAll(ctx context.Context, a ImportArgs) (report Report, s *state, err error) {
	dir, name, err := locate(a)
	if err != nil {
		return report, nil, err
	}
	f, err := folder.Open(dir)
	if err != nil {
		return report, nil, err
	}
	defer f.Close()
	namespace, err := m.Caller.Writes(a.Namespace)
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
	if err := known.check(a, dir, &namespace); err != nil {
		return report, nil, err
	}
	files, warnings, err := f.Scan(ctx)
	if err != nil {
		return report, nil, err
	}
	if len(files) == 0 && len(known.Files) > 0 && !m.emptied {
		return report, nil, fault.New(fault.Conflict, "import %s: the folder is empty, and the vault had %d files; nothing was changed, because it may not be mounted", dir, len(known.Files))
	}
	p := project{Mirror: m, dir: dir, name: name, namespace: namespace, folder: f, source: source, known: known, whole: true, files: files, renamed: m.moved}
	if err := m.DB.Read(ctx, func(r *db.Reader) (err error) {
		p.directory, err = source.Directory(ctx, r, known)
		return err
	}); err != nil {
		return report, nil, err
	}
	if err := p.run(ctx, a.DryRun); err != nil {
		return report, nil, err
	}
	report, err = p.report(ctx, a.DryRun)
	report.Warnings = listOf(slices.Concat(source.Check(f, files), warnings, report.Warnings))
	return report, &state{source: source, directory: p.directory, importedAt: p.importedAt}, err
}

// locate finds the absolute folder of a vault and its name.
func locate(a ImportArgs) (dir, name string, err error) {
	if strings.TrimSpace(a.Dir) == "" { // which would be the folder that we are in
		return "", "", fault.New(fault.InvalidArgument, "import: the folder has no name; say which, or . for the one you are in")
	}
	if dir, err = filepath.Abs(a.Dir); err != nil {
		return "", "", fault.Wrap(fault.InvalidArgument, err, "import %s", a.Dir)
	}
	name = a.Name
	if name == "" {
		name = filepath.Base(dir)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "/\\\x00") || name == "." || name == ".." {
		return "", "", fault.New(fault.InvalidArgument, "import %s: %q cannot be the name of a vault; give one with --name", a.Dir, name)
	}
	return dir, name, nil
}

// formWords are what people call a folder of each form.
var formWords = map[string]string{"vault": "vault", "code": "repository"}

// keepName names a vault that was imported before by the name it has: without
// that, a folder that was once imported with a name of its own would become a
// second vault of the same files.
func (m Mirror) keepName(ctx context.Context, a ImportArgs) (ImportArgs, error) {
	dir, base, err := locate(a)
	if err != nil || a.Name != "" {
		return a, err
	}
	all, err := m.Vaults(ctx)
	if err != nil {
		return a, err
	}
	all = slices.DeleteFunc(all, func(v Vault) bool { return v.Root != dir })
	switch {
	case len(all) == 0 || slices.ContainsFunc(all, func(v Vault) bool { return v.Name == base }):
		return a, nil
	case len(all) > 1:
		names := []string{}
		for _, v := range all[:min(len(all), 5)] {
			names = append(names, v.Name)
		}
		return a, fault.New(fault.Ambiguous, "import %s: the folder was imported as %d vaults; say which with --name", a.Dir, len(all)).With("candidates", names)
	}
	a.Name = all[0].Name
	return a, nil
}

// check refuses to take a folder for a vault that it probably is not, and
// keeps a vault in its namespace.
func (k Known) check(a ImportArgs, dir string, namespace *string) error {
	if k.Key == 0 {
		return nil
	}
	if a.Namespace != "" && a.Namespace != k.Namespace {
		return fault.New(fault.Conflict, "import %s: the vault %s is in the namespace %q; give another --name to have it in two", dir, k.Name, k.Namespace)
	}
	*namespace = k.Namespace
	if k.Root == dir || a.Name != "" {
		return nil
	}
	if _, err := os.Stat(k.Root); errors.Is(err, os.ErrNotExist) {
		return nil // the folder was moved
	}
	return fault.New(fault.Conflict, "import %s: a vault of the name %s was imported from %s; give this one another name with --name", dir, k.Name, k.Root)
}
