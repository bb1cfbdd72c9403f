package projection

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// HurryUp sets the time after which watchers and keepers try again, after a folder was lost or
// an import has failed.
func HurryUp(again time.Duration) { retryAfter, checkAfter = again, again }

// Watching returns the mirror as a watcher has it.
func (m Mirror) Watching() Mirror {
	m.onlyKnown = true
	return m
}

// KeepWith is Keep. watches returns an error for a folder that cannot be watched.
func (m Mirror) KeepWith(ctx context.Context, each func(Vault, Report, error), watches func(dir string) error) *Keeper {
	return m.keep(ctx, each, watches)
}

// WatchBy is Watch with a given source of events. It watches no folder before the first event.
func (m Mirror) WatchBy(ctx context.Context, dir string, events *fsnotify.Watcher, each func(Report, error)) error {
	w := watcher{Mirror: m, target: Vault{Root: dir, Name: filepath.Base(dir)}.target(), events: events, each: each, behind: func(bool) {}}
	w.forget()
	root, err := os.Stat(dir)
	if err != nil {
		return err
	}
	w.root = root
	report, state, err := m.importAll(ctx, w.target)
	if err != nil {
		return err
	}
	w.state = state
	each(report, nil)
	return w.run(ctx)
}
