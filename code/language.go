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
	"hence/internal/lists"
)

// language reads the files of one language, or of several that refer to each other.
type language struct {
	// reads reports whether a path is a file of the language: source code, or settings
	// that decide what imports refer to.
	reads func(path string) bool

	// read returns the declarations of a file, and its places, which check takes. isCode
	// is false for settings.
	read func(path string, text []byte) (file symbol.File, places any, isCode bool)

	// number sets the names of the declarations of one or more modules, given all files
	// of each. nil: each file is a module, and read sets the names.
	number func(files []symbol.File)

	// check returns the references of the wanted files, given all files of the language;
	// wanted nil means all. left has the paths of files without references, because they
	// would take too much work.
	check func(ctx context.Context, r repository, wanted func(path string) bool) (references []symbol.Reference, left []string, err error)
}

// repository is the input of language.check.
type repository struct {
	texts  map[string][]byte // all files of the language, by path
	places map[string]any    // of the files that are read already, by path
	index  *bind.Index       // of a compiler; may be nil
}

var languages = []*language{{
	reads:  func(file string) bool { return strings.HasSuffix(file, ".go") || path.Base(file) == "go.mod" },
	number: golang.Number,
	check: func(ctx context.Context, r repository, wanted func(path string) bool) ([]symbol.Reference, []string, error) {
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
		parsed, places := syntax.Read(file, text)
		return parsed, places, parsed.Language != "json" && parsed.Language != "toml"
	},
	check: bindOthers,
}}

// bindOthers returns the references of all files, because a name in one file may depend
// on any other file.
func bindOthers(ctx context.Context, r repository, _ func(string) bool) ([]symbol.Reference, []string, error) {
	paths := slices.Sorted(maps.Keys(r.texts))
	places := make([]*syntax.Places, len(paths))
	lists.InParallel(len(paths), func(i int) {
		if read, ok := r.places[paths[i]]; ok {
			places[i], _ = read.(*syntax.Places)
		} else if ctx.Err() == nil {
			_, places[i] = syntax.Read(paths[i], r.texts[paths[i]])
		}
	})
	places = slices.DeleteFunc(places, func(p *syntax.Places) bool { return p == nil })
	return bind.Bind(ctx, places, r.index)
}

// languageOf returns the language of a file; nil if none reads it.
func languageOf(path string) *language {
	for _, l := range languages {
		if l.reads(path) {
			return l
		}
	}
	return nil
}
