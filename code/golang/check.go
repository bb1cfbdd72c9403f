package golang

import (
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"hence/code/symbol"
	"hence/internal/components"
	"hence/internal/lists"
)

var errUnknownPackage = errors.New("the package is not in the repository")

// Check returns the references of the wanted files, in the order of paths and places.
// The files are all Go files and all go.mod of a repository, by their paths; wanted nil
// means all. left has the paths of files that would take too much work: they have no
// references, see findHeavy. The references of a file depend on the file, on the surfaces of all others,
// and on each go.mod. So if every changed file keeps its symbol.File.Surface, only the
// changed files have to be checked again; otherwise all Go files.
//
// References within generated files, and to declarations in them, are left out, except
// imports. The error is that of the context.
func Check(ctx context.Context, files map[string][]byte, wanted func(path string) bool) (references []symbol.Reference, left []string, err error) {
	t := readTree(files)
	if wanted == nil {
		wanted = func(string) bool { return true }
	}
	b := &binder{tree: t, outside: findOutside(t), wanted: wanted}
	b.declared = b.declarations()
	if err := b.bind(ctx); err != nil {
		return nil, nil, err
	}
	return b.result(), slices.Sorted(maps.Keys(t.heavy)), nil
}

// binder checks the packages of a tree twice. The first check, declarations, is of the
// declarations of each package, when one that imports it needs them. The second check, bind,
// is of each folder with its tests, the bodies of the wanted files, and the files of other
// systems. It can take the folders in any order, and frees the memory of each afterwards.
type binder struct {
	*tree
	outside outside
	wanted  func(string) bool

	declared map[string]func() *types.Package // the first check, by folder

	mu         sync.Mutex
	references []symbol.Reference
	classes    []class
	contracts  []class // interfaces
}

// unit is a set of files that is type-checked as one package.
type unit struct {
	path     string // of the package, unique in the tree
	name     string
	sources  []*source
	platform platform
}

// typesPath returns a path of a package for the type checker. It differs from the path of
// every outside package and of every other package of the folder.
func typesPath(s *source) string { return "./" + s.module + "#" + s.pkg }

// principal returns the package of a folder that other folders import: files that are not
// tests, of one package name and one platform, which is linux/amd64 if there are any. The
// unit is empty if the folder has only tests.
func principal(sources []*source) unit {
	var best *source
	for _, s := range sources { // see tree.folders for the order
		if s.test {
			continue
		}
		if best == nil || best.pkg == "main" && s.pkg != "main" && s.limit.allows(reference) == best.limit.allows(reference) {
			best = s
		}
	}
	if best == nil {
		return unit{}
	}
	u := unit{path: typesPath(best), name: best.pkg, platform: best.limit.platform()}
	for _, s := range sources {
		if !s.test && s.pkg == best.pkg && s.limit.allows(u.platform) {
			u.sources = append(u.sources, s)
		}
	}
	return u
}

// declarations returns, by folder, functions that check the declarations of the package that
// other folders import, each when it is first called. Packages that import each other, as only
// broken code does, do not see each other.
func (b *binder) declarations() map[string]func() *types.Package {
	units, next := map[string]unit{}, map[string][]string{}
	for folder, sources := range b.folders {
		units[folder] = principal(sources)
		for _, s := range units[folder].sources {
			for _, i := range s.imports {
				next[folder] = append(next[folder], b.folderOf(i.path, s))
			}
		}
	}
	cycle := components.Number(next)
	all := map[string]func() *types.Package{}
	for folder, u := range units {
		if len(u.sources) == 0 {
			continue
		}
		all[folder] = sync.OnceValue(func() *types.Package {
			files := []*ast.File{}
			for _, s := range u.sources {
				if file := b.parse(s); file != nil {
					// The lines of this parse are never read; dropping them saves memory.
					b.set.File(file.FileStart).SetLines([]int{0})
					files = append(files, withoutBodies(file))
				}
			}
			return check(b.set, u, files, b.importer(folder, func(imported string) *types.Package {
				if cycle[imported] == cycle[folder] {
					return nil
				}
				return b.declaredIn(imported)
			}), nil)
		})
	}
	return all
}

// declaredIn returns the declarations of the package of a folder; nil if it has only tests.
func (b *binder) declaredIn(folder string) *types.Package {
	if declared := b.declared[folder]; declared != nil {
		return declared()
	}
	return nil
}

// mustBind reports whether a folder has wanted files, or types that decide which
// interfaces the types of the wanted files implement.
func (b *binder) mustBind(folder string) bool {
	return slices.ContainsFunc(b.folders[folder], func(s *source) bool { return s.surveyed || b.wanted(s.path) })
}

// importer returns the importer for the files of a folder. It calls inside for packages of
// the repository.
func (b *binder) importer(folder string, inside func(folder string) *types.Package) types.Importer {
	return importerFunc(func(importPath string) *types.Package {
		if imported := b.folderOf(importPath, b.folders[folder][0]); imported != "" {
			return inside(imported)
		}
		return b.outside[importPath]
	})
}

// importerFunc returns the package of an import path; nil if there is none.
type importerFunc func(string) *types.Package

func (f importerFunc) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := f(importPath); pkg != nil {
		return pkg, nil
	}
	return nil, errUnknownPackage
}

