package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	sqlitevec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	"github.com/mattn/go-sqlite3"

	"hence/internal/db/remote"
	"hence/internal/fault"
)

// The names of the engine with settings that a DSN cannot hold.
const (
	driver  = "hence"
	writing = "hence-writing"
)

// mapped is how many bytes of a file are read by memory mapping instead of through
// the cache of each connection.
const mapped = "2147418112" // as much as the engine maps unless it is compiled otherwise

func init() {
	extendEngine()
	sqlitevec.Auto()
	register(driver, "pragma mmap_size = "+mapped)
	// SQLite saves every page that a statement changes, to undo the statement. By default
	// it does so in temporary files, which took half of the time of an import.
	register(writing, "pragma mmap_size = "+mapped+"; pragma temp_store = memory")
}

func register(name, settings string) {
	sql.Register(name, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		_, err := c.Exec(settings, nil)
		return err
	}})
}

// DB is an open store. Its methods may be called from many goroutines.
type DB struct {
	path         string
	engine       engine
	readOnly     string // why nothing is written, and what to do; "": it is writable
	migrated     func(Migration)
	state        string   // see Options.State
	made         bool     // by this process
	valuesByType sync.Map // by type: see Keep
	life         context.Context
	end          context.CancelFunc // of life
}

// Options say how to open a store. The zero value is what most callers want.
type Options struct {
	ReadOnly bool          // refuse every write, and do not create the file; one that may not be written is read as immutable
	Durable  bool          // survive power loss too: each transaction waits for an fsync
	Wait     time.Duration // how long a writer waits for another process; 10 s by default
	// Migrated is called when the store has been brought to the version of this build;
	// nil: nobody wants to know.
	Migrated func(Migration)
	// State is the folder of what the user allows on this machine; "": nothing is allowed.
	// See internal/permit.
	State string
}

// InMemory is the engine's name for a database without a file. Open refuses it.
const InMemory = ":memory:"

const defaultWait = 10 * time.Second

// Open opens the store at path, and creates it and its folder if they do not exist. It
// migrates a store of an older Hence, after saving a copy beside it. A path such as
// rqlite:FILE?at=HOST:PORT,HOST:PORT names the store of a cluster: see remote.Parse. The
// file of a cluster's node, opened by its own path, is read-only.
//
// Open fails with invalid_argument if the file is not a store or belongs to a newer or
// unreleased Hence, with not_found if a file to be opened read-only does not exist, with
// read_only if the file may not be written, and with unavailable for errors of the machine.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if remote.Is(path) {
		return openCluster(ctx, path, o)
	}
	if err := prepareFile(path, o.ReadOnly); err != nil {
		return nil, err
	}
	d := openAnyVersion(ctx, path, o)
	err := d.migrate(ctx, current)
	if err != nil && o.ReadOnly && mayNotWrite(err, d.path) {
		if err = d.openImmutable(o, err); err == nil {
			err = d.migrate(ctx, current)
		}
	} else if err == nil {
		err = d.keepFromNodeFile(ctx, o)
	}
	if err == nil {
		_ = d.KeepUp(WaitAtMost(ctx, 0)) // what it could not do waits for the next batch; who opens a store may only read
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// openAnyVersion opens a file of any version.
func openAnyVersion(ctx context.Context, path string, o Options) *DB {
	d := newDB(ctx, path, o)
	d.engine = newFile(path, o)
	return d
}

// newDB returns a store without an engine.
func newDB(ctx context.Context, path string, o Options) *DB {
	d := &DB{path: path, migrated: o.Migrated, state: o.State}
	if o.ReadOnly {
		d.readOnly = openedReadOnly
	}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	return d
}

const openedReadOnly = "it was opened read-only; start without --read-only to write"

func readerCount() int { return max(4, runtime.GOMAXPROCS(0)) }

// prepareFile creates the folder and the file. Its errors say more plainly than SQLite's
// what is wrong with them.
func prepareFile(path string, readOnly bool) error {
	info, err := os.Stat(path)
	switch {
	case path == InMemory:
		return fault.New(fault.InvalidArgument, "open :memory:: a store is a file that several processes may open; name a file; one in /dev/shm or on a RAM disk is gone after a restart")
	case err == nil && info.IsDir():
		return fault.New(fault.InvalidArgument, "open %s: it is a folder; name a file in it", path)
	case err == nil && !readOnly:
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return fault.New(fault.ReadOnly, "open %s: the file may not be written; change its permissions or open it with --read-only", path)
		}
		if err != nil {
			return fault.Wrap(fault.Unavailable, err, "open %s", path)
		}
		return f.Close()
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return fault.Wrap(fault.Unavailable, err, "open %s", path)
	case readOnly:
		return fault.New(fault.NotFound, "open %s: there is no such file; check --db, or leave --read-only out to create it", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, err, "open %s: its folder cannot be created", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "open %s: the file cannot be created", path)
	}
	return f.Close()
}

func dsn(path string, o Options, reader bool) string { return fileURL(path, dsnSettings(o, reader)) }

func fileURL(path string, settings url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}).String()
}

// dsnSettings are the settings of every connection; a pragma would reach only one
// connection of a pool.
func dsnSettings(o Options, reader bool) url.Values {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.Itoa(int(cmp.Or(o.Wait, defaultWait).Milliseconds())))
	q.Set("_mutex", "no") // a pool lends a connection to one caller at a time
	q.Set("_foreign_keys", "on")
	q.Set("_cache_size", "-16000")
	if reader || o.ReadOnly {
		q.Set("_query_only", "on")
	} else {
		q.Set("_journal_mode", "wal")
		q.Set("_synchronous", "normal")
		q.Set("_secure_delete", "on") // what is deleted is overwritten: see EraseDeleted
		if o.Durable {
			q.Set("_synchronous", "full")
		}
	}
	if o.ReadOnly {
		q.Set("mode", "ro")
	}
	return q
}

// Path returns the path that the store was opened with.
func (d *DB) Path() string { return d.path }

// State returns the folder that it was opened with: see Options.
func (d *DB) State() string { return d.state }

// Tag returns the name of a store in the state directory, "" if it has none.
func Tag(ctx context.Context, q Source) (string, error) {
	// The column own takes part in the name, because others see the tag in stamps.
	id, ok, err := One[string](ctx, q, `select tag || '-' || own from store where own <> ''`)
	if err != nil || !ok {
		return "", err
	}
	return Hash(id)[:32], nil
}

// Made reports whether the store did not exist and Open made it.
func (d *DB) Made() bool { return d.made }

// ReadOnly reports whether every write is refused.
func (d *DB) ReadOnly() bool { return d.readOnly != "" }

// Close waits for running reads and writes, and closes the file.
func (d *DB) Close() error {
	d.end()
	return d.engine.close()
}

// Keep returns the one value of type T that an open store keeps for all callers; the first call
// creates its zero value. Use it to cache values that are expensive to compute from rows; the
// caller is responsible for invalidation.
func Keep[T any](d *DB) *T {
	value, ok := d.valuesByType.Load(reflect.TypeFor[T]())
	if !ok {
		value, _ = d.valuesByType.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return value.(*T)
}

// Life returns a context for background work. It is done when the store is closed.
func (d *DB) Life() context.Context { return d.life }

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
