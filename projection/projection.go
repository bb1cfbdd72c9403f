// Package projection mirrors a folder in the store: its files become memories, and
// the places in them that point elsewhere become edges. It knows nothing of what
// the files hold. A Format says that, such as package vault for notes: Source.Read
// says what one file holds, Directory who is called what, Directory.Resolve which
// files the places mean, and Directory.Complete which unchanged files to read
// again because others changed.
//
// The life of a mirror:
//
//   - Scan and diff (diff.go). A file of the same size and time is not read; a file of
//     the same bytes is not written. A new file is a moved one if it has the bytes of a
//     removed file, or if a watcher saw the rename: its memory keeps its id.
//   - Units (unit.go, write_units.go, identity.go). A file may hold units that are
//     memories of their own, such as the functions of source code, and files may make
//     up wholes, such as packages. A unit is written only if it differs. One that is
//     gone is matched with a new one under another name, or is forgotten.
//   - Transactions (run.go). First the memories are written, then the sites, up to
//     1,000 files at a time, so that others can write in between. A file counts as
//     read once its sites are in, and a folder once all is done (vaults.extraction
//     is 0 until then), so the next import finishes one that was stopped.
//     A first import reads ahead while it writes.
//   - Sites become edges (write_sites.go). Every site is stored. If its file does
//     not exist it dangles, and gets its edge when the file comes. New sites are
//     inserted before the old ones are deleted, so that an edge that is still declared
//     keeps its id. Files are memories too, of any kind, so that a
//     site that means a picture is an edge.
//     A link has five shapes on its way: note.Link, as it is written; Site, what it declares
//     and means; site, with the memories that it joins, as the table has it; acyclic.Edge,
//     where edges exclude each other; and the row of the statement that writes it.
//   - Edges that exclude each other (acyclic.go). If declarations would close a cycle
//     or give a memory a second successor, their order by path and place decides which
//     are accepted. So the result does not depend on the order of edits, and an import
//     of changes has the same result as a first import.
//   - Resolving again (resolve_again.go). When a file is added, removed or renamed,
//     the stored sites with its names (Site.TargetKey) are resolved again without
//     reading their files. If a site exists only because of another file, that is not
//     enough: the directory names dependents, which are read and whose sites are all
//     written again.
//   - Watching (watch.go, keeper.go). A watcher keeps the directory in memory, so
//     that an edited file is imported alone. A writer of files does the same for each
//     file that it wrote (hold.go). All of them take turns by the lock of the folder,
//     and first settle what a crash interrupted (undolog).
//   - Forgetting (forget.go) forgets all memories; an import brings them back under
//     their ids.
package projection

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/projection/folder"
)

// Format is a kind of folder, such as a vault of notes. (All are rows of the table
// vaults, and called vaults in messages: notes came first.)
type Format struct {
	Form     string   // column form of the table mirrors: vault, code or agents
	Scheme   string   // of the uris of its memories, without "://"
	Origin   string   // of its memories
	Units    bool     // its files may hold units
	Keeps    bool     // every version of a file that stands at an import is kept: see undolog.KeepVersion
	Settings []string // files at the root; after a change of one the whole folder is compared again
	Nested   []string // names of files that are settings in any folder

	// Wants reports whether a change at a path, which may be hidden, is looked at by a watcher; nil: at every
	// path that is not hidden.
	Wants func(path string) bool

	// Same reports whether two folders are the same repository, with the user's state directory;
	// nil: no two folders are.
	Same func(ctx context.Context, state, folder, other string) bool
	Open func(f *folder.Folder) (Source, error) // reads the settings and gives the folder its rules, as Source.Rule does
}

// Code and Agents are the formats of repositories of source code and of agents' memory files
// without Open, for callers that do not read the files, such as Forget. Packages code and agents
// have the full formats.
var (
	Code   = Format{Form: "code", Scheme: "code", Origin: "code", Units: true}
	Agents = Format{Form: "agents", Scheme: ref.AgentsScheme, Origin: "agent", Keeps: true, Units: true}
)

// isCode reports whether the units are symbols, whose names may depend on other files, and which notes name.
func (f Format) isCode() bool { return f.Form == Code.Form }

