package code

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"hence/code/bind"
	"hence/code/golang"
	"hence/code/symbol"
	"hence/code/syntax"
	"hence/projection"
)

// language reads the files of one language, or of several that refer to each other.
type language struct {
	// reads reports whether it knows a file by its path: source code, or settings that
	// say what names mean.
	reads func(path string) bool

	// read returns what a file declares, and what check takes of it; isCode is false for
	// settings.
	read func(path string, text []byte) (file symbol.File, places any, isCode bool)

	// number names the declarations of the files of one or more modules. All files of a
	// module are given. nil: a file is a module, and read has named them.
	number func(files []symbol.File)

	// check returns the references of the wanted files, given all files that it reads;
	// wanted nil means all.
	check func(ctx context.Context, r repository, wanted func(path string) bool) ([]symbol.Reference, error)
}

// repository is all that a language needs to know what names mean.
type repository struct {
	texts  map[string][]byte // of all files that the language reads
	places map[string]any    // of those that were read already
	index  *bind.Index       // of a compiler; nil: there is none
}

var languages = []*language{{
	reads:  func(file string) bool { return strings.HasSuffix(file, ".go") || path.Base(file) == "go.mod" },
	number: golang.Number,
	check: func(ctx context.Context, r repository, wanted func(path string) bool) ([]symbol.Reference, error) {
		return golang.Check(ctx, r.texts, wanted)
	},
	read: func(file string, text []byte) (symbol.File, any, bool) {
		if path.Base(file) == "go.mod" {
			return symbol.File{}, nil, false
		}
		return golang.Read(file, text), nil, true
	},
}, {
	reads: func(file string) bool { return syntax.Language(file, nil) != "" },
	read: func(file string, text []byte) (symbol.File, any, bool) {
		said, places := syntax.Read(file, text)
		return said, places, said.Language != "json" && said.Language != "toml"
	},
	check: bindOthers,
}}

// bindOthers binds the names of all files: what one means by a name may depend on any
// other.
func bindOthers(ctx context.Context, r repository, _ func(string) bool) ([]symbol.Reference, error) {
	paths := slices.Sorted(maps.Keys(r.texts))
	places := make([]*syntax.Places, len(paths))
	projection.InParallel(len(paths), func(i int) {
		if read, ok := r.places[paths[i]]; ok {
			places[i], _ = read.(*syntax.Places)
		} else if ctx.Err() == nil {
			_, places[i] = syntax.Read(paths[i], r.texts[paths[i]])
		}
	})
	repository := bind.New()
	repository.Index = r.index
	for _, said := range places {
		if said != nil {
			repository.Put(said)
		}
	}
	return repository.Bind(ctx)
}

// languageOf returns the language of a file; nil where none is known.
func languageOf(path string) *language {
	for _, l := range languages {
		if l.reads(path) {
			return l
		}
	}
	return nil
}
