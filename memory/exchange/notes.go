package exchange

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
	"hence/vault/note"
)

// Notes says what was written as notes.
type Notes struct {
	Notes    int      `json:"notes"`
	Edges    int      `json:"edges"`
	Warnings []string `json:"warnings"`
}

// ExportNotes writes memories as notes for Obsidian into a folder that is new or
// empty: one file each, named after its title, with the edges as typed properties
// in its frontmatter. A file .hence.yaml defines the authors' words, so that an
// import of the folder gives the same edges between the same titles.
//
// Notes of a vault are not written, because they are files already, nor are
// forgotten memories. An edge to such a note is a link to its path, which resolves
// once the folder is in that vault. Weights, reasons and validity of edges and the
// journal are not exported, because notes have no place for them. It fails with
// exists if the folder is not empty.
func (s Store) ExportNotes(ctx context.Context, dir string) (done Notes, err error) {
	done.Warnings = []string{}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return done, notWritten(err, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return done, notWritten(err, dir)
	}
	if len(entries) > 0 {
		return done, fault.New(fault.Exists, "export to %s: there is something in the folder; name one that is new or empty", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return done, notWritten(err, dir)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	write := func(r *db.Reader) error {
		f := folder{
			root: root, dir: dir, called: names{}, words: map[string]edges.Kind{}, declared: map[string][]noteEdge{},
			names: map[string]string{}, links: map[string]string{}, taken: map[string]bool{},
		}
		if err := f.nameAll(ctx, r, s.Caller.Namespace); err != nil {
			return err
		}
		if err := f.declareAll(ctx, r, s.Caller.Namespace); err != nil {
			return err
		}
		done.Edges, done.Warnings = f.edges, append(done.Warnings, f.warnings...)
		if err := f.settings(); err != nil {
			return err
		}
		return db.Each(ctx, r, func(row *sql.Rows) error {
			m, err := scanMemory(row)
			if err != nil || f.names[m.ID] == "" {
				return err
			}
			done.Notes++
			return f.note(m)
		}, selectMemories, s.Caller.Namespace)
	}
	err = s.DB.ForLong(ctx, func(d *db.DB) error { return d.Read(ctx, write) })
	return done, err
}

func notWritten(err error, dir string) error {
	return fault.Wrap(fault.Unavailable, err, "export to %s: it cannot be written", dir)
}

// folder is a vault that is being written.
type folder struct {
	root     *os.Root
	dir      string
	names    map[string]string // of the notes that are written, without .md, by id
	links    map[string]string // link texts, by id
	taken    map[string]bool   // names in lower case
	called   names
	words    map[string]edges.Kind // what the authors' words mean
	declared map[string][]noteEdge // by the id of the memory whose note declares it
	edges    int
	warnings []string
}

// noteEdge is an edge as a note declares it: a word and a link.
type noteEdge struct {
	word     string
	kind     edges.Kind
	backward bool // the note is the edge's to
	target   string
}

func (f *folder) nameAll(ctx context.Context, r *db.Reader, namespace string) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var id, title, status string
		var aliases []byte
		var uri *string
		if err := row.Scan(&id, &title, &status, &uri, &aliases); err != nil {
			return err
		}
		if err := f.called.add(title, aliases); err != nil {
			return fault.Wrap(fault.Internal, err, "export to %s: the aliases of memory %s", f.dir, id)
		}
		switch {
		case uri != nil && strings.HasPrefix(*uri, "code://"): // as notes name a symbol
			f.links[id] = "code:" + title
		case uri != nil:
			f.links[id] = *uri
			if _, path, ok := ref.SplitNoteURI(*uri); ok { // as a link names a vault's note
				f.links[id] = strings.TrimSuffix(path, ".md")
			}
		case status != memory.Forgotten:
			f.name(id, title)
		}
		return nil
	}, `
select
  id,
  title,
  status,
  uri,
  aliases
from memories
where ?1 in ('', namespace)
order by id`, namespace)
}

// declareAll decides which note declares which edge, and by what word.
func (f *folder) declareAll(ctx context.Context, r *db.Reader, namespace string) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		e, err := scanEdge(row)
		if err != nil {
			return err
		}
		kind := edges.Kind(e.EdgeType)
		from, to := f.links[e.From], f.links[e.To]
		switch {
		case f.names[e.From] == "" && f.names[e.To] == "", from == "", to == "":
			return nil // both are notes of a vault, or one was forgotten
		case kind == edges.Mentions:
			return nil // an import finds it in the text
		case f.names[e.From] != "":
			f.declare(e.From, noteEdge{word: f.word(kind, e.Rel), kind: kind, target: to})
		default:
			f.declare(e.To, noteEdge{word: kind.Inverse(), kind: kind, backward: true, target: from})
		}
		return nil
	}, selectEdges, namespace)
}

