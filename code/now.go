package code

import (
	"bytes"

	"hence/code/symbol"
	"hence/internal/fault"
	"hence/projection"
)

// Now returns where the symbol of a place stands in its file as it is now. Where the
// bytes are not those of the import, the file is read again, and the symbol found by its
// name. It fails with not_found where the file has no symbol of the name any more.
func (p Place) Now(operation string, text []byte) (Range, error) {
	s := p.Symbol
	if s.End <= len(text) && s.Start <= s.End && projection.TextHash(text[s.Start:s.End]) == s.TextHash &&
		1+bytes.Count(text[:s.Start], []byte{'\n'}) == s.StartLine {
		return s.Range, nil
	}
	for _, d := range Declarations(p.Path, text) {
		if string(symbol.KeyOf(d.Module, d.Name)) == s.Name {
			return Range{d.StartLine, d.EndLine, d.Start, d.End}, nil
		}
	}
	return Range{}, fault.New(fault.NotFound, "%s: %s has changed, and holds no %s now; import the repository again", operation, p.Path, p.Title)
}

// Declared is a declaration with its module.
type Declared struct {
	symbol.Declaration
	Module string
}

// Declarations returns what a file declares, as an import of this file alone would name
// it; nil for what is not source code.
func Declarations(path string, text []byte) (all []Declared) {
	l := languageOf(path)
	if l == nil {
		return nil
	}
	file, _, ok := l.read(path, text)
	if !ok {
		return nil
	}
	if l.number != nil {
		files := []symbol.File{file}
		l.number(files)
		file = files[0]
	}
	for _, d := range file.Declarations {
		all = append(all, Declared{d, file.Module})
	}
	return all
}

// Parses reports whether a text is free of syntax errors, as far as its language is
// read; a file of another language always is.
func Parses(path string, text []byte) bool {
	l := languageOf(path)
	if l == nil {
		return true
	}
	file, _, ok := l.read(path, text)
	return !ok || !file.Broken
}
