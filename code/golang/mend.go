package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"

	"hence/internal/pattern"
)

// parse parses a file. If it has syntax errors, parse blanks the bodies or declarations
// that do not parse and returns the rest. The error is that of the original text; the file
// is nil if nothing parses.
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

// parseStrictly parses a file. If the parser panics, the file is nil.
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

// declarationStart matches the beginning of a declaration in a formatted file.
var declarationStart = pattern.Lazy(`(?m)^(func|type|var|const|import)\b`)

// mend returns a text of the same length and lines, with spaces in place of each body
// and each declaration that does not parse.
func mend(text []byte) []byte {
	mended := bytes.Clone(text)
	starts := declarationStart().FindAllIndex(text, -1)
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		part := mended[start[0]:end]
		if parses(part) {
			continue
		}
		if !blankBody(part) {
			blank(part)
		}
	}
	return mended
}

// parses reports whether a text is a list of declarations without syntax errors.
func parses(part []byte) bool {
	_, err := parseStrictly(token.NewFileSet(), "", append([]byte("package p;"), part...), 0)
	return err == nil
}

// blankBody blanks the body of a function, from the end of its first line to the last
// closing brace in the first column. It reports whether the rest parses.
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
