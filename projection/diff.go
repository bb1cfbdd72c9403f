package projection

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"
	"strings"

	"hence/internal/db"
	"hence/internal/script"
	"hence/projection/folder"
	"hence/projection/tokens"
)

// compare compares the folder with the store. It returns the files to read, and sets
// p.again and p.removed.
func (p *project) compare() (changed []folder.Entry) {
	p.again = p.known.Version != p.source.Version()
	present := make(map[string]bool, len(p.files))
	for _, f := range p.files {
		present[f.Path] = true
		if p.again || p.known.HasChanged(f) || p.hasLearned(f.Path) {
			changed = append(changed, f)
		}
	}
	for path := range p.known.Files {
		if !present[path] && !p.isUnread(path) {
			p.removed = append(p.removed, path)
		}
	}
	sort.Strings(p.removed)
	p.total = 2 * len(changed)
	return changed
}

// isUnread reports whether the scan could not read a path or a folder above it, so that the file
// may be there.
func (p *project) isUnread(path string) bool {
	return slices.ContainsFunc(p.scanned, func(w folder.Warning) bool {
		return w.Unread && (path == w.Path || strings.HasPrefix(path, w.Path+"/"))
	})
}

// hasLearned reports whether a known file is read again because of what the source has learned.
func (p *project) hasLearned(path string) bool {
	learner, ok := p.source.(Learner)
	return ok && learner.HasLearned(path, p.known.Files[path])
}

// read reads files and sorts them into p.added, p.updated, p.touched and p.failed. It
// returns those to write.
func (p *project) read(ctx context.Context, files []folder.Entry) []*Document {
	before := len(p.documents)
	for _, d := range readAll(ctx, p.folder, p.source, p.Format.Keeps, files, p.step) {
		old, ok := p.known.Files[d.Path]
		switch {
		case d.failed:
			p.failed = append(p.failed, d)
		case !ok:
			p.added = append(p.added, d)
			p.documents = append(p.documents, d)
		case old.Hash == d.Hash && !p.again && !p.hasLearned(d.Path):
			p.touched = append(p.touched, d)
		default:
			p.updated = append(p.updated, d)
			p.documents = append(p.documents, d)
		}
	}
	return p.documents[before:]
}

// findMoves finds moved files. A new file was moved if the watcher or Hence saw the rename, if a
// removed file's path is the same on some file system (a tool that syncs a folder may spell it in
// another Unicode form), or if one had the same bytes. Of several with the same bytes, those two
// belong together that alone have the same last names in their paths, the most names first: so a
// folder that moves takes along its notes that are alike. A file that was edited too is known by
// its last name: see takeEdited. A file never moves to another kind: an editor's backup of a
// note is not that note.
func (p *project) findMoves(ctx context.Context) error {
	p.moved = map[string]string{}
	used, deepest := map[string]bool{}, 0
	take := func(from string, d *Document) {
		if from != "" && p.moved[d.Path] == "" && !used[from] && kindOf(p.folder, d.Path) == kindOf(p.folder, from) {
			p.moved[d.Path], used[from] = from, true
		}
	}
	for _, d := range p.added {
		take(p.renamedFrom(d.Path), d)
	}
	if len(p.removed) == 0 {
		return nil
	}
	pair := func(keyOf func(path, hash string) string, do func(from string, d *Document)) {
		removed := slices.DeleteFunc(slices.Clone(p.removed), func(path string) bool { return used[path] || p.known.Files[path].Hash == "" })
		added := slices.DeleteFunc(slices.Clone(p.added), func(d *Document) bool { return p.moved[d.Path] != "" })
		keyOfRemoved := func(path string) string { return keyOf(path, p.known.Files[path].Hash) }
		pairAlone(removed, added, keyOfRemoved, func(d *Document) string { return keyOf(d.Path, d.Hash) }, do)
	}
	pair(func(path, _ string) string { return script.FoldCase(path) }, take)
	for _, path := range p.removed {
		deepest = max(deepest, strings.Count(path, "/")+1)
	}
	for names := deepest; names >= 0; names-- {
		pair(func(path, hash string) string { return hash + lastNames(path, names) }, take)
	}
	ofOneName := map[string]*Document{}
	pair(func(path, _ string) string { return lastNames(path, 1) }, func(from string, d *Document) { ofOneName[from] = d })
	return p.takeEdited(ctx, ofOneName, take)
}

// takeEdited takes those pairs of a removed and a new file whose texts are similar, and have more
// than similarTokens words.
func (p *project) takeEdited(ctx context.Context, pairs map[string]*Document, take func(from string, d *Document)) error {
	paths := map[int64]string{} // by the removed file's memory
	for path := range pairs {
		paths[p.known.Files[path].Memory] = path
	}
	if len(paths) == 0 {
		return nil
	}
	return db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var key int64
		var content string
		if err := row.Scan(&key, &content); err != nil {
			return err
		}
		d := pairs[paths[key]]
		before, after := tokens.Of(strings.Fields(content), ""), tokens.Of(strings.Fields(d.Content), "")
		if min(before.Count, after.Count) > similarTokens && tokens.Similarity(before, after) >= leastSimilar {
			take(paths[key], d)
		}
		return nil
	}, `
select
  m.key,
  m.content
from json_each(?1) j
cross join memories m on m.key = j.value`, db.List(slices.Collect(maps.Keys(paths))))
}

// lastNames returns the last n names of a path, or all, each after a slash.
func lastNames(path string, n int) string {
	names := strings.Split(path, "/")
	return strings.Join(append([]string{""}, names[max(0, len(names)-n):]...), "/")
}
