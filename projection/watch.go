package projection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"hence/internal/fault"
	"hence/projection/folder"
)

// A change is imported once the folder has been quiet for quietFor, so that an editor's
// several writes are one change, but at the latest atLeast after the first event.
const (
	quietFor = 25 * time.Millisecond
	atLeast  = 500 * time.Millisecond
)

// After a failure everything is imported again. Tests set shorter times.
var (
	retryAfter = 5 * time.Second
	checkAfter = 5 * time.Second // see hasLost and takeUp
)

var (
	// ErrUnwatchable means that the system does not report changes in a folder.
	ErrUnwatchable = errors.New("the folder cannot be watched")

	// errNotInStore means that the vault was forgotten, or is imported from another
	// folder now.
	errNotInStore = errors.New("the vault was forgotten, or is imported from another folder now; import it again to go on")
)

// Watch imports a vault and keeps the store up to date with it until ctx is done; then it
// returns nil. It calls each after the first import, after every later one that changed
// something, and with the error of one that failed, once for all retries. If the folder is
// gone, that is such an error, until the folder, or another of its name, exists again. It
// returns an error if the first import fails, if the folder or a new one in it cannot be
// watched (ErrUnwatchable), or if the vault was forgotten.
//
// It reads only files that were seen to change, so that the report of a later import
// counts only the links of these.
func (m Mirror) Watch(ctx context.Context, a ImportArgs, each func(Report, error)) error {
	t, err := m.find(ctx, a)
	if err != nil {
		return err
	}
	return m.watch(ctx, t, each, func(bool) {})
}

// watch is Watch. It also calls behind with true when the store is out of date, and with
// false when it is up to date again. It starts with true, and does not call it with false
// if the first import fails.
func (m Mirror) watch(ctx context.Context, t target, each func(Report, error), behind func(bool)) error {
	behind(true)
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return unwatchable(t.dir, err)
	}
	defer events.Close()
	w := watcher{Mirror: m, target: t, events: events, each: each, behind: behind}
	w.forget()
	// Folders are watched before they are read, so that nothing is missed.
	if err := w.watchFolders("."); err != nil {
		return err
	}
	report, state, err := m.importLocked(ctx, t)
	if err != nil {
		return err
	}
	w.state, w.Progress, w.onlyKnown = state, nil, true
	each(report, nil)
	behind(false)
	return w.run(ctx)
}

// watcher keeps a store up with a folder.
type watcher struct {
	Mirror
	target
	events *fsnotify.Watcher
	each   func(Report, error)
	behind func(bool)

	root  os.FileInfo // the vault's folder as it was when it was watched
	state *state      // nil: the whole folder is to be imported
	seen  sightings
	last  lastError // since the last successful import
}

// run waits for changes and imports them.
func (w *watcher) run(ctx context.Context) error {
	due := time.NewTimer(0)
	due.Stop()
	defer due.Stop()
	check := time.NewTicker(checkAfter)
	defer check.Stop()
	var latest time.Time // the latest time for the import; zero: nothing was seen
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, ok := <-w.events.Events:
			if !ok {
				return fault.New(fault.Unavailable, "watch %s: the system stopped telling of changes; start again", w.dir)
			}
			if !w.note(event) {
				continue
			}
			if latest.IsZero() {
				latest = time.Now().Add(atLeast)
				w.behind(true)
			}
			due.Reset(min(quietFor, time.Until(latest)))
		case <-check.C:
			if w.state != nil && w.hasLost() { // without a state it is tried again anyway
				w.letGo()
				w.behind(true)
				due.Reset(quietFor)
			}
		case err := <-w.events.Errors:
			// Most likely too much happened at once: look at everything.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.each(Report{}, fault.Wrap(fault.Unavailable, err, "watch %s: the system may have missed changes; the whole folder is imported again", w.dir))
			}
			w.state = nil
			w.behind(true)
			due.Reset(quietFor)
		case <-due.C:
			latest = time.Time{}
			done, err := w.importSeen(ctx)
			w.behind(false)
			if err != nil {
				return err
			}
			if !done {
				due.Reset(retryAfter)
			}
		}
	}
}

// hasLost reports whether the watched folder is gone, or another is in its place. The
// system reports when the vault's folder itself is renamed or removed, but not when a
// folder above it is, or when a disk is mounted or unmounted.
func (w *watcher) hasLost() bool {
	now, err := os.Stat(w.dir)
	return err != nil || !os.SameFile(w.root, now)
}

// letGo stops watching a folder that is no longer the vault's. The next import watches the
// folder in its place, or fails if there is none.
func (w *watcher) letGo() {
	w.unwatch(".")
	w.state = nil
}

// note records an event in w.seen, and reports whether it matters.
func (w *watcher) note(event fsnotify.Event) bool {
	if event.Name == w.dir && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
		w.letGo()
		return true
	}
	path, ok := w.inside(event.Name)
	if !ok || event.Op == fsnotify.Chmod && !w.Format.Keeps {
		return false
	}
	w.seen.paths[path] = true
	if !event.Has(fsnotify.Create) {
		return true
	}
	if from, ok := w.inside(renamedFrom(event)); ok {
		w.seen.renamed[path] = from
		w.unwatch(from)
	}
	_ = w.watchFolders(path) // the import tries it again and reports the error
	return true
}

