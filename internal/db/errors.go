package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"hence"
	"hence/internal/fault"
	"hence/internal/pattern"
)

// IsRefused reports whether a constraint or a trigger of the schema refused a
// statement.
func IsRefused(err error) bool { return hasCode(err, sqlite3.ErrConstraint) }

// IsBusy reports whether an error says that another process has the store for itself.
func IsBusy(err error) bool { return hasCode(err, sqlite3.ErrBusy) }

// IsDamaged reports whether an error says that the file, or the full-text index in it,
// is damaged.
func IsDamaged(err error) bool { return hasCode(err, sqlite3.ErrCorrupt) }

func hasCode(err error, code sqlite3.ErrNo) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.Code == code
}

// explain turns an error of the engine into one with a code, the operation and what
// to do. It returns nil, and errors that have a code, unchanged.
func explain(err error, format string, args ...any) error {
	if _, isKnown := errors.AsType[*fault.Error](err); err == nil || isKnown {
		return err
	}
	doing := fmt.Sprintf(format, args...)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "%s: stopped before it was done", doing)
	}
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return fault.Wrap(fault.Internal, err, "%s", doing)
	}
	if e.SystemErrno == syscall.ENOSPC {
		e.Code = sqlite3.ErrFull
	}
	for _, m := range meanings {
		if slices.Contains(m.codes, e.Code) {
			return fault.Wrap(m.is, err, "%s%s", doing, m.words)
		}
	}
	return fault.Wrap(fault.Internal, err, "%s", doing)
}

// meanings say what the codes of the engine mean, in words after what was being done.
var meanings = []struct {
	codes []sqlite3.ErrNo
	is    fault.Code
	words string
}{
	{[]sqlite3.ErrNo{sqlite3.ErrBusy, sqlite3.ErrLocked}, fault.Unavailable, ": another process is writing; try again"},
	{[]sqlite3.ErrNo{sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth}, fault.ReadOnly, ": the file or its folder may not be written; change its permissions or open it with --read-only"},
	{[]sqlite3.ErrNo{sqlite3.ErrNotADB}, fault.InvalidArgument, ": the file is not a database; name another with --db"},
	{[]sqlite3.ErrNo{sqlite3.ErrCorrupt}, fault.Internal, ": the file is damaged; restore a backup"},
	{[]sqlite3.ErrNo{sqlite3.ErrFull}, fault.Unavailable, ": the disk is full; free some space"},
	{[]sqlite3.ErrNo{sqlite3.ErrIoErr, sqlite3.ErrCantOpen}, fault.Unavailable, ": the file cannot be reached"},
	{[]sqlite3.ErrNo{sqlite3.ErrInterrupt}, fault.Unavailable, ": stopped before it was done"},
	{[]sqlite3.ErrNo{sqlite3.ErrTooBig}, fault.TooLarge, ""},
	{[]sqlite3.ErrNo{sqlite3.ErrConstraint}, fault.Conflict, ": a rule of the schema refuses it"},
}

// nodeError is an error of the engine of a cluster's node, which reports a message without a
// code.
type nodeError struct{ message string }

// Error returns the message.
func (n nodeError) Error() string { return n.message }

// As sets target to the error with the same message of the engine in this process, so that
// callers can treat both alike.
func (n nodeError) As(target any) bool {
	e, ok := target.(*sqlite3.Error)
	if !ok {
		return false
	}
	*e = sqlite3.Error{Code: sqlite3.ErrError}
	contains := func(words string) bool { return strings.Contains(n.message, words) }
	if slices.ContainsFunc(triggerMessages(), contains) {
		e.Code = sqlite3.ErrConstraint
		return true
	}
	for _, c := range codes {
		if contains(c.words) {
			e.Code = c.code
			break
		}
	}
	return true
}

// codes are parts of the engine's messages with their codes, in the order in which they are
// searched.
var codes = []struct {
	words string
	code  sqlite3.ErrNo
}{
	{" constraint failed", sqlite3.ErrConstraint},
	{"cannot store ", sqlite3.ErrConstraint},
	{"datatype mismatch", sqlite3.ErrMismatch},
	{"database disk image is malformed", sqlite3.ErrCorrupt},
	{"database or disk is full", sqlite3.ErrFull},
	{"string or blob too big", sqlite3.ErrTooBig},
	{"attempt to write a readonly database", sqlite3.ErrReadonly},
	{"disk I/O error", sqlite3.ErrIoErr},
	{"unable to open database file", sqlite3.ErrCantOpen},
	{" is locked", sqlite3.ErrBusy},
	{"interrupted", sqlite3.ErrInterrupt},
	{"out of memory", sqlite3.ErrNomem},
}

// triggerMessages returns the messages of the errors that the triggers of the schema raise.
var triggerMessages = sync.OnceValue(func() (messages []string) {
	for _, match := range raiseCall().FindAllStringSubmatch(hence.Schema, -1) {
		messages = append(messages, strings.ReplaceAll(match[1], "''", "'"))
	}
	return messages
})

var raiseCall = pattern.Lazy(`raise\(abort, '((?:[^']|'')+)'\)`)
