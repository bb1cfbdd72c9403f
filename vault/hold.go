package vault

import (
	"context"
	"errors"
	"os"

	"hence/internal/fault"
	"hence/memory"
	"hence/projection/folder"
	"hence/vault/writing/undolog"
)

// Hold takes the lock of a vault for a write, and finishes or drops what a crash
// has cut off in it. It fails with read_only for a store that cannot be written,
// and with unavailable where another writer keeps the lock too long.
func (i Importer) Hold(ctx context.Context, operation string, o *OpenVault) (unlock func(), err error) {
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

// settle finishes or drops what a crash has cut off in a vault, whose lock the
// caller holds.
func (i Importer) settle(ctx context.Context, operation string, o *OpenVault) error {
	return i.log().Settle(ctx, operation, o.Name, o.Folder, func(a memory.Batch, moved map[string]string) error {
		i.moved, i.Progress, i.batch, i.emptied = moved, nil, a, true
		_, _, err := i.importAll(ctx, ImportArgs{Dir: o.Root, Name: o.Name})
		return err
	})
}

// log holds what is kept for undoing writes.
func (i Importer) log() undolog.Log { return undolog.Log{DB: i.DB, Caller: i.Caller} }

// settleVault settles what a crash has cut off in a vault that is to be
// imported.
func (i Importer) settleVault(ctx context.Context, a ImportArgs) error {
	dir, name, err := locate(a)
	if err != nil || a.DryRun {
		return nil // the import itself says what is wrong
	}
	o, err := Open("import", Vault{Name: name, Root: dir})
	if err != nil {
		return nil
	}
	return errors.Join(i.settle(ctx, "import", o), o.Close())
}
