package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"hence/code/symbol"
	"hence/internal/components"
)

// The work of the type checker may grow with the square, or without bound, of the depth in
// which types are embedded in each other or hold each other, and of constants that repeat
// each other. So the text of all files is measured first, and files that would take too
// much are left out of the check. No measure is a time: the same files give the same edges.
const (
	maxHeld    = 20_000    // values of other types within one type, or names and 1,000 bytes within one constant
	maxDepth   = 200       // of values within values
	maxMembers = 10_000    // fields and methods that a type has by embedding
	maxWork    = 2_000_000 // members of all types of a folder; a tenth of its selectors times the types that one embeds
	maxPairs   = 1_000_000 // pairs of a type and an interface that are compared
)

// manyMembers takes the place of maxMembers in a folder over maxWork.
const manyMembers = 50

// definition is a type or constant, and the names in its text.
type definition struct {
	name    string
	holds   []string // what a value of it contains; q.T for another package
	embeds  []string
	methods []string // of an interface
	members int      // fields and methods, or 1,000 bytes of literals

	instances map[string]bool // of a generic type: those that it mentions; true: with an argument made of its own parameters
}

// readDefinitions returns the types and constants of a file, also those within functions,
// the methods that it declares for types, and the number of its selectors.
func readDefinitions(file *ast.File) (all []definition, methods map[string][]string, selectors int) {
	methods = map[string][]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			selectors++
		case *ast.FuncDecl:
			if d := declaredFunc(n); d.sort == symbol.Method {
				receiver, name, _ := strings.Cut(d.name, ".")
				methods[receiver] = append(methods[receiver], name)
			}
		case *ast.TypeSpec:
			d := definition{name: n.Name.Name}
			d.readType(n.Type)
			d.readInstances(n)
			all = append(all, d)
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				all = append(all, readConstants(n)...)
			}
		}
		return true
	})
	return all, methods, selectors
}

// readType adds the types of which a value of a type has values. What is behind a pointer,
// or in a slice, map, channel or function, is not part of a value, but what is embedded is.
func (d *definition) readType(expr ast.Expr) {
	switch t := ast.Unparen(expr).(type) {
	case *ast.ArrayType:
		if t.Len != nil {
			d.readType(t.Elt)
		}
	case *ast.StructType:
		for _, field := range t.Fields.List {
			d.members += max(1, len(field.Names))
			if len(field.Names) == 0 {
				d.embed(field.Type)
			}
			for range field.Names {
				d.readType(field.Type)
			}
		}
	case *ast.InterfaceType:
		for _, field := range t.Methods.List {
			for _, name := range field.Names {
				d.methods = append(d.methods, name.Name)
			}
			d.members += len(field.Names)
			if len(field.Names) == 0 {
				ast.Inspect(field.Type, func(node ast.Node) bool {
					if part, ok := node.(ast.Expr); ok {
						d.embed(part)
					}
					return true
				})
			}
		}
	default:
		if name := nameOf(expr); name != "" {
			d.holds = append(d.holds, name)
		}
	}
}

// readInstances adds the instances that a generic type mentions. One that it mentions with
// ever larger arguments, such as type T[P any] struct{ *T[[]P] }, is not valid Go, but the
// type checker expands it without end.
func (d *definition) readInstances(spec *ast.TypeSpec) {
	if spec.TypeParams == nil {
		return
	}
	d.instances = map[string]bool{}
	parameters := map[string]bool{}
	for _, field := range spec.TypeParams.List {
		for _, name := range field.Names {
			parameters[name.Name] = true
		}
	}
	add := func(generic ast.Expr, arguments ...ast.Expr) {
		name := nameOf(generic)
		for _, argument := range arguments {
			ast.Inspect(argument, func(node ast.Node) bool {
				part, ok := node.(*ast.Ident)
				d.instances[name] = d.instances[name] || ok && node != argument && parameters[part.Name]
				return true
			})
		}
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
}

func (d *definition) embed(expr ast.Expr) {
	name := nameOf(expr)
	if name == "" {
		return
	}
	d.embeds = append(d.embeds, name)
	if _, ok := expr.(*ast.StarExpr); !ok {
		d.holds = append(d.holds, name)
	}
}

// nameOf returns T or q.T for an expression of a type with that name; "" for others.
func nameOf(expr ast.Expr) string {
	switch e := baseOf(expr).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if q, ok := e.X.(*ast.Ident); ok {
			return q.Name + "." + e.Sel.Name
		}
	}
	return ""
}

func readConstants(decl *ast.GenDecl) (all []definition) {
	for _, spec := range decl.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, value := range values.Values[:min(len(values.Values), len(values.Names))] {
			d := definition{name: values.Names[i].Name}
			ast.Inspect(value, func(node ast.Node) bool {
				switch n := node.(type) {
				case *ast.Ident:
					d.holds = append(d.holds, n.Name)
				case *ast.BasicLit:
					d.members += len(n.Value) / 1000
				}
				return true
			})
			all = append(all, d)
		}
	}
	return all
}

// measure holds the definitions of a tree by their keys, folder and name.
type measure struct {
	*tree
	defined map[string][]definition // several of one name: for several systems, or in functions
	methods map[string][]string     // that types declare
	held    map[string]size
	cycle   map[string]int // of generic types that mention each other, see components.Number
}

// size is the number of values in a type, and the depth of the deepest.
type size struct{ values, depth int }

