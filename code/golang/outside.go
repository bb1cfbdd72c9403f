package golang

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"hence/internal/pattern"
)

// outside holds the imported packages that are not in the repository, by path. A package
// of the standard library has all its declarations. Any other package has the types that
// the repository's text names, without fields and methods.
type outside map[string]*types.Package

// findOutside makes the packages that a tree imports from outside.
func findOutside(t *tree) outside {
	o := outside{}
	mentionsByPath := map[string]map[string]mention{}                                       // types by path and name
	names := map[string]string{}                                                            // of packages by path: the first in the alphabet that a file uses
	isStd := slices.ContainsFunc(t.modules, func(m module) bool { return m.path == "std" }) // the repository is Go itself, of any version
	for _, s := range t.sources {
		for _, i := range s.imports {
			if t.folderOf(i.path, s) != "" {
				continue
			}
			if pkg := importStandard(i.path); pkg != nil && !isStd {
				o[i.path] = pkg
				continue
			}
			if mentionsByPath[i.path] == nil {
				mentionsByPath[i.path] = map[string]mention{}
			}
			if known := names[i.path]; i.name != "" && (known == "" || i.name < known) {
				names[i.path] = i.name
			}
		}
	}
	for _, s := range t.sources {
		for _, m := range s.types {
			if known := mentionsByPath[m.path]; known != nil {
				m.parameters = max(m.parameters, known[m.name].parameters)
				m.structure = m.structure || known[m.name].structure
				known[m.name] = m
			}
		}
		s.types = nil
	}
	for importPath, mentions := range mentionsByPath {
		o[importPath] = makeOutside(importPath, cmp.Or(names[importPath], packageNames(importPath)[0]), mentions)
	}
	return o
}

var versionElement = pattern.Lazy(`^v\d+$`)

// packageNames returns the names that a package of an import path may have, at least one,
// the likeliest first.
func packageNames(importPath string) (names []string) {
	last := path.Base(importPath)
	if parent := path.Base(path.Dir(importPath)); versionElement().MatchString(last) && parent != "." && parent != "/" {
		names, last = append(names, ""), parent
	}
	last, _, _ = strings.Cut(last, ".v")
	bare := strings.TrimSuffix(strings.TrimSuffix(last, "-go"), ".go")
	bare = strings.TrimPrefix(strings.TrimPrefix(bare, "go-"), "go.")
	all := append(names[:0], last, bare, strings.ReplaceAll(bare, "-", ""), strings.ReplaceAll(bare, "-", "_"), bare[strings.LastIndexAny(bare, "-.")+1:])
	if first, _, ok := strings.Cut(bare, "-"); ok {
		all = append(all, first)
	}
	valid := all[:0]
	for _, name := range all {
		if token.IsIdentifier(name) && !slices.Contains(valid, name) {
			valid = append(valid, name)
		}
	}
	if len(valid) == 0 {
		return []string{"outside"}
	}
	return valid
}

// makeOutside makes a package whose types have only a name. A type is an empty structure
// if the text has literals of it or pointers to it, so that these can be checked, else an
// empty interface, so that type assertions can be checked.
func makeOutside(importPath, name string, mentions map[string]mention) *types.Package {
	pkg := types.NewPackage(importPath, name)
	for _, name := range slices.Sorted(maps.Keys(mentions)) {
		m := mentions[name]
		var underlying types.Type = types.NewInterfaceType(nil, nil).Complete()
		if m.structure {
			underlying = types.NewStruct(nil, nil)
		}
		object := types.NewTypeName(token.NoPos, pkg, name, nil)
		named := types.NewNamed(object, underlying, nil)
		list := []*types.TypeParam{}
		for range m.parameters {
			parameter := types.NewTypeName(token.NoPos, pkg, "T", nil)
			list = append(list, types.NewTypeParam(parameter, types.Universe.Lookup("any").Type()))
		}
		named.SetTypeParams(list)
		pkg.Scope().Insert(object)
	}
	pkg.MarkComplete()
	return pkg
}

// isOpaque reports whether only the name of a type is known.
func (o outside) isOpaque(t *types.Named) bool {
	pkg := t.Obj().Pkg()
	return pkg != nil && o[pkg.Path()] == pkg && importStandard(pkg.Path()) != pkg
}
