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

const (
	lockWait  = 30 * time.Second
	lockRetry = 5 * time.Millisecond
)

// Lock takes the lock of a folder, which excludes other processes and other callers in
// this one: none changes a file between the check of its hash and its replacement, and
// a watcher does not see half a move. After half a minute it fails with unavailable.
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
			return nil, fault.New(fault.Unavailable, "%s: another write or import of the folder is in progress; try again", operation)
		case <-time.After(lockRetry):
		}
	}
}

// lockByFile locks a file in the system's temporary folder that represents dir, for systems
// and file systems that cannot lock the folder itself. It waits without a limit.
func lockByFile(dir string) (unlock func(), err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(os.TempDir(), "hence-"+db.Hash(dir)[:16]+".lock")).Lock()
}
