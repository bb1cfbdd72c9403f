// Package vault projects a folder of notes into memories and edges: it scans,
// parses, resolves and writes what has changed since the last time. The folder
// is only read.
package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/vault/note"
)

// projection is the version of what is made of what a note says.
const projection = 1

// extraction is the version of all that makes memories and edges of a note's
// bytes. When it moves on, the next import reads every note again.
const extraction = 1000*note.Version + projection

// Importer imports vaults into a store.
type Importer struct {
	DB       *db.DB
	Caller   ref.Caller
	Progress func(done, total int) // called as files are read and written; may be nil
}

// ImportArgs say which vault to import.
type ImportArgs struct {
	Dir       string `json:"dir" jsonschema:"the vault's folder"`
	Name      string `json:"name,omitempty" jsonschema:"the vault's name; the folder's where left out"`
	Namespace string `json:"namespace,omitempty" jsonschema:"the namespace that it goes into"`
	DryRun    bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// Warning is something about a file that a person may want to mend.
type Warning struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// Report says what an import did, and what the vault holds after it.
type Report struct {
	Vault     string `json:"vault"`
	Namespace string `json:"namespace"`
	DryRun    bool   `json:"dry_run,omitempty"`

	Notes int `json:"notes"` // in the vault
	Files int `json:"files"` // beside them

	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Moved     int `json:"moved"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`

	Links     int `json:"links"`     // places that declare an edge, or would
	Edges     int `json:"edges"`     // between what the vault holds
	Dangling  int `json:"dangling"`  // links whose target does not exist
	Ambiguous int `json:"ambiguous"` // links that could have meant another file too
	Refused   int `json:"refused"`   // links whose edge would close a circle or be a second successor

	DanglingLinks []Place   `json:"dangling_links"` // the first of them
	RefusedLinks  []Place   `json:"refused_links"`  // the first of them
	Warnings      []Warning `json:"warnings"`
}

// Place is a link in a note.
type Place struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Target string `json:"target"`
	Rel    string `json:"rel" jsonschema:"the author's word, or the type of edge"`
	Why    string `json:"why,omitempty"`
}

// Changed reports whether the import wrote anything.
func (r Report) Changed() bool { return r.Added+r.Updated+r.Moved+r.Removed > 0 }

// Import brings the store to what the folder holds. A file that has not
// changed is not read, a file that was moved keeps its id, a file that is gone
// is forgotten and the links to it dangle. It writes in groups, so that others
// can write meanwhile, and an import that was stopped goes on the next time.
func (i Importer) Import(ctx context.Context, a ImportArgs) (report Report, err error) {
	dir, name, err := locate(a)
	if err != nil {
		return report, err
	}
	root, err := openRoot(dir)
	if err != nil {
		return report, err
	}
	defer root.Close()
	namespace, err := i.Caller.Writes(a.Namespace)
	if err != nil {
		return report, err
	}
	known, err := i.load(ctx, name)
	if err != nil {
		return report, err
	}
	if err := known.check(a, dir, &namespace); err != nil {
		return report, err
	}
	files, warnings, err := scan(ctx, root)
	if err != nil {
		return report, err
	}
	if len(files) == 0 && len(known.files) > 0 {
		return report, fault.New(fault.Conflict, "import %s: the folder is empty, and the vault had %d files; nothing was changed, because it may not be mounted", dir, len(known.files))
	}
	p := project{Importer: i, name: name, namespace: namespace, known: known}
	p.compare(ctx, root, files)
	if err := ctx.Err(); err != nil {
		return report, fault.Wrap(fault.Unavailable, err, "import %s: stopped before anything was written", dir)
	}
	p.index()
	if !a.DryRun {
		if err := p.write(ctx, dir); err != nil {
			return report, err
		}
	}
	report, err = p.report(ctx, a.DryRun)
	report.Warnings = append(append([]Warning{}, warnings...), report.Warnings...)
	return report, err
}

// locate finds the absolute folder of a vault and its name.
func locate(a ImportArgs) (dir, name string, err error) {
	if dir, err = filepath.Abs(a.Dir); err != nil {
		return "", "", fault.Wrap(fault.InvalidArgument, err, "import %s", a.Dir)
	}
	name = a.Name
	if name == "" {
		name = filepath.Base(dir)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "/\\\x00") || name == "." || name == ".." {
		return "", "", fault.New(fault.InvalidArgument, "import %s: %q is no name for a vault; give one with --name", a.Dir, name)
	}
	return dir, name, nil
}

// check refuses to take a folder for a vault that it probably is not, and
// keeps a vault in its namespace.
func (k known) check(a ImportArgs, dir string, namespace *string) error {
	if k.vault == 0 {
		return nil
	}
	if a.Namespace != "" && a.Namespace != k.namespace {
		return fault.New(fault.Conflict, "import %s: the vault %s is in the namespace %q; give another --name to have it in two", dir, k.name, k.namespace)
	}
	*namespace = k.namespace
	if k.root == dir || a.Name != "" {
		return nil
	}
	if _, err := os.Stat(k.root); errors.Is(err, os.ErrNotExist) {
		return nil // the folder was moved
	}
	return fault.New(fault.Conflict, "import %s: a vault of the name %s was imported from %s; give this one another name with --name", dir, k.name, k.root)
}

// compare finds what has changed in the folder, and reads it.
func (p *project) compare(ctx context.Context, root *os.Root, files []entry) {
	p.files = files
	changed := []entry{}
	present := make(map[string]bool, len(files))
	for _, f := range files {
		present[f.path] = true
		if old, ok := p.known.files[f.path]; !ok || old.size != f.size || old.modified != f.modified || p.known.extraction != extraction {
			changed = append(changed, f)
		}
	}
	for path := range p.known.files {
		if !present[path] {
			p.removed = append(p.removed, path)
		}
	}
	sort.Strings(p.removed)
	p.total = 2 * len(changed)
	for _, d := range readAll(ctx, root, changed, p.step) {
		p.sort(d)
	}
	p.findMoves()
}

// sort puts a file that was read among the new, the changed or the unchanged.
func (p *project) sort(d document) {
	old, ok := p.known.files[d.path]
	switch {
	case d.failed:
		p.failed = append(p.failed, d)
	case !ok:
		p.added = append(p.added, d)
	case old.hash == d.hash && p.known.extraction == extraction && d.isRead():
		p.touched = append(p.touched, d)
	default:
		p.updated = append(p.updated, d)
	}
}

// findMoves takes a new file for a moved one where exactly one file that is
// gone had the same bytes, and no other new file has them.
func (p *project) findMoves() {
	gone := map[string][]string{}
	for _, path := range p.removed {
		if hash := p.known.files[path].hash; hash != "" {
			gone[hash] = append(gone[hash], path)
		}
	}
	came := map[string]int{}
	for _, d := range p.added {
		came[d.hash]++
	}
	p.moved = map[string]string{}
	for _, d := range p.added {
		if from := gone[d.hash]; len(from) == 1 && came[d.hash] == 1 {
			p.moved[d.path] = from[0]
		}
	}
}
