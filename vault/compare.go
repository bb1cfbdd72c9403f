package vault

import (
	"context"
	"sort"

	"hence/projection/folder"
)

// compare finds what has changed in the folder: what is to be read, and what
// is gone.
func (p *project) compare() (changed []folder.Entry) {
	p.again = p.known.extraction != p.settings.extraction()
	present := make(map[string]bool, len(p.files))
	for _, f := range p.files {
		present[f.Path] = true
		if old, ok := p.known.files[f.Path]; !ok || p.again || old.size != f.Size || old.modified != f.Modified {
			changed = append(changed, f)
		}
	}
	for path := range p.known.files {
		if !present[path] {
			p.removed = append(p.removed, path)
		}
	}
	sort.Strings(p.removed)
	p.total = 2 * len(changed)
	return changed
}

// read reads files and sorts them by what has changed about them. It returns
// those to be written.
func (p *project) read(ctx context.Context, files []folder.Entry) []*document {
	before := len(p.documents)
	for _, d := range readAll(ctx, p.folder, files, p.step) {
		p.sort(d)
	}
	return p.documents[before:]
}

// sort puts a file that was read among the new, the changed or the unchanged.
func (p *project) sort(d *document) {
	old, ok := p.known.files[d.Path]
	switch {
	case d.failed:
		p.failed = append(p.failed, d)
	case !ok:
		p.added = append(p.added, d)
		p.take(d)
	case old.hash == d.hash && !p.again:
		p.touched = append(p.touched, d)
	default:
		p.updated = append(p.updated, d)
		p.take(d)
	}
}

// take adds a file to those that are written. Of the values of its properties
// it keeps those that the owner of the vault has name notes.
func (p *project) take(d *document) {
	for _, v := range d.values {
		if p.settings.namesNotes(v.Property) {
			d.links = append(d.links, v)
		}
	}
	d.values = nil
	p.documents = append(p.documents, d)
}

// findMoves takes a new file for a moved one where somebody saw it being
// renamed, or where exactly one file that is gone had the same bytes and no
// other new file has them.
func (p *project) findMoves() {
	p.moved = map[string]string{}
	gone := map[string][]string{}
	for _, path := range p.removed {
		if hash := p.known.files[path].hash; hash != "" {
			gone[hash] = append(gone[hash], path)
		}
	}
	came := map[string]int{}
	for _, d := range p.added {
		came[d.hash]++
	}
	taken := map[string]bool{}
	for _, d := range p.added {
		if from := p.renamedFrom(d.Path); from != "" && !taken[from] && sameKind(d.Path, from) {
			p.moved[d.Path], taken[from] = from, true
		}
	}
	for _, d := range p.added {
		if from := gone[d.hash]; p.moved[d.Path] == "" && len(from) == 1 && came[d.hash] == 1 && !taken[from[0]] && sameKind(d.Path, from[0]) {
			p.moved[d.Path] = from[0]
		}
	}
}

// sameKind says whether a file may be what another was: an editor's backup of
// a note is not that note.
func sameKind(path, other string) bool { return kindOf(path) == kindOf(other) }
