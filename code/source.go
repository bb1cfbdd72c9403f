package code

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/internal/db"
	"hence/projection"
	"hence/projection/folder"
)

// version changes when other memories or edges would come of the same bytes.
const version = 1

// indexFile is what a compiler wrote of the repository, in the form of SCIP.
const indexFile = "index.scip"

// maxIndex is the size in bytes of the largest index that is read.
const maxIndex = 256 << 20

// source reads the files of one repository.
type source struct {
	index   *bind.Index // nil: there is none
	stamp   int64       // of the index: another for another
	problem string      // why it cannot be read
}

// openSource reads the index of a repository, if it has one.
func openSource(f *folder.Folder) source {
	setRules(f)
	info, err := f.Dir.Stat(indexFile)
	if err != nil {
		return source{}
	}
	sum := fnv.New32a()
	fmt.Fprint(sum, info.Size(), info.ModTime().UnixNano())
	s := source{stamp: int64(sum.Sum32())}
	text, err := f.Read(folder.Entry{Path: indexFile, Size: info.Size()}, maxIndex)
	if err == nil {
		s.index, err = bind.ReadIndex(text)
	}
	if err != nil {
		s.problem = "it cannot be read, and names are bound without it: " + folder.Reason(err)
	}
	return s
}

// fileParse is what is known of a file that was read, until the import has bound it.
type fileParse struct {
	language *language
	text     []byte
	places   any
	file     symbol.File
	isCode   bool // not settings
}

func (source) Rule(f *folder.Folder) { setRules(f) }

func (s source) Version() int64 { return version<<32 | s.stamp }

// Read sets what a file is, and keeps what it declares until all files are known.
func (source) Read(d *projection.Document, bytes []byte) {
	d.Title = clean(d.Path)
	l := languageOf(d.Path)
	if l == nil || bytes == nil {
		return
	}
	p := &fileParse{language: l, text: bytes}
	d.Rest = p
	if p.file, p.places, p.isCode = l.read(d.Path, bytes); !p.isCode {
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
func (s source) Check(_ *folder.Folder, files []folder.Entry) (warnings []folder.Warning) {
	if s.problem != "" {
		warnings = append(warnings, folder.Warning{Path: indexFile, Text: s.problem})
	}
	if !slices.ContainsFunc(files, func(f folder.Entry) bool { return languageOf(f.Path) != nil }) {
		warnings = append(warnings, folder.Warning{Text: "there is no source code in the folder that Hence reads"})
	}
	return warnings
}

// Directory returns what is known of the files of a repository.
func (s source) Directory(_ context.Context, _ *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &directory{repository: known.Name, index: s.index, files: map[string]facts{}}
	for path, file := range known.Files {
		var words []string
		if err := db.ReadColumn(path, "words", file.Words, &words); err != nil {
			return nil, err
		}
		var f facts
		for _, word := range words { // see facts.words
			switch prefix, value, _ := strings.Cut(word, " "); prefix {
			case "module":
				f.module = value
			case "references":
				f.references = value
			case "surface":
				f.surface = value
			}
		}
		d.files[path] = f
	}
	return d, nil
}

// facts are what is kept of a file between imports.
type facts struct {
	module     string // "" of what is not source code
	surface    string // see symbol.File.Surface
	references string // hash of the references
}

// words are the facts as files.words keeps them, sorted.
func (f facts) words() []string {
	return []string{"module " + f.module, "references " + f.references, "surface " + f.surface}
}
