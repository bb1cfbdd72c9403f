// Package reading reads repositories for tools: outlines from the store, and text from the
// disk. The store holds the range of a symbol at the time of the import. If the bytes at
// that range have changed, the file is parsed again, so that a name never shows the lines
// of another symbol.
package reading

import (
	"hence/code"
	"hence/internal/ref"
)

// Reader reads the repositories that its caller may see.
type Reader ref.View

func (r Reader) importer() code.Importer { return code.Importer{DB: r.DB, Caller: r.Caller} }
