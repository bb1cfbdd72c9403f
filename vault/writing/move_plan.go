package writing

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
	"hence/vault/note"
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
	files         []rewritten      // in the order of their paths
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
	m.index(survey)
	linking, err := m.linking(ctx, append(survey.Aliases[m.Path], m.Path, m.to))
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

// index makes the names before and after the move.
func (m *move) index(survey vault.Survey) {
	m.before, m.after = resolve.New(nil), resolve.New(nil)
	for _, f := range survey.Files {
		aliases := survey.Aliases[f.Path]
		m.before.Add(f.Path)
		m.before.Aliases(f.Path, aliases)
		at := f.Path
		if f.Path == m.Path {
			at = m.to
		}
		m.after.Add(at)
		m.after.Aliases(at, aliases)
	}
}

// linking returns the files that hold a link which may mean one of some names, as
// far as the store knows.
func (m *move) linking(ctx context.Context, names []string) (paths map[string]bool, err error) {
	keys := []string{}
	for _, name := range names {
		keys = append(keys, resolve.Key(name))
	}
	paths = map[string]bool{}
	err = m.DB.Read(ctx, func(r *db.Reader) error {
		return db.Each(ctx, r, func(row *sql.Rows) error {
			var path string
			err := row.Scan(&path)
			paths[path] = true
			return err
		}, `
select distinct f.path
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = (select key from vaults where name = ?1)
where s.origin <> 'mention'`, m.Name, db.List(keys))
	})
	return paths, err
}

// planFile plans the rewrites of one file.
func (m *move) planFile(f folder.Entry) error {
	source, err := m.Read(f, vault.MaxFile)
	if err != nil {
		if f.Path == m.Path {
			return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", m.operation, f.Path)
		}
		m.warn(f.Path, "cannot be read, and its links are left: "+folder.Reason(err))
		return nil
	}
	if content, ok := m.given[f.Path]; ok {
		if f.Path == m.Path {
			m.hash = db.Hash(content)
		}
		m.files = append(m.files, rewritten{path: f.Path, source: source, content: content})
		return nil
	}
	r := relinker{move: m, path: f.Path, newPath: f.Path, source: source}
	if f.Path == m.Path {
		r.newPath, m.hash = m.to, db.Hash(source)
	}
	if m.stays[f.Path] {
		return nil
	}
	content, rewrites, err := r.rewrite()
	if err == nil && len(rewrites) == 0 && f.Path != m.Path && r.catches() {
		hash := db.Hash(source)
		m.caught = append(m.caught, undolog.Change{Before: f.Path, After: f.Path, HashBefore: hash, HashAfter: hash})
	}
	if err != nil || len(rewrites) == 0 {
		return err
	}
	if info, err := m.Dir.Lstat(filepath.FromSlash(f.Path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		m.warn(f.Path, "is a symbolic link, and its links are left; "+rewrites[0].Before+" would be "+rewrites[0].After)
		return nil
	}
	if f.Path == m.Path {
		m.hash = db.Hash(content)
	}
	slices.SortStableFunc(rewrites, func(a, b Rewrite) int { return a.LineNumber - b.LineNumber })
	m.files = append(m.files, rewritten{f.Path, source, content, rewrites})
	return checkSize(m.operation, f.Path, content)
}

// changes are what the move is to do to files, the moved one first.
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
		return fault.New(fault.TooLarge, "%s: it rewrites notes of %d MB, and only %d MB are kept for hence undo; give no_undo to move it all the same", m.operation, size>>20, undolog.MaxBytes>>20)
	}
	return nil
}

func (m *move) warn(path, text string) { m.warnings = append(m.warnings, path+" "+text) }

// leads says whether a link leads where it must. A link that Obsidian resolves must
// not come to rest on an alias, which only Hence resolves, and a canvas names whole
// paths.
func leads(l note.Link, was, now resolve.Result, want string) bool {
	switch {
	case now.Path != want:
		return false
	case l.Form == note.CanvasFile && was.By == resolve.ByPath:
		return now.By == resolve.ByPath
	}
	return was.By == resolve.ByAlias || now.By != resolve.ByAlias
}

// spellings returns the texts by which a link may lead to a file: first those in
// the manner of the old text, the shortest before the others.
func (r *relinker) spellings(l note.Link, was resolve.Result, want string) (all []string) {
	bare := strings.TrimSuffix(want, want[max(0, len(want)-len(".md")):])
	forms := []string{want}
	if vault.IsNote(want) {
		if forms = []string{bare, want}; vault.IsNote(l.Target) {
			forms = []string{want, bare}
		}
	}
	for _, form := range forms {
		all = append(all, r.inManner(l, was, form)...)
	}
	for _, form := range forms {
		all = append(all, ends(form, 1)...)
		all = append(all, "/"+form)
	}
	return all
}

// inManner returns the texts for a path that are written as the old text is:
// from the source's folder, from the root, or as the end of the path.
func (r *relinker) inManner(l note.Link, was resolve.Result, form string) []string {
	segments := strings.Count(l.Target, "/") + 1
	relative := relativeTo(r.newPath, form)
	switch {
	case l.Form == note.CanvasFile:
		return []string{form}
	case strings.HasPrefix(l.Target, "./") && !strings.HasPrefix(relative, "../"):
		return []string{"./" + relative}
	case strings.HasPrefix(l.Target, "./"), strings.HasPrefix(l.Target, "../"):
		return []string{relative}
	case strings.HasPrefix(l.Target, "/"):
		return []string{"/" + form}
	case segments > 1 && was.By == resolve.ByPath:
		return []string{form}
	case segments > 1 && r.isRelative(l, was) && !strings.HasPrefix(relative, "../"):
		return append([]string{relative}, ends(form, segments)...)
	}
	return ends(form, segments)
}

// isRelative says whether a link's text is the path from its source's folder.
func (r *relinker) isRelative(l note.Link, was resolve.Result) bool {
	relative := relativeTo(r.path, was.Path)
	return l.Target == relative || l.Target+".md" == relative
}

// ends returns the ends of a path, from one of some segments to the whole.
func ends(path string, segments int) (all []string) {
	parts := strings.Split(path, "/")
	for n := min(segments, len(parts)); n <= len(parts); n++ {
		all = append(all, strings.Join(parts[len(parts)-n:], "/"))
	}
	return all
}

// relativeTo is a path from the folder of a source.
func relativeTo(source, target string) string {
	relative, err := filepath.Rel(filepath.Dir(filepath.FromSlash(source)), filepath.FromSlash(target))
	if err != nil {
		return target // both are from the root, so that there always is one
	}
	return filepath.ToSlash(relative)
}
