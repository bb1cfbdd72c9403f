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
	parameters := map[string]map[string]int{} // of types, by path and name
	heard := map[string]map[string]int{}      // names of packages by path: in how many files
	for _, s := range t.sources {
		for _, i := range s.imports {
			if t.folderOf(i.path, s.folder) != "" {
				continue
			}
			if pkg := importStandard(i.path); pkg != nil && !t.isStandardLibrary() {
				o[i.path] = pkg
				continue
			}
			if heard[i.path] == nil {
				heard[i.path], parameters[i.path] = map[string]int{}, map[string]int{}
			}
			if i.name != "" {
				heard[i.path][i.name]++
			}
		}
	}
	for _, s := range t.sources {
		for _, m := range s.types {
			if known := parameters[m.path]; known != nil {
				known[m.name] = max(known[m.name], m.parameters)
			}
		}
		s.types = nil
	}
	for of, types := range parameters {
		o[of] = makeOutside(of, mostHeard(heard[of], packageNames(of)[0]), types)
	}
	return o
}

func mostHeard(heard map[string]int, otherwise string) string {
	best, count := otherwise, 0
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		if heard[name] > count {
			best, count = name, heard[name]
		}
	}
	return best
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
	if first, _, found := strings.Cut(bare, "-"); found {
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

// makeOutside makes a package with types that have nothing but a name. Types are
// structures, so that literals of them can be checked.
func makeOutside(of, name string, parameters map[string]int) *types.Package {
	pkg := types.NewPackage(of, name)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		object := types.NewTypeName(token.NoPos, pkg, name, nil)
		named := types.NewNamed(object, types.NewStruct(nil, nil), nil)
		list := []*types.TypeParam{}
		for range parameters[name] {
			parameter := types.NewTypeName(token.NoPos, pkg, "T", nil)
			list = append(list, types.NewTypeParam(parameter, types.Universe.Lookup("any").Type()))
		}
		named.SetTypeParams(list)
		pkg.Scope().Insert(object)
	}
	pkg.MarkComplete()
	return pkg
}

func (o outside) Import(of string) (*types.Package, error) {
	if pkg, ok := o[of]; ok {
		return pkg, nil
	}
	return nil, errUnknownPackage
}

// isOpaque tells whether nothing is known of a type but its name.
func (o outside) isOpaque(t *types.Named) bool {
	pkg := t.Obj().Pkg()
	return pkg != nil && o[pkg.Path()] == pkg && importStandard(pkg.Path()) != pkg
}
