package lines

import (
	"context"
	"errors"
	"hence/internal/db"
	"hence/internal/fault"
	"os"
	"path/filepath"
)

// WithStamps calls do with a store in which all changes have their stamps: with a temporary copy,
// if the store is open for reading only and some wait for theirs.
func WithStamps(ctx context.Context, action string, d *db.DB, do func(d *db.DB) error) error {
	waits, err := false, error(nil)
	if d.ReadOnly() {
		waits, _, err = db.One[bool](ctx, d, "select "+db.StampsWait)
	} else {
		err = d.KeepUp(ctx)
	}
	switch {
	case err != nil:
		return err
	case waits:
		return WithScratchDB(ctx, action, d, do)
	}
	return do(d)
}

// WithScratchDB calls do with a temporary copy of a store, or with an empty one if it is nil.
func WithScratchDB(ctx context.Context, action string, source *db.DB, do func(d *db.DB) error) (err error) {
	folder, err := os.MkdirTemp("", "hence-scratch-")
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: cannot create a temporary folder for a copy of the store", action)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "scratch.db")
	if source != nil {
		if err := source.Backup(ctx, path); err != nil {
			return err
		}
	}
	scratch, err := db.Open(ctx, path, db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	return do(scratch)
}
