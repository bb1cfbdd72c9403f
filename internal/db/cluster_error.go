package db

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"hence"
)

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
	for _, match := range raiseCall.FindAllStringSubmatch(hence.Schema, -1) {
		messages = append(messages, strings.ReplaceAll(match[1], "''", "'"))
	}
	return messages
})

var raiseCall = regexp.MustCompile(`raise\(abort, '((?:[^']|'')+)'\)`)
