package bind

import (
	"maps"
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
)

// header returns the file that an #include names: relative to the file, or the only file
// of the repository whose path ends with the name; nil if there is none or several.
func (b *binder) header(file *syntax.Places, from string) *syntax.Places {
	if other := b.files[path.Join(path.Dir(file.Path), from)]; other != nil {
		return other
	}
	end := strings.TrimLeft(path.Clean(from), "./")
	var other *syntax.Places
	for filePath := range b.names["base "+path.Base(from)] {
		if filePath != end && !strings.HasSuffix(filePath, "/"+end) || family(b.files[filePath].Language) != "c" {
			continue
		}
		if other != nil {
			return nil
		}
		other = b.files[filePath]
	}
	return other
}

// firstBelow looks a name up in the files that a file imports, directly or not, in
// breadth-first order, and returns its value in the first file that has it. next returns
// the file that an import names; nil for none.
func (b *binder) firstBelow(file *syntax.Places, name string, next func(in *syntax.Places, from string) *syntax.Places) value {
	visited := map[string]bool{file.Path: true}
	queue := []*syntax.Places{file}
	for len(queue) > 0 && b.fuel > 0 {
		b.fuel--
		here := queue[0]
		queue = queue[1:]
		if here != file {
			if holds := here.Names[name]; holds != nil {
				return b.eval(here, holds)
			}
		}
		for _, place := range here.Imports {
			if other := next(here, place.From); other != nil && !visited[other.Path] {
				visited[other.Path] = true
				queue = append(queue, other)
			}
		}
	}
	return value{kind: isForeign, name: name}
}

// extern returns the definition of a function that a file declares. Among several it
// chooses the one in a file with the same path but for the extension, else with the same
// base name, else the only one; unknown if that leaves several.
func (b *binder) extern(file *syntax.Places, name string) value {
	all := slices.Sorted(maps.Keys(b.names["extern "+name]))
	stem := func(filePath string) string { return strings.TrimSuffix(filePath, path.Ext(filePath)) }
	for _, same := range []func(string) bool{
		func(filePath string) bool { return stem(filePath) == stem(file.Path) },
		func(filePath string) bool { return path.Base(stem(filePath)) == path.Base(stem(file.Path)) },
		func(string) bool { return true },
	} {
		fits := slices.Collect(func(yield func(string) bool) {
			for _, filePath := range all {
				if family(b.files[filePath].Language) == "c" && same(filePath) && !yield(filePath) {
					return
				}
			}
		})
		if len(fits) == 1 {
			return value{kind: isDeclared, file: b.files[fits[0]], name: name}
		}
		if len(fits) > 1 {
			return value{}
		}
	}
	return value{}
}
