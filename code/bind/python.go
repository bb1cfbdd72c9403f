package bind

import (
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
)

// pythonModule returns the module that a dotted name refers to in a file: relative to its
// package, or in the folder of its outermost package, the root or src.
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

// pythonPath returns the module at a path without extension: a package, a file, or a folder
// that holds modules.
func (b *binder) pythonPath(bare string) value {
	if file := b.first(nil, path.Join(bare, "__init__.py"), bare+".py", bare+".pyi"); file != nil {
		return value{kind: isModule, file: file}
	}
	if bare != "." && len(b.names["folder "+bare]) > 0 {
		return value{kind: isFolder, name: bare}
	}
	return value{}
}

// pythonImport returns the value of a name that is imported from a module; "*" is the
// module itself. It is foreign if the module is not in the repository.
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
	return b.exportOf(module, name)
}

// pythonImported returns the files that an import names: a module, and a module that it
// imports from a package.
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

// enteredValue returns the value that a with statement assigns for a context manager.
func (b *binder) enteredValue(of value) value {
	if of.kind == isMade && slices.Contains(managers, of.name) && len(of.args) > 0 {
		return b.content(of.args[0])
	}
	for _, name := range []string{"__enter__", "__aenter__"} {
		if method := b.lookup(of, name); method.kind == isDeclared {
			result := b.resultOf(method)
			if result.kind == isInstance && of.kind == isInstance && b.inherits(of, result) {
				return of // __enter__ of a base class returns self
			}
			return b.awaited(result, "")
		}
	}
	return value{}
}

// inherits reports whether a class is base or derives from it by first parents.
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
