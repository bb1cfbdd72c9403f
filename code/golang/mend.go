package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
)

// parse parses a file. Of one that has mistakes it parses as much as stands: a mistake
// costs the body or the declaration that it is in. The error is that of the text as it
// is; the file is nil where nothing can be read.
func parse(set *token.FileSet, name string, text []byte, mode parser.Mode) (*ast.File, error) {
	file, err := parseStrictly(set, name, text, mode)
	if err == nil {
		return file, nil
	}
	if file != nil {
		set.RemoveFile(set.File(file.FileStart))
	}
	mended, _ := parseStrictly(set, name, mend(text), mode)
	return mended, err
}

// parseStrictly parses a file. A parser that fails on it has read nothing.
func parseStrictly(set *token.FileSet, name string, text []byte, mode parser.Mode) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, errUnreadable
		}
	}()
	file, err = parser.ParseFile(set, name, text, mode|parser.SkipObjectResolution)
	if file != nil && (file.Name == nil || set.File(file.FileStart) == nil) {
		return nil, err
	}
	return file, err
}

// declarationStart is where a declaration begins in a file that gofmt has formatted.
var declarationStart = regexp.MustCompile(`(?m)^(func|type|var|const|import)\b`)

// mend returns a text of the same length and lines, with spaces in place of each body
// and each declaration that does not parse.
func mend(text []byte) []byte {
	mended := bytes.Clone(text)
	starts := declarationStart.FindAllIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		part := mended[at[0]:end]
		if parses(part) {
			continue
		}
		if !blankBody(part) {
			blank(part)
		}
	}
	return mended
}

// parses tells whether a text is declarations.
func parses(part []byte) bool {
	_, err := parseStrictly(token.NewFileSet(), "", append([]byte("package p;"), part...), 0)
	return err == nil
}

// blankBody takes the body of a function away that begins at the end of its first line
// and ends at the last bracket in the first column. It tells whether the rest parses.
func blankBody(part []byte) bool {
	line := bytes.IndexByte(part, '\n')
	last := bytes.LastIndex(part, []byte("\n}"))
	if line < 0 || last < line || !bytes.HasPrefix(part, []byte("func")) || !bytes.HasSuffix(bytes.TrimSpace(part[:line]), []byte("{")) {
		return false
	}
	blank(part[line:last])
	return parses(part)
}

func blank(part []byte) {
	for i, c := range part {
		if c != '\n' {
			part[i] = ' '
		}
	}
}
