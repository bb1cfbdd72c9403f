package code

import (
	"context"
	"strings"

	"hence/code/symbol"
	"hence/internal/db"
	"hence/projection"
	"hence/projection/folder"
)

// version changes when other memories or edges would come of the same bytes.
const version = 1

// source reads the files of one repository.
type source struct{}

// parsed is what is known of a file that was read, until the import has bound it.
type parsed struct {
	language *language
	text     []byte
	file     symbol.File
	isCode   bool // not settings
}

func (source) Rule(f *folder.Folder) { setRules(f) }

func (source) Version() int64 { return version }

// Read sets what a file is, and keeps what it declares until all files are known.
func (source) Read(d *projection.Document, bytes []byte) {
	d.Title = clean(d.Path)
	l := languageOf(d.Path)
	if l == nil || bytes == nil {
		return
	}
	p := &parsed{language: l, text: bytes}
	d.Rest = p
	if p.file, p.isCode = l.read(d.Path, bytes); !p.isCode {
		return
	}
	d.Tags = tagsOf(p.file.Language, false)
	if p.file.Generated {
		d.Tags = append([]string{"generated"}, d.Tags...)
	}
	if p.file.Broken {
		d.Warn(0, "it does not parse as "+p.file.Language+"; what could be read of it is taken in")
	}
}

// Check warns of a folder without source code.
func (source) Check(_ *folder.Folder, files []folder.Entry) []folder.Warning {
	for _, f := range files {
		if languageOf(f.Path) != nil {
			return nil
		}
	}
	return []folder.Warning{{Text: "there is no source code in the folder that Hence reads"}}
}

// Directory returns what is known of the files of a repository.
func (source) Directory(_ context.Context, _ *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &directory{repository: known.Name, files: map[string]facts{}}
	for path, f := range known.Files {
		var words []string
		if err := db.ReadColumn(path, "words", f.Words, &words); err != nil {
			return nil, err
		}
		d.files[path] = readFacts(words)
	}
	return d, nil
}

// facts are what is kept of a file between imports.
type facts struct {
	module     string // "" of what is not source code
	surface    string // see symbol.File.Surface
	references string // hash of the references
}

func readFacts(words []string) (f facts) {
	for _, word := range words {
		switch prefix, value, _ := strings.Cut(word, " "); prefix {
		case "module":
			f.module = value
		case "references":
			f.references = value
		case "surface":
			f.surface = value
		}
	}
	return f
}

// words are the facts as files.words keeps them, sorted.
func (f facts) words() []string {
	return []string{"module " + f.module, "references " + f.references, "surface " + f.surface}
}
