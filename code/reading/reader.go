// Package reading is what tools read of repositories: outlines from the store, and text
// from the disk. The store knows where a symbol stood when its file was imported. Where
// the file is another one now, it is read again, so that a name never shows the lines
// of something else.
package reading

import (
	"hence/code"
	"hence/internal/ref"
)

// Reader reads the repositories that its caller may see.
type Reader ref.View

func (r Reader) importer() code.Importer { return code.Importer{DB: r.DB, Caller: r.Caller} }
