package folder

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"hence/internal/db"
	"hence/internal/fault"
)

// Every process of Hence that writes files in a folder, or imports it, holds the
// folder's lock: no other one changes a file between the check of its hash and
// its replacement, and a watcher does not see half a move. Editors do not know
// the lock: what one of them saves in those few milliseconds is overwritten.
const (
	lockWait  = 30 * time.Second
	lockRetry = 5 * time.Millisecond
)

// Lock takes the lock of a folder, between processes and within one. It waits for
// half a minute, then fails with unavailable.
func Lock(ctx context.Context, operation, dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		unlock, ok, err := TryLock(dir)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "%s: the folder cannot be locked", operation)
		}
		if ok {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "%s: another write or import of the folder is under way; try again", operation)
		case <-time.After(lockRetry):
		}
	}
}

// lockByFile takes the lock where a folder itself cannot be locked: by a file in
// the system's folder for temporary ones. It waits as long as it takes.
func lockByFile(dir string) (unlock func(), err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(os.TempDir(), "hence-"+db.Hash(dir)[:16]+".lock")).Lock()
}