// inside returns the path relative to the vault's root. ok is false for the root and for
// hidden paths, except settings files.
func (w *watcher) inside(full string) (path string, ok bool) {
	path, err := filepath.Rel(w.dir, full)
	if path = filepath.ToSlash(path); err != nil || full == "" {
		return "", false
	}
	if w.Format.isSetting(path) {
		return path, true
	}
	if w.Format.Wants != nil {
		return path, w.Format.Wants(path)
	}
	return path, path != "." && !folder.IsHidden(path)
}

// renamedFrom returns the path that a new file or folder had before. The event
// knows it but shows it only in its text: CREATE "/new" ← "/old".
func renamedFrom(event fsnotify.Event) string {
	_, text, ok := strings.Cut(event.String(), " ")
	text = strings.TrimLeft(text, " ")
	name, err := strconv.QuotedPrefix(text)
	if !ok || err != nil {
		return ""
	}
	quoted, ok := strings.CutPrefix(text[len(name):], " ← ")
	from, err := strconv.Unquote(quoted)
	if !ok || err != nil {
		return ""
	}
	return from
}

// watchFolders watches a folder and those below it, except those that imports leave out.
func (w *watcher) watchFolders(start string) error {
	f, err := folder.Open(w.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if start == "." {
		if w.root, err = f.Dir.Stat("."); err != nil {
			return fault.Wrap(fault.Unavailable, err, "watch %s: the folder cannot be examined; check that it exists and can be read", w.dir)
		}
	}
	if w.state != nil {
		w.state.source.Rule(f)
	} else {
		f.Label = w.name
		_, _ = w.Format.Open(f) // the import will say what is wrong
	}
	return fs.WalkDir(f.Dir.FS(), start, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // it is gone again, or the import warns about it
		}
		if path != "." && f.LeavesOut(path, true) {
			return fs.SkipDir
		}
		err = w.events.Add(filepath.Join(w.dir, filepath.FromSlash(path)))
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return unwatchable(filepath.Join(w.dir, filepath.FromSlash(path)), err)
	})
}

// unwatchable returns the error for a folder that the system refuses to watch.
func unwatchable(dir string, err error) error {
	mend := ""
	switch {
	case errors.Is(err, syscall.ENOSPC):
		mend = "; raise fs.inotify.max_user_watches"
	case errors.Is(err, syscall.EMFILE):
		mend = "; raise fs.inotify.max_user_instances, or the number of open files"
	}
	return fault.Wrap(fault.Unavailable, fmt.Errorf("%w (%w%s)", ErrUnwatchable, err, mend), "watch %s", dir)
}

// importSeen imports what was seen. done is false if it must be tried again. A fatal error
// ends the watching.
func (w *watcher) importSeen(ctx context.Context) (done bool, fatal error) {
	err := w.importLocked(ctx)
	switch {
	case err == nil || ctx.Err() != nil:
		return true, nil
	case errors.Is(err, ErrUnwatchable) || errors.Is(err, errNotInStore):
		return false, err
	}
	if w.state = nil; w.hasLost() {
		w.letGo() // otherwise the removed folder would stay watched
	}
	if w.last.isNew(err) { // a folder may be missing for long
		w.each(Report{}, err)
	}
	return false, nil
}

// importLocked imports what was seen, or the whole folder, and reports it, under the folder's lock.
func (w *watcher) importLocked(ctx context.Context) error {
	unlock, err := lock(ctx, w.target)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.settleBefore(ctx, w.target); err != nil {
		return err
	}
	var report Report
	if w.state == nil || w.rulesChanged(w.seen) {
		w.state = nil
		if err = w.watchFolders("."); err == nil {
			report, w.state, err = w.importAll(ctx, w.target)
		}
	} else if err = w.watchSeen(); err == nil {
		report, w.state, err = w.importPaths(ctx, w.target, w.state, w.seen)
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	w.forget()
	w.last = ""
	if report.HasChanged() {
		w.each(report, nil)
	}
	return nil
}

// lastError is the text of an error that was reported, so that it is not reported again; "" for none.
type lastError string

// isNew reports whether there is an error, and another than the last; nil ends the last.
func (l *lastError) isNew(err error) bool {
	last := *l
	if *l = ""; err != nil {
		*l = lastError(err.Error())
	}
	return *l != "" && *l != last
}

// watchSeen watches the folders in w.seen once more: the system drops the watch of a
// renamed folder, perhaps after it was watched under its new name. The import also reads
// files that were created in a new folder before it was watched.
func (w *watcher) watchSeen() error {
	for _, from := range w.seen.renamed {
		w.unwatch(from)
	}
	for path := range w.seen.paths {
		if err := w.watchFolders(path); err != nil {
			return err
		}
	}
	return nil
}

// unwatch stops watching a folder that was renamed, and those below it. Otherwise events
// would still have the old names.
func (w *watcher) unwatch(path string) {
	old := filepath.Join(w.dir, filepath.FromSlash(path))
	for _, watched := range w.events.WatchList() {
		if watched == old || strings.HasPrefix(watched, old+string(filepath.Separator)) {
			_ = w.events.Remove(watched) // it may have stopped by itself
		}
	}
}

// forget clears what was seen.
func (w *watcher) forget() {
	w.seen = sightings{paths: map[string]bool{}, renamed: map[string]string{}}
}
