package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"hence/code/symbol"
)

// referrer collects the references of one file after the type check.
type referrer struct {
	*binder
	source     *source
	positions  *token.File
	uses       map[*ast.Ident]types.Object
	references []symbol.Reference
}

// refer returns the references of a file: its imports, its calls, the types that it
// embeds, and the functions that it uses as values.
func (b *binder) refer(s *source, file *ast.File, uses map[*ast.Ident]types.Object) []symbol.Reference {
	r := &referrer{binder: b, source: s, positions: b.set.File(file.FileStart), uses: uses}
	r.imports(file)
	if s.limit.generated {
		return r.references
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if from := r.declaredKey(decl.Name); from != "" {
				r.calls(from, decl)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					r.values(spec)
				case *ast.TypeSpec:
					r.embeds(spec)
				}
			}
		}
	}
	return r.references
}

// imports adds a reference from the package to each package of the repository that a file
// imports. For an internal test file the reference is from the file, because tests may
// import packages that import the tested one, and packages would seem to form cycles.
func (r *referrer) imports(file *ast.File) {
	from := symbol.Key(r.source.module)
	if r.source.test && !r.source.external {
		from = symbol.Key(r.source.path)
	}
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if to := r.folderOf(importPath, r.source); to != "" {
			r.add(from, symbol.Key(to), "imports", "", spec.Path)
		}
	}
}

// values adds the references in the initial values of variables: from an exported variable
// itself, and from the module for others.
func (r *referrer) values(spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		if len(spec.Names) != len(spec.Values) {
			i = 0
		}
		r.calls(cmp.Or(r.declaredKey(spec.Names[i]), symbol.Key(r.source.module)), value)
	}
}

// embeds adds references from a structure to the types that it embeds, which it does not
// become, and from an interface to those that it extends.
func (r *referrer) embeds(spec *ast.TypeSpec) {
	from := r.declaredKey(spec.Name)
	if from == "" {
		return
	}
	kind, rel, fields := "refers-to", "embeds", (*ast.FieldList)(nil)
	switch t := ast.Unparen(spec.Type).(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		kind, rel, fields = "implements", "extends", t.Methods
	}
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		if len(field.Names) > 0 {
			continue
		}
		name := typeName(field.Type)
		if name == nil {
			continue
		}
		if object, ok := r.uses[name].(*types.TypeName); ok {
			r.add(from, r.spot(object).key(), kind, rel, name)
		}
	}
}

// typeName returns the last name in T, *T, p.T, T[P].
func typeName(expr ast.Expr) *ast.Ident {
	switch e := baseOf(expr).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// calls adds references from a declaration to the functions and methods that a node calls
// or uses as values, also in function literals.
func (r *referrer) calls(from symbol.Key, node ast.Node) {
	called := map[*ast.Ident]bool{}
	ast.Inspect(node, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CallExpr:
			if name := typeName(n.Fun); name != nil {
				called[name] = true
			}
		case *ast.Ident:
			if f, ok := r.uses[n].(*types.Func); ok {
				if called[n] {
					r.add(from, r.spot(f.Origin()).key(), "calls", "", n)
				} else {
					r.add(from, r.spot(f.Origin()).key(), "refers-to", "uses", n)
				}
			}
		}
		return true
	})
}

// add adds a reference, unless one of its ends has no key or both are the same.
func (r *referrer) add(from, to symbol.Key, kind, rel string, node ast.Node) {
	if from == "" || to == "" || from == to {
		return
	}
	start := r.positions.Offset(node.Pos())
	r.references = append(r.references, symbol.Reference{
		Path: r.source.path, From: from, To: to, Kind: kind, Rel: rel, By: symbol.ByTypes,
		Start: start, End: r.positions.Offset(node.End()), Line: r.positions.PositionFor(node.Pos(), false).Line, // ignores //line comments
	})
}

func (r *referrer) declaredKey(name *ast.Ident) symbol.Key {
	return r.source.keys[r.positions.Offset(name.Pos())]
}
