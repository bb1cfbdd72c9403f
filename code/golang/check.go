package golang

import (
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"hence/code/symbol"
)

var errUnknownPackage = errors.New("the package is not in the repository")

// Check returns the references of the wanted files, in the order of paths and places.
// The files are all Go files and all go.mod of a repository, by their paths; wanted nil
// means all. What it returns for a file depends on the file, on the surfaces of all
// others, and on each go.mod: so where only files changed whose symbol.File.Surface is
// as before, these files are enough, and else all Go files are to be bound again.
//
// References within files that say they are generated, and to declarations in them, are
// left out, but for imports. The error is that of the context.
func Check(ctx context.Context, files map[string][]byte, wanted func(path string) bool) ([]symbol.Reference, error) {
	t := readTree(files)
	if wanted == nil {
		wanted = func(string) bool { return true }
	}
	b := &binder{tree: t, outside: findOutside(t), wanted: wanted, declared: map[string]*types.Package{}}
	if err := b.declare(ctx); err != nil {
		return nil, err
	}
	if err := b.bind(ctx); err != nil {
		return nil, err
	}
	return b.result(), nil
}

// binder checks the packages of a tree twice: first the declarations of each package,
// which others import; then each folder with its tests, the bodies of the wanted files,
// and the files of other systems. The second check can go in any order, and what it
// holds is given back at once.
type binder struct {
	*tree
	outside outside
	wanted  func(string) bool

	declared map[string]*types.Package // by folder

	mu         sync.Mutex
	references []symbol.Reference
	classes    []class
	contracts  []contract
}

// unit is what is type-checked at once.
type unit struct {
	path    string // of the package, unlike that of any other
	name    string
	sources []*source
	of      platform
}

// typesPath names a package for the type checker, unlike any outside package and any
// other package of the folder.
func typesPath(s *source) string { return "./" + s.module + "#" + s.pkg }

