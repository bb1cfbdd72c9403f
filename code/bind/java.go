package bind

import (
	"maps"
	"path"
	"slices"

	"hence/code/syntax"
)

// javaImport returns the class with a name in a package (space), or an inner class. It is
// unknown if files in different folders declare the class.
func (b *binder) javaImport(file *syntax.Places, space, name string) value {
	if name == "*" {
		return value{}
	}
	target := value{}
	for _, filePath := range slices.Sorted(maps.Keys(b.names[spaceKey(space, name)])) {
		other := b.files[filePath]
		if other.Language != file.Language {
			continue
		}
		if holds := other.Names[name]; holds != nil && holds.Op == syntax.Declared {
			if target.kind != isUnknown && path.Dir(target.file.Path) != path.Dir(filePath) {
				return value{}
			}
			target = value{kind: isDeclared, file: other, name: holds.Name}
		}
	}
	if target.kind != isUnknown {
		return target
	}
	// a.b.Outer.Inner is a class within a class.
	for dot := len(space) - 1; dot > 0; dot-- {
		if space[dot] == '.' {
			if outer := b.javaImport(file, space[:dot], space[dot+1:]); outer.kind == isDeclared {
				return b.lookup(outer, name)
			}
			break
		}
	}
	return value{}
}

// javaOutside returns the value of a name that a file neither declares nor imports by name:
// a class of its package, a class of a package that it imports with *, or a member of a
// class that it imports with static *; foreign if there is none.
func (b *binder) javaOutside(file *syntax.Places, name string) value {
	if target := b.javaImport(file, file.Space, name); target.kind != isUnknown {
		return target
	}
	for _, star := range file.Stars {
		b.fuel--
		if star.Name == "*" {
			if target := b.javaImport(file, star.From, name); target.kind != isUnknown {
				return target
			}
			continue
		}
		if class := b.javaImport(file, star.From, star.Name); class.kind == isDeclared { // import static
			if target := b.lookup(class, name); target.kind != isUnknown {
				return target
			}
		}
	}
	return value{kind: isForeign, name: name}
}
