package projection

import (
	"context"
	"errors"
	"os"

	"hence/internal/fault"
	"hence/memory"
	"hence/projection/folder"
	"hence/projection/undolog"
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
func lock(ctx context.Context, a ImportArgs) (unlock func(), err error) {
	dir, _, err := locate(a)
	if info, missing := os.Stat(dir); err != nil || missing != nil || !info.IsDir() || a.DryRun {
		return func() {}, nil
	}
	return folder.Lock(ctx, "import "+dir, dir)
}

// settle finishes or drops the batches that a crash interrupted in a vault. The caller
// holds the vault's lock.
func (m Mirror) settle(ctx context.Context, operation string, v Vault, f *folder.Folder) error {
	return undolog.Log{DB: m.DB, Caller: m.Caller}.Settle(ctx, operation, v.Name, f, func(batch memory.Batch, moved map[string]string) error {
		m.moved, m.Progress, m.batch, m.emptied = moved, nil, batch, true
		_, _, err := m.importAll(ctx, v.args())
		return err
	})
}

// settleBefore settles the folder to import. It ignores errors of the folder and its
// settings, because the import reports them.
func (m Mirror) settleBefore(ctx context.Context, a ImportArgs) error {
	dir, name, err := locate(a)
	if err != nil || a.DryRun {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	f := &folder.Folder{Dir: root, Label: name}
	if _, err := m.Format.Open(f); err == nil {
		err = m.settle(ctx, "import", Vault{Name: name, Root: dir}, f)
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
