package code

import (
	"bytes"
	"strings"

	"hence/code/symbol"
	"hence/internal/fault"
	"hence/projection"
)

// Now returns the range of the place's symbol in the present text of its file. If the symbol's bytes or
// start line differ from the import, it parses the text and takes the one declaration of the name that has
// the bytes or tokens of the import; if none has, the only one of the name, which has changed. It fails with
// not_found if the text has none, or several of which none is known to be it: a number such as ~2 tells
// nothing, because it changes with what stands above and in other files.
func (p Place) Now(operation string, text []byte) (Range, error) {
	s := p.Symbol
	if s.End <= len(text) && s.Start <= s.End && projection.TextHash(text[s.Start:s.End]) == s.TextHash &&
		1+bytes.Count(text[:s.Start], []byte{'\n'}) == s.StartLine {
		return s.Range, nil
	}
	var named, same, both []symbol.Declaration
	file := Declarations(p.Path, text)
	for _, d := range file.Declarations {
		name, isOfFile := strings.CutPrefix(s.Name, string(symbol.KeyOf(file.Module, "")))
		if !isOfFile || symbol.Plain(name) != symbol.Plain(d.Name) {
			continue
		}
		named = append(named, d)
		if d.Tokens.Hash == s.Tokens || projection.TextHash(text[d.Start:d.End]) == s.TextHash {
			if same = append(same, d); d.Name == name {
				both = append(both, d)
			}
		}
	}
	for _, found := range [][]symbol.Declaration{same, both, named} {
		if isIt := len(same) > 0 || s.Alone; isIt && len(found) == 1 {
			d := found[0]
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
