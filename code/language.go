package code

import (
	"context"
	"path"
	"strings"

	"hence/code/golang"
	"hence/code/symbol"
)

// language reads the files of one language, or of several that refer to each other.
type language struct {
	name string

	// reads reports whether it knows a file by its path: source code, or settings that
	// say what names mean.
	reads func(path string) bool

	// read returns what a file of source code declares; ok is false for settings.
	read func(path string, text []byte) (file symbol.File, ok bool)

	// number names the declarations of the files of one or more modules. All files of a
	// module are given. nil: a file is a module, and read has named them.
	number func(files []symbol.File)

	// check returns the references of the wanted files, given all files that it reads;
	// wanted nil means all.
	check func(ctx context.Context, files map[string][]byte, wanted func(path string) bool) ([]symbol.Reference, error)
}

var languages = []*language{{
	name:   "go",
	reads:  func(file string) bool { return strings.HasSuffix(file, ".go") || path.Base(file) == "go.mod" },
	number: golang.Number,
	check:  golang.Check,
	read: func(file string, text []byte) (symbol.File, bool) {
		if path.Base(file) == "go.mod" {
			return symbol.File{}, false
		}
		return golang.Read(file, text), true
	},
}}

// languageOf returns the language of a file; nil where none is known.
func languageOf(path string) *language {
	for _, l := range languages {
		if l.reads(path) {
			return l
		}
	}
	return nil
}
