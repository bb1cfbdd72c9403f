package vault

import (
	"context"

	"hence/memory"
)

// Hold takes the lock of a vault for a write, see projection.Mirror.
func (i Importer) Hold(ctx context.Context, operation string, o *OpenVault) (unlock func(), err error) {
	return i.mirror().Hold(ctx, operation, o.Vault, o.Folder)
}

// Project takes a file that was written into the store, see projection.Mirror.
func (i Importer) Project(ctx context.Context, batch memory.Batch, s File) error {
	return i.mirror().Project(ctx, batch, s.Vault, s.settings, s.Path)
}

// ProjectMove is Project for a file that was moved, and the files whose links were
// rewritten.
func (i Importer) ProjectMove(ctx context.Context, batch memory.Batch, v Vault, from, to string) error {
	return i.mirror().ProjectMove(ctx, batch, v, from, to)
}
