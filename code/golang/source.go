package golang

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"hence/code/symbol"
)

// source is a Go file of the repository.
type source struct {
	path, folder string
	moduleRoot   string // the folder of its go.mod; "" if there is none
	text         []byte
	pkg          string // the name in its package clause
	module       string // see symbol.File.Module
	test         bool
	external     bool // of an external test package
	limit        limit
	names        []symbol.Declaration // with the offset of the name; nil after tree.number
	mentions

	definitions []definition        // see findHeavy
	methods     map[string][]string // names of its methods, by receiver
	selectors   int

	surveyed bool // see mattersElsewhere

	keys map[int]symbol.Key // of its declarations, by the offset of the name
}

// line returns the line of an offset, from 1.
func (s *source) line(offset int) int { return 1 + bytes.Count(s.text[:offset], []byte("\n")) }

// readSource reads a file for the tree; it returns nil if the file cannot be parsed.
func readSource(name string, text []byte) *source {
	set := token.NewFileSet()
	file, _ := parse(set, name, text, 0)
	if file == nil || file.Name == nil || file.Name.Name == "" {
		return nil
	}
	s := &source{
		path: name, folder: path.Dir(name), text: text, pkg: file.Name.Name,
		test: strings.HasSuffix(name, "_test.go"), limit: readConstraint(name, text),
	}
	s.module, s.external = moduleOf(name, s.pkg), isExternalTest(name, s.pkg)
	s.mentions = readMentions(file)
	s.definitions, s.methods, s.selectors = readDefinitions(file)
	s.surveyed = mattersElsewhere(file)
	if !s.limit.generated {
		positions := set.File(file.FileStart)
		for _, d := range declarations(file) {
			s.names = append(s.names, symbol.Declaration{Name: d.name, Start: positions.Offset(d.ident.Pos())})
		}
	}
	return s
}

// mattersElsewhere reports whether a file declares a type that other files need to find
// implementations: an interface, or a type that may have methods of other types.
func mattersElsewhere(file *ast.File) bool {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			switch t := spec.(*ast.TypeSpec).Type.(type) {
			case *ast.StructType:
				if slices.ContainsFunc(t.Fields.List, func(field *ast.Field) bool { return len(field.Names) == 0 }) {
					return true
				}
			case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StarExpr:
			case *ast.Ident:
				if object := types.Universe.Lookup(t.Name); object == nil {
					return true
				} else if _, ok := object.Type().(*types.Basic); !ok {
					return true // the interface error
				}
			default:
				return true
			}
		}
	}
	return false
}

// withoutBodies returns a copy of a file whose functions have no bodies.
func withoutBodies(file *ast.File) *ast.File {
	bare := *file
	bare.Decls = slices.Clone(file.Decls)
	for i, decl := range bare.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			head := *decl
			head.Body = nil
			bare.Decls[i] = &head
		}
	}
	return &bare
}

// parse parses a source for a check.
func (t *tree) parse(s *source) *ast.File {
	file, _ := parse(t.set, s.path, s.text, 0)
	return file
}
