package db

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// IsRefused reports whether a constraint or a trigger of the schema refused a
// statement.
func IsRefused(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint
}

// IsBusy reports whether an error says that another process has the store for itself.
func IsBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrBusy
}

// explain turns an error of the engine into one with a code, the operation and what
// to do. It returns nil, and errors that have a code, unchanged.
func explain(err error, format string, args ...any) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	doing := fmt.Sprintf(format, args...)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "%s: stopped before it was done", doing)
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return fault.Wrap(fault.Internal, err, "%s", doing)
	}
	if e.SystemErrno == syscall.ENOSPC {
		e.Code = sqlite3.ErrFull
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fault.Wrap(fault.Unavailable, err, "%s: another process is writing; try again", doing)
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return fault.Wrap(fault.ReadOnly, err, "%s: the file or its folder may not be written; change its permissions or open it with --read-only", doing)
	case sqlite3.ErrNotADB:
		return fault.Wrap(fault.InvalidArgument, err, "%s: the file is not a database; name another with --db", doing)
	case sqlite3.ErrCorrupt:
		return fault.Wrap(fault.Internal, err, "%s: the file is damaged; restore a backup", doing)
	case sqlite3.ErrFull:
		return fault.Wrap(fault.Unavailable, err, "%s: the disk is full; free some space", doing)
	case sqlite3.ErrIoErr, sqlite3.ErrCantOpen:
		return fault.Wrap(fault.Unavailable, err, "%s: the file cannot be reached", doing)
	case sqlite3.ErrInterrupt:
		return fault.Wrap(fault.Unavailable, err, "%s: stopped before it was done", doing)
	case sqlite3.ErrTooBig:
		return fault.Wrap(fault.TooLarge, err, "%s", doing)
	case sqlite3.ErrConstraint:
		return fault.Wrap(fault.Conflict, err, "%s: a rule of the schema refuses it", doing)
	}
	return fault.Wrap(fault.Internal, err, "%s", doing)
}