// principal returns the package that other folders import: the files of a folder that
// are not tests and have one package's name, those for linux/amd64 if there are any.
func principal(sources []*source) unit {
	var best *source
	for _, s := range sources { // in the order of numbers
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
	u := unit{path: typesPath(best), name: best.pkg, of: best.limit.platform()}
	for _, s := range sources {
		if !s.test && s.pkg == best.pkg && s.limit.allows(u.of) {
			u.sources = append(u.sources, s)
		}
	}
	return u
}

// declare checks the declarations of all packages, each after those that it imports.
func (b *binder) declare(ctx context.Context) error {
	units := map[string]unit{}
	for folder, sources := range b.folders {
		if u := principal(sources); len(u.sources) > 0 {
			units[folder] = u
		}
	}
	order := b.order(units)
	place, done := map[string]int{}, make([]chan struct{}, len(order))
	for i, folder := range order {
		place[folder], done[i] = i, make(chan struct{})
	}
	packages := make([]*types.Package, len(order))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, folder := range order {
		group.Go(func() error {
			defer close(done[i])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			files := []*ast.File{}
			for _, s := range units[folder].sources {
				if file := b.parse(s); file != nil {
					// Its lines are not asked for any more.
					b.set.File(file.FileStart).SetLines([]int{0})
					files = append(files, withoutBodies(file))
				}
			}
			imports := b.importer(folder, func(of string) *types.Package {
				// Packages import each other in a cycle only where the code is broken; then
				// one of them is not there for the other.
				n, ok := place[of]
				if !ok || n >= i {
					return nil
				}
				<-done[n]
				return packages[n]
			})
			packages[i] = check(b.set, units[folder], files, imports, nil)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, folder := range order {
		b.declared[folder] = packages[i]
	}
	return nil
}

// order returns the folders that those to bind import, directly or not, each after
// those that its package imports. The order of all is the same whatever is wanted, so
// that cycles of imports, which are broken code, are cut at the same place.
func (b *binder) order(units map[string]unit) (order []string) {
	importedBy := func(sources []*source) func(func(string) bool) {
		return func(yield func(string) bool) {
			for _, s := range sources {
				for _, i := range s.imports {
					if of := b.folderOf(i.path, s); of != "" && len(units[of].sources) > 0 && !yield(of) {
						return
					}
				}
			}
		}
	}
	entered, needed := map[string]bool{}, map[string]bool{}
	var enter, need func(folder string)
	enter = func(folder string) {
		if !entered[folder] {
			entered[folder] = true
			for of := range importedBy(units[folder].sources) {
				enter(of)
			}
			order = append(order, folder)
		}
	}
	need = func(folder string) {
		if !needed[folder] {
			needed[folder] = true
			for of := range importedBy(units[folder].sources) {
				need(of)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(b.folders)) {
		if len(units[folder].sources) > 0 {
			enter(folder)
		}
		if b.mustBind(folder) {
			for of := range importedBy(b.folders[folder]) {
				need(of)
			}
		}
	}
	return slices.DeleteFunc(order, func(folder string) bool { return !needed[folder] })
}

// mustBind tells whether a folder has wanted files, or types that decide what these
// implement.
func (b *binder) mustBind(folder string) bool {
	return slices.ContainsFunc(b.folders[folder], func(s *source) bool { return s.surveyed || b.wanted(s.path) })
}

// importer finds packages for the files of a folder.
func (b *binder) importer(folder string, inside func(folder string) *types.Package) types.Importer {
	return importerFunc(func(of string) *types.Package {
		if in := b.folderOf(of, b.folders[folder][0]); in != "" {
			return inside(in)
		}
		return b.outside[of]
	})
}

// importerFunc returns the package of a path; nil where there is none.
type importerFunc func(string) *types.Package

func (f importerFunc) Import(of string) (*types.Package, error) {
	if of == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := f(of); pkg != nil {
		return pkg, nil
	}
	return nil, errUnknownPackage
}

// check type-checks files as far as that goes; mistakes in them are not its subject.
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
		// A mistake in the type checker costs the package that it fails on.
		_ = recover()
	}()
	_ = types.NewChecker(&config, set, pkg, info).Files(files)
	return pkg
}

// bind checks each folder by itself.
func (b *binder) bind(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for folder := range b.folders {
		if !b.mustBind(folder) {
			continue
		}
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b.bindFolder(folder)
			return nil
		})
	}
	return group.Wait()
}

// mostBuilds limits in how many builds one package is checked; files that are left over
// then have no references. The package runtime of Go has fewer.
const mostBuilds = 100

// bindFolder checks the packages of a folder: each in the first build that has one of
// its files, then in another that has some of those left over, until all have been
// checked. An external test package imports the package as the tests in it see it.
func (b *binder) bindFolder(folder string) {
	tests := map[string]*types.Package{} // by name, as the first build has them
	for _, name := range packagesOf(b.folders[folder]) {
		v := visit{binder: b, folder: folder, syntax: map[*source]*ast.File{}}
		sources := []*source{}
		for _, s := range b.folders[folder] {
			if s.pkg != name {
				continue
			}
			if file := b.parse(s); file != nil {
				if s.generated || !v.wanted(s.path) {
					file = withoutBodies(file)
				}
				v.syntax[s], sources = file, append(sources, s)
			}
		}
		if len(sources) > 0 && sources[0].external {
			v.own = tests[strings.TrimSuffix(name, "_test")]
		}
		for left, builds := slices.Clone(sources), 0; len(left) > 0 && builds < mostBuilds; builds++ {
			u := unit{path: typesPath(sources[0]), name: name, of: left[0].limit.platform()}
			fresh := map[*source]bool{}
			for _, s := range sources {
				if s.limit.allows(u.of) || s == left[0] {
					u.sources = append(u.sources, s)
					fresh[s] = slices.Contains(left, s)
				}
			}
			pkg := v.check(u, fresh)
			if tests[name] == nil {
				tests[name] = pkg
			}
			left = slices.DeleteFunc(left, func(s *source) bool { return fresh[s] })
		}
		defer func() { // give back the positions of the files
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
	slices.SortFunc(names, func(a, b string) int { return compareRank(external[a], a, external[b], b) })
	return names
}

// visit is the second check of a package.
type visit struct {
	*binder
	folder string
	syntax map[*source]*ast.File // with bodies until they have been checked
	own    *types.Package        // for an external test: the package that it tests
}

// check checks a unit, and keeps what the fresh files refer to.
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
	pkg := check(v.set, u, files, v.importer(v.folder, func(of string) *types.Package {
		if of == v.folder && v.own != nil {
			return v.own
		}
		return v.declared[of]
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

// result returns the references in order, the first of each in a file.
func (b *binder) result() []symbol.Reference {
	b.references = append(b.references, b.findImplemented()...)
	slices.SortFunc(b.references, func(x, y symbol.Reference) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.Start, y.Start), strings.Compare(string(x.To), string(y.To)),
			strings.Compare(string(x.From), string(y.From)), strings.Compare(x.Kind, y.Kind), strings.Compare(x.Rel, y.Rel))
	})
	type pair struct {
		from, to  symbol.Key
		kind, rel string
	}
	seen, of := map[pair]bool{}, ""
	return slices.DeleteFunc(b.references, func(r symbol.Reference) bool {
		if r.Path != of {
			clear(seen)
			of = r.Path
		}
		p := pair{r.From, r.To, r.Kind, r.Rel}
		was := seen[p]
		seen[p] = true
		return was
	})
}
