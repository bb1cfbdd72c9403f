// Package reading reads the notes of a vault. Lists, tags, backlinks and checks come from
// the store, as of the last import; a single note comes from the disk, as it is now.
package reading

import (
	"hence/internal/ref"
	"hence/vault"
)

// Reader reads the notes of the vaults that its caller may see.
type Reader ref.View

// files returns the importer, which finds the files that a caller names.
func (n Reader) files() vault.Importer { return vault.Importer{DB: n.DB, Caller: n.Caller} }
