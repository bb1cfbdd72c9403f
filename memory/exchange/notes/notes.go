// Package notes exports memories as notes for Obsidian.
//
// It keeps properties from becoming edges. A memory's property may
// be called supersedes or contain a link; in frontmatter that is an edge, and
// changes a status. Such properties are written under hence-properties, which an
// import reads as data only; plain ones stay at the top, where Obsidian shows them.
// A property is plain if package note finds no link, tag or alias in it, its name is
// not a word for an edge type or reserved, and its value is not the name of a
// memory.
package notes

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/vault/note"
)

// Written is the result of Export.
type Written struct {
	Notes    int      `json:"notes"`
	Edges    int      `json:"edges"`
	Warnings []string `json:"warnings"`
}

// Export writes memories as notes for Obsidian into a new or empty folder. Each
// memory becomes one file, named after its title, with its edges as typed properties
// in the frontmatter. A file .hence.yaml defines the authors' words, so that an
// import of the folder yields the same edges between the same titles.
//
// Notes of a vault are not written, because they are files already, nor are
// forgotten memories. An edge to a vault's note becomes a link to its path, which resolves
// once the folder is in that vault. Weights, reasons and validity of edges and the
// journal are not exported, because notes have no place for them. Export fails with
// exists if the folder is not empty, and with unavailable if it cannot be written.
func Export(ctx context.Context, s ref.View, dir string) (done Written, err error) {
	done.Warnings = []string{}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return done, notWritten(err, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return done, notWritten(err, dir)
	}
	if len(entries) > 0 {
		return done, fault.New(fault.Exists, "export to %s: the folder is not empty; choose one that is new or empty", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return done, notWritten(err, dir)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	write := func(r *db.Reader) error {
		f := folder{
			root: root, dir: dir, allNames: names{}, words: map[string]edges.Kind{}, declared: map[string][]noteEdge{},
			names: map[string]string{}, links: map[string]string{}, usedNames: map[string]bool{},
		}
		if err := f.nameAll(ctx, r, s.Caller.Namespace); err != nil {
			return err
		}
		if err := f.declareAll(ctx, r, s.Caller.Namespace); err != nil {
			return err
		}
		done.Edges, done.Warnings = f.edges, append(done.Warnings, f.warnings...)
		if err := f.writeSettings(); err != nil {
			return err
		}
		return db.Each(ctx, r, func(row *sql.Rows) error {
			m, err := lines.ScanMemory(row)
			if err != nil || f.names[m.ID] == "" {
				return err
			}
			done.Notes++
			return f.writeNote(m)
		}, lines.SelectMemories, s.Caller.Namespace)
	}
	err = s.DB.ForLong(ctx, func(d *db.DB) error { return d.Read(ctx, write) })
	return done, err
}

func notWritten(err error, dir string) error {
	return fault.Wrap(fault.Unavailable, err, "export to %s: it cannot be written", dir)
}

// folder is a vault that is being written.
type folder struct {
	root      *os.Root
	dir       string
	names     map[string]string     // file names of the written notes, without .md, by memory id
	links     map[string]string     // link texts by memory id, also of notes and symbols that are not written
	usedNames map[string]bool       // the file names in names, in lower case
	allNames  names                 // titles and aliases of all memories
	words     map[string]edges.Kind // the kinds that the authors' words stand for, by folded word
	declared  map[string][]noteEdge // edges by the id of the memory whose note declares them
	edges     int
	warnings  []string
}

// noteEdge is an edge as a note declares it: a word and a link.
type noteEdge struct {
	word     string
	kind     edges.Kind
	backward bool   // the note is the end of the edge, not its start
	target   string // of the link
}

// nameAll assigns a file name to every memory that becomes a note, and a link text to
// everything that an edge can join.
func (f *folder) nameAll(ctx context.Context, r *db.Reader, namespace string) error {
	names, err := db.Select(ctx, r, db.Value[string], `
select title from memories where ?1 in ('', namespace)
union
select j.value from memories m, json_each(m.aliases) j where ?1 in ('', m.namespace)`, namespace)
	if err != nil {
		return err
	}
	for _, name := range names {
		f.allNames[foldName(name)] = true
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var id, title, status string
		var uri *string
		if err := row.Scan(&id, &title, &status, &uri); err != nil {
			return err
		}
		switch {
		case uri != nil && strings.HasPrefix(*uri, "code://"): // the form in which notes name a symbol
			f.links[id] = "code:" + title
		case uri != nil:
			f.links[id] = *uri
			if _, path, ok := ref.SplitNoteURI(*uri); ok { // a link names a vault's note by its path
				f.links[id] = strings.TrimSuffix(path, ".md")
			}
		case status != memory.Forgotten:
			f.assignName(id, title)
		}
		return nil
	}, `
select
  id,
  title,
  status,
  uri
from memories
where ?1 in ('', namespace)
order by id`, namespace)
}

// declareAll decides for each edge which note declares it, and by what word.
func (f *folder) declareAll(ctx context.Context, r *db.Reader, namespace string) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		e, err := lines.ScanEdge(row)
		if err != nil {
			return err
		}
		kind := edges.Kind(e.Kind)
		from, to := f.links[e.From], f.links[e.To]
		switch {
		case f.names[e.From] == "" && f.names[e.To] == "", from == "", to == "":
			return nil // both ends are notes of a vault, or one was forgotten
		case kind == edges.Mentions:
			return nil // an import finds it in the text again
		case f.names[e.From] != "":
			f.declare(e.From, noteEdge{word: f.word(kind, e.Rel), kind: kind, target: to})
		default:
			f.declare(e.To, noteEdge{word: kind.Inverse(), kind: kind, backward: true, target: from})
		}
		return nil
	}, lines.SelectEdges, namespace)
}

