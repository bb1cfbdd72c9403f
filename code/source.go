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

// version is increased when the same bytes give other memories or edges.
const version = 6

// indexFile is the name of an index that a compiler writes, in the SCIP format.
const indexFile = "index.scip"

// maxIndex is the size in bytes of the largest index that is read.
const maxIndex = 256 << 20

// source reads the files of one repository.
type source struct {
	index   *bind.Index // nil: there is none
	stamp   int64       // hash of the index file's size and time; 0: there is none
	problem string      // why the index cannot be read; "" if it can
}

// openSource returns the source of a repository, with its index if it has one.
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
		s.problem = "the index cannot be read, so names are bound without it: " + folder.Reason(err)
	}
	return s
}

// fileParse is a parsed file, kept in Document.Rest until the import has bound its names.
type fileParse struct {
	doc      *projection.Document // the file as a changed document; nil: it is unchanged
	language *language
	text     []byte
	places   any
	file     symbol.File
	isCode   bool // false for settings
}

func (source) Rule(f *folder.Folder) { setRules(f) }

func (s source) Version() int64 { return version<<32 | s.stamp }

// Read sets the title and tags of a document, and parses the file into Rest.
func (source) Read(d *projection.Document, bytes []byte) {
	d.Title = projection.Clean(d.Path)
	l := languageOf(d.Path)
	if l == nil || bytes == nil {
		return
	}
	p := &fileParse{doc: d, language: l, text: bytes}
	d.Rest = p
	if p.file, p.places, p.isCode = l.read(d.Path, bytes); !p.isCode {
		return
	}
	d.Tags = tagsOf(p.file.Language, false)
	if p.file.Generated {
		d.Tags = append([]string{"generated"}, d.Tags...)
	}
	if p.file.Broken {
		d.Warn(0, "it does not parse as "+p.file.Language+"; only the parts that do are imported")
	}
}

// Check warns of an index that cannot be read, and of a folder without source code.
func (s source) Check(_ *folder.Folder, files []folder.Entry) (warnings []folder.Warning) {
	if s.problem != "" {
		warnings = append(warnings, folder.Warning{Path: indexFile, Text: s.problem})
	}
	if !slices.ContainsFunc(files, func(f folder.Entry) bool { return languageOf(f.Path) != nil }) {
		warnings = append(warnings, folder.Warning{Text: "the folder has no source code in a language that Hence reads"})
	}
	return warnings
}

// Directory returns the directory of a repository, with the stored facts of its files.
func (s source) Directory(_ context.Context, _ *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &directory{repository: known.Name, index: s.index, files: map[string]facts{}}
	for path, file := range known.Files {
		var words []string
		if err := db.ReadColumn(path, "words", file.Words, &words); err != nil {
			return nil, err
		}
		said := map[string]string{} // see facts.words
		for _, word := range words {
			name, value, _ := strings.Cut(word, " ")
			said[name] = value
		}
		d.files[path] = facts{said["module"], said["surface"], said["references"]}
	}
	return d, nil
}

// facts are the facts of a file that are stored between imports.
type facts struct {
	module     string // "" if the file is not source code
	surface    string // see symbol.File.Surface
	references string // see hashOf
}

// words returns the facts as files.words stores them, sorted.
func (f facts) words() []string {
	return []string{"module " + f.module, "references " + f.references, "surface " + f.surface}
}
