package golang

import (
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// outside holds the packages that the repository imports and does not hold. Those of
// the standard library have their declarations. Each other one has the types that the
// repository's text names, with nothing known of them but that they are different types.
type outside map[string]*types.Package

// findOutside makes the packages that a tree imports from elsewhere.
func findOutside(t *tree) outside {
	o := outside{}
	named := map[string]map[string]mention{}                                              // types by path and name
	heard := map[string]map[string]int{}                                                  // names of packages by path: in how many files
	own := slices.ContainsFunc(t.modules, func(m module) bool { return m.path == "std" }) // of whatever version
	for _, s := range t.sources {
		for _, i := range s.imports {
			if t.folderOf(i.path, s) != "" {
				continue
			}
			if pkg := importStandard(i.path); pkg != nil && !own {
				o[i.path] = pkg
				continue
			}
			if heard[i.path] == nil {
				heard[i.path], named[i.path] = map[string]int{}, map[string]mention{}
			}
			if i.name != "" {
				heard[i.path][i.name]++
			}
		}
	}
	for _, s := range t.sources {
		for _, m := range s.types {
			if known := named[m.path]; known != nil {
				m.parameters = max(m.parameters, known[m.name].parameters)
				m.structure = m.structure || known[m.name].structure
				known[m.name] = m
			}
		}
		s.types = nil
	}
	for of, mentions := range named {
		called, files := packageNames(of)[0], 0
		for _, name := range slices.Sorted(maps.Keys(heard[of])) {
			if n := heard[of][name]; n > files {
				called, files = name, n
			}
		}
		o[of] = makeOutside(of, called, mentions)
	}
	return o
}

var versionElement = regexp.MustCompile(`^v\d+$`)

// packageNames returns the names that a package of a path may have, the likeliest first.
func packageNames(of string) (names []string) {
	last := path.Base(of)
	if parent := path.Base(path.Dir(of)); versionElement.MatchString(last) && parent != "." && parent != "/" {
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

// makeOutside makes a package with types that have nothing but a name: structures,
// so that literals of them can be checked, or interfaces, for what is asserted of them.
func makeOutside(of, name string, mentions map[string]mention) *types.Package {
	pkg := types.NewPackage(of, name)
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

// isOpaque tells whether nothing is known of a type but its name.
func (o outside) isOpaque(t *types.Named) bool {
	pkg := t.Obj().Pkg()
	return pkg != nil && o[pkg.Path()] == pkg && importStandard(pkg.Path()) != pkg
}
