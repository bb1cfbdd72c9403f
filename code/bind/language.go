package bind

import (
	"maps"
	"path"
	"slices"
	"strconv"

	"hence/code/symbol"
	"hence/code/syntax"
)

// first returns the first of some paths at which there is a file other than the given one; nil if there is none.
func (b *binder) first(except *syntax.Places, paths ...string) *syntax.Places {
	for _, at := range paths {
		if file := b.files[at]; file != nil && file != except {
			return file
		}
	}
	return nil
}

// spot returns the first place of a declaration's name in the binder's file; false if it
// has none.
func (b *binder) spot(name string) (syntax.Spot, bool) {
	spots := b.file.Spots[name]
	if len(spots) == 0 {
		return syntax.Spot{}, false
	}
	return spots[0], true
}

func sortedClasses(file *syntax.Places) []string {
	return slices.Sorted(maps.Keys(file.Classes))
}

// outside returns the value of a name that is not in the file's own scope; foreign if the
// repository does not have it.
func (b *binder) outside(file *syntax.Places, name string) value {
	switch file.Language {
	case "python", "rust":
		if target := b.starred(file, file.Stars, name, map[string]bool{file.Path: true}); target.kind != isUnknown {
			return target
		}
		if file.Language == "rust" {
			return b.once("crate "+name, len(b.names[settingsKey]), func() value { return b.findCrate(name) })
		}
	case "java":
		return b.javaOutside(file, name)
	case "c":
		return b.firstBelow(file, name)
	}
	return value{kind: isForeign, name: name}
}

// importOf returns the value that a file imports from a module under a name.
func (b *binder) importOf(file *syntax.Places, from, name string) value {
	switch family(file.Language) {
	case "ecma":
		return b.ecmaImport(file, from, name)
	case "python":
		return b.pythonImport(file, from, name)
	case "rust":
		return b.rustImport(file, from)
	case "java":
		return b.javaImport(from, name)
	}
	return value{}
}

// exportOf returns the value that a module or folder exports under a name.
func (b *binder) exportOf(module value, name string) value {
	return b.exported(module, name, map[string]bool{})
}

// exported returns the value that a module exports under a name: its own, a member of its
// export assignment, one of the modules and types whose names it takes over (import *, export *),
// or a module in its package. visited holds the paths of the modules that were searched
// already. Each search of a module costs one of b.fuel.
func (b *binder) exported(of value, name string, visited map[string]bool) value {
	if of.kind == isFolder {
		return b.pythonPath(path.Join(of.name, name))
	}
	module := of.file
	if visited[module.Path] || b.fuel <= 0 {
		return value{}
	}
	visited[module.Path] = true
	b.fuel--
	names, stars := module.Names, module.Stars
	if module.Exports != nil {
		names, stars = module.Exports, module.Again
	}
	if holds := names[name]; holds != nil {
		if target := b.eval(module, holds); target.kind != isUnknown {
			return target
		}
	}
	if exportEquals := module.Exports["="]; exportEquals != nil && name != "default" {
		if v := b.eval(module, exportEquals); v.kind != isModule || v.file != module {
			return b.lookup(v, name)
		}
	}
	if name == "default" && module.Exports != nil { // export * leaves it out
		return value{}
	}
	if target := b.starred(module, stars, name, visited); target.kind != isUnknown || path.Base(module.Path) != "__init__.py" {
		return target
	}
	return b.pythonPath(path.Join(path.Dir(module.Path), name))
}

// starred returns the value of a name in the modules and types that a file takes over.
func (b *binder) starred(file *syntax.Places, stars []*syntax.Expr, name string, visited map[string]bool) value {
	if file.Language == "python" { // the last import of a name is the one that counts
		stars = slices.Clone(stars)
		slices.Reverse(stars)
	}
	for _, star := range stars {
		b.fuel--
		target := value{}
		switch of := b.eval(file, star); of.kind {
		case isModule:
			target = b.exported(of, name, visited)
		case isDeclared:
			target = b.lookup(of, name)
		}
		if target.kind != isUnknown {
			return target
		}
	}
	return value{}
}

// importedFiles returns the files that an import names.
func (b *binder) importedFiles(at syntax.Import) []*syntax.Places {
	var file *syntax.Places
	switch family(b.file.Language) {
	case "ecma":
		file = b.ecmaModule(b.file, at.From)
	case "python":
		return b.pythonImported(at)
	case "rust", "java":
		if of := b.evaluate(b.file, at.Of); of.kind == isModule || of.kind == isDeclared {
			file = of.file
		}
	case "c":
		file = b.header(b.file, at.From)
	}
	if file == nil {
		return nil
	}
	return []*syntax.Places{file}
}

// partsOf returns the parts of a class: its declaration, then for Rust the parts
// (class.Of) in all files that refer to it.
func (b *binder) partsOf(file *syntax.Places, class string) []value {
	parts := []value{{file: file, name: class}}
	if file.Language != "rust" {
		return parts
	}
	own := file.Classes[class]
	if own != nil && own.Of != nil {
		if of := b.eval(file, own.Of); of.kind == isDeclared && (of.file != file || of.name != class) {
			return append(b.partsOf(of.file, of.name), parts...)
		}
	}
	others := b.names["part "+symbol.OwnName(class)]
	b.fuel -= len(others)
	for _, other := range others {
		for _, name := range sortedClasses(other) {
			part := other.Classes[name]
			if part.Of == nil || symbol.OwnName(name) != symbol.OwnName(class) || other == file && name == class {
				continue
			}
			if of := b.eval(other, part.Of); of.kind == isDeclared && of.file == file && of.name == class {
				parts = append(parts, value{file: other, name: name})
			}
		}
	}
	return parts
}

// overloads reports whether functions of one name in a language differ by their arguments.
func overloads(language string) bool {
	return language == "java"
}

// overload chooses among functions of one name (f, f~2, …) by the number of arguments. It
// returns unknown if none or several fit.
func (b *binder) overload(v value, call syntax.Call) value {
	function := v.file.Funcs[v.name]
	if function == nil || !overloads(v.file.Language) || call.Args < 0 {
		return v
	}
	base := symbol.Plain(v.name)
	fits := []value{}
	for n := 1; n <= 100; n++ {
		name := base
		if n > 1 {
			name += "~" + strconv.Itoa(n)
		}
		one := v.file.Funcs[name]
		if one == nil {
			break
		}
		if call.Args >= one.Least && (one.Most < 0 || call.Args <= one.Most) {
			fits = append(fits, value{kind: isDeclared, file: v.file, name: name})
		}
	}
	if len(fits) != 1 {
		return value{}
	}
	return fits[0]
}