// check type-checks files and ignores errors in them. A nil info leaves out the bodies of
// functions.
func check(set *token.FileSet, u unit, files []*ast.File, imports types.Importer, info *types.Info) (pkg *types.Package) {
	config := types.Config{
		IgnoreFuncBodies:         info == nil,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Importer:                 imports,
		Sizes:                    types.SizesFor("gc", "amd64"),
		Error:                    func(error) {},
	}
	pkg = types.NewPackage(u.path, u.name)
	defer func() {
		// If the type checker panics, only this package is incomplete.
		_ = recover()
	}()
	_ = types.NewChecker(&config, set, pkg, info).Files(files)
	return pkg
}

// bind runs the second check of each folder that mustBind selects, in parallel. When ctx is done it stops.
func (b *binder) bind(ctx context.Context) error {
	folders := slices.DeleteFunc(slices.Collect(maps.Keys(b.folders)), func(folder string) bool { return !b.mustBind(folder) })
	lists.InParallel(len(folders), func(i int) {
		if ctx.Err() == nil {
			b.bindFolder(folders[i])
		}
	})
	return ctx.Err()
}

// maxBuilds is the largest number of builds in which one package is checked; files that
// are in none of them have no references. The package runtime of Go needs fewer.
const maxBuilds = 100

// bindFolder type-checks the packages of a folder, and adds their references. Build
// constraints may keep files of a package out of a build, so it checks the package in a
// build for its first file, then in builds for the files that are still unchecked, at most
// maxBuilds in total. An external test package (name_test) imports the package as the first
// build has it, with internal test files.
func (b *binder) bindFolder(folder string) {
	packages := map[string]*types.Package{} // of the first build, by name
	for _, name := range packagesOf(b.folders[folder]) {
		v := visit{binder: b, folder: folder, syntax: map[*source]*ast.File{}, methods: map[*types.Func]*method{}}
		sources := []*source{}
		for _, s := range b.folders[folder] {
			if s.pkg != name {
				continue
			}
			if file := b.parse(s); file != nil {
				if s.limit.generated || !v.wanted(s.path) {
					file = withoutBodies(file)
				}
				v.syntax[s], sources = file, append(sources, s)
			}
		}
		if len(sources) > 0 && sources[0].external {
			v.own = packages[strings.TrimSuffix(name, "_test")]
		}
		for unchecked, builds := slices.Clone(sources), 0; len(unchecked) > 0 && builds < maxBuilds; builds++ {
			u := unit{path: typesPath(sources[0]), name: name, platform: unchecked[0].limit.platform()}
			fresh := map[*source]bool{}
			for _, s := range sources {
				if s.limit.allows(u.platform) || s == unchecked[0] {
					u.sources = append(u.sources, s)
					fresh[s] = slices.Contains(unchecked, s)
				}
			}
			pkg := v.check(u, fresh)
			if packages[name] == nil {
				packages[name] = pkg
			}
			unchecked = slices.DeleteFunc(unchecked, func(s *source) bool { return fresh[s] })
		}
		defer func() { // free the positions of the files
			for _, file := range v.syntax {
				v.set.RemoveFile(v.set.File(file.FileStart))
			}
		}()
	}
}

// packagesOf returns the names of the packages in a folder, external tests last.
func packagesOf(sources []*source) (names []string) {
	external := map[string]bool{}
	for _, s := range sources {
		if !slices.Contains(names, s.pkg) {
			names = append(names, s.pkg)
			external[s.pkg] = s.external
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(rankOf(external[a], a), rankOf(external[b], b)) })
	return names
}

// visit is the second check of a package.
type visit struct {
	*binder
	folder string
	syntax map[*source]*ast.File // with bodies until they have been checked
	own    *types.Package        // for an external test: the package that it tests

	methods map[*types.Func]*method // see method
}

// check checks a unit, and adds the references, classes and contracts of the fresh files.
func (v *visit) check(u unit, fresh map[*source]bool) *types.Package {
	files, whole := []*ast.File{}, map[*source]*ast.File{}
	for _, s := range u.sources {
		files = append(files, v.syntax[s])
		if fresh[s] {
			whole[s] = v.syntax[s]
			v.syntax[s] = withoutBodies(v.syntax[s])
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg := check(v.set, u, files, v.importer(v.folder, func(imported string) *types.Package {
		if imported == v.folder && v.own != nil {
			return v.own
		}
		return v.declaredIn(imported)
	}), info)
	references := []symbol.Reference{}
	for s, file := range whole {
		if v.wanted(s.path) {
			references = append(references, v.refer(s, file, info.Uses)...)
		}
	}
	classes, contracts := v.survey(pkg, whole)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.references = append(v.references, references...)
	v.classes, v.contracts = append(v.classes, classes...), append(v.contracts, contracts...)
	return pkg
}

// result returns the references in order. Of equal ones in a file it returns the first.
func (b *binder) result() []symbol.Reference {
	b.references = append(b.references, b.findImplemented()...)
	slices.SortFunc(b.references, func(x, y symbol.Reference) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.Start, y.Start), strings.Compare(string(x.To), string(y.To)),
			strings.Compare(string(x.From), string(y.From)), strings.Compare(x.Kind, y.Kind), strings.Compare(x.Rel, y.Rel))
	})
	seen, path := map[symbol.Reference]bool{}, ""
	return slices.DeleteFunc(b.references, func(r symbol.Reference) bool {
		if r.Path != path {
			clear(seen)
			path = r.Path
		}
		bare := symbol.Reference{From: r.From, To: r.To, Kind: r.Kind, Rel: r.Rel}
		repeated := seen[bare]
		seen[bare] = true
		return repeated
	})
}
