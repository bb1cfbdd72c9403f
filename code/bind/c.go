package bind

import (
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
)

// standardHeaders are those of C23.
var standardHeaders = strings.Fields(`<assert.h> <complex.h> <ctype.h> <errno.h> <fenv.h> <float.h> <inttypes.h> <iso646.h> <limits.h> <locale.h> <math.h>
<setjmp.h> <signal.h> <stdalign.h> <stdarg.h> <stdatomic.h> <stdbit.h> <stdbool.h> <stdckdint.h> <stddef.h> <stdint.h> <stdio.h> <stdlib.h>
<stdnoreturn.h> <string.h> <tgmath.h> <threads.h> <time.h> <uchar.h> <wchar.h> <wctype.h>`)

// header returns the file that an #include names: relative to the file, or the only file
// of the repository whose path ends with the name; nil if there is none or several. A name in angle brackets
// is not relative to the file, and that of a standard header is the compiler's.
func (b *binder) header(file *syntax.Places, from string) *syntax.Places {
	name := strings.Trim(from, "<>")
	if other := b.files[path.Join(path.Dir(file.Path), name)]; other != nil && name == from {
		return other
	}
	if slices.Contains(standardHeaders, from) {
		return nil
	}
	from = name
	end := strings.TrimLeft(path.Clean(from), "./")
	var other *syntax.Places
	b.work += len(b.names["base "+path.Base(from)])
	for _, one := range b.names["base "+path.Base(from)] {
		if one.Path != end && !strings.HasSuffix(one.Path, "/"+end) || one.Language != "c" {
			continue
		}
		if other != nil {
			return nil
		}
		other = one
	}
	return other
}

// firstBelow looks a name up in the files that a file imports, directly or not, in
// breadth-first order, and returns its value in the first file that has it.
func (b *binder) firstBelow(file *syntax.Places, name string) value {
	for i, here := range b.filesBelow(file) {
		if i%20 == 0 {
			b.fuel-- // a look-up costs much less than a step of eval
		}
		if holds := here.Names[name]; holds != nil {
			return b.eval(here, holds)
		}
	}
	return value{kind: isForeign, name: name}
}

// filesBelow returns the files that a file imports, directly or not, at most as many as the
// fuel of a place.
func (b *binder) filesBelow(file *syntax.Places) []*syntax.Places {
	if all, known := b.below[file.Path]; known {
		return all
	}
	visited := map[string]bool{file.Path: true}
	all := []*syntax.Places{file}
	for at := 0; at < len(all) && len(all) < fuel; at++ {
		b.work += len(all[at].Imports)
		for _, place := range all[at].Imports {
			if other := b.header(all[at], place.From); other != nil && !visited[other.Path] {
				visited[other.Path] = true
				all = append(all, other)
			}
		}
	}
	b.below[file.Path] = all[1:]
	return all[1:]
}

// extern returns the definition of a function that a file declares. Among several it
// chooses the one in a file with the same path but for the extension, else with the same
// base name, else the only one; unknown if that leaves several.
func (b *binder) extern(file *syntax.Places, name string) value {
	all := b.names["extern "+name]
	b.fuel -= len(all)
	stem := func(of *syntax.Places) string { return strings.TrimSuffix(of.Path, path.Ext(of.Path)) }
	for _, same := range []func(*syntax.Places) bool{
		func(other *syntax.Places) bool { return stem(other) == stem(file) },
		func(other *syntax.Places) bool { return path.Base(stem(other)) == path.Base(stem(file)) },
		func(*syntax.Places) bool { return true },
	} {
		fits := slices.DeleteFunc(slices.Clone(all), func(other *syntax.Places) bool { return !same(other) })
		switch len(fits) {
		case 0:
			continue
		case 1:
			return value{kind: isDeclared, file: fits[0], name: name}
		}
		return value{}
	}
	return value{}
}
