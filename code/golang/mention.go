package golang

import (
	"cmp"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// mentions are the imports of a file, and the names of other packages in it that may be those
// of types, also in bodies.
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

// readSelections returns the names x in selections x.Name, and the selections that are not
// called, which may be types. The path of each of these is still the name x.
func readSelections(file *ast.File) (selected map[string]bool, types map[mention]bool) {
	selected, types = map[string]bool{}, map[mention]bool{}
	called, structures, parameters := map[ast.Expr]bool{}, map[ast.Expr]bool{}, map[ast.Expr]int{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CallExpr:
			called[n.Fun] = true
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "new" && len(n.Args) > 0 {
				structures[baseOf(n.Args[0])] = true
			}
		case *ast.CompositeLit:
			structures[baseOf(n.Type)] = true
		case *ast.StarExpr:
			structures[baseOf(n.X)] = true
		case *ast.IndexExpr:
			parameters[n.X] = 1
		case *ast.IndexListExpr:
			parameters[n.X] = len(n.Indices)
		case *ast.SelectorExpr:
			local, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			if selected[local.Name] = true; !called[n] {
				types[mention{local.Name, n.Sel.Name, parameters[n], structures[n]}] = true
			}
		}
		return true
	})
	return selected, types
}
