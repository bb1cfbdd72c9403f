package code

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/projection"
)

// directory holds the files of a repository and the package that each belongs to.
type directory struct {
	repository string
	index      *bind.Index      // of a compiler; may be nil
	files      map[string]facts // by path

	// State of the current import:
	fresh    map[string]*projection.Document // changed files, by path
	rebound  map[*language]bool              // languages whose files are all bound again
	texts    map[string][]byte               // cache of unchanged files, by path
	numbered map[string]*fileParse           // unchanged files, with the names that their modules give them, by path
	renamed  map[string]bool                 // those of them with a symbol whose number has changed
	wholes   map[string]*projection.Unit     // by module; nil: unchanged
}

func (d *directory) Len() int { return len(d.files) }

// Update records files that were added, changed or removed. It returns no keys, because
// Complete binds names again where other files changed.
func (d *directory) Update(ctx context.Context, c *projection.Changes) ([]string, error) {
	d.rebound, d.texts, d.numbered, d.renamed = map[*language]bool{}, map[string][]byte{}, map[string]*fileParse{}, map[string]bool{}
	d.wholes, d.fresh = map[string]*projection.Unit{}, map[string]*projection.Document{}
	touched := modulesOf{}
	for _, path := range c.Removed {
		if l := languageOf(path); l != nil {
			touched.add(l, d.files[path].module)
			d.rebound[l] = true
		}
		delete(d.files, path)
	}
	for _, doc := range c.Documents {
		d.fresh[doc.Path] = doc
		old, known := d.files[doc.Path]
		p, ok := doc.Rest.(*fileParse)
		if !ok {
			d.files[doc.Path] = facts{}
			continue
		}
		now := facts{module: p.file.Module, surface: p.file.Surface, references: old.references}
		touched.add(p.language, old.module)
		touched.add(p.language, now.module)
		d.files[doc.Path] = now
		if !known || !p.isCode || now.surface == "" || now.surface != old.surface {
			d.rebound[p.language] = true
		}
	}
	return nil, d.numberAll(ctx, c, touched)
}

// modulesOf are modules by their languages.
type modulesOf map[*language]map[string]bool

// add adds a language, and a module of it unless that is "".
func (all modulesOf) add(l *language, module string) {
	if all[l] == nil {
		all[l] = map[string]bool{}
	}
	if module != "" {
		all[l][module] = true
	}
}

// numberAll numbers the modules of each language.
func (d *directory) numberAll(ctx context.Context, c *projection.Changes, all modulesOf) error {
	for l, modules := range all {
		if err := d.number(ctx, c, l, modules); err != nil {
			return err
		}
	}
	return nil
}

// number names the symbols of modules in which a file changed, and sets the units of the
// changed documents and of these modules.
func (d *directory) number(ctx context.Context, c *projection.Changes, l *language, modules map[string]bool) error {
	all, err := d.filesOf(ctx, c, l, modules)
	if err != nil {
		return err
	}
	files := lists.Map(all, func(p *fileParse) symbol.File { return p.file })
	if l.number != nil {
		l.number(files)
	}
	unchanged := []*fileParse{}
	for i, p := range all {
		if p.file = files[i]; p.doc != nil {
			p.doc.Units = unitsOf(p.file, p.text)
		} else {
			unchanged, d.numbered[p.file.Path] = append(unchanged, p), p
		}
	}
	if l.number != nil { // else a file is a module
		filesOf := map[string][]symbol.File{}
		for _, f := range files {
			filesOf[f.Module] = append(filesOf[f.Module], f)
		}
		for module := range modules {
			if len(filesOf[module]) > 0 {
				u := wholeOf(d.repository, module, filesOf[module])
				d.wholes[module] = &u
			}
		}
	}
	return d.findRenamed(ctx, c, unchanged)
}

// filesOf returns the changed files of a language, and the unchanged files of the modules.
func (d *directory) filesOf(ctx context.Context, c *projection.Changes, l *language, modules map[string]bool) (all []*fileParse, err error) {
	for _, doc := range c.Documents {
		if p, ok := doc.Rest.(*fileParse); ok && p.language == l && p.isCode {
			all = append(all, p)
		}
	}
	if c.Known.Key == 0 || l.number == nil {
		return all, nil
	}
	paths := []string{}
	for path, f := range d.files {
		if modules[f.module] && d.fresh[path] == nil {
			paths = append(paths, path)
		}
	}
	texts, err := d.read(ctx, c, paths)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		p := &fileParse{language: l, text: texts[path]}
		if p.file, p.places, p.isCode = l.read(path, p.text); p.isCode {
			all = append(all, p)
		}
	}
	return all, nil
}

