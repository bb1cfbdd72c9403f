package vault

import (
	"context"
	"maps"
	"slices"

	"hence/internal/db"
	"hence/projection/folder"
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
	f, err := folder.Open(dir)
	if err != nil {
		return report, nil, err
	}
	defer f.Close()
	s.settings.rule(f)
	files, warnings, err := f.ScanAt(ctx, slices.Sorted(maps.Keys(what.paths)))
	if err != nil {
		return report, nil, err
	}
	known, err := i.loadBelow(ctx, name, what.paths)
	if err != nil {
		return report, nil, err
	}
	moved := known.extraction != s.settings.extraction() || known.root != dir
	emptied := len(files) == 0 && len(known.files) > 0 && len(known.files) == s.directory.Len()
	switch another := known.importedAt != s.importedAt; {
	case another && !moved && known.has(files):
		// Another process has imported just this, or this one has written it. The
		// state is behind, which the next change will show.
		return Report{Vault: name, Namespace: known.namespace}, s, nil
	case another || moved || emptied:
		return i.importAll(ctx, a)
	}
	p := project{
		Importer: i, dir: dir, name: name, namespace: known.namespace, folder: f, settings: s.settings,
		known: known, directory: s.directory, files: files, renamed: what.renamed,
	}
	if err := p.run(ctx, false); err != nil {
		return report, nil, err
	}
	report, err = p.report(ctx, false)
	report.Warnings = listOf(append(warnings, report.Warnings...))
	return report, &state{settings: s.settings, directory: p.directory, importedAt: p.importedAt}, err
}

// has says whether files, and no others, are known as they are.
func (k known) has(files []folder.Entry) bool {
	for _, f := range files {
		if old, ok := k.files[f.Path]; !ok || old.size != f.Size || old.modified != f.Modified {
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
