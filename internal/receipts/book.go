// Package receipts keeps what agents were shown: for every answer the session, the tool, the
// arguments, and which part of which revision of which memory was in it. It also keeps what the hooks
// know of a session. All of it is in one file of the user's state directory, for all stores, by their
// tags: it is never in a store, so that no export, no sync and no cluster has it, and reading a store
// writes nothing to it.
//
// Nothing waits for the disk, and nothing fails because of the file: a nil Book keeps nothing.
package receipts

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// Schema is that of the file.
//
//go:embed schema.sql
var Schema string

const (
	sessionDays = 7         // for which marks of a session are kept after its last event
	sweepPause  = time.Hour // between two sweeps
	mostDays    = 3650      // for which they can be
	fileName    = "receipts.db"
)

// Book is the file of receipts.
type Book struct{ db *sql.DB }

// Path returns the path of the file in a state directory.
func Path(state string) string { return filepath.Join(state, fileName) }

// Open opens the file in a state directory, and makes it. wait is how long a call waits for another
// process. A damaged file is replaced by an empty one.
func Open(ctx context.Context, state string, wait time.Duration) (*Book, error) {
	if state == "" {
		return nil, fault.New(fault.Unavailable, "receipts cannot be kept, because your state directory is not known; set HOME or XDG_STATE_HOME")
	}
	var b *Book
	err := db.RetryBusy(ctx, wait, func() (err error) {
		b, err = open(ctx, Path(state), wait)
		return err
	})
	if e, ok := errors.AsType[sqlite3.Error](err); ok && (e.Code == sqlite3.ErrNotADB || e.Code == sqlite3.ErrCorrupt) {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(Path(state) + suffix)
		}
		b, err = open(ctx, Path(state), wait)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "the receipts in %s cannot be opened", Path(state))
	}
	return b, nil
}

func open(ctx context.Context, path string, wait time.Duration) (*Book, error) {
	if _, err := os.Stat(path); err != nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		_ = f.Close()
	}
	settings := url.Values{
		"_busy_timeout": {strconv.Itoa(int(wait.Milliseconds()))}, "_mutex": {"no"}, "_txlock": {"immediate"},
		"_journal_mode": {"wal"}, "_synchronous": {"off"}, "_secure_delete": {"on"}, // what is deleted is overwritten
	}
	d, err := sql.Open("sqlite3", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}).String())
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(1)
	b := &Book{d}
	version := 0
	if err := d.QueryRowContext(ctx, `pragma user_version`).Scan(&version); err != nil || version == 1 {
		return b.orClosed(err)
	}
	return b.orClosed(b.write(ctx, func(tx *sql.Tx) error {
		// Another process may have made the tables since the look above.
		if err := tx.QueryRowContext(ctx, `pragma user_version`).Scan(&version); err != nil || version == 1 {
			return err
		}
		_, err := tx.ExecContext(ctx, Schema)
		return err
	}))
}

func (b *Book) orClosed(err error) (*Book, error) {
	if err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	return b, nil
}

// waits is how long With waits for other processes that write receipts.
const waits = 10 * time.Second

// With calls do with the receipts that there are on this machine, and which of them a caller reads.
func With(ctx context.Context, v ref.View, do func(b *Book, s Scope) error) error {
	tag, err := db.Tag(ctx, v.DB)
	if err != nil {
		return err
	}
	b, err := Open(ctx, v.DB.State(), waits)
	if err != nil {
		return err
	}
	return errors.Join(do(b, Scope{Store: tag, Namespace: v.Caller.Namespace}), b.Close())
}

// Close closes the file.
func (b *Book) Close() error {
	if b == nil {
		return nil
	}
	return b.db.Close()
}

// write calls f in a transaction that is committed if f returns nil.
func (b *Book) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Days returns for how many days receipts are kept, 0 if none are made.
func (b *Book) Days(ctx context.Context) (days int, err error) {
	if b == nil {
		return 0, nil
	}
	err = b.db.QueryRowContext(ctx, `select days from keeping`).Scan(&days)
	return days, err
}

// Keep sets for how many days receipts are kept. With 0, those that there are go, and no more are made. What goes is in no
// byte of the file or its log afterwards.
func (b *Book) Keep(ctx context.Context, days int) error {
	if days < 0 || days > mostDays {
		return fault.New(fault.InvalidArgument, "receipts are kept for 1 to %d days, or off; not for %d", mostDays, days)
	}
	err := b.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `update keeping set days = ?`, days)
		return errors.Join(err, sweep(ctx, tx, time.Now()))
	})
	if err != nil {
		return err
	}
	return b.emptyLog(ctx)
}

// Sweep deletes what is older than it is kept, at most once an hour.
func (b *Book) Sweep(ctx context.Context, now time.Time) error {
	if b == nil {
		return nil
	}
	var swept int64
	if err := b.db.QueryRowContext(ctx, `select swept from keeping`).Scan(&swept); err != nil || now.Sub(time.Unix(swept, 0)) < sweepPause {
		return err
	}
	return b.write(ctx, func(tx *sql.Tx) error { return sweep(ctx, tx, now) })
}

func sweep(ctx context.Context, tx *sql.Tx, now time.Time) (err error) {
	marks := now.AddDate(0, 0, -sessionDays).UnixMilli()
	for _, s := range []struct {
		text string
		args []any
	}{
		{`delete from receipts where at < ?1 - (select days from keeping) * 86400000 or (select days from keeping) = 0`, []any{now.UnixMilli()}},
		{`delete from uses where at < ?1 - (select days from keeping) * 86400000 or (select days from keeping) = 0`, []any{now.UnixMilli()}},
		{`delete from marks where session in (select key from sessions where last < ?1)`, []any{marks}},
		{`
delete from sessions
where last < ?1
  and not exists (select 1 from receipts r where r.session = sessions.key)`, []any{marks}},
		{`update keeping set swept = ?1`, []any{now.Unix()}},
	} {
		if err == nil {
			_, err = tx.ExecContext(ctx, s.text, s.args...)
		}
	}
	return err
}

// session returns the key of a session, which it makes, and notes its last event.
func session(ctx context.Context, tx *sql.Tx, id, agent string, began, now time.Time) (key int64, err error) {
	err = tx.QueryRowContext(ctx, `
insert into sessions (id, agent, began, last)
values (?, ?, ?, ?)
on conflict do update
set last = max(last, excluded.last)
returning key`, id, agent, began.UnixMilli(), now.UnixMilli()).Scan(&key)
	return key, err
}
