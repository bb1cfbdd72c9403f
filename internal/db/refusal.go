package db

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"hence"
)

// told is an error of the engine of a cluster's node, which tells its words and no code.
type told struct{ words string }

func (t told) Error() string { return t.words }

// As gives the error the code that the engine's words stand for, so that it is treated
// like one of the engine of this process.
func (t told) As(target any) bool {
	e, ok := target.(*sqlite3.Error)
	if !ok {
		return false
	}
	*e = sqlite3.Error{Code: sqlite3.ErrError}
	says := func(words string) bool { return strings.Contains(t.words, words) }
	if slices.ContainsFunc(raised(), says) {
		e.Code = sqlite3.ErrConstraint
		return true
	}
	for _, c := range codes {
		if says(c.words) {
			e.Code = c.code
			break
		}
	}
	return true
}

// codes are the words of the engine, in the order in which they are looked for.
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

// raised are the words with which the triggers of the schema refuse.
var raised = sync.OnceValue(func() (messages []string) {
	for _, found := range raises.FindAllStringSubmatch(hence.Schema, -1) {
		messages = append(messages, strings.ReplaceAll(found[1], "''", "'"))
	}
	return messages
})

var raises = regexp.MustCompile(`raise\(abort, '((?:[^']|'')+)'\)`)
