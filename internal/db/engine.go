package db

import (
	"context"
	"os"
)

// engine is what holds a store: a file, the file of a cluster's node, or a cluster. Only the
// functions that open a store know which.
type engine interface {
	// origin reads the version and the maker of the store.
	origin(ctx context.Context) (origin, error)
	// upgrade runs the script that leads from a version of the schema to the next, unless another
	// process did so. It first copies the store to the file saved, unless that is "".
	upgrade(ctx context.Context, d *DB, h history, from int, script, saved string) (copied bool, err error)
	// read calls f with a connection that has a snapshot.
	read(ctx context.Context, f func(c *conn) error) error
	// write runs a batch: see DB.Write.
	write(ctx context.Context, actor, now string, statements []Stmt) ([]int64, error)
	// mend runs statements that do no harm if they run twice, in the name of nobody. The query
	// shown returns true to whoever sees what they do.
	mend(ctx context.Context, shown Stmt, statements ...Stmt) error
	bulk(ctx context.Context, do func() error) error
	long(ctx context.Context, d *DB, f func(d *DB) error) error
	vacuum(ctx context.Context) (before, after int64, err error)
	keepsErased() string
	detached() ([]string, error)
	// private returns what only the owner may read, the first of which exists, and its mode.
	private() (paths []string, mode os.FileMode)
	close() error
}

// ForLong calls f with a store for long reads: this one, or, on a cluster, a plain copy,
// which f may write to and which is removed afterwards. A long transaction on a node's file
// keeps the node from emptying its log, which then grows with every write.
func (d *DB) ForLong(ctx context.Context, f func(d *DB) error) (err error) {
	return d.engine.long(ctx, d, f)
}

// Bulk calls do with settings of the writer that make many writes faster and take up to
// 48 MB more memory. On a cluster or a read-only store it only calls do.
func (d *DB) Bulk(ctx context.Context, do func() error) error { return d.engine.bulk(ctx, do) }

// Vacuum rewrites the file without the space of deleted rows, and empties the log. It
// returns the sizes before and after, in bytes, and fails with unavailable while
// another process writes.
func (d *DB) Vacuum(ctx context.Context) (before, after int64, err error) {
	if err := d.mayWrite("vacuum " + d.path); err != nil {
		return 0, 0, err
	}
	return d.engine.vacuum(ctx)
}

// KeepsErased says in words where text that was deleted for good still is in files of the store's
// own, "" if it is in none.
func (d *DB) KeepsErased() string { return d.engine.keepsErased() }

// Detached lists the files that processes of this user still have open although they were removed
// from the place of a plain store or its log, as the system shows them; none where it does not.
func (d *DB) Detached() (paths []string, err error) { return d.engine.detached() }
