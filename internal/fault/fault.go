// Package fault defines the error type of Hence. The code that detects a failure gives the
// error one of a few codes, which other packages map to the result of a tool and to an exit
// code. The message is one sentence: the operation, what failed, what to do.
package fault

import (
	"errors"
	"fmt"
	"maps"
)

// Code says what kind of failure an error is. The list is closed.
type Code string

// The codes, as clients see them.
const (
	InvalidArgument Code = "invalid_argument" // the call is wrong as written
	NotFound        Code = "not_found"        // nothing has the name
	Ambiguous       Code = "ambiguous"        // several things have the name
	Cycle           Code = "cycle"            // the edge would close a cycle
	Conflict        Code = "conflict"         // another writer changed it first, or it has a successor
	OutcomeUnknown  Code = "outcome_unknown"  // a cluster may or may not have committed a write
	Exists          Code = "exists"           // the thing exists
	OutsideVault    Code = "outside_vault"    // the path leaves the vault
	ReadOnly        Code = "read_only"        // writing is not allowed here
	Unavailable     Code = "unavailable"      // try again later, or repair the machine
	TooLarge        Code = "too_large"        // over a limit
	Internal        Code = "internal"         // a bug of Hence
)

// Codes returns every code, in the order in which the contract lists them.
func Codes() []Code {
	return []Code{
		InvalidArgument, NotFound, Ambiguous, Cycle, Conflict, OutcomeUnknown, Exists,
		OutsideVault, ReadOnly, Unavailable, TooLarge, Internal,
	}
}

// Error is an error with a code.
type Error struct {
	Code    Code
	Message string         // one sentence: operation, what failed, what to do
	Details map[string]any // for programs; may be nil
	Err     error          // the cause; may be nil
}

// Error returns the message and the cause, if there is one.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// With returns a copy of the error with one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	maps.Copy(c.Details, e.Details)
	c.Details[key] = value
	return &c
}

// New returns an error with a code and a message, formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with a code, a message and a cause.
func Wrap(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// CodeOf returns the code of the first Error in err's chain, Internal if there is
// none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
