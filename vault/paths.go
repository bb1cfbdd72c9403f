package vault

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// state is what a watcher keeps in mind between two imports of a vault, so
// that an edited note can be imported by itself.
type state struct {
	settings   settings
	directory  *directory
	importedAt string // of the last import, so that one by another process shows
}

// seen is what a watcher saw happen in a folder.
type seen struct {
	paths   map[string]bool   // files and folders that came, changed or went
	renamed map[string]string // new path → old path
}

// importPaths imports only what was seen to change, given what is known from
// the last import. Where that is not enough it imports the whole folder. After
// an error the state is of no use any more.
func (i Importer) importPaths(ctx context.Context, a ImportArgs, s *state, what seen) (report Report, next *state, err error) {
	dir, name, err := locate(a)
	if err != nil {
		return report, nil, err
	}
	if what.paths[settingsFile] || what.paths[ignoreFile] {
		return i.importAll(ctx, a)
	}
	root, err := openRoot(dir)
	if err != nil {
		return report, nil, err
	}
	defer root.Close()
	sc := scanner{root: root, ignored: s.settings.ignored}
	for _, path := range slices.Sorted(maps.Keys(what.paths)) {
		if err := sc.at(ctx, path); err != nil {
			return report, nil, err
		}
	}
	known, err := i.loadBelow(ctx, name, what.paths)
	if err != nil {
		return report, nil, err
	}
	moved := known.extraction != s.settings.extraction() || known.root != dir
	emptied := len(sc.files) == 0 && len(known.files) > 0 && len(known.files) == s.directory.Len()
	files := sc.found()
	switch another := known.importedAt != s.importedAt; {
	case another && !moved && known.has(files):
		// Another process has imported just this, or this one has written it. The
		// state is behind, which the next change will show.
		return Report{Vault: name, Namespace: known.namespace}, s, nil
	case another || moved || emptied:
		return i.importAll(ctx, a)
	}
	p := project{
		Importer: i, dir: dir, name: name, namespace: known.namespace, root: root, settings: s.settings,
		known: known, directory: s.directory, files: files, renamed: what.renamed,
	}
	if err := p.run(ctx, false); err != nil {
		return report, nil, err
	}
	report, err = p.report(ctx, false)
	report.Warnings = listOf(append(sc.warnings, report.Warnings...))
	return report, &state{settings: s.settings, directory: p.directory, importedAt: p.importedAt}, err
}

// has says whether files, and no others, are known as they are.
func (k known) has(files []entry) bool {
	for _, f := range files {
		if old, ok := k.files[f.path]; !ok || old.size != f.size || old.modified != f.modified {
			return false
		}
	}
	return len(files) == len(k.files)
}

// loadBelow reads what the store knows of the files at and below some paths.
func (i Importer) loadBelow(ctx context.Context, name string, paths map[string]bool) (k known, err error) {
	list, err := asJSON(slices.Sorted(maps.Keys(paths)))
	if err != nil {
		return k, err
	}
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		if k, err = readVault(ctx, r, name); err != nil {
			return err
		}
		return k.read(ctx, r, selectKnownBelow, k.vault, list)
	})
	return k, err
}

// at lists what is at a path: a file, the files of a folder, or nothing.
func (s *scanner) at(ctx context.Context, path string) error {
	for n := range len(path) {
		if path[n] == '/' && s.leavesOut(path[:n], true) {
			return nil
		}
	}
	info, err := s.root.Lstat(filepath.FromSlash(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		s.warn(path, "cannot be read: "+plain(err))
		return nil
	case s.leavesOut(path, info.IsDir()):
		return nil
	case !info.IsDir():
		s.add(path, fs.FileInfoToDirEntry(info))
		return nil
	}
	if err := s.below(ctx, path); err != nil {
		return fault.Wrap(fault.Unavailable, err, "import %s", s.root.Name())
	}
	return nil
}

// found are the files in the order of their paths, each once.
func (s *scanner) found() []entry {
	slices.SortFunc(s.files, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(s.files, func(a, b entry) bool { return a.path == b.path })
}

// renamedFrom returns the known path that is gone and was seen to become a
// path, by itself or with a folder above it; "" where there is none.
func (p *project) renamedFrom(path string) string {
	for range p.renamed {
		from, ok := p.renamed[path]
		for end := len(path) - 1; !ok && end > 0; end-- {
			if path[end] == '/' {
				if from, ok = p.renamed[path[:end]]; ok {
					from += path[end:]
				}
			}
		}
		if !ok {
			return ""
		}
		if _, found := slices.BinarySearch(p.removed, from); found {
			return from
		}
		path = from // renamed twice
	}
	return ""
}
