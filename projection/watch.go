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

// A change is imported once the folder has been quiet for a moment, so that
// an editor's several writes are one; a folder that never is quiet is imported
// now and then.
const (
	quietFor = 25 * time.Millisecond
	atLeast  = 500 * time.Millisecond
)

// After a failure everything is imported again. Tests wait for less.
var (
	retryAfter = 5 * time.Second
	checkAfter = 5 * time.Second // see lost
)

var (
	// ErrUnwatchable: the system cannot tell of changes in a folder.
	ErrUnwatchable = errors.New("the folder cannot be watched")

	// errNotInStore: somebody has taken the vault out of the store, or imports
	// it from another folder now.
	errNotInStore = errors.New("the vault was forgotten, or is imported from another folder now; import it again to go on")
)

// Watch imports a vault and keeps the store up with it until ctx is done, when
// it returns nil. It calls each after the first import, after every later one
// that changed something, and with the error of one that failed, which is tried
// again; the same error again is told once. A folder that goes is such an error,
// and is taken up again when it, or another of its name, is there. Where the first
// import fails, where the folder or a new one in it cannot be watched
// (ErrUnwatchable), and when the vault was forgotten, it returns
// the error.
//
// Only files that were seen to change are read, so that the report of a later
// import counts the links of these alone.
func (m Mirror) Watch(ctx context.Context, a ImportArgs, each func(Report, error)) error {
	return m.watch(ctx, a, each, func(bool) {})
}

// watch is Watch, and tells when the store is behind what was seen, and when it
// is so no more. It begins behind, and stays so where it fails.
func (m Mirror) watch(ctx context.Context, a ImportArgs, each func(Report, error), behind func(bool)) error {
	behind(true)
	a, err := m.keepName(ctx, a)
	if err != nil {
		return err
	}
	dir, _, err := locate(a)
	if err != nil {
		return err
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return unwatchable(dir, err)
	}
	defer events.Close()
	w := watcher{Mirror: m, args: a, dir: dir, events: events, each: each, behind: behind}
	w.forget()
	// Folders are watched before they are read, so that nothing is missed.
	if err := w.watchFolders("."); err != nil {
		return err
	}
	report, state, err := m.importLocked(ctx, a)
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
	args   ImportArgs
	dir    string
	events *fsnotify.Watcher
	each   func(Report, error)
	behind func(bool)

	root  os.FileInfo // the vault's folder as it was when it was watched
	state *state      // nil: the whole folder is to be imported
	seen  sightings
	said  string // the last error since something was imported
}

// run waits for changes and imports them.
func (w *watcher) run(ctx context.Context) error {
	due := time.NewTimer(0)
	due.Stop()
	defer due.Stop()
	check := time.NewTicker(checkAfter)
	defer check.Stop()
	var latest time.Time // when what was seen first must be imported; zero: nothing was seen
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
				w.each(Report{}, fault.Wrap(fault.Unavailable, err, "watch %s", w.dir))
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

// hasLost says whether another folder, or none, is where the watched one was. The
// system tells when the vault's folder itself is renamed or removed, but not
// when one above it is, or when a disk is put in or taken out.
func (w *watcher) hasLost() bool {
	now, err := os.Stat(w.dir)
	return err != nil || !os.SameFile(w.root, now)
}

// letGo stops watching a folder that is the vault's no more. The next round
// imports and watches what is in its place, or says that there is nothing.
func (w *watcher) letGo() {
	w.unwatch(".")
	w.state = nil
}

// note keeps what an event says, and reports whether it matters.
func (w *watcher) note(event fsnotify.Event) bool {
	if event.Name == w.dir && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
		w.letGo()
		return true
	}
	path, ok := w.inside(event.Name)
	if !ok || event.Op == fsnotify.Chmod {
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
	_ = w.watchFolders(path) // it is tried again with the import, which tells of an error
	return true
}

// inside returns a path from the vault's root, unless it is hidden. The
// vault's own settings are not.
func (w *watcher) inside(full string) (path string, ok bool) {
	path, err := filepath.Rel(w.dir, full)
	if path = filepath.ToSlash(path); err != nil || full == "" {
		return "", false
	}
	if w.Format.isSetting(path) {
		return path, true
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

// watchFolders watches a folder and those below it, but for those left out.
func (w *watcher) watchFolders(start string) error {
	f, err := folder.Open(w.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if start == "." {
		if w.root, err = f.Dir.Stat("."); err != nil {
			return fault.Wrap(fault.Unavailable, err, "watch %s", w.dir)
		}
	}
	if w.state != nil {
		w.state.source.Rule(f)
	} else {
		_, _ = w.Format.Open(f) // the import will say what is wrong
	}
	return fs.WalkDir(f.Dir.FS(), start, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // it went again, or the import warns of it
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

// unwatchable is the error for a folder that the system refuses to watch.
func unwatchable(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		err = fmt.Errorf("%w (%w; raise fs.inotify.max_user_watches)", ErrUnwatchable, err)
	case errors.Is(err, syscall.EMFILE):
		err = fmt.Errorf("%w (%w; raise fs.inotify.max_user_instances, or the number of open files)", ErrUnwatchable, err)
	default:
		err = fmt.Errorf("%w (%w)", ErrUnwatchable, err)
	}
	return fault.Wrap(fault.Unavailable, err, "watch %s", dir)
}

// importSeen imports what was seen, and reports whether that is done. The error
// is one after which watching is over.
func (w *watcher) importSeen(ctx context.Context) (done bool, fatal error) {
	var report Report
	unlock, err := lock(ctx, w.args)
	if ctx.Err() != nil {
		return true, nil
	}
	if err != nil {
		w.fail(err)
		return false, nil
	}
	defer unlock()
	if err := w.settleBefore(ctx, w.args); ctx.Err() != nil {
		return true, nil
	} else if err != nil {
		w.fail(err)
		return false, nil
	}
	if w.state == nil || w.rulesChanged(w.seen) {
		w.state = nil
		if err = w.watchFolders("."); err == nil {
			report, w.state, err = w.importAll(ctx, w.args)
		}
	} else if err = w.watchSeen(); err == nil {
		report, w.state, err = w.importPaths(ctx, w.args, w.state, w.seen)
	}
	if ctx.Err() != nil {
		return true, nil
	}
	if errors.Is(err, ErrUnwatchable) || errors.Is(err, errNotInStore) {
		return false, err
	}
	if err != nil {
		if w.state = nil; w.hasLost() {
			w.letGo() // or what is watched would stay the folder that went
		}
		w.fail(err)
		return false, nil
	}
	w.forget()
	w.said = ""
	if report.HasChanged() {
		w.each(report, nil)
	}
	return true, nil
}

// fail tells of an error, once however often the import is tried: a folder may
// be away for long.
func (w *watcher) fail(err error) {
	if err.Error() != w.said {
		w.said = err.Error()
		w.each(Report{}, err)
	}
}

// watchSeen watches the folders that were seen once more: the system forgets a
// folder that was renamed, and may do so after it was watched by its new name.
// Files that were made in a new folder before it was watched are imported with it.
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

// unwatch stops watching a folder that has another name now, and those below
// it, which would go on to tell of changes by their old names.
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
