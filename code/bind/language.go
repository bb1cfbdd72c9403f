package bind

import (
	"maps"
	"slices"

	"hence/code/syntax"
)

// spot returns where a declaration of the file has its name; false if there is none.
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

// outside returns what a name means that the file's own scope does not have.
func (b *binder) outside(file *syntax.Places, name string) value {
	if file.Language == "python" {
		return b.pythonOutside(file, name)
	}
	return value{kind: isForeign, name: name}
}

// imported returns what an import of a file stands for.
func (b *binder) imported(file *syntax.Places, from, name string) value {
	switch family(file.Language) {
	case "ecma":
		return b.ecmaImport(file, from, name)
	case "python":
		return b.pythonImport(file, from, name)
	}
	return value{}
}

// exported returns what a module gives under a name.
func (b *binder) exported(of value, name string) value {
	if of.kind == isFolder {
		return b.pythonExport(of, name, map[string]bool{})
	}
	if of.kind == isModule {
		switch family(of.file.Language) {
		case "ecma":
			return b.ecmaExport(of.file, name, map[string]bool{})
		case "python":
			return b.pythonExport(of, name, map[string]bool{})
		}
	}
	return value{}
}

// importedFiles returns the files that an import names.
func (b *binder) importedFiles(at syntax.Import) []*syntax.Places {
	switch family(b.file.Language) {
	case "ecma":
		if module := b.ecmaModule(b.file, at.From); module != nil {
			return []*syntax.Places{module}
		}
	case "python":
		return b.pythonImported(at)
	}
	return nil
}

// partsOf returns the declarations that make up a class, the first in its file.
func (b *binder) partsOf(file *syntax.Places, class string) []value {
	return []value{{file: file, name: class}}
}

// overload chooses among functions of one name by the number of arguments.
func (b *binder) overload(v value, call syntax.Call) value { return v }

func externs(places *syntax.Places) []string { return nil }