// Root is the name of the unit that the folder itself is.
const Root = "."

// URI returns the uri of the memory of a file or unit.
func (f Format) URI(vault, name string) string {
	if name == Root {
		return f.Scheme + "://" + vault
	}
	return f.prefix(vault) + name
}

// isSetting reports whether a file is a settings file: it decides how the others are read.
func (f Format) isSetting(file string) bool {
	return slices.Contains(f.Settings, file) || slices.Contains(f.Nested, path.Base(file))
}

// Source reads the files of one folder, with the settings of its owner. Its methods may
// run concurrently.
type Source interface {
	// Rule sets which files of the folder are left out, and their kinds
	// (folder.Folder.KindOf). A file whose kind is not read is known by its name
	// and the hash of its bytes.
	Rule(f *folder.Folder)

	// Version returns a number that changes when the same bytes would result in other
	// memories or sites. The next import then reads every file.
	Version() int64

	// Read sets the fields of a document from the file's bytes, nil for a kind that is not
	// read.
	Read(d *Document, bytes []byte)

	// Check returns warnings about the folder as a whole.
	Check(f *folder.Folder, files []folder.Entry) []folder.Warning

	// Directory returns the names of the files as they were at the last import. It
	// is empty before the first one, where known.Key is 0.
	Directory(ctx context.Context, r *db.Reader, known Known) (Directory, error)
}

// Learner is a source that may say other things of the same bytes later, for what it has learned since.
type Learner interface {
	// HasLearned reports whether an unchanged file is to be read again.
	HasLearned(path string, known KnownFile) bool
}

// Directory knows what the files of a folder are called. An import calls Update,
// then Complete, then Resolve. A first import calls Update for one group of files
// after the other.
type Directory interface {
	// Update records files that were added, changed or removed. It returns the target
	// keys of the names that were added or removed: stored sites with these keys are
	// resolved again.
	Update(ctx context.Context, c *Changes) (keys []string, err error)

	// Complete adds the sites that need to know all names to the changed documents.
	// It returns the dependents: unchanged files, read by Changes.Read, that have
	// other sites or units now because other files changed. All of these are written
	// again.
	Complete(ctx context.Context, c *Changes) (dependents []*Document, err error)

	// Resolve sets the meaning of a site.
	Resolve(s *Site)

	// Wholes returns all units that several files make up. It is called after Complete.
	// An edge to one is a site of the files that make it up.
	Wholes() []Unit

	// Len is the number of files.
	Len() int
}

// Changes are what an import found.
type Changes struct {
	DB        *db.DB
	Known     Known             // the store before the import; Key is 0 at the first one
	Documents []*Document       // new and changed files
	Removed   []string          // paths that are gone, in order; those moved from included
	Moved     map[string]string // new path → old path

	// Read reads unchanged files. It leaves out those that cannot be read and those
	// that were edited since they were imported, by their bytes.
	Read func(ctx context.Context, paths []string) ([]*Document, error)

	// Bytes returns the bytes of files by their paths, as they are on disk now, even if
	// they were edited since the import. It leaves out those that cannot be read.
	Bytes func(ctx context.Context, paths []string) (map[string][]byte, error)
}

// Document is a file and what it says.
type Document struct {
	folder.Entry
	Hash        string // SHA-256 of the bytes, in hex, or sizeAndTime
	Title       string
	Content     string
	ContentHash string // "": Hash
	Aliases     []string
	Tags        []string // sorted, each once
	Properties  map[string]any
	TextSource  string // where the text came from, one of ref.Sources; "": as the format's origin says
	SourceURL   string // the address there, of which 2000 characters are kept, or ""
	Sections    []Section
	Units       []Unit    // each of its own name
	Sites       []Site    // in the order of the file
	Superseded  bool      // the file itself declares that it is superseded
	Created     time.Time // as the file declares; zero: the file's time
	Updated     time.Time // as the file declares; zero: the file's time
	Words       []string  // words that the directory stores for later imports, sorted (column files.words)
	Warnings    []folder.Warning
	Rest        any // data of the source, kept until Complete

	Kind   string // of the memory: that of its path, unless the source sets another
	bytes  []byte // of the file, if the format keeps versions, until the memory is written
	failed bool   // it could not be read; the store keeps what it has
	edited string // the file's content, if the store has another: the sqlite3 shell edited it
}

