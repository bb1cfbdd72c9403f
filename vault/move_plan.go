package vault

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
	"hence/vault/note"
	"hence/vault/resolve"
)

// move is a file on its way to another path.
type move struct {
	Importer
	operation string
	File             // where it is
	to        string // where it will be

	before, after *resolve.Index    // which file a link means
	given         map[string][]byte // by their paths: files that get these bytes, whatever links they hold
	stays         map[string]bool   // by their paths: files that stay as they are, whatever links they hold
	caught        []change          // files of which a link that led nowhere will lead to the moved file, and that stay
	files         []rewritten       // those with links to be written anew, in the order of their paths
	hash          string            // of the moved file as it will be
	warnings      []string
}

// rewritten is a file whose links are written anew.
type rewritten struct {
	path            string
	source, content []byte
	rewrites        []Rewrite
}

// plan finds every link that would not lead where it leads now, and what is to
// stand in its place. Nothing is written.
func (m *move) plan(ctx context.Context) error {
	files, _, err := m.Scan(ctx)
	if err != nil {
		return err
	}
	known, err := m.load(ctx, m.Name)
	if err != nil {
		return err
	}
	if err := m.checkFree(files); err != nil {
		return err
	}
	unsure := m.unsure(ctx, files, known)
	aliases := m.index(files, known, unsure)
	concerned, err := m.concerned(ctx, known, append(aliases, m.Path, m.to))
	if err != nil {
		return err
	}
	for _, f := range files {
		_, read := unsure[f.Path]
		_, given := m.given[f.Path]
		if !isRead(f.Path) || !read && !given && !concerned[f.Path] && f.Path != m.Path {
			continue
		}
		if err := m.planFile(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// checkFree fails with exists where a file has the new path on some system: its
// folders may be spelled in two ways.
func (m *move) checkFree(files []folder.Entry) error {
	for _, f := range files {
		if f.Path != m.Path && folder.SameName(f.Path, m.to) {
			return fault.New(fault.Exists, "%s: %s is there already", m.operation, f.Path).With("path", f.Path)
		}
	}
	return nil
}

// unsure reads the files about whose links the store may be wrong: those that
// have changed since the last import, or all where the owner wants some links
// left out of it.
func (m *move) unsure(ctx context.Context, files []folder.Entry, known known) map[string]*document {
	all := known.extraction != m.settings.extraction()
	for _, meaning := range m.settings.words {
		all = all || meaning.dropped
	}
	look := []folder.Entry{}
	for _, f := range files {
		if old, ok := known.files[f.Path]; isRead(f.Path) && (all || !ok || old.size != f.Size || old.modified != f.Modified) {
			look = append(look, f)
		}
	}
	read := map[string]*document{}
	for _, d := range readAll(ctx, m.Folder, look, func() {}) {
		read[d.Path] = d
	}
	return read
}

// index makes the names before and after the move, and returns the aliases of
// what is moved.
func (m *move) index(files []folder.Entry, known known, read map[string]*document) (own []string) {
	m.before, m.after = resolve.New(nil), resolve.New(nil)
	for _, f := range files {
		aliases := known.files[f.Path].aliases
		if d := read[f.Path]; d != nil {
			aliases = d.aliases
		}
		m.before.Add(f.Path)
		m.before.Aliases(f.Path, aliases)
		at := f.Path
		if f.Path == m.Path {
			at, own = m.to, aliases
		}
		m.after.Add(at)
		m.after.Aliases(at, aliases)
	}
	return own
}

// concerned returns the files that hold a link which may mean one of some names,
// as far as the store knows.
func (m *move) concerned(ctx context.Context, known known, names []string) (paths map[string]bool, err error) {
	keys := []string{}
	for _, name := range names {
		keys = append(keys, resolve.Key(name))
	}
	paths = map[string]bool{}
	list, err := asJSON(keys)
	if err != nil {
		return nil, err
	}
	err = m.DB.Read(ctx, func(r *db.Reader) error {
		_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			var path string
			err := row.Scan(&path)
			paths[path] = true
			return struct{}{}, err
		}, `
select distinct f.path
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
where s.origin <> 'mention'`, known.vault, list)
		return err
	})
	return paths, err
}

// planFile plans the rewrites of one file.
func (m *move) planFile(f folder.Entry) error {
	source, err := m.Read(f, MaxFile)
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
		m.caught = append(m.caught, change{before: f.Path, after: f.Path, hashBefore: hash, hashAfter: hash})
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
func (m *move) changes() []change {
	own := change{before: m.Path, after: m.to, hashBefore: m.hash, hashAfter: m.hash, folders: len(m.MissingFolders(m.to))}
	others := []change{}
	for _, f := range m.files {
		c := change{before: f.path, after: f.path, source: f.source, hashBefore: db.Hash(f.source), hashAfter: db.Hash(f.content)}
		if f.path == m.Path {
			c.after, c.folders = own.after, own.folders
			own = c
			continue
		}
		others = append(others, c)
	}
	return slices.Concat([]change{own}, others, m.caught)
}

// checkKept fails with too_large where a move cannot be taken back and nobody
// has said that it need not be. After a dry run it warns instead.
func (m *move) checkKept(a MoveNoteArgs) error {
	size := sizeOf(m.changes())
	switch {
	case size <= keptBytes || a.NoUndo && !a.DryRun:
	case a.DryRun:
		m.warnings = append(m.warnings, fmt.Sprintf("the move cannot be undone: it rewrites notes of %d MB, and %d MB are kept for hence undo", size>>20, keptBytes>>20))
	default:
		return fault.New(fault.TooLarge, "%s: it rewrites notes of %d MB, and only %d MB are kept for hence undo; give no_undo to move it all the same", m.operation, size>>20, keptBytes>>20)
	}
	return nil
}

func (m *move) warn(path, text string) { m.warnings = append(m.warnings, path+" "+text) }

// leads says whether a link leads where it is to lead. A name that Obsidian
// knows does not do for one that only we know, nor a part of a path for the
// whole one that a canvas wants.
func leads(l note.Link, was, now resolve.Result, want string) bool {
	switch {
	case now.Path != want:
		return false
	case l.Form == note.CanvasFile && was.By == resolve.ByPath:
		return now.By == resolve.ByPath
	}
	return was.By == resolve.ByAlias || now.By != resolve.ByAlias
}

// spellings returns the texts by which a link may lead to a file, those in the
// manner of the old text first and the shortest of them before others.
func (r *relinker) Spellings(l note.Link, was resolve.Result, want string) (all []string) {
	bare := strings.TrimSuffix(want, want[max(0, len(want)-len(".md")):])
	forms := []string{want}
	if IsNote(want) {
		if forms = []string{bare, want}; hasExtension(l.Target, ".md") {
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
