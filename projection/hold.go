package projection

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection/folder"
)

// Hold takes the lock of a vault for a write, and finishes or drops the batches that a
// crash interrupted. It fails with read_only if the store is read-only, and with
// unavailable if another writer keeps the lock too long.
func (m Mirror) Hold(ctx context.Context, operation string, v Vault, f *folder.Folder) (unlock func(), err error) {
	if m.DB.ReadOnly() {
		return nil, fault.New(fault.ReadOnly, "%s: the store is read-only", operation)
	}
	if unlock, err = folder.Lock(ctx, operation, v.Root); err != nil {
		return nil, err
	}
	if err := m.settle(ctx, operation, v, f); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lock takes the lock of the folder to import. It takes none for a dry run, which writes
// nothing, and none if the folder does not exist, which the import reports.
func lock(ctx context.Context, t target) (unlock func(), err error) {
	if info, err := os.Stat(t.dir); err != nil || !info.IsDir() || t.DryRun {
		return func() {}, nil
	}
	return folder.Lock(ctx, "import "+t.dir, t.dir)
}

// settle finishes or drops the batches that a crash interrupted in a vault. The caller
// holds the vault's lock.
func (m Mirror) settle(ctx context.Context, operation string, v Vault, f *folder.Folder) error {
	return m.log().Settle(ctx, operation, v.Name, f, func(batch journal.Batch, moved map[string]string) error {
		m.moved, m.Progress, m.batch, m.emptied = moved, nil, batch, true
		_, _, err := m.importAll(ctx, v.target())
		return err
	})
}

// settleBefore settles the folder to import. It ignores errors of the folder and its
// settings, because the import reports them.
func (m Mirror) settleBefore(ctx context.Context, t target) error {
	if t.DryRun {
		return nil
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil
	}
	f := &folder.Folder{Dir: root, Label: t.name}
	if _, err := m.Format.Open(f); err == nil {
		err = m.settle(ctx, "import", Vault{Name: t.name, Root: t.dir}, f)
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// states keeps the state of each vault that a process writes to, by its name, so that a write
// does not read all names again.
type states struct{ sync.Map }

// take returns the state of a vault, or nil, and removes it, because it must not be used
// again after a failure.
func (k *states) take(name string) *state {
	s, _ := k.LoadAndDelete(name)
	kept, _ := s.(*state)
	return kept
}

// Project imports a file that Hence has written, as part of a batch; for the zero batch, in
// a batch of its own. The caller holds the vault's lock. On the first write, and after an
// import by another process, it scans the whole folder, so that all names are known. It
// continues when ctx is done. It fails with unavailable if the store cannot be written.
func (m Mirror) Project(ctx context.Context, batch journal.Batch, v Vault, s Source, path string) error {
	m.Progress, m.batch = nil, batch
	m.emptied = batch.Undoes != 0 // an undo may have removed the last file
	cache := db.Keep[states](m.DB)
	return afterWrite(ctx, batch.Operation, func(ctx context.Context) (err error) {
		known := cache.take(v.Name)
		if known == nil {
			_, known, err = m.importAll(ctx, v.target())
		} else {
			known.source = s
			_, known, err = m.importPaths(ctx, v.target(), known, sightings{paths: map[string]bool{path: true}})
		}
		if err == nil {
			cache.Store(v.Name, known)
		}
		return err
	})
}

// ProjectMoves imports the files that Hence has moved, new path → old path, and those written because of
// that, as Project does. relinked are files, path → hash, both before, in which at most links were given the
// new names of the same targets: what rests on them does not become stale.
func (m Mirror) ProjectMoves(ctx context.Context, batch journal.Batch, v Vault, moved, relinked map[string]string) error {
	m.Progress, m.moved, m.relinked, m.batch = nil, moved, relinked, batch
	return afterWrite(ctx, batch.Operation, func(ctx context.Context) error {
		_, _, err := m.importAll(ctx, v.target())
		return err
	})
}

// afterWrite calls project, which imports files that are written already, and ignores the end of ctx.
func afterWrite(ctx context.Context, operation string, project func(ctx context.Context) error) error {
	if err := project(context.WithoutCancel(ctx)); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: the file is written, and the store does not know yet; import the vault", operation)
	}
	return nil
}

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
func (m Mirror) importPaths(ctx context.Context, t target, s *state, what sightings) (report Report, next *state, err error) {
	dir, name := t.dir, t.name
	if m.rulesChanged(what) {
		return m.importAll(ctx, t)
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
		return m.importAll(ctx, t)
	}
	p := project{
		Mirror: m, dir: dir, name: name, namespace: known.Namespace, folder: f, source: s.source,
		known: known, directory: s.directory, files: files, scanned: warnings, renamed: what.renamed,
	}
	return p.importFound(ctx, false, nil)
}

// rulesChanged reports whether a settings file was seen to change.
func (m Mirror) rulesChanged(what sightings) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(what.paths)), m.Format.isSetting)
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
