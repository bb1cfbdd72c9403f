package writing

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
	"hence/vault/resolve"
)

// fileRewrite is a file with its old and new bytes, and the links in it that were rewritten.
type fileRewrite struct {
	folder.Rewrite
	rewrites []Rewrite
}

// move is the move of a file to another path.
type move struct {
	Writer
	vault.File // with the old path
	operation  string
	to         string            // the new path
	contents   map[string][]byte // path → new bytes of a file, which replace its link rewrites
	frozen     map[string]bool   // path → the file stays as it is, even if its links would be rewritten

	before, after *resolve.Index   // resolve links before and after the move
	files         []fileRewrite    // in the order of their paths
	untouched     []undolog.Change // files that stay as they are, with a dangling link that will lead to the moved file
	hash          string           // of the moved file's new bytes
	warnings      []string
}

// plan finds every link that would lead to another file after the move, and its new text.
// It writes nothing.
func (m *move) plan(ctx context.Context) error {
	survey, err := m.vaults().Survey(ctx, m.OpenVault)
	if err != nil {
		return err
	}
	for _, f := range survey.Files {
		// The folders of m.to may be spelled in another way on disk. An undo puts a file back
		// to where it was beside such a name.
		if f.Path != m.Path && (f.Path == m.to || m.contents == nil && folder.SameName(f.Path, m.to)) {
			return fault.New(fault.Exists, "%s: %s is there already", m.operation, f.Path).With("path", f.Path)
		}
	}
	m.warnOfLinks(survey.Files)
	m.before, m.after = resolve.New(nil), resolve.New(nil)
	for _, f := range survey.Files {
		path := f.Path
		if f.Path == m.Path {
			path = m.to
		}
		m.before.Add(f.Path)
		m.before.Aliases(f.Path, survey.Aliases[f.Path])
		m.after.Add(path)
		m.after.Aliases(path, survey.Aliases[f.Path])
	}
	linking, err := m.findLinking(ctx, append(survey.Aliases[m.Path], m.Path, m.to))
	if err != nil {
		return err
	}
	for _, f := range survey.Files {
		_, hasContent := m.contents[f.Path]
		if !vault.IsNote(f.Path) && !vault.IsCanvas(f.Path) || !survey.Unsure[f.Path] && !hasContent && !linking[f.Path] && f.Path != m.Path {
			continue
		}
		if err := m.planFile(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// warnOfLinks warns of symbolic links to the file, which lead nowhere after the move. They have its size and time.
func (m *move) warnOfLinks(files []folder.Entry) {
	at := slices.IndexFunc(files, func(f folder.Entry) bool { return f.Path == m.Path })
	for _, f := range files {
		if at < 0 || f.Path == m.Path || f.Size != files[at].Size || f.Modified != files[at].Modified || !m.IsLink(f.Path) {
			continue
		}
		if real, err := m.FollowLinks(m.operation, f.Path); err == nil && real == m.Path {
			m.warn(f.Path, "is a symbolic link to "+m.Path+", and leads nowhere now; point it to "+m.to)
		}
	}
}

// findLinking returns the paths of the files that, according to the store, contain a link
// which may mean one of some names.
func (m *move) findLinking(ctx context.Context, names []string) (paths map[string]bool, err error) {
	keys := lists.Map(names, resolve.Key)
	paths = map[string]bool{}
	return paths, db.Fill(ctx, m.DB, paths, `
select distinct
  f.path,
  true
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.mirror = (select key from mirrors where name = ?1)
where s.origin <> 'mention'`, m.Name, db.List(keys))
}

// planFile plans the rewrites of one file, and adds it to m.files or m.untouched.
func (m *move) planFile(f folder.Entry) error {
	isMoved := f.Path == m.Path
	source, err := m.Read(f, vault.MaxFile)
	switch {
	case err != nil && isMoved:
		return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", m.operation, f.Path)
	case err != nil:
		m.warn(f.Path, "cannot be read, and its links are left: "+folder.Reason(err))
		return nil
	}
	r := relinker{move: m, path: f.Path, newPath: f.Path, source: source}
	if isMoved {
		r.newPath, m.hash = m.to, db.Hash(source)
	}
	content, hasContent := m.contents[f.Path]
	var rewrites []Rewrite
	if !hasContent {
		if m.frozen[f.Path] {
			return nil
		}
		if content, rewrites, err = r.rewrite(); err != nil {
			return err
		}
		if len(rewrites) == 0 {
			if !isMoved && r.gainsLink() {
				hash := db.Hash(source)
				m.untouched = append(m.untouched, undolog.Change{Before: f.Path, After: f.Path, HashBefore: hash, HashAfter: hash})
			}
			return nil
		}
		if info, err := m.Dir.Lstat(filepath.FromSlash(f.Path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			m.warn(f.Path, "is a symbolic link, and its links are left; "+rewrites[0].Before+" would be "+rewrites[0].After)
			return nil
		}
		slices.SortStableFunc(rewrites, func(a, b Rewrite) int { return a.LineNumber - b.LineNumber })
	}
	if isMoved {
		m.hash = db.Hash(content)
	}
	m.files = append(m.files, fileRewrite{folder.Rewrite{Path: f.Path, Source: source, Content: content}, rewrites})
	return checkSize(m.operation, f.Path, content)
}

// changes returns the changes of the move to files, the moved file first.
func (m *move) changes() []undolog.Change {
	moved := undolog.Change{Before: m.Path, After: m.to, HashBefore: m.hash, HashAfter: m.hash, Folders: len(m.MissingFolders(m.to))}
	others := []undolog.Change{}
	for _, f := range m.files {
		c := undolog.Change{Before: f.Path, After: f.Path, Source: f.Source, HashBefore: db.Hash(f.Source), HashAfter: db.Hash(f.Content)}
		if f.Path == m.Path {
			c.After, c.Folders = moved.After, moved.Folders
			moved = c
			continue
		}
		others = append(others, c)
	}
	return slices.Concat([]undolog.Change{moved}, others, m.untouched)
}

// checkUndoable fails with too_large for a move that could not be undone, unless NoUndo is
// set. In a dry run it warns instead.
func (m *move) checkUndoable(a MoveNoteArgs) error {
	size := undolog.Size(m.changes())
	switch {
	case size <= undolog.MaxBytes || a.NoUndo && !a.DryRun:
	case a.DryRun:
		m.warnings = append(m.warnings, fmt.Sprintf("the move cannot be undone: it rewrites notes of %d MB, and %d MB are kept for hence undo", size>>20, undolog.MaxBytes>>20))
	default:
		return fault.New(fault.TooLarge, "%s: it rewrites notes of %d MB, and only %d MB are kept for hence undo; set no_undo to move it anyway", m.operation, size>>20, undolog.MaxBytes>>20)
	}
	return nil
}

func (m *move) warn(path, text string) { m.warnings = append(m.warnings, path+" "+text) }
