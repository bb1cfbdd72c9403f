package golang

import (
	"go/ast"

	"hence/internal/components"
)

// A generic type that mentions itself with ever larger arguments, such as
// type T[P any] struct{ *T[[]P] }, is not valid Go, but the type checker expands its
// instances without end. So findEndless finds such types by their text, and tree.parse
// replaces them with empty structures before a check.

// generic is a generic type, with the instances of generic types in its text.
type generic struct {
	name     string
	mentions []instance
}

// instance is a generic type with arguments, such as T[[]P].
type instance struct {
	name  string
	grows bool // an argument is more than a name
}

// readGenerics returns the generic types of a file, also those within functions.
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
	add := func(generic ast.Expr, arguments ...ast.Expr) {
		name, ok := ast.Unparen(generic).(*ast.Ident)
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

// findEndless returns the names of the generic types of a folder that are in a cycle of
// mentions with a growing argument.
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
