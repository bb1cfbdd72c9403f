package projection

import (
	"context"
	"sort"
	"strings"

	"hence/projection/folder"
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
		if !present[path] {
			p.removed = append(p.removed, path)
		}
	}
	sort.Strings(p.removed)
	p.total = 2 * len(changed)
	return changed
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

// findMoves finds moved files. A new file was moved if the watcher or Hence saw the rename, or
// if a removed file had the same bytes. Of several with the same bytes, those two belong
// together that alone have the same last names in their paths, the most names first: so a
// folder that moves takes along its notes that are alike. A file never moves to another kind:
// an editor's backup of a note is not that note.
func (p *project) findMoves() {
	p.moved = map[string]string{}
	used := map[string]bool{}
	take := func(d *Document, from string) {
		if from != "" && p.moved[d.Path] == "" && !used[from] && kindOf(p.folder, d.Path) == kindOf(p.folder, from) {
			p.moved[d.Path], used[from] = from, true
		}
	}
	deepest := 0
	for _, path := range p.removed {
		deepest = max(deepest, strings.Count(path, "/")+1)
	}
	for _, d := range p.added {
		take(d, p.renamedFrom(d.Path))
	}
	for names := deepest; names >= 0 && len(p.removed) > 0; names-- {
		removed, added := map[string][]string{}, map[string][]*Document{} // by hash and last names
		for _, path := range p.removed {
			if hash := p.known.Files[path].Hash; hash != "" && !used[path] {
				removed[hash+lastNames(path, names)] = append(removed[hash+lastNames(path, names)], path)
			}
		}
		for _, d := range p.added {
			if p.moved[d.Path] == "" {
				added[d.Hash+lastNames(d.Path, names)] = append(added[d.Hash+lastNames(d.Path, names)], d)
			}
		}
		for key, from := range removed {
			if to := added[key]; len(from) == 1 && len(to) == 1 {
				take(to[0], from[0])
			}
		}
	}
}

// lastNames returns the last n names of a path, or all, each after a slash.
func lastNames(path string, n int) string {
	names := strings.Split(path, "/")
	return strings.Join(append([]string{""}, names[max(0, len(names)-n):]...), "/")
}
