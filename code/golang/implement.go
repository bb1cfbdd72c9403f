package golang

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"hence/code/symbol"
)

// class is a type with methods that is not an interface. Methods are compared by id,
// because a package is checked several times and each check makes new types.
type class struct {
	name    spot
	methods []method // sorted by id
}

// method is a method of a class and the place of its declaration.
type method struct {
	id uint64 // see methodID
	spot
}

func (c class) method(id uint64) (spot, bool) {
	i, ok := slices.BinarySearchFunc(c.methods, id, func(m method, id uint64) int { return cmp.Compare(m.id, id) })
	if !ok {
		return spot{}, false
	}
	return c.methods[i].spot, true
}

// contract is an interface with at least one method.
type contract struct {
	key     symbol.Key
	methods map[uint64]symbol.Key // by id, see methodID
}

// spot is the range of a declaration's name in the text.
type spot struct {
	source     *source // nil if the repository does not declare it
	start, end int32   // bytes
}

func (b *binder) spot(object types.Object) spot {
	s, offset := b.place(object)
	return spot{s, int32(offset), int32(offset + len(object.Name()))}
}

// key returns the key of the declaration; "" if the repository does not declare it.
func (s spot) key() symbol.Key {
	if s.source == nil {
		return ""
	}
	return s.source.keys[int(s.start)]
}

// survey returns the types and interfaces that the given files of a package declare.
func (b *binder) survey(pkg *types.Package, files map[*source]*ast.File) (classes []class, contracts []contract) {
	for _, name := range pkg.Scope().Names() {
		object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		place := b.spot(object)
		named, ok := object.Type().(*types.Named)
		if !ok || place.key() == "" || files[place.source] == nil {
			continue
		}
		if it, ok := named.Underlying().(*types.Interface); ok {
			if methods := b.contractMethods(named, it); len(methods) > 0 {
				contracts = append(contracts, contract{place.key(), methods})
			}
		} else if methods := b.classMethods(named); len(methods) > 0 {
			classes = append(classes, class{place, methods})
		}
	}
	return classes, contracts
}

// contractMethods returns the methods that a type must have to implement an interface, by
// id; nil if they are not all known, and for constraints and generic interfaces.
func (b *binder) contractMethods(named *types.Named, it *types.Interface) map[uint64]symbol.Key {
	if named.TypeParams().Len() > 0 || !it.IsMethodSet() || it.IsComparable() || !b.isKnown(it, map[types.Type]bool{}) {
		return nil
	}
	methods := map[uint64]symbol.Key{}
	for f := range it.Methods() {
		id, ok := methodID(f, f.Signature())
		if !ok {
			return nil
		}
		methods[id] = b.key(f)
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
func (b *binder) classMethods(named *types.Named) (methods []method) {
	hidden := b.unknownDepth(named)
	set := types.NewMethodSet(types.NewPointer(named))
	for selection := range set.Methods() {
		if len(selection.Index()) > hidden {
			continue
		}
		f := selection.Obj().(*types.Func)
		if id, ok := methodID(f, selection.Type().(*types.Signature)); ok {
			methods = append(methods, method{id, b.spot(f.Origin())})
		}
	}
	slices.SortFunc(methods, func(a, b method) int { return cmp.Compare(a.id, b.id) })
	return methods
}

// unknownDepth returns the depth of the shallowest unknown type that a structure embeds: 1
// for one that the structure itself embeds, a huge number if there is none.
func (b *binder) unknownDepth(t types.Type) int {
	const none = 1 << 30
	seen := map[types.Type]bool{}
	level := []types.Type{t}
	for depth := 1; len(level) > 0; depth++ {
		next := []types.Type{}
		for _, t := range level {
			s, ok := t.Underlying().(*types.Struct)
			if !ok || seen[t] {
				continue
			}
			seen[t] = true
			for field := range s.Fields() {
				if !field.Embedded() {
					continue
				}
				inner := types.Unalias(field.Type())
				if pointer, ok := inner.(*types.Pointer); ok {
					inner = types.Unalias(pointer.Elem())
				}
				if named, ok := inner.(*types.Named); inner == types.Typ[types.Invalid] || ok && b.outside.isOpaque(named) {
					return depth
				}
				next = append(next, inner)
			}
		}
		level = next
	}
	return none
}

// findImplemented returns references from types to the interfaces that they or pointers to
// them implement, and from their methods to the methods of the interfaces. For each
// interface it tests only the types that have its rarest method.
func (b *binder) findImplemented() (references []symbol.Reference) {
	classesWith := map[uint64][]int{} // indexes of classes, by id of a method
	for i, c := range b.classes {
		for _, m := range c.methods {
			classesWith[m.id] = append(classesWith[m.id], i)
		}
	}
	for _, it := range b.contracts {
		rarest, first := []int(nil), true
		for id := range it.methods {
			if first || len(classesWith[id]) < len(rarest) {
				rarest, first = classesWith[id], false
			}
		}
		for _, i := range rarest {
			references = append(references, b.pairs(b.classes[i], it)...)
		}
	}
	return references
}

// pairs returns the references from a class to an interface; none if it lacks a method.
func (b *binder) pairs(c class, it contract) (references []symbol.Reference) {
	for id := range it.methods {
		if _, ok := c.method(id); !ok {
			return nil
		}
	}
	add := func(place spot, to symbol.Key, rel string) {
		if from := place.key(); from != "" && to != "" && from != to && b.wanted(place.source.path) {
			references = append(references, symbol.Reference{
				Path: place.source.path, From: from, To: to, Kind: "implements", Rel: rel, By: symbol.ByTypes,
				Start: int(place.start), End: int(place.end), Line: place.source.line(int(place.start)),
			})
		}
	}
	add(c.name, it.key, "")
	for id, to := range it.methods {
		m, _ := c.method(id)
		add(m, to, "overrides")
	}
	return references
}