// read returns the bytes of unchanged files by their paths. It reads each file once per
// import.
func (d *directory) read(ctx context.Context, c *projection.Changes, paths []string) (map[string][]byte, error) {
	wanted := map[string][]byte{}
	missing := []string{}
	for _, path := range paths {
		if text, ok := d.texts[path]; ok {
			wanted[path] = text
		} else {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return wanted, nil
	}
	read, err := c.Bytes(ctx, missing)
	maps.Copy(d.texts, read)
	maps.Copy(wanted, read)
	return wanted, err
}

// findRenamed adds to renamed the unchanged files with a symbol whose number (~2, ~3) has
// changed, because another file of the module declares or declared the same name.
func (d *directory) findRenamed(ctx context.Context, c *projection.Changes, unchanged []*fileParse) error {
	if len(unchanged) == 0 {
		return nil
	}
	paths := lists.Map(unchanged, func(p *fileParse) string { return p.file.Path })
	stored := map[string]map[string]bool{}
	err := db.Each(ctx, c.DB, func(row *sql.Rows) error {
		var path, uri string
		err := row.Scan(&path, &uri)
		if stored[path] == nil {
			stored[path] = map[string]bool{}
		}
		stored[path][uri] = true
		return err
	}, `
select
  f.path,
  m.uri
from json_each(?2) j
cross join files f on f.mirror = ?1 and f.path = j.value
join symbols s on s.file = f.memory
join memories m on m.key = s.memory`, c.Known.Key, db.List(paths))
	for _, p := range unchanged {
		names := stored[p.file.Path]
		if slices.ContainsFunc(p.file.Declarations, func(s symbol.Declaration) bool {
			return !names[format.URI(d.repository, string(symbol.KeyOf(p.file.Module, s.Name)))]
		}) {
			d.renamed[p.file.Path] = true
		}
	}
	return err
}

// Wholes returns the packages and the repository.
func (d *directory) Wholes() (all []projection.Unit) {
	modules := map[string]bool{}
	for path, f := range d.files {
		if f.module != "" && f.module != path {
			modules[f.module] = true
		}
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		if u := d.wholes[module]; u != nil {
			all = append(all, *u)
		} else {
			all = append(all, projection.Unit{Name: module, Same: true})
		}
	}
	if !modules[projection.Root] {
		all = append(all, wholeOf(d.repository, projection.Root, nil))
	}
	return all
}

// Complete binds the names of the changed files. It binds all files of a language where
// more than bodies changed. The dependents are the unchanged files whose references or
// symbol names differ now.
func (d *directory) Complete(ctx context.Context, c *projection.Changes) (dependents []*projection.Document, err error) {
	bound := map[string][]symbol.Reference{}
	for _, l := range languages {
		if err := d.bind(ctx, c, l, bound); err != nil {
			return nil, err
		}
	}
	again := maps.Clone(d.renamed)
	for path, f := range d.files {
		if l := languageOf(path); l != nil && d.fresh[path] == nil && d.rebound[l] && f.module != "" && f.references != hashOf(bound[path]) {
			again[path] = true
		}
	}
	if c.Known.Key != 0 && len(again) > 0 {
		if err := d.numberModulesOf(ctx, c, again); err != nil {
			return nil, err
		}
		if dependents, err = c.Read(ctx, slices.Sorted(maps.Keys(again))); err != nil {
			return nil, err
		}
	}
	for _, doc := range slices.Concat(c.Documents, dependents) {
		d.finish(doc, bound[doc.Path])
	}
	d.texts, d.numbered, d.renamed, d.fresh = nil, nil, nil, nil
	return dependents, nil
}

// numberModulesOf numbers the modules of unchanged files that are read again. A file read
// alone does not know which other file of its module declares the same name.
func (d *directory) numberModulesOf(ctx context.Context, c *projection.Changes, paths map[string]bool) error {
	modules := modulesOf{}
	for path := range paths {
		if l := languageOf(path); l.number != nil && d.numbered[path] == nil {
			modules.add(l, d.files[path].module)
		}
	}
	unchanged := *c
	unchanged.Documents = nil // Update has numbered the modules of those
	return d.numberAll(ctx, &unchanged, modules)
}

// bind adds the references of the files of one language to bound, by path.
func (d *directory) bind(ctx context.Context, c *projection.Changes, l *language, bound map[string][]symbol.Reference) error {
	texts, places := map[string][]byte{}, map[string]any{}
	for path, doc := range d.fresh {
		if p, ok := doc.Rest.(*fileParse); ok && p.language == l {
			texts[path], places[path] = p.text, p.places
		}
	}
	if len(texts) == 0 && !d.rebound[l] {
		return nil
	}
	wanted := func(path string) bool { return d.fresh[path] != nil }
	if c.Known.Key == 0 || d.rebound[l] {
		wanted = nil
	}
	unchanged := []string{}
	for path := range d.files {
		if d.fresh[path] == nil && languageOf(path) == l {
			unchanged = append(unchanged, path)
		}
	}
	if len(unchanged) > 0 {
		read, err := d.read(ctx, c, unchanged)
		if err != nil {
			return err
		}
		maps.Copy(texts, read)
	}
	references, left, err := l.check(ctx, repository{texts, places, d.index}, wanted)
	for _, path := range left {
		if doc := d.fresh[path]; doc != nil {
			doc.Warn(0, "its names would take too much work to bind, so it is imported without calls and implementations")
		}
	}
	for len(references) > 0 { // the references of a file are adjacent
		n := slices.IndexFunc(references, func(r symbol.Reference) bool { return r.Path != references[0].Path })
		if n < 0 {
			n = len(references)
		}
		bound[references[0].Path], references = references[:n:n], references[n:]
	}
	return err
}

// finish sets the sites of a document and the facts that are stored with it.
func (d *directory) finish(doc *projection.Document, references []symbol.Reference) {
	p, ok := doc.Rest.(*fileParse)
	doc.Rest = nil
	if !ok || !p.isCode {
		doc.Sites = []projection.Site{partOf("", projection.Root, symbol.Declaration{StartLine: 1})}
		return
	}
	if numbered := d.numbered[doc.Path]; numbered != nil {
		p = numbered
		doc.Units = unitsOf(p.file, p.text)
	}
	doc.Sites = sitesOf(p.file, references)
	f := d.files[doc.Path]
	f.references = hashOf(references)
	d.files[doc.Path] = f
	doc.Words = f.words()
}

// sitesOf returns the sites of a file: the part-of edges of its symbols and of itself, and
// its references.
func sitesOf(file symbol.File, references []symbol.Reference) []projection.Site {
	sites := make([]projection.Site, 0, len(file.Declarations)+len(references)+2)
	top := symbol.Declaration{StartLine: 1}
	if file.Module == file.Path || file.Module == projection.Root {
		sites = append(sites, partOf("", projection.Root, top))
	} else {
		sites = append(sites, partOf("", file.Module, top), partOf(file.Module, projection.Root, top))
	}
	sites = append(sites, lists.Map(file.Declarations, func(s symbol.Declaration) projection.Site {
		return partOf(string(symbol.KeyOf(file.Module, s.Name)), file.Path, s)
	})...)
	for _, r := range references {
		sites = append(sites, projection.Site{
			From: string(r.From), Kind: edges.Kind(r.Kind), Rel: r.Rel, Origin: origin, Line: r.Line, Start: r.Start, End: r.End,
			Meaning: projection.Meaning{Path: string(r.To), By: string(r.By)},
		})
	}
	return sites
}

func partOf(from, whole string, d symbol.Declaration) projection.Site {
	return projection.Site{
		From: from, Kind: edges.PartOf, Origin: origin, Line: d.StartLine, Start: d.Start, End: d.End,
		Meaning: projection.Meaning{Path: whole, By: string(symbol.ByFile)},
	}
}

// hashOf returns a hash of the references of a file and their places, 128 bits in hex;
// "" if there are none.
func hashOf(references []symbol.Reference) string {
	if len(references) == 0 {
		return ""
	}
	sum := fnv.New128a()
	for _, r := range references {
		fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%s\x00%s\x00%d\x00%d\x00%d\n", r.From, r.To, r.Kind, r.Rel, r.By, r.Line, r.Start, r.End)
	}
	return strings.TrimSpace(fmt.Sprintf("%x", sum.Sum(nil)))
}

// Resolve does nothing, because Complete has found the targets.
func (d *directory) Resolve(*projection.Site) {}
