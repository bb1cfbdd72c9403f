package writing

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
	"hence/vault/resolve"
)

// move is a file on its way to another path.
type move struct {
	Writer
	vault.File // where it is
	operation  string
	to         string            // where it will be
	given      map[string][]byte // path → new bytes of a file, whatever links it holds
	stays      map[string]bool   // path → the file stays as it is, whatever links it holds

	before, after *resolve.Index   // which file a link means
	files         []fileRewrite    // in the order of their paths
	caught        []undolog.Change // files that stay, of which a link that led nowhere will lead to the moved file
	hash          string           // of the moved file as it will be
	warnings      []string
}

// plan finds every link that would not lead where it leads now, and what to write
// in its place. Nothing is written.
func (m *move) plan(ctx context.Context) error {
	survey, err := m.vaults().Survey(ctx, m.OpenVault)
	if err != nil {
		return err
	}
	for _, f := range survey.Files {
		// Its folders may be spelled in another way on disk.
		if f.Path != m.Path && folder.SameName(f.Path, m.to) {
			return fault.New(fault.Exists, "%s: %s is there already", m.operation, f.Path).With("path", f.Path)
		}
	}
	m.before, m.after = resolve.New(nil), resolve.New(nil)
	for _, f := range survey.Files {
		at := f.Path
		if f.Path == m.Path {
			at = m.to
		}
		m.before.Add(f.Path)
		m.before.Aliases(f.Path, survey.Aliases[f.Path])
		m.after.Add(at)
		m.after.Aliases(at, survey.Aliases[f.Path])
	}
	linking, err := m.findLinking(ctx, append(survey.Aliases[m.Path], m.Path, m.to))
	if err != nil {
		return err
	}
	for _, f := range survey.Files {
		_, given := m.given[f.Path]
		if !vault.IsNote(f.Path) && !vault.IsCanvas(f.Path) || !survey.Unsure[f.Path] && !given && !linking[f.Path] && f.Path != m.Path {
			continue
		}
		if err := m.planFile(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// findLinking returns the files that hold a link which may mean one of some names, as
// far as the store knows.
func (m *move) findLinking(ctx context.Context, names []string) (paths map[string]bool, err error) {
	keys := []string{}
	for _, name := range names {
		keys = append(keys, resolve.Key(name))
	}
	paths = map[string]bool{}
	return paths, db.Fill(ctx, m.DB, paths, `
select distinct
  f.path,
  true
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = (select key from vaults where name = ?1)
where s.origin <> 'mention'`, m.Name, db.List(keys))
}

// planFile plans the rewrites of one file.
func (m *move) planFile(f folder.Entry) error {
	own := f.Path == m.Path
	source, err := m.Read(f, vault.MaxFile)
	switch {
	case err != nil && own:
		return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", m.operation, f.Path)
	case err != nil:
		m.warn(f.Path, "cannot be read, and its links are left: "+folder.Reason(err))
		return nil
	}
	r := relinker{move: m, path: f.Path, newPath: f.Path, source: source}
	if own {
		r.newPath, m.hash = m.to, db.Hash(source)
	}
	content, given := m.given[f.Path]
	var rewrites []Rewrite
	if !given {
		if m.stays[f.Path] {
			return nil
		}
		if content, rewrites, err = r.rewrite(); err != nil {
			return err
		}
		if len(rewrites) == 0 {
			if !own && r.catches() {
				hash := db.Hash(source)
				m.caught = append(m.caught, undolog.Change{Before: f.Path, After: f.Path, HashBefore: hash, HashAfter: hash})
			}
			return nil
		}
		if info, err := m.Dir.Lstat(filepath.FromSlash(f.Path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			m.warn(f.Path, "is a symbolic link, and its links are left; "+rewrites[0].Before+" would be "+rewrites[0].After)
			return nil
		}
		slices.SortStableFunc(rewrites, func(a, b Rewrite) int { return a.LineNumber - b.LineNumber })
	}
	if own {
		m.hash = db.Hash(content)
	}
	m.files = append(m.files, fileRewrite{f.Path, source, content, rewrites})
	return checkSize(m.operation, f.Path, content)
}

// changes are what the move does to files, the moved one first.
func (m *move) changes() []undolog.Change {
	own := undolog.Change{Before: m.Path, After: m.to, HashBefore: m.hash, HashAfter: m.hash, Folders: len(m.MissingFolders(m.to))}
	others := []undolog.Change{}
	for _, f := range m.files {
		c := undolog.Change{Before: f.path, After: f.path, Source: f.source, HashBefore: db.Hash(f.source), HashAfter: db.Hash(f.content)}
		if f.path == m.Path {
			c.After, c.Folders = own.After, own.Folders
			own = c
			continue
		}
		others = append(others, c)
	}
	return slices.Concat([]undolog.Change{own}, others, m.caught)
}

// checkUndoable fails with too_large for a move that could not be undone, unless the
// caller accepts that. In a dry run it warns instead.
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
