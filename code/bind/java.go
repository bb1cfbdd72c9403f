package bind

import (
	"path"
	"strings"

	"hence/code/syntax"
)

// javaImport returns the class with a name in a package (space), or an inner class. It is
// unknown if files in different folders declare the class.
func (b *binder) javaImport(space, name string) value {
	if name == "*" {
		return value{}
	}
	target := value{}
	for _, other := range b.names[spaceKey(space, name)] {
		if target.kind != isUnknown && path.Dir(target.file.Path) != path.Dir(other.Path) {
			return value{}
		}
		target = value{kind: isDeclared, file: other, name: other.Names[name].Name}
	}
	if target.kind != isUnknown {
		return target
	}
	// a.b.Outer.Inner is a class within a class.
	if dot := strings.LastIndexByte(space, '.'); dot > 0 {
		if outer := b.javaImport(space[:dot], space[dot+1:]); outer.kind == isDeclared {
			return b.lookup(outer, name)
		}
	}
	return value{}
}

// javaOutside returns the value of a name that a file neither declares nor imports by name:
// a class of its package, a class of a package that it imports with *, or a member of a
// class that it imports with static *; foreign if there is none.
func (b *binder) javaOutside(file *syntax.Places, name string) value {
	if target := b.javaImport(file.Space, name); target.kind != isUnknown {
		return target
	}
	for _, star := range file.Stars {
		b.fuel--
		if star.Name == "*" {
			if target := b.javaImport(star.From, name); target.kind != isUnknown {
				return target
			}
			continue
		}
		if class := b.javaImport(star.From, star.Name); class.kind == isDeclared { // import static
			if target := b.lookup(class, name); target.kind != isUnknown {
				return target
			}
		}
	}
	return value{kind: isForeign, name: name}
}