// Warn adds a warning; line is 0 for one about the whole file.
func (d *Document) Warn(line int, text string) {
	d.Warnings = append(d.Warnings, folder.Warning{Path: d.Path, Line: line, Text: text})
}

// changeTime returns the time of the last change, in the form of the store.
func (d *Document) changeTime() string {
	if d.Updated.IsZero() {
		return db.Time(time.Unix(0, d.Modified))
	}
	return db.Time(d.Updated)
}

// sizeAndTime returns a text that replaces the hash of a file that is not read.
func (d *Document) sizeAndTime() string { return fmt.Sprintf("unread-%d-%d", d.Size, d.Modified) }

// Section is a part of a document's text.
type Section struct {
	Ordinal   int // from 0
	Heading   string
	Level     int // of the heading; 0 without one
	StartLine int
	EndLine   int    // inclusive
	Body      string // if the document's content does not have it
	BodyStart int    // in the content, in bytes; both 0: all of it
	BodyEnd   int
}

// text returns the section's text.
func (s Section) text(content string) string {
	switch {
	case s.Body != "":
		return s.Body
	case s.BodyEnd == 0:
		return content
	}
	return content[s.BodyStart:s.BodyEnd]
}

// Clean returns a text with U+FFFD in place of invalid UTF-8 and NUL bytes, which the store
// cannot keep.
func Clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// maxParted is the longest content, in bytes, of which sections and contexts are stored as ranges:
// SQLite reads all of a content for each.
const maxParted = 1 << 16

// PartOf returns a text as a range of a content, in bytes, that begins at from or later: its start and its
// end. It returns the text itself if the content does not have it there, or is too long.
func PartOf(content, text string, from int) (own string, start, end int) {
	if len(content) <= maxParted {
		if at := strings.Index(content[from:], text); at >= 0 {
			return "", from + at, from + at + len(text)
		}
	}
	return text, 0, 0
}

// Site is a place in a file that refers to a file or unit. It declares an edge. The tags name
// columns of the table sites, as in package record.
type Site struct {
	Source    string     // the path of the file
	From      string     // the unit that holds it; "": the file
	Kind      edges.Kind `column:"kind" is:""`       // of the edge
	Rel       string     `column:"rel" is:""`        // the author's word for the edge; "": the kind's own name
	Backward  bool       `column:"backward" is:""`   // the edge leads from the target to the file or unit
	Origin    string     `column:"origin" is:""`     // see edges; Mention for a site that nobody declared
	Target    string     `column:"target" is:""`     // as written
	TargetKey string     `column:"target_key" is:""` // the same for all texts that may mean one file; see Directory.Update
	Anchor    string     `column:"anchor" is:""`
	Display   string     `column:"display" is:""`
	Lenient   string     `column:"lenient" is:""`    // see sites.lenient; Bare for a name that may mean nothing
	Line      int        `column:"line" is:""`       // from 1
	Start     int        `column:"start_byte" is:""` // bytes from the start of the file
	End       int        `column:"end_byte" is:""`

	// The text around it: Context if the file's content does not have it.
	Context      string `column:"context" is:"null"`
	ContextStart int    `column:"context_start" is:""` // in the content, in bytes
	ContextEnd   int    `column:"context_end" is:""`
	Meaning
}

// Meaning is what a site means. The source sets it for a Mention and for a unit, and
// Directory.Resolve for every other site.
type Meaning struct {
	Path       string   // of the file, or the name of the unit; "" while there is none
	By         string   `column:"resolved_by" is:""` // the evidence: how the file was found
	Candidates []string `column:"candidates" is:""`  // other files that it could mean
}

const (
	// Mention is the origin of a site that was found in plain text, not declared. It is
	// deleted with its target instead of dangling.
	Mention = "mention"

	// Bare is the lenience of a name that may not be a reference at all. It does not
	// dangle, and becomes an edge once a file has the name.
	Bare = "bare"
)
