package golang

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"hence/code/symbol"
)

// class is a type with methods, and contract an interface. Methods are compared by hash
// of name and type, as a package is checked several times and its types are others each
// time.
type class struct {
	name    spot
	methods []method
}

// method is where a type has a method from; those of a class are in the order of ids.
type method struct {
	id uint64
	spot
}

func (c class) method(id uint64) (spot, bool) {
	i, ok := slices.BinarySearchFunc(c.methods, id, func(m method, id uint64) int { return cmp.Compare(m.id, id) })
	if !ok {
		return spot{}, false
	}
	return c.methods[i].spot, true
}

type contract struct {
	key     symbol.Key
	methods map[uint64]symbol.Key
}

// spot is the name of a declaration in the text.
type spot struct {
	source     *source
	start, end int32
}

func (b *binder) spot(object types.Object) spot {
	s, offset := b.place(object)
	return spot{s, int32(offset), int32(offset + len(object.Name()))}
}

// key returns the key of the declaration; "" where it is none of the repository's.
func (s spot) key() symbol.Key {
	if s.source == nil {
		return ""
	}
	return s.source.keys[int(s.start)]
}

// survey returns the types and interfaces that files of a package declare.
func (b *binder) survey(pkg *types.Package, files map[*source]*ast.File) (classes []class, contracts []contract) {
	for _, name := range pkg.Scope().Names() {
		object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		at := b.spot(object)
		named, ok := object.Type().(*types.Named)
		if !ok || at.key() == "" || files[at.source] == nil {
			continue
		}
		if it, ok := named.Underlying().(*types.Interface); ok {
			if methods := b.contractMethods(named, it); len(methods) > 0 {
				contracts = append(contracts, contract{at.key(), methods})
			}
		} else if methods := b.classMethods(named); len(methods) > 0 {
			classes = append(classes, class{at, methods})
		}
	}
	return classes, contracts
}

// contractMethods returns the methods that a type must have to implement an interface;
// none where that is not known, and for constraints and generic interfaces.
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

// isKnown tells whether an interface embeds nothing unknown.
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

// classMethods returns the methods of a pointer to a type. A method that comes through
// an embedded field is left out where an unknown type is embedded that may hide it.
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

// unknownDepth returns how deep the first unknown embedded type of a structure is: 1
// for one that the structure itself embeds.
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

// findImplemented refers from types to the interfaces that they or pointers to them
// implement, and from methods to those of the interfaces.
func (b *binder) findImplemented() (references []symbol.Reference) {
	having := map[uint64][]int{}
	for i, c := range b.classes {
		for _, m := range c.methods {
			having[m.id] = append(having[m.id], i)
		}
	}
	for _, it := range b.contracts {
		rarest, first := []int(nil), true
		for id := range it.methods {
			if first || len(having[id]) < len(rarest) {
				rarest, first = having[id], false
			}
		}
		for _, i := range rarest {
			references = append(references, b.pairs(b.classes[i], it)...)
		}
	}
	return references
}

func (b *binder) pairs(c class, it contract) (references []symbol.Reference) {
	for id := range it.methods {
		if _, ok := c.method(id); !ok {
			return nil
		}
	}
	add := func(at spot, to symbol.Key, rel string) {
		if from := at.key(); from != "" && to != "" && from != to && b.wanted(at.source.path) {
			references = append(references, symbol.Reference{
				Path: at.source.path, From: from, To: to, Kind: "implements", Rel: rel, By: symbol.ByTypes,
				Start: int(at.start), End: int(at.end), Line: at.source.line(int(at.start)),
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
