package golang

import (
	"go/ast"
	"go/types"
	"math"
	"slices"
	"strings"

	"hence/code/symbol"
)

// class is a type with methods, or an interface. Methods are compared by their names and
// shapes, because a package is checked several times and each check makes new types.
type class struct {
	name       spot
	parameters []string // constraints of the type parameters, see constraintOf
	methods    []method // sorted by id
}

// method is a method of a class and the place of its declaration.
type method struct {
	id    string // see types.Func.Id
	shape shape
	spot
}

func (c class) method(id string) (method, bool) {
	i, ok := slices.BinarySearchFunc(c.methods, id, func(m method, id string) int { return strings.Compare(m.id, id) })
	if !ok {
		return method{}, false
	}
	return c.methods[i], true
}

// classOf returns a class with its methods sorted.
func classOf(named *types.Named, place spot, methods []method) class {
	c := class{name: place, methods: methods}
	slices.SortFunc(c.methods, func(a, b method) int { return strings.Compare(a.id, b.id) })
	for parameter := range named.TypeParams().TypeParams() {
		c.parameters = append(c.parameters, constraintOf(parameter))
	}
	return c
}

// spot is the range of a declaration's name in the text.
type spot struct {
	source     *source // nil if the repository does not declare it
	start, end int32   // bytes
}

// spot returns where the repository declares an object; the zero value if it does not.
func (b *binder) spot(object types.Object) spot {
	// Objects of outside packages have positions in another token.FileSet.
	if pkg := object.Pkg(); pkg == nil || !object.Pos().IsValid() || !strings.HasPrefix(pkg.Path(), "./") {
		return spot{}
	}
	file := b.set.File(object.Pos())
	if file == nil {
		return spot{}
	}
	offset := file.Offset(object.Pos())
	return spot{b.sources[file.Name()], int32(offset), int32(offset + len(object.Name()))}
}

// key returns the key of the declaration; "" if the repository does not declare it.
func (s spot) key() symbol.Key {
	if s.source == nil {
		return ""
	}
	return s.source.keys[int(s.start)]
}

// survey returns the types and interfaces that the given files of a package declare.
func (v *visit) survey(pkg *types.Package, files map[*source]*ast.File) (classes, contracts []class) {
	for _, name := range pkg.Scope().Names() {
		object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		place := v.spot(object)
		named, ok := object.Type().(*types.Named)
		if !ok || place.key() == "" || files[place.source] == nil {
			continue
		}
		if it, ok := named.Underlying().(*types.Interface); ok {
			if methods := v.contractMethods(it); len(methods) > 0 {
				contracts = append(contracts, classOf(named, place, methods))
			}
		} else if methods := v.classMethods(named); len(methods) > 0 {
			classes = append(classes, classOf(named, place, methods))
		}
	}
	return classes, contracts
}

// contractMethods returns the methods that a type must have to implement an interface; nil
// if they are not all known, and for constraints.
func (v *visit) contractMethods(it *types.Interface) (methods []method) {
	if !it.IsMethodSet() || it.IsComparable() || !v.isKnown(it, map[types.Type]bool{}) {
		return nil
	}
	for f := range it.Methods() {
		m := v.method(f)
		if m == nil {
			return nil
		}
		methods = append(methods, *m)
	}
	return methods
}

// isKnown reports whether all types that an interface embeds, directly or not, are known.
func (b *binder) isKnown(it *types.Interface, seen map[types.Type]bool) bool {
	for t := range it.EmbeddedTypes() {
		if seen[t] {
			continue
		}
		seen[t] = true
		named, isNamed := types.Unalias(t).(*types.Named)
		inner, ok := t.Underlying().(*types.Interface)
		if !ok || isNamed && b.outside.isOpaque(named) || !b.isKnown(inner, seen) {
			return false
		}
	}
	return true
}

// classMethods returns the methods of a pointer to a type. It leaves out a promoted method
// that an embedded unknown type may hide.
func (v *visit) classMethods(named *types.Named) (methods []method) {
	known := v.knownLevels(named)
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if m := v.method(selection.Obj().(*types.Func)); m != nil && len(selection.Index()) <= known {
			methods = append(methods, *m)
		}
	}
	return methods
}

// knownLevels returns the number of levels of embedded types, from that of the type itself,
// down to the first that embeds an unknown type.
func (v *visit) knownLevels(t types.Type) int {
	seen := map[types.Type]bool{}
	for known, level := 1, []types.Type{t}; len(level) > 0; known++ {
		below := []types.Type{}
		for _, t := range level {
			s, ok := t.Underlying().(*types.Struct)
			if seen[t] || !ok {
				continue
			}
			seen[t] = true
			for field := range s.Fields() {
				inner := types.Unalias(field.Type())
				if pointer, ok := inner.(*types.Pointer); ok {
					inner = types.Unalias(pointer.Elem())
				}
				embedded, ok := inner.(*types.Named)
				if field.Embedded() && (inner == types.Typ[types.Invalid] || ok && v.outside.isOpaque(embedded)) {
					return known
				}
				if field.Embedded() {
					below = append(below, inner)
				}
			}
		}
		level = below
	}
	return math.MaxInt
}

// method returns a method; nil if its type is unknown or too large. Many types may embed it.
func (v *visit) method(f *types.Func) *method {
	m, known := v.methods[f]
	if !known {
		if shape, ok := shapeOf(f.Signature()); ok {
			m = &method{f.Id(), shape, v.spot(f.Origin())}
		}
		v.methods[f] = m
	}
	return m
}

// findImplemented returns references from types to the interfaces that they or pointers to
// them implement, and from their methods to the methods of the interfaces. For each
// interface it tests only the types that have its rarest method.
func (b *binder) findImplemented() (references []symbol.Reference) {
	classesWith := map[string][]int{} // indexes of classes, by id of a method
	for i, c := range b.classes {
		for _, m := range c.methods {
			classesWith[m.id] = append(classesWith[m.id], i)
		}
	}
	for _, it := range b.contracts {
		rarest := classesWith[it.methods[0].id]
		for _, m := range it.methods {
			if with := classesWith[m.id]; len(with) < len(rarest) {
				rarest = with
			}
		}
		for _, i := range rarest {
			references = append(references, b.pairs(b.classes[i], it)...)
		}
	}
	return references
}

// pairs returns the references from a class to an interface; none if it lacks a method.
func (b *binder) pairs(c, it class) (references []symbol.Reference) {
	if !fits(c, it) {
		return nil
	}
	add := func(place, to spot, rel string) {
		if from, to := place.key(), to.key(); from != "" && to != "" && from != to && b.wanted(place.source.path) {
			references = append(references, symbol.Reference{
				Path: place.source.path, From: from, To: to, Kind: "implements", Rel: rel, By: symbol.ByTypes,
				Start: int(place.start), End: int(place.end), Line: place.source.line(int(place.start)),
			})
		}
	}
	add(c.name, it.name, "")
	for _, to := range it.methods {
		m, _ := c.method(to.id)
		add(m.spot, to.spot, "overrides")
	}
	return references
}
