package golang

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"hence/code/symbol"
)

// source is a Go file of the repository.
type source struct {
	path, folder string
	text         []byte
	pkg          string // the package that it names
	module       string
	test         bool
	external     bool // of an external test package
	generated    bool
	limit        limit
	imports      []imported
	names        []named       // until they are numbered
	outside      []outsideType // until the outside packages are made, and the next too
	selected     []string      // names that something is selected of: packages among them

	keys map[int]symbol.Key // of its declarations, by the offset of the name
}

type imported struct {
	path  string
	alias string // "" where the package's own name is used
}

// named is the name of a declaration, and where it stands.
type named struct {
	name   string
	offset int
}

// outsideType is a type that the text names of an imported package.
type outsideType struct {
	local, name string
	parameters  int
}

// readSource reads a file for the whole tree; it returns nil where nothing can be read.
func readSource(name string, text []byte) *source {
	set := token.NewFileSet()
	file, _ := parse(set, name, text, 0)
	if file == nil || file.Name == nil || file.Name.Name == "" {
		return nil
	}
	s := &source{
		path: name, folder: path.Dir(name), text: text, pkg: file.Name.Name,
		test: strings.HasSuffix(name, "_test.go"), generated: isGenerated(text), limit: readConstraint(name, text),
	}
	s.module, s.external = moduleOf(name, s.pkg), isExternalTest(name, s.pkg)
	for _, spec := range file.Imports {
		if of, err := strconv.Unquote(spec.Path.Value); err == nil {
			alias := ""
			if spec.Name != nil {
				alias = spec.Name.Name
			}
			s.imports = append(s.imports, imported{of, alias})
		}
	}
	if !s.generated {
		at := set.File(file.FileStart)
		for _, d := range declarations(file) {
			s.names = append(s.names, named{d.name, at.Offset(d.ident.Pos())})
		}
	}
	s.readSelected(file)
	return s
}

// withoutBodies returns a copy of a file whose functions have no bodies, and whose
// variables have as much of a value as their type needs.
func withoutBodies(file *ast.File) *ast.File {
	bare := *file
	bare.Decls = slices.Clone(file.Decls)
	for i, decl := range bare.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			head := *decl
			head.Body = nil
			bare.Decls[i] = &head
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				bare.Decls[i] = withoutValues(decl)
			}
		}
	}
	return &bare
}

func withoutValues(decl *ast.GenDecl) *ast.GenDecl {
	bare := *decl
	bare.Specs = slices.Clone(decl.Specs)
	for i, spec := range bare.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Values) == 0 {
			continue
		}
		short := *v
		if v.Type != nil {
			short.Values = nil
		} else {
			short.Values = slices.Clone(v.Values)
			for i, value := range short.Values {
				short.Values[i] = withoutElements(value)
			}
		}
		bare.Specs[i] = &short
	}
	return &bare
}

// withoutElements empties a literal, unless its elements count: those of [...]T.
func withoutElements(value ast.Expr) ast.Expr {
	switch v := value.(type) {
	case *ast.UnaryExpr:
		short := *v
		short.X = withoutElements(v.X)
		return &short
	case *ast.CompositeLit:
		if array, ok := v.Type.(*ast.ArrayType); ok {
			if _, open := array.Len.(*ast.Ellipsis); open {
				return v
			}
		}
		short := *v
		short.Elts = nil
		return &short
	case *ast.FuncLit:
		short := *v
		short.Body = &ast.BlockStmt{Lbrace: v.Body.Lbrace, Rbrace: v.Body.Rbrace}
		return &short
	}
	return value
}

// readSelected finds which types of other packages the text names, by where they stand.
func (s *source) readSelected(file *ast.File) {
	seen, types := map[string]bool{}, map[outsideType]bool{}
	mark := func(exprs ...ast.Expr) {
		for _, expr := range exprs {
			parameters := 0
			switch e := expr.(type) {
			case *ast.IndexExpr:
				expr, parameters = e.X, 1
			case *ast.IndexListExpr:
				expr, parameters = e.X, len(e.Indices)
			}
			if sel, ok := expr.(*ast.SelectorExpr); ok {
				if local, ok := sel.X.(*ast.Ident); ok {
					types[outsideType{local.Name, sel.Sel.Name, parameters}] = true
				}
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			if local, ok := n.X.(*ast.Ident); ok {
				seen[local.Name] = true
			}
		case *ast.Field:
			mark(n.Type)
		case *ast.CompositeLit:
			mark(n.Type)
		case *ast.TypeAssertExpr:
			mark(n.Type)
		case *ast.ValueSpec:
			mark(n.Type)
		case *ast.TypeSpec:
			mark(n.Type)
		case *ast.ArrayType:
			mark(n.Elt)
		case *ast.MapType:
			mark(n.Key, n.Value)
		case *ast.ChanType:
			mark(n.Value)
		case *ast.Ellipsis:
			mark(n.Elt)
		case *ast.StarExpr:
			mark(n.X)
		case *ast.IndexExpr:
			mark(n.Index)
		case *ast.IndexListExpr:
			mark(n.Indices...)
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				if c, ok := clause.(*ast.CaseClause); ok {
					mark(c.List...)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "new" || f.Name == "make") && len(n.Args) > 0 {
				mark(n.Args[0])
			}
		}
		return true
	})
	for t := range types {
		s.outside = append(s.outside, t)
	}
	for name := range seen {
		s.selected = append(s.selected, name)
	}
	slices.Sort(s.selected)
}

func isVendored(file string) bool {
	return strings.HasPrefix(file, "vendor/") || strings.Contains(file, "/vendor/")
}
