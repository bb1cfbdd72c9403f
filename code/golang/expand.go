package golang

import (
	"go/ast"

	"hence/internal/components"
)

// A generic type that mentions itself with ever larger arguments (type T[P any] struct{
// *T[[]P] }) is not Go, but the type checker looks for the fields of its instances
// without end. So such types are found by their text, and are empty structures where
// packages are checked.

// generic is a generic type, and the generic types that its text mentions.
type generic struct {
	name     string
	mentions []instance
}

type instance struct {
	name string
	// An argument is more than a name.
	grows bool
}

// readGenerics finds the generic types of a file, those within functions included.
func readGenerics(file *ast.File) (generics []generic) {
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok && spec.TypeParams != nil {
			generics = append(generics, generic{spec.Name.Name, readInstances(spec)})
		}
		return true
	})
	return generics
}

func readInstances(spec *ast.TypeSpec) (instances []instance) {
	add := func(of ast.Expr, arguments ...ast.Expr) {
		name, ok := ast.Unparen(of).(*ast.Ident)
		if !ok {
			return
		}
		i := instance{name: name.Name}
		for _, argument := range arguments {
			switch argument.(type) {
			case *ast.Ident, *ast.SelectorExpr:
			default:
				i.grows = true
			}
		}
		instances = append(instances, i)
	}
	ast.Inspect(spec, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.IndexExpr:
			add(n.X, n.Index)
		case *ast.IndexListExpr:
			add(n.X, n.Indices...)
		}
		return true
	})
	return instances
}

// findEndless returns the names of the types of a folder that grow in a cycle.
func findEndless(sources []*source) map[string]bool {
	next := map[string][]string{}
	for _, s := range sources {
		for _, g := range s.generics {
			for _, i := range g.mentions {
				next[g.name] = append(next[g.name], i.name)
			}
		}
	}
	cycle := components.Number(next)
	growing := map[int]bool{}
	for _, s := range sources {
		for _, g := range s.generics {
			for _, i := range g.mentions {
				if i.grows && cycle[g.name] == cycle[i.name] {
					growing[cycle[g.name]] = true
				}
			}
		}
	}
	endless := map[string]bool{}
	for name, number := range cycle {
		if growing[number] {
			endless[name] = true
		}
	}
	return endless
}
