// Package ref finds the memory that a caller names. A caller sees all namespaces or
// one, and may be confined to it; package edges and all above take names the same
// way.
//
// The error for an unknown name has near titles, that for an ambiguous one has
// candidates. Near titles cost a pass over all titles. So one pass serves the first
// five unknown names of a call; further ones are only reported as unknown.
package ref

import (
	"hence/internal/db"
	"hence/internal/fault"
)

// DefaultNamespace is the namespace of a memory that is stored without one.
const DefaultNamespace = "default"

// Caller is who makes a call.
type Caller struct {
	Actor     string // name of the caller in the journal and in new rows
	Origin    string // agent or person
	Namespace string // of a call that names none; "" reads all and writes to default
	Confined  bool   // may not name another namespace, nor a memory of one
	Project   string // tags what the caller stores, and puts it first; "" for none
	Folder    string // of the project, where the files that memories cite are looked up; "" for none
}

// View is a store as one caller may read and write it. Other packages define types
// of it with methods (edges.Graph, memory.Store …), which convert into each other.
type View struct {
	DB     *db.DB
	Caller Caller
}

// Reads returns the namespace that a call reads, "" for all. It fails with not_found
// if the caller is confined to another.
func (c Caller) Reads(named string) (string, error) {
	if named == "" {
		return c.Namespace, nil
	}
	if c.Confined && named != c.Namespace {
		return "", fault.New(fault.NotFound, "there is no namespace %q here", named)
	}
	return named, nil
}

// Writes returns the namespace that a call writes. It fails as Reads does.
func (c Caller) Writes(named string) (string, error) {
	namespace, err := c.Reads(named)
	if err == nil && namespace == "" {
		namespace = DefaultNamespace
	}
	return namespace, err
}
