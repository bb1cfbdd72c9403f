// Package ref finds the memory that a caller names. A caller reads all namespaces or one, and
// may be confined to one. Package edges, and the packages that import it, resolve names with
// this package.
//
// The error for an unknown name has similar titles; the error for an ambiguous name has
// candidates. To find similar titles takes a pass over all titles, so one pass serves the
// first five unknown names of a call. Further ones are only reported as unknown.
package ref

import (
	"hence/internal/db"
	"hence/internal/fault"
)

// DefaultNamespace is the namespace of a memory that is stored without one.
const DefaultNamespace = "default"

// Caller identifies the caller of a call, and says what it may read and write.
type Caller struct {
	Actor     string // name of the caller in the journal and in new rows
	Origin    string // agent or person
	Namespace string // default namespace of a call; "" reads all and writes to DefaultNamespace
	Confined  bool   // may not name another namespace, or a memory of another namespace
	Project   string // tags the caller's memories, which are listed first; "" for none

	// SharesProject is another project whose memories are read as the caller's, because it was the
	// folder's before that became a clone; "" for none.
	SharesProject string
	Folder        string // folder of the project, in which the files that memories cite are looked up; "" for none
}

// View is a store and its caller. Other packages define types with this underlying type
// (edges.Graph, memory.Store …), which can be converted into each other.
type View struct {
	DB     *db.DB
	Caller Caller
}

// AnyView is a View by whatever name.
type AnyView interface {
	~struct {
		DB     *db.DB
		Caller Caller
	}
}

// Reads returns the namespace that a call reads, "" for all. requested is the one that its
// arguments name, if any. It fails with not_found if the caller is confined to another.
func (c Caller) Reads(requested string) (string, error) {
	if requested == "" {
		return c.Namespace, nil
	}
	if c.Confined && requested != c.Namespace {
		return "", fault.New(fault.NotFound, "there is no namespace %q here", requested)
	}
	return requested, nil
}

// Writes returns the namespace that a call writes. It fails as Reads does.
func (c Caller) Writes(requested string) (string, error) {
	namespace, err := c.Reads(requested)
	if err == nil && namespace == "" {
		namespace = DefaultNamespace
	}
	return namespace, err
}
