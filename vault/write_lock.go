package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"hence/internal/db"
	"hence/internal/fault"
)

// Whoever of ours writes a vault's files or imports it holds its lock: between
// the look at a file's hash and the new file in its place nobody else comes, and
// a watcher does not see half a move. Editors and other programs know nothing of
// it: what one of them saves in the moment between, a few milliseconds, is
// overwritten.
const (
	lockWait  = 30 * time.Second
	lockRetry = 5 * time.Millisecond
)

// hold takes the lock of a vault for a write, which the store must allow too,
// and settles what a crash has cut off.
func (i Importer) hold(ctx context.Context, operation string, o *opened) (unlock func(), err error) {
	if i.DB.ReadOnly() {
		return nil, fault.New(fault.ReadOnly, "%s: the store is read-only", operation)
	}
	if unlock, err = lockVault(ctx, operation, o.Root); err != nil {
		return nil, err
	}
	if err := i.settle(ctx, operation, o); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lockVault takes the lock of a vault's folder, between processes and within
// one. It waits for half a minute, then fails with unavailable.
func lockVault(ctx context.Context, operation, dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		unlock, ok, err := tryLock(dir)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "%s: the vault's folder cannot be locked", operation)
		}
		if ok {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "%s: another write or import of the vault is under way; try again", operation)
		case <-time.After(lockRetry):
		}
	}
}

// lockImport takes the lock of the vault that is to be imported. Where there is
// no such folder the import itself says so; a dry run writes nothing.
func lockImport(ctx context.Context, a ImportArgs) (unlock func(), err error) {
	dir, _, err := locate(a)
	if info, missing := os.Stat(dir); err != nil || missing != nil || !info.IsDir() || a.DryRun {
		return func() {}, nil
	}
	return lockVault(ctx, "import "+dir, dir)
}

// importLocked imports a whole folder and keeps others of ours out meanwhile.
func (i Importer) importLocked(ctx context.Context, a ImportArgs) (report Report, s *state, err error) {
	if a, err = i.keepName(ctx, a); err != nil {
		return report, nil, err
	}
	unlock, err := lockImport(ctx, a)
	if err != nil {
		return report, nil, err
	}
	defer unlock()
	if err := i.settleVault(ctx, a); err != nil {
		return report, nil, err
	}
	return i.importAll(ctx, a)
}

// settleVault settles what a crash has cut off in a vault that is to be
// imported.
func (i Importer) settleVault(ctx context.Context, a ImportArgs) error {
	dir, name, err := locate(a)
	if err != nil || a.DryRun {
		return nil // the import itself says what is wrong
	}
	o, err := openVault("import", Vault{Name: name, Root: dir})
	if err != nil {
		return nil
	}
	return errors.Join(i.settle(ctx, "import", o), o.root.Close())
}

// lockByFile takes the lock where a folder itself cannot be locked: by a file in
// the system's folder for temporary ones. It waits as long as it takes.
func lockByFile(dir string) (unlock func(), err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(os.TempDir(), "hence-"+db.Hash(dir)[:16]+".lock")).Lock()
}
