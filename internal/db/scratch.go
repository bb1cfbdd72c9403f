package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"hence/internal/fault"
)

// InScratch calls do with a temporary copy of a store, or with an empty one if it is nil. doing begins the errors.
func InScratch(ctx context.Context, doing string, source *DB, do func(d *DB) error) error {
	return InTemporaryFolder(doing, func(folder string) error {
		path := filepath.Join(folder, "scratch.db")
		if source != nil {
			if err := source.copyTo(ctx, path); err != nil {
				return explain(err, "%s: copy the store", doing)
			}
		}
		scratch, err := Open(ctx, path, Options{})
		if err != nil {
			return err
		}
		return errors.Join(do(scratch), scratch.Close())
	})
}

// scratchFolder is the pattern of the names of temporary folders.
const scratchFolder = "hence-scratch-*"

// InTemporaryFolder calls do with a new folder that only the user reads, and removes it. It first removes those that
// killed processes have left. doing begins the errors.
func InTemporaryFolder(doing string, do func(folder string) error) (err error) {
	RemoveScratch()
	folder, lock, err := makeScratch()
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: cannot create a temporary folder for a copy of the store", doing)
	}
	defer func() { err = errors.Join(err, lock.Close(), os.RemoveAll(folder)) }() // Windows removes no folder that is open
	return do(folder)
}

// makeScratch makes a temporary folder, and locks it for as long as lock is open.
func makeScratch() (folder string, lock *os.File, err error) {
	for {
		if folder, err = os.MkdirTemp("", scratchFolder); err != nil {
			return "", nil, err
		}
		if lock, err = os.Open(folder); err == nil {
			if isLocked := tryLock(lock); isLocked || !canLock {
				if _, err = os.Stat(folder); err == nil {
					return folder, lock, nil
				}
			}
			_ = lock.Close()
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // else another process has taken it for one that was left
			return "", nil, err
		}
	}
}

// RemoveScratch removes the temporary folders of processes that were killed: those that nobody has locked. Where a
// folder cannot be locked, they stay.
func RemoveScratch() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchFolder))
	for _, folder := range folders {
		if lock, err := os.Open(folder); err == nil {
			if tryLock(lock) {
				_ = os.RemoveAll(folder)
			}
			_ = lock.Close()
		}
	}
}
