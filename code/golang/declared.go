package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/code/symbol"
)

// fileDeclaration is a declaration in the syntax tree of its file.
type fileDeclaration struct {
	name     string // Func, Recv.Name; without a number
	ident    *ast.Ident
	sort     symbol.Sort
	exported bool
	doc      *ast.CommentGroup
	word     string   // const, var or type, if the node begins with a name; else ""
	node     ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, or *ast.Field of an interface
	start    token.Pos
	end      token.Pos

	// repeats is the earlier constant whose type and value a constant without a value
	// repeats, with its own value of iota; else nil.
	repeats *ast.ValueSpec
	iota    int
}

// declarations returns the declarations of a file, in the order of its text: all
// functions, methods, types and methods of interfaces, and exported constants and variables.
func declarations(file *ast.File) (all []fileDeclaration) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			all = append(all, declaredFunc(decl))
		case *ast.GenDecl:
			all = append(all, declaredGroup(decl)...)
		}
	}
	return all
}

func declaredFunc(decl *ast.FuncDecl) fileDeclaration {
	d := fileDeclaration{
		name: decl.Name.Name, ident: decl.Name, sort: symbol.Func, exported: decl.Name.IsExported(),
		doc: decl.Doc, node: decl, start: decl.Type.Func, end: decl.End(),
	}
	if decl.Recv != nil && len(decl.Recv.List) > 0 {
		d.sort = symbol.Method
		if receiver, ok := baseOf(decl.Recv.List[0].Type).(*ast.Ident); ok {
			d.name, d.exported = receiver.Name+"."+d.name, d.exported && receiver.IsExported()
		}
	}
	return d
}

// baseOf returns an expression of a type or function without pointers, parentheses and
// type arguments.
func baseOf(expr ast.Expr) ast.Expr {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		default:
			return expr
		}
	}
}

func declaredGroup(decl *ast.GenDecl) (all []fileDeclaration) {
	var repeats *ast.ValueSpec
	for n, spec := range decl.Specs {
		start, doc := spec.Pos(), (*ast.CommentGroup)(nil)
		if !decl.Lparen.IsValid() {
			start, doc = decl.Pos(), decl.Doc
		}
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			d := fileDeclaration{
				name: spec.Name.Name, ident: spec.Name, sort: symbol.Type, exported: spec.Name.IsExported(),
				doc: cmp.Or(spec.Doc, doc, spec.Comment), word: "type", node: spec, start: start, end: spec.End(),
			}
			if _, ok := ast.Unparen(spec.Type).(*ast.InterfaceType); ok {
				d.sort = symbol.Interface
			}
			all = append(all, d)
			all = append(all, interfaceMethods(spec)...)
		case *ast.ValueSpec:
			d := fileDeclaration{
				sort: symbol.Var, exported: true, doc: cmp.Or(spec.Doc, doc, spec.Comment),
				word: decl.Tok.String(), node: spec, start: start, end: spec.End(), iota: n,
			}
			if decl.Tok == token.CONST {
				d.sort = symbol.Const
				if len(spec.Values) > 0 || spec.Type != nil {
					repeats = spec
				} else {
					d.repeats = repeats
				}
			}
			for _, ident := range spec.Names {
				if d.name, d.ident = ident.Name, ident; ident.IsExported() {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

func interfaceMethods(spec *ast.TypeSpec) (all []fileDeclaration) {
	it, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	if !ok || it.Methods == nil {
		return nil
	}
	for _, field := range it.Methods.List {
		for _, ident := range field.Names {
			all = append(all, fileDeclaration{
				name: spec.Name.Name + "." + ident.Name, ident: ident, sort: symbol.Method,
				exported: ident.IsExported() && spec.Name.IsExported(),
				doc:      cmp.Or(field.Doc, field.Comment), node: field, start: field.Pos(), end: field.End(),
			})
		}
	}
	return all
}

// isTest reports whether the go command runs a declaration of a test file as a test,
// benchmark, fuzz target or example (go help testfunc).
func (d fileDeclaration) isTest() bool {
	f, ok := d.node.(*ast.FuncDecl)
	if !ok || f.Recv != nil || isTestMain(f) {
		return false
	}
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(d.name, prefix); ok {
			first, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(first)
		}
	}
	return false
}

// isTestMain reports whether a function is TestMain(*testing.M), which is not a test.
func isTestMain(f *ast.FuncDecl) bool {
	if f.Name.Name != "TestMain" || len(f.Type.Params.List) != 1 {
		return false
	}
	parameter := types.ExprString(f.Type.Params.List[0].Type)
	return strings.HasPrefix(parameter, "*") && strings.HasSuffix(parameter, ".M")
}

// moduleOf returns the module of a file; see the package comment.
func moduleOf(file, pkg string) string {
	folder := path.Dir(file)
	if !isExternalTest(file, pkg) {
		return folder
	}
	if folder == "." {
		return "_test"
	}
	return folder + "_test"
}

func isExternalTest(file, pkg string) bool {
	return strings.HasSuffix(file, "_test.go") && strings.HasSuffix(pkg, "_test")
}
