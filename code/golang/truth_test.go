package golang_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"hence/code/golang"
	"hence/code/symbol"
)

// The truth about a repository is what the go command and go/packages say of it, with
// all that it imports compiled. Both sides write a declaration as its file, its line
// and its name.

// pair is an edge of the truth or of ours.
type pair struct{ from, to string }

type truth struct {
	calls      map[pair]bool
	implements map[pair]bool
	files      map[string]bool // that the go command builds here, tests included
	failed     int             // packages with errors
}

// loadTruth asks go/packages.
func loadTruth(t testing.TB, root string) truth {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: root, Tests: true, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	said := truth{calls: map[pair]bool{}, implements: map[pair]bool{}, files: map[string]bool{}}
	classes, contracts := map[string]*types.Named{}, map[string]*types.Named{}
	for _, pkg := range loaded {
		if strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		if len(pkg.Errors) > 0 {
			said.failed++
			t.Log(pkg.ID, pkg.Errors[0])
		}
		w := witness{pkg.Fset, root}
		for _, file := range pkg.Syntax {
			said.files[w.path(file.FileStart)] = true
			w.calls(file, pkg.TypesInfo, said.calls)
		}
		if pkg.Types != nil {
			w.types(pkg.ID, pkg.Types, classes, contracts)
		}
	}
	implementing(classes, contracts, said.implements)
	return said
}

// witness writes places of one file set.
type witness struct {
	set  *token.FileSet
	root string
}

func (w witness) path(pos token.Pos) string {
	file := w.set.File(pos)
	if file == nil {
		return ""
	}
	rel, err := filepath.Rel(w.root, file.Name())
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (w witness) place(object types.Object) string {
	if !object.Pos().IsValid() || w.path(object.Pos()) == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%s", w.path(object.Pos()), w.set.PositionFor(object.Pos(), false).Line, object.Name())
}

// calls finds the calls of functions and methods.
func (w witness) calls(file *ast.File, info *types.Info, found map[pair]bool) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || info.Defs[f.Name] == nil {
			continue
		}
		from := w.place(info.Defs[f.Name])
		ast.Inspect(f, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if callee, ok := typeutil.Callee(info, call).(*types.Func); ok && isDeclared(callee) {
				if to := w.place(callee.Origin()); to != "" && to != from {
					found[pair{from, to}] = true
				}
			}
			return true
		})
	}
}

// isDeclared tells whether a function or method is one of a package: not of an interface
// without a name or within a function.
func isDeclared(f *types.Func) bool {
	receiver := f.Signature().Recv()
	if receiver == nil {
		return true
	}
	t := types.Unalias(receiver.Type())
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Parent() == named.Obj().Pkg().Scope()
}

func (w witness) types(id string, pkg *types.Package, classes, contracts map[string]*types.Named) {
	for _, name := range pkg.Scope().Names() {
		object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		named, ok := object.Type().(*types.Named)
		if !ok {
			continue
		}
		it, ok := named.Underlying().(*types.Interface)
		switch {
		case !ok:
			classes[w.place(object)+" "+id] = named
		case it.NumMethods() > 0 && it.IsMethodSet() && !it.IsComparable() && named.TypeParams().Len() == 0:
			contracts[w.place(object)+" "+id] = named
		}
	}
}

// implementing compares each type with each interface. Packages that were loaded twice,
// with their tests and without, have types of their own each time; one pair is enough.
func implementing(classes, contracts map[string]*types.Named, found map[pair]bool) {
	for class, c := range classes {
		for contract, i := range contracts {
			if types.Implements(types.NewPointer(c), i.Underlying().(*types.Interface)) {
				found[pair{strings.Fields(class)[0], strings.Fields(contract)[0]}] = true
			}
		}
	}
}

// readFolder reads the Go files and go.mod of a folder.
func readFolder(t testing.TB, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != root && (name == "testdata" || name == "vendor" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") && d.Name() != "go.mod" {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readAll reads the declarations of all files, numbered.
func readAll(files map[string][]byte) []symbol.File {
	read := []symbol.File{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(path, ".go") {
			read = append(read, golang.Read(path, files[path]))
		}
	}
	golang.Number(read)
	return read
}

// ours returns calls and implementations as the truth writes them, those between the
// files that the go command builds here.
func ours(t testing.TB, files map[string][]byte, built map[string]bool) (calls, implements map[pair]bool) {
	t.Helper()
	places := map[symbol.Key]string{}
	for _, f := range readAll(files) {
		for _, d := range f.Declarations {
			name, _, _ := strings.Cut(d.Name[strings.LastIndexByte(d.Name, '.')+1:], "~")
			if built[f.Path] && d.Sort != symbol.Var && d.Sort != symbol.Const {
				places[symbol.KeyOf(f.Module, d.Name)] = fmt.Sprintf("%s:%d:%s", f.Path, d.StartLine, name)
			}
		}
	}
	references, err := golang.Check(t.Context(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls, implements = map[pair]bool{}, map[pair]bool{}
	for _, r := range references {
		from, to := places[r.From], places[r.To]
		switch {
		case from == "" || to == "":
		case r.Kind == "calls":
			calls[pair{from, to}] = true
		case r.Kind == "implements" && r.Rel == "":
			implements[pair{from, to}] = true
		}
	}
	return calls, implements
}

// score returns precision and recall, and logs some of what differs.
func score(t testing.TB, what string, got, want map[pair]bool) (precision, recall float64) {
	t.Helper()
	right, wrong, missed := 0, []string{}, []string{}
	for p := range got {
		if want[p] {
			right++
		} else {
			wrong = append(wrong, p.from+" → "+p.to)
		}
	}
	for p := range want {
		if !got[p] {
			missed = append(missed, p.from+" → "+p.to)
		}
	}
	if os.Getenv("SHOW") != "" {
		slices.Sort(wrong)
		slices.Sort(missed)
		for _, w := range wrong[:min(len(wrong), 40)] {
			t.Log(what, "wrong:", w)
		}
		for _, m := range missed[:min(len(missed), 60)] {
			t.Log(what, "missed:", m)
		}
	}
	return float64(right) / max(float64(len(got)), 1), float64(right) / max(float64(len(want)), 1)
}

func TestTruth(t *testing.T) {
	root := os.Getenv("TRUTH")
	if root == "" {
		t.Skip()
	}
	said := loadTruth(t, root)
	files := readFolder(t, root)
	calls, implements := ours(t, files, said.files)
	p, r := score(t, "calls", calls, said.calls)
	t.Logf("calls %d of truth %d: P %.4f R %.4f; failed %d", len(calls), len(said.calls), p, r, said.failed)
	for p := range said.calls {
		_ = p
	}
	p, r = score(t, "implements", implements, said.implements)
	t.Logf("implements %d of truth %d: P %.4f R %.4f", len(implements), len(said.implements), p, r)
}
