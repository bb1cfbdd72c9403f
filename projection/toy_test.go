package projection_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/folder"
	"hence/projection/projectiontest"
)

// The toy format: a folder of .kv files, whose lines read key=value. Any line
// defines a key. These mean more:
//
//	import=FILE      depends on the file of that name, without folder and .kv
//	supersedes=FILE  supersedes it
//	owner=FILE       refers to it if there is one, and does not dangle
//	ref=FILE:KEY     refers to the file that defines KEY, in FILE, which must be
//	                 imported, or in what that imports
//	status=superseded
//
// The value of any other line is a mention if it is the name of another file.
// The file .kvkind holds the kind of the edges of refs.
var toy = projection.Format{
	Form:     "vault",
	Scheme:   "toy",
	Origin:   "vault",
	Settings: []string{".kvkind"},
	Open: func(f *folder.Folder) (projection.Source, error) {
		s := toySource{refs: edges.RefersTo}
		if text, err := f.Dir.ReadFile(".kvkind"); err == nil {
			s.refs = edges.Kind(strings.TrimSpace(string(text)))
		}
		s.Rule(f)
		return s, nil
	},
}

type toySource struct{ refs edges.Kind }

func isToy(name string) bool { return path.Ext(name) == ".kv" }

func nameOf(file string) string { return strings.TrimSuffix(path.Base(file), ".kv") }

func (s toySource) Rule(f *folder.Folder) {
	f.KindOf = func(name string) (string, bool) {
		if isToy(name) {
			return "note", true
		}
		return "file", false
	}
}

func (s toySource) Version() int64 { return 1<<32 | int64(slices.Index(edges.Kinds(), s.refs)) }

func (s toySource) Check(*folder.Folder, []folder.Entry) []folder.Warning { return nil }

func (s toySource) Read(d *projection.Document, bytes []byte) {
	d.Title = nameOf(d.Path)
	if !isToy(d.Path) {
		return
	}
	d.Content = string(bytes)
	start := 0
	var values []projection.Site // candidates for mentions
	for n, line := range strings.Split(d.Content, "\n") {
		key, value, ok := strings.Cut(line, "=")
		site := projection.Site{Target: value, TargetKey: value, Origin: "relation", Rel: key, Context: line, Line: n + 1, Start: start, End: start + len(line)}
		start += len(line) + 1
		if !ok {
			if line != "" {
				d.Warn(n+1, "not a key and a value")
			}
			continue
		}
		switch key {
		case "import":
			site.Kind = edges.DependsOn
		case "supersedes":
			site.Kind, site.Rel = edges.Supersedes, ""
		case "owner":
			site.Kind, site.Lenient = edges.RefersTo, projection.Bare
		case "ref":
			site.Kind = s.refs
		case "status":
			d.Superseded = value == "superseded"
			continue
		default:
			site.Kind, site.Rel, site.Origin = edges.Mentions, "", projection.Mention
			values = append(values, site)
			d.Words = append(d.Words, "key "+key)
		}
		d.Words = append(d.Words, kindOfLine(key)+" "+value)
		if site.Kind != edges.Mentions {
			d.Sites = append(d.Sites, site)
		}
	}
	slices.Sort(d.Words)
	d.Words = slices.Compact(d.Words)
	d.Rest = values
}

// kindOfLine returns a key that has a meaning, and "value" for any other key.
func kindOfLine(key string) string {
	if slices.Contains([]string{"import", "ref", "supersedes", "owner"}, key) {
		return key
	}
	return "value"
}

// toyDirectory holds the words of each file: "import x", "key x", "value x" …
type toyDirectory struct {
	words   map[string][]string
	touched map[string]bool // names of files that were added, changed or removed
}

func (s toySource) Directory(_ context.Context, _ *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &toyDirectory{words: map[string][]string{}}
	for file, f := range known.Files {
		words := []string{}
		if err := db.ReadColumn(file, "words", f.Words, &words); err != nil {
			return nil, err
		}
		d.words[file] = words
	}
	return d, nil
}

func (d *toyDirectory) Wholes() []projection.Unit { return nil }

func (d *toyDirectory) Len() int { return len(d.words) }

