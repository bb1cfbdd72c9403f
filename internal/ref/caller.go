// Package ref is how a memory is named from outside: who asks, what that
// caller may see, and which memory a word of theirs means.
package ref

import (
	"hence/internal/db"
	"hence/internal/fault"
)

// DefaultNamespace is where a memory goes when nobody says where.
const DefaultNamespace = "default"

// Caller is on whose behalf something is done.
type Caller struct {
	Actor     string // a name for the journal and for what is written
	Origin    string // agent or person
	Namespace string // read and written where a call names none; "" reads all and writes to default
	Confined  bool   // may not name another namespace than its own
}

// View is a store as one caller may read and write it. What is done with it are
// the methods of types made of it (edges.Graph, memory.Store …), which convert
// into each other.
type View struct {
	DB     *db.DB
	Caller Caller
}

// Reads returns the namespace that a call reads, "" for all of them.
func (c Caller) Reads(named string) (string, error) {
	if named == "" {
		return c.Namespace, nil
	}
	if c.Confined && named != c.Namespace {
		return "", fault.New(fault.NotFound, "there is no namespace %q here", named)
	}
	return named, nil
}

// Writes returns the namespace that a call writes.
func (c Caller) Writes(named string) (string, error) {
	namespace, err := c.Reads(named)
	if err == nil && namespace == "" {
		namespace = DefaultNamespace
	}
	return namespace, err
}
