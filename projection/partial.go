package projection

import (
	"context"
	"maps"
	"slices"

	"hence/internal/db"
	"hence/projection/folder"
)

// state is what a watcher keeps between two imports of a folder, so that an
// edited file can be imported alone.
type state struct {
	source     Source
	directory  Directory
	importedAt string // time of the last import; another in the store: another process imported
}

// sightings is what a watcher saw happen in a folder.
type sightings struct {
	paths   map[string]bool   // files and folders that were created, changed or removed
	renamed map[string]string // new path → old path
}

// importPaths imports only the paths that were seen to change, with the state of the last
// import. If that state is out of date, or a setting changed, it imports the whole folder.
// After an error the state must not be used again.
func (m Mirror) importPaths(ctx context.Context, a ImportArgs, s *state, what sightings) (report Report, next *state, err error) {
	dir, name, err := locate(a)
	if err != nil {
		return report, nil, err
	}
	if m.rulesChanged(what) {
		return m.importAll(ctx, a)
	}
	f, err := folder.Open(dir)
	if err != nil {
		return report, nil, err
	}
	defer f.Close()
	s.source.Rule(f)
	paths := slices.Sorted(maps.Keys(what.paths))
	files, warnings, err := f.ScanAt(ctx, paths)
	if err != nil {
		return report, nil, err
	}
	known, err := m.known(ctx, name, selectKnownBelow, db.List(paths))
	if err != nil {
		return report, nil, err
	}
	moved := known.Version != s.source.Version() || known.Root != dir
	emptied := len(files) == 0 && len(known.Files) > 0 && len(known.Files) == s.directory.Len()
	switch another := known.importedAt != s.importedAt; {
	case another && !moved && len(files) == len(known.Files) && !slices.ContainsFunc(files, known.HasChanged):
		// Another process has imported just this, or this one has written it. The state
		// stays out of date, which the next change will detect.
		return Report{Vault: name, Namespace: known.Namespace}, s, nil
	case another || moved || emptied:
		return m.importAll(ctx, a)
	}
	p := project{
		Mirror: m, dir: dir, name: name, namespace: known.Namespace, folder: f, source: s.source,
		known: known, directory: s.directory, files: files, renamed: what.renamed,
	}
	if err := p.run(ctx, false); err != nil {
		return report, nil, err
	}
	report, err = p.report(ctx, false)
	report.Warnings = listOf(append(warnings, report.Warnings...))
	return report, &state{source: s.source, directory: p.directory, importedAt: p.importedAt}, err
}

// rulesChanged reports whether a settings file was seen to change.
func (m Mirror) rulesChanged(what sightings) bool {
	for path := range what.paths {
		if m.Format.isSetting(path) {
			return true
		}
	}
	return false
}

// renamedFrom returns the removed path that was seen to be renamed to a path, itself or
// with a folder above it. It returns "" if there is none.
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
		if _, hit := slices.BinarySearch(p.removed, from); hit {
			return from
		}
		path = from // renamed twice
	}
	return ""
}