func (f *folder) declare(id string, edge noteEdge) {
	f.edges++
	f.declared[id] = append(f.declared[id], edge)
}

// word returns the author's word for an edge if a note can use it as a property, else the
// kind's name. It records the kind of the word for writeSettings.
func (f *folder) word(kind edges.Kind, rel string) string {
	if kind.OfCode() { // the settings must define it: by default, a note declares no edges of code
		f.words[string(kind)] = kind
	}
	if rel == "" {
		return string(kind)
	}
	if !canBeProperty(rel) {
		f.warn("the word " + rel + " cannot be a property; its edges are " + string(kind))
		return string(kind)
	}
	if knownKind, backward, ok := edges.LookupInText(rel); ok && (knownKind != kind || backward) {
		return string(kind)
	}
	if meant, ok := f.words[edges.Fold(rel)]; ok && meant != kind {
		f.warn("the word " + rel + " is used for several types; some of its edges are " + string(kind))
		return string(kind)
	}
	f.words[edges.Fold(rel)] = kind
	return rel
}

// warn adds a warning, unless the same one was added before.
func (f *folder) warn(text string) {
	if !slices.Contains(f.warnings, text) {
		f.warnings = append(f.warnings, text)
	}
}

// writeSettings writes .hence.yaml, which defines the authors' words. It turns off mentions and
// names without brackets, because they would become edges that the store does not have.
func (f *folder) writeSettings() error {
	ownWords := map[string]string{}
	for word, kind := range f.words {
		if _, _, isKnown := edges.LookupInText(word); !isKnown {
			ownWords[word] = string(kind)
		}
	}
	text, err := yaml.Marshal(map[string]any{"mentions": false, "names": false, "words": ownWords})
	if err != nil {
		return err
	}
	return f.writeFile(".hence.yaml", text)
}

// writeNote writes the note of one memory.
func (f *folder) writeNote(m lines.Memory) error {
	front, err := f.frontmatter(m)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "export to %s: the frontmatter of memory %s cannot be written", f.dir, m.ID)
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	text.Write(front)
	text.WriteString("---\n")
	text.WriteString(m.Content)
	return f.writeFile(f.names[m.ID]+".md", text.Bytes())
}

// writeFile writes a file that does not exist yet.
func (f *folder) writeFile(name string, text []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return notWritten(err, filepath.Join(f.dir, name))
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return notWritten(err, filepath.Join(f.dir, name))
	}
	return nil
}

// These properties keep the source of a memory's text, so that an import of the note does
// not trust the text more than before.
const (
	sourceName    = "hence-source"
	sourceURLName = "hence-source-url"
)

// sourceOf returns the source of the text, as the column said_by has it: a text that a
// person confirmed counts as a person's.
func sourceOf(m *lines.Memory) string {
	if m.Confirmed == cmp.Or(m.ContentHash, db.Hash(m.Content))+" "+m.Title {
		return ref.Person
	}
	return cmp.Or(m.Source, m.Origin)
}

// frontmatter returns the YAML of the memory's plain properties (see isPlain), then its
// fields, its edges, and a mapping of the properties that are not plain.
func (f *folder) frontmatter(m lines.Memory) ([]byte, error) {
	p := properties{present: map[string]bool{}}
	values := db.Properties{}
	if err := db.ReadColumn(m.ID, "properties", string(m.Properties), &values); err != nil {
		return nil, err
	}
	notPlain := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if p.present[edges.Fold(name)] || !f.isPlain(name, values[name]) {
			notPlain[name] = values[name]
			continue
		}
		p.set(name, values[name])
	}
	p.set("hence-id", m.ID)
	p.set("kind", m.Kind)
	p.set("created", m.CreatedAt)
	if source := sourceOf(&m); source != ref.Person && source != ref.Note {
		p.set(sourceName, source)
		if m.SourceURL != "" {
			p.set(sourceURLName, m.SourceURL)
		}
	}
	p.setNonEmpty("tags", m.Tags)
	aliases := m.Aliases
	if f.names[m.ID] != m.Title && !slices.Contains(aliases, m.Title) {
		aliases = append([]string{m.Title}, aliases...)
	}
	p.setNonEmpty("aliases", aliases)
	links := map[string][]string{}
	for _, edge := range f.declared[m.ID] {
		word := p.unusedWord(edge)
		links[word] = append(links[word], "[["+edge.target+"]]")
	}
	if m.Status == memory.Superseded {
		p.set("status", memory.Superseded)
	}
	for _, word := range slices.Sorted(maps.Keys(links)) {
		p.set(word, links[word])
	}
	if len(notPlain) > 0 {
		p.set(note.OwnProperties, notPlain)
	}
	if p.err != nil {
		return nil, p.err
	}
	return yaml.Marshal(&p.node)
}