// findHeavy returns the paths of the files that take too much work.
func findHeavy(t *tree) map[string]bool {
	m := measure{tree: t, defined: map[string][]definition{}, methods: map[string][]string{}, held: map[string]size{}}
	next, mentioned := map[string][]string{}, map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(t.sources)) {
		s := t.sources[path]
		for receiver, names := range s.methods {
			m.methods[s.folder+"."+receiver] = append(m.methods[s.folder+"."+receiver], names...)
		}
		for i, d := range s.definitions {
			d.name = s.folder + "." + d.name
			d.holds, d.embeds = m.keysOf(s, d.holds), m.keysOf(s, d.embeds)
			s.definitions[i] = d
			m.defined[d.name] = append(m.defined[d.name], d)
			next[d.name] = append(next[d.name], d.holds...)
			for instance := range d.instances {
				mentioned[d.name] = append(mentioned[d.name], s.folder+"."+instance)
			}
		}
	}
	m.measureHeld(next)
	m.cycle = components.Number(mentioned)
	heavy := map[string]bool{}
	for _, folder := range slices.Sorted(maps.Keys(t.folders)) {
		m.findInFolder(t.folders[folder], heavy)
	}
	m.findPairs(heavy)
	return heavy
}

// keysOf returns the keys of names in a file; names that the repository does not have are
// left out.
func (m measure) keysOf(s *source, names []string) (keys []string) {
	for _, name := range names {
		local, last, ok := strings.Cut(name, ".")
		if !ok {
			keys = append(keys, s.folder+"."+name)
			continue
		}
		for _, i := range s.imports {
			if folder := m.folderOf(i.path, s); folder != "" && (local == i.alias || i.alias == "" && slices.Contains(packageNames(i.path), local)) {
				keys = append(keys, folder+"."+last)
			}
		}
	}
	return keys
}

// measureHeld sets held. The members of a cycle, which is not valid Go, count with the
// square of their number.
func (m measure) measureHeld(next map[string][]string) {
	cycle, members := components.Number(next), map[int]int{}
	keys := slices.Collect(maps.Keys(cycle))
	for _, key := range keys {
		members[cycle[key]]++
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(cycle[a], cycle[b]) }) // what a type holds comes before it
	for _, key := range keys {
		around := members[cycle[key]] - 1
		largest := size{around * around, around}
		for _, d := range m.defined[key] {
			all := size{min(d.members, maxHeld) + around*around, around}
			for _, inner := range d.holds {
				if one := m.held[inner]; cycle[inner] != cycle[key] {
					all = size{min(all.values+one.values+1, maxHeld+1), max(all.depth, one.depth+1)}
				}
			}
			largest = size{max(largest.values, all.values), max(largest.depth, all.depth)}
		}
		m.held[key] = largest
	}
}

// embeddedIn returns the number of types that a type embeds, of their fields and methods,
// and the names of all its methods. It stops above limit.
func (m measure) embeddedIn(key string, limit int) (types, members int, methods map[string]bool) {
	methods = map[string]bool{}
	visited, queue := map[string]bool{key: true}, []string{key}
	for ; len(queue) > 0 && members <= limit; queue = queue[1:] {
		names, at := m.methods[queue[0]], queue[0]
		for _, d := range m.defined[at] {
			names = append(names[:len(names):len(names)], d.methods...)
			if at != key {
				members += d.members + 1
			}
			for _, inner := range d.embeds {
				if !visited[inner] {
					visited[inner] = true
					queue = append(queue, inner)
				}
			}
		}
		for _, name := range names {
			methods[name] = true
		}
		if at != key {
			types, members = types+1, members+len(names)
		}
	}
	return types, members, methods
}

// findInFolder adds the files of a folder with types or constants over the limits.
func (m measure) findInFolder(sources []*source, heavy map[string]bool) {
	members, limit := map[string]int{}, maxMembers
	work, deepest, selectors := 0, 0, 0
	for _, s := range sources { // in the order of numbering
		selectors += s.selectors
		heavy[s.path] = slices.ContainsFunc(s.definitions, func(d definition) bool {
			held := m.held[d.name]
			return held.values > maxHeld || held.depth > maxDepth || m.isEndless(s, d)
		})
		for _, d := range s.definitions {
			if len(d.embeds) == 0 || heavy[s.path] {
				continue
			}
			types, count, _ := m.embeddedIn(d.name, limit)
			members[d.name] = max(members[d.name], count)
			work, deepest = work+count, max(deepest, types)
			if work > maxWork || deepest*selectors > 10*maxWork {
				limit = manyMembers
			}
		}
	}
	for _, s := range sources {
		heavy[s.path] = heavy[s.path] || slices.ContainsFunc(s.definitions, func(d definition) bool { return members[d.name] > limit })
	}
}

// isEndless reports whether a generic type of a file grows in a cycle of mentions.
func (m measure) isEndless(s *source, d definition) bool {
	for instance, grows := range d.instances {
		if grows && m.cycle[d.name] == m.cycle[s.folder+"."+instance] {
			return true
		}
	}
	return false
}

// findPairs adds the files of interfaces that are over maxPairs, in the order of paths. A
// type is compared if it has the rarest method of the interface.
func (m measure) findPairs(heavy map[string]bool) {
	having, paths := map[string]int{}, slices.Sorted(maps.Keys(m.sources))
	paths = slices.DeleteFunc(paths, func(path string) bool { return heavy[path] })
	for _, path := range paths {
		for _, d := range m.sources[path].definitions {
			if len(d.methods) == 0 { // else an interface
				_, _, methods := m.embeddedIn(d.name, maxMembers)
				for name := range methods {
					having[name]++
				}
			}
		}
	}
	pairs := 0
	for _, path := range paths {
		for _, d := range m.sources[path].definitions {
			if len(d.methods) == 0 {
				continue
			}
			rarest := maxPairs
			for _, name := range d.methods {
				rarest = min(rarest, having[name])
			}
			if pairs += rarest; pairs > maxPairs {
				heavy[path] = true
			}
		}
	}
}