func (f *folder) declare(id string, d noteEdge) {
	f.edges++
	f.declared[id] = append(f.declared[id], d)
}

// word returns the author's word for an edge if a note can hold it, else the kind's
// name.
func (f *folder) word(kind edges.Kind, rel string) string {
	if kind.OfCode() { // a note declares none, unless the settings say so
		f.words[string(kind)] = kind
	}
	if rel == "" {
		return string(kind)
	}
	if !canBeProperty(rel) {
		f.warn("the word " + rel + " cannot be a property; its edges are " + string(kind))
		return string(kind)
	}
	if known, backward, ok := edges.LookupInText(rel); ok && (known != kind || backward) {
		return string(kind)
	}
	if meant, ok := f.words[edges.Fold(rel)]; ok && meant != kind {
		f.warn("the word " + rel + " stands for several types; some of its edges are " + string(kind))
		return string(kind)
	}
	f.words[edges.Fold(rel)] = kind
	return rel
}

// warn adds a warning, unless it is there already.
func (f *folder) warn(text string) {
	if !slices.Contains(f.warnings, text) {
		f.warnings = append(f.warnings, text)
	}
}

// settings writes the file that defines the words. Mentions and names without
// brackets are off, because they would become edges that the store does not have.
func (f *folder) settings() error {
	own := map[string]string{}
	for word, kind := range f.words {
		if _, _, known := edges.LookupInText(word); !known {
			own[word] = string(kind)
		}
	}
	text, err := yaml.Marshal(map[string]any{"mentions": false, "names": false, "words": own})
	if err != nil {
		return err
	}
	return f.write(".hence.yaml", text)
}

// note writes one memory.
func (f *folder) note(m memoryLine) error {
	front, err := f.frontmatter(m)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "export to %s: memory %s has no frontmatter", f.dir, m.ID)
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	text.Write(front)
	text.WriteString("---\n")
	text.WriteString(m.Content)
	return f.write(f.names[m.ID]+".md", text.Bytes())
}

func (f *folder) write(name string, text []byte) error {
	out, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return notWritten(err, filepath.Join(f.dir, name))
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err != nil {
		return notWritten(err, filepath.Join(f.dir, name))
	}
	return nil
}

// The properties that keep where the text of a memory came from, so that it is not trusted
// more when it comes back as a note.
const (
	sourceName    = "hence-source"
	sourceURLName = "hence-source-url"
)

// source returns where the text came from, as the view own_trust has it: what a person
// confirmed is theirs.
func (m *memoryLine) source() string {
	if value(m.Confirmed) == cmp.Or(m.ContentHash, db.Hash(m.Content))+" "+m.Title {
		return ref.Person
	}
	return cmp.Or(value(m.Source), m.Origin)
}

// frontmatter returns the memory's plain properties, then its fields, its edges, and
// the properties that are not plain.
func (f *folder) frontmatter(m memoryLine) ([]byte, error) {
	p := properties{at: map[string]bool{}}
	own := db.Properties{}
	if err := db.ReadColumn(m.ID, "properties", string(m.Properties), &own); err != nil {
		return nil, err
	}
	apart := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if p.at[edges.Fold(name)] || !f.isPlain(name, own[name]) {
			apart[name] = own[name]
			continue
		}
		p.set(name, own[name])
	}
	p.set("hence-id", m.ID)
	p.set("kind", m.Kind)
	p.set("created", m.CreatedAt)
	if source := m.source(); source != ref.Person && source != ref.Note {
		p.set(sourceName, source)
		if m.SourceURL != nil {
			p.set(sourceURLName, *m.SourceURL)
		}
	}
	p.setSome("tags", m.Tags)
	aliases := m.Aliases
	if f.names[m.ID] != m.Title && !slices.Contains(aliases, m.Title) {
		aliases = append([]string{m.Title}, aliases...)
	}
	p.setSome("aliases", aliases)
	links := map[string][]string{}
	for _, d := range f.declared[m.ID] {
		word := p.unusedWord(d)
		links[word] = append(links[word], "[["+d.target+"]]")
	}
	if m.Status == memory.Superseded {
		p.set("status", memory.Superseded)
	}
	for _, word := range slices.Sorted(maps.Keys(links)) {
		p.set(word, links[word])
	}
	if len(apart) > 0 {
		p.set(note.OwnProperties, apart)
	}
	if p.err != nil {
		return nil, p.err
	}
	return yaml.Marshal(&p.node)
}
