package golang

import (
	"cmp"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// mentions are the imports of a file, and the types of other packages that it names,
// also in bodies.
type mentions struct {
	imports []importSpec
	types   []mention // without those of the standard library
}

type importSpec struct {
	path  string
	alias string // "" if the package's own name is used
	name  string // own name of a package outside the standard library, guessed from its uses; may be ""
}

// mention is a type of another package.
type mention struct {
	path, name string
	parameters int
	structure  bool // the text has literals of it or pointers to it, so it is not an interface
}

// readMentions returns the packages that a file imports, and those of their types that it
// names.
func readMentions(file *ast.File) (m mentions) {
	selected, types := readSelections(file)
	local := map[string]string{} // name → path
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		i := importSpec{path: importPath}
		if spec.Name != nil {
			i.alias = spec.Name.Name
		}
		if _, isStandard := standard.texts()[importPath]; !isStandard {
			if names := packageNames(importPath); i.alias == "" {
				if n := slices.IndexFunc(names, func(name string) bool { return selected[name] }); n >= 0 {
					i.name = names[n]
				}
			}
			local[cmp.Or(i.alias, i.name)] = importPath
		}
		m.imports = append(m.imports, i)
	}
	for t := range types {
		if importPath, ok := local[t.path]; ok && ast.IsExported(t.name) {
			t.path = importPath
			m.types = append(m.types, t)
		}
	}
	slices.SortFunc(m.types, func(a, b mention) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name), cmp.Compare(a.parameters, b.parameters), strings.Compare(strconv.FormatBool(a.structure), strconv.FormatBool(b.structure)))
	})
	return m
}

// readSelections returns the names x in selections x.Name, and the selections at places
// where only a type can stand. The path of each of these is still the name x.
func readSelections(file *ast.File) (selected map[string]bool, types map[mention]bool) {
	selected, types = map[string]bool{}, map[mention]bool{}
	add := func(structure bool, exprs ...ast.Expr) {
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
					types[mention{local.Name, sel.Sel.Name, parameters, structure}] = true
				}
			}
		}
	}
	mark := func(exprs ...ast.Expr) { add(false, exprs...) }
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			if local, ok := n.X.(*ast.Ident); ok {
				selected[local.Name] = true
			}
		case *ast.Field:
			mark(n.Type)
		case *ast.CompositeLit:
			add(true, n.Type)
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
			add(true, n.X)
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
				add(f.Name == "new", n.Args[0])
			}
		}
		return true
	})
	return selected, types
}
