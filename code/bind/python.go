package bind

import (
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
)

// pythonModule returns the module that a dotted name means in a file: relative to its
// package, or from where its outermost package lies, or from the root or src.
func (b *binder) pythonModule(file *syntax.Places, from string) value {
	bare := strings.TrimLeft(from, ".")
	if up := len(from) - len(bare); up > 0 {
		folder := path.Dir(file.Path)
		for range up - 1 {
			if folder == "." {
				return value{}
			}
			folder = path.Dir(folder)
		}
		return b.pythonPath(path.Join(folder, strings.ReplaceAll(bare, ".", "/")))
	}
	root := path.Dir(file.Path)
	for root != "." && b.files[path.Join(root, "__init__.py")] != nil {
		root = path.Dir(root)
	}
	for _, folder := range []string{root, ".", "src"} {
		if target := b.pythonPath(path.Join(folder, strings.ReplaceAll(from, ".", "/"))); target.kind != isUnknown {
			return target
		}
	}
	return value{}
}

// pythonPath returns the module at a path without its end: a file, a package, or a
// folder that has modules in it.
func (b *binder) pythonPath(at string) value {
	for _, name := range []string{path.Join(at, "__init__.py"), at + ".py", at + ".pyi"} {
		if file := b.files[name]; file != nil {
			return value{kind: isModule, file: file}
		}
	}
	if at != "." && len(b.names["folder "+at]) > 0 {
		return value{kind: isFolder, name: at}
	}
	return value{}
}

// pythonImport returns what an imported name stands for.
func (b *binder) pythonImport(file *syntax.Places, from, name string) value {
	module := b.pythonModule(file, from)
	if name == "*" {
		if module.kind == isUnknown {
			return value{kind: isForeign, name: from}
		}
		return module
	}
	if module.kind == isUnknown {
		return value{kind: isForeign, name: name}
	}
	return b.pythonExport(module, name, map[string]bool{})
}

// pythonExport returns what a module has under a name: its own, that of a module all
// of whose names it imports, or a module in its package.
func (b *binder) pythonExport(of value, name string, been map[string]bool) value {
	if of.kind == isFolder {
		return b.pythonPath(path.Join(of.name, name))
	}
	module := of.file
	if been[module.Path] || b.fuel <= 0 {
		return value{}
	}
	been[module.Path] = true
	b.fuel--
	if holds := module.Names[name]; holds != nil {
		if target := b.eval(module, holds); target.kind != isUnknown {
			return target
		}
	}
	for _, star := range module.Stars {
		if next := b.pythonModule(module, star.From); next.kind == isModule {
			if target := b.pythonExport(next, name, been); target.kind != isUnknown {
				return target
			}
		}
	}
	if path.Base(module.Path) == "__init__.py" {
		return b.pythonPath(path.Join(path.Dir(module.Path), name))
	}
	return value{}
}

// pythonOutside returns what a name means that a file takes from a module with *.
func (b *binder) pythonOutside(file *syntax.Places, name string) value {
	for _, star := range file.Stars {
		if module := b.pythonModule(file, star.From); module.kind == isModule {
			if target := b.pythonExport(module, name, map[string]bool{file.Path: true}); target.kind != isUnknown {
				return target
			}
		}
	}
	return value{kind: isForeign, name: name}
}

// pythonImported returns the files that an import names: a module, and the modules
// that it takes out of a package.
func (b *binder) pythonImported(at syntax.Import) []*syntax.Places {
	all := []*syntax.Places{}
	module := b.pythonModule(b.file, at.From)
	if module.kind == isModule {
		all = append(all, module.file)
	}
	if at.Name != "" && (module.kind == isFolder || module.kind == isModule && path.Base(module.file.Path) == "__init__.py" && module.file.Names[at.Name] == nil) {
		folder := module.name
		if module.kind == isModule {
			folder = path.Dir(module.file.Path)
		}
		if inner := b.pythonPath(path.Join(folder, at.Name)); inner.kind == isModule {
			all = append(all, inner.file)
		}
	}
	return all
}

var pythonLists = []string{"list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence", "Collection", "Iterable", "Iterator", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "Deque", "deque", "AbstractSet", "MutableSet"}

var pythonMaps = []string{"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"}

func (b *binder) pythonElement(of value, how string) value {
	switch {
	case slices.Contains(pythonLists, of.name):
		return of.args[0]
	case slices.Contains([]string{"Tuple", "tuple"}, of.name) && len(of.args) < 3:
		return of.args[0]
	case slices.Contains(pythonMaps, of.name) && len(of.args) == 2:
		if how == "each" {
			return of.args[1]
		}
		return of.args[0]
	}
	return value{}
}

// enteredValue returns what with gives of a value.
func (b *binder) enteredValue(of value) value {
	if of.kind == isMade && slices.Contains([]string{"Iterator", "Generator", "Iterable", "AsyncIterator", "AsyncGenerator", "ContextManager", "AbstractContextManager", "AsyncContextManager"}, of.name) && len(of.args) > 0 {
		return b.content(of.args[0])
	}
	for _, name := range []string{"__enter__", "__aenter__"} {
		if made := b.lookup(of, name); made.kind == isDeclared {
			given := b.resultOf(made)
			if given.kind == isInstance && of.kind == isInstance && b.inherits(of, given) {
				return of // it gives itself
			}
			return b.awaitedValue(given)
		}
	}
	return value{}
}

// inherits reports whether a class is another or made from it.
func (b *binder) inherits(of, base value) bool {
	for depth := 0; depth < 20 && of.kind == isInstance; depth++ {
		if of.same(base) {
			return true
		}
		class := of.file.Classes[of.name]
		if class == nil || len(class.Parents) == 0 {
			return false
		}
		of = b.classOf(b.eval(of.file, class.Parents[0].Type))
	}
	return false
}

func (b *binder) pythonBuiltin(of value, name string) value {
	if !slices.Contains(pythonMaps, of.name) || len(of.args) != 2 {
		if slices.Contains(pythonLists, of.name) && len(of.args) == 1 {
			switch name {
			case "pop", "popleft", "__next__":
				return of.args[0]
			case "copy":
				return of
			}
		}
		return value{}
	}
	switch name {
	case "get", "pop", "setdefault":
		return of.args[1]
	case "values":
		return value{kind: isMade, name: "list", args: of.args[1:]}
	case "keys":
		return value{kind: isMade, name: "list", args: of.args[:1]}
	case "items":
		return value{kind: isMade, name: "list", args: []value{{kind: isMade, name: "[]", args: of.args}}}
	}
	return value{}
}
