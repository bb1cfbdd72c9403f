// Package reading answers what tools ask of notes: lists, tags, backlinks and
// what to mend from the store, and single notes as they are on disk now.
package reading

import (
	"hence/internal/ref"
	"hence/vault"
)

// Reader reads the notes of the vaults that its caller may see.
type Reader ref.View

// files finds the files that a caller means.
func (n Reader) files() vault.Importer { return vault.Importer{DB: n.DB, Caller: n.Caller} }
