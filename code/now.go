package code

import (
	"bytes"

	"hence/code/symbol"
	"hence/internal/fault"
	"hence/projection"
)

// Now returns the range of the place's symbol in the present text of its file. If the
// symbol's bytes or start line differ from the import, it parses the text and finds the
// symbol by its name. It fails with not_found if the text has no symbol with that name.
func (p Place) Now(operation string, text []byte) (Range, error) {
	s := p.Symbol
	if s.End <= len(text) && s.Start <= s.End && projection.TextHash(text[s.Start:s.End]) == s.TextHash &&
		1+bytes.Count(text[:s.Start], []byte{'\n'}) == s.StartLine {
		return s.Range, nil
	}
	file := Declarations(p.Path, text)
	for _, d := range file.Declarations {
		if string(symbol.KeyOf(file.Module, d.Name)) == s.Name {
			return Range{d.StartLine, d.EndLine, d.Start, d.End}, nil
		}
	}
	return Range{}, fault.New(fault.NotFound, "%s: %s has changed and no longer holds %s; import the repository again", operation, p.Path, p.Title)
}

// Declarations returns what a file declares, with the names that an import of this file alone
// would give them; nothing if it is not source code.
func Declarations(path string, text []byte) (file symbol.File) {
	l := languageOf(path)
	if l == nil {
		return file
	}
	file, _, _ = l.read(path, text)
	if l.number != nil {
		l.number([]symbol.File{file})
	}
	return file
}

// Parses reports whether a text is free of syntax errors. It is true for a language that
// Hence does not read.
func Parses(path string, text []byte) bool { return !Declarations(path, text).Broken }
