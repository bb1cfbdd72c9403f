package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"hence/internal/fault"
)

// ForLong calls f with a store for long reads: this one, or, on a cluster, a plain copy,
// which f may write to and which is removed afterwards. A long transaction on a node's file
// keeps the node from emptying its log, which then grows with every write.
func (d *DB) ForLong(ctx context.Context, f func(d *DB) error) (err error) {
	if d.cluster == nil {
		return f(d)
	}
	folder, err := os.MkdirTemp("", "hence-copy-")
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "read %s: a copy of it cannot be made", d.path)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "copy.db")
	if err := d.copyTo(ctx, path); err != nil {
		return explain(err, "read %s: copy it", d.path)
	}
	if err := leaveCluster(ctx, path); err != nil {
		return explain(err, "read %s: copy it", d.path)
	}
	copied, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	return f(copied)
}

// beside is the store for data of this process, which is not shared with the cluster.
type beside struct {
	once sync.Once
	db   *DB
	err  error
}

// ServerStore returns the store for data of the servers on this machine only, such as
// counts of calls: this store, or, on a cluster, a separate file beside the node's file. It
// is closed with this store.
func (d *DB) ServerStore(ctx context.Context) (*DB, error) {
	if d.cluster == nil {
		return d, nil
	}
	b := &d.cluster.beside
	path := d.path + ".usage"
	if _, err := os.Stat(path); d.readOnly && err != nil {
		return d, nil // there are no counts yet
	}
	b.once.Do(func() {
		b.db, b.err = Open(context.WithoutCancel(ctx), path, Options{ReadOnly: d.readOnly, Wait: d.wait})
	})
	return b.db, b.err
}

func (b *beside) close() error {
	b.once.Do(func() {}) // nobody can open it from now on
	if b.db == nil {
		return nil
	}
	return b.db.Close()
}
