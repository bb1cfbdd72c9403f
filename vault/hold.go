package vault

import (
	"context"
	"errors"
	"os"

	"hence/internal/fault"
	"hence/projection/folder"
)

// hold takes the lock of a vault for a write, which the store must allow too,
// and settles what a crash has cut off.
func (i Importer) hold(ctx context.Context, operation string, o *opened) (unlock func(), err error) {
	if i.DB.ReadOnly() {
		return nil, fault.New(fault.ReadOnly, "%s: the store is read-only", operation)
	}
	if unlock, err = folder.Lock(ctx, operation, o.Root); err != nil {
		return nil, err
	}
	if err := i.settle(ctx, operation, o); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lockImport takes the lock of the vault that is to be imported. Where there is
// no such folder the import itself says so; a dry run writes nothing.
func lockImport(ctx context.Context, a ImportArgs) (unlock func(), err error) {
	dir, _, err := locate(a)
	if info, missing := os.Stat(dir); err != nil || missing != nil || !info.IsDir() || a.DryRun {
		return func() {}, nil
	}
	return folder.Lock(ctx, "import "+dir, dir)
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
	return errors.Join(i.settle(ctx, "import", o), o.Close())
}