// filesNamed returns the files with a name, sorted.
func (d *toyDirectory) filesNamed(name string) []string {
	files := []string{}
	for file := range d.words {
		if nameOf(file) == name {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// wordsOf returns the words of a sort in a file.
func (d *toyDirectory) wordsOf(file, sort string) (words []string) {
	for _, word := range d.words[file] {
		if rest, ok := strings.CutPrefix(word, sort+" "); ok {
			words = append(words, rest)
		}
	}
	return words
}

func (d *toyDirectory) Update(_ context.Context, c *projection.Changes) ([]string, error) {
	if c.Known.Key != 0 || d.touched == nil {
		d.touched = map[string]bool{}
	}
	keys := map[string]bool{}
	for _, file := range c.Removed {
		delete(d.words, file)
		d.touched[nameOf(file)], keys[nameOf(file)] = true, true
	}
	for _, doc := range c.Documents {
		if _, known := c.Known.Files[doc.Path]; !known {
			keys[nameOf(doc.Path)] = true
		}
		d.words[doc.Path] = doc.Words
		d.touched[nameOf(doc.Path)] = true
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

func (d *toyDirectory) Complete(ctx context.Context, c *projection.Changes) (dependents []*projection.Document, err error) {
	if c.Known.Key != 0 {
		fresh := map[string]bool{}
		for _, doc := range c.Documents {
			fresh[doc.Path] = true
		}
		paths := []string{}
		for file := range d.words {
			if !fresh[file] && (len(d.wordsOf(file, "ref")) > 0 && d.reaches(file, map[string]bool{}) || slices.ContainsFunc(d.wordsOf(file, "value"), d.isTouched)) {
				paths = append(paths, file)
			}
		}
		if dependents, err = c.Read(ctx, paths); err != nil {
			return nil, err
		}
	}
	for _, doc := range slices.Concat(c.Documents, dependents) {
		values, _ := doc.Rest.([]projection.Site)
		for _, site := range values {
			if files := d.filesNamed(site.Target); len(files) == 1 && files[0] != doc.Path {
				site.Path, site.By = files[0], "name"
				doc.Sites = append(doc.Sites, site)
			}
		}
		doc.Rest = nil
	}
	return dependents, nil
}

func (d *toyDirectory) isTouched(name string) bool { return d.touched[name] }

// reaches reports whether a chain of imports leads from a file to a touched one.
func (d *toyDirectory) reaches(file string, seen map[string]bool) bool {
	for _, name := range d.wordsOf(file, "import") {
		if d.touched[name] {
			return true
		}
		for _, next := range d.filesNamed(name) {
			if !seen[next] {
				seen[next] = true
				if d.reaches(next, seen) {
					return true
				}
			}
		}
	}
	return false
}

func (d *toyDirectory) Resolve(s *projection.Site) {
	if s.Origin == projection.Mention {
		return
	}
	s.Meaning = projection.Meaning{}
	name, key, isRef := strings.Cut(s.Target, ":")
	if files := d.filesNamed(name); !isRef && len(files) > 0 {
		s.Meaning = projection.Meaning{Path: files[0], By: "name", Candidates: files[1:]}
	} else if isRef && slices.Contains(d.wordsOf(s.Source, "import"), name) {
		if file := d.defines(name, key, map[string]bool{}); file != "" {
			s.Meaning = projection.Meaning{Path: file, By: "import"}
		}
	}
}

// defines returns the file that defines a key: the file with a name, or one that it imports.
func (d *toyDirectory) defines(name, key string, seen map[string]bool) string {
	files := d.filesNamed(name)
	if len(files) == 0 || seen[files[0]] {
		return ""
	}
	seen[files[0]] = true
	if slices.Contains(d.wordsOf(files[0], "key"), key) {
		return files[0]
	}
	for _, next := range d.wordsOf(files[0], "import") {
		if file := d.defines(next, key, seen); file != "" {
			return file
		}
	}
	return ""
}

// world is a folder of toy files, with a store that mirrors it.
type world struct {
	*testing.T
	dir    string
	mirror projection.Mirror
}

func newWorld(t *testing.T, files map[string]string) world {
	w := world{t, filepath.Join(dbtest.Folder(t), "v"), projection.Mirror{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}, Format: toy}}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		w.write(file, files[file])
	}
	return w
}

func (w world) write(file, text string) {
	w.Helper()
	projectiontest.Write(w, w.dir, file, text)
}

func (w world) move(from, to string) {
	w.Helper()
	projectiontest.Move(w, w.dir, from, to)
}

func (w world) remove(file string) {
	w.Helper()
	projectiontest.Remove(w, w.dir, file)
}

func (w world) imports() projection.Report {
	w.Helper()
	report, err := w.mirror.Import(w.Context(), projection.ImportArgs{Dir: w.dir})
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// fresh imports the folder into an empty store, and returns the contents of that store.
func (w world) fresh(d *db.DB) map[string][]string {
	w.Helper()
	w.mirror.DB, w.mirror.Progress = d, nil
	w.imports()
	return projectiontest.Contents(w, d)
}

// rows returns the rows of a query.
func (w world) rows(query string, args ...any) []string {
	w.Helper()
	return projectiontest.Rows(w, w.mirror.DB, query, args...)
}

// edges lists the edges of the store, mentions included.
func (w world) edges() []string {
	w.Helper()
	return w.rows(`
select f.title || ' ' || e.kind || ' ' || t.title
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
order by 1`)
}

// want fails the test if the store has other edges.
func (w world) want(edges ...string) {
	w.Helper()
	if got := w.edges(); !slices.Equal(got, edges) {
		w.Errorf("edges %q, want %q", got, edges)
	}
}

// id returns the id of the memory of a file.
func (w world) id(file string) string {
	w.Helper()
	ids := w.rows(`select id from memories where uri = ? and status <> 'forgotten'`, toy.URI("v", file))
	if len(ids) != 1 {
		w.Fatalf("%d memories are the file %s", len(ids), file)
	}
	return ids[0]
}

// save writes a file as an editor does, with the current time.
func (w world) save(file, text string) {
	w.Helper()
	full := filepath.Join(w.dir, file)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// count returns the counts of a report as a text.
func count(r projection.Report) string {
	return fmt.Sprintf("added %d updated %d moved %d removed %d unchanged %d links %d edges %d dangling %d ambiguous %d refused %d mentions %d",
		r.Added, r.Updated, r.Moved, r.Removed, r.Unchanged, r.Links, r.Edges, r.Dangling, r.Ambiguous, r.Refused, r.Mentions)
}
