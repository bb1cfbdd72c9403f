package golang_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"hence/code/golang"
	"hence/code/symbol"
)

// The truth about a repository comes from the go command and go/packages, with all imports
// compiled. A declaration is written as "file:line:name".

// pair is an edge between two declarations.
type pair struct{ from, to string }

type truth struct {
	calls      map[pair]bool
	implements map[pair]bool
	builtFiles map[string]bool // files that the go command builds here, tests included → the file is not generated
}

// loadTruth returns the truth about a repository, by go/packages.
func loadTruth(t testing.TB, root string) truth {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedCompiledGoFiles
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: root, Tests: true, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	result := truth{calls: map[pair]bool{}, implements: map[pair]bool{}, builtFiles: map[string]bool{}}
	classes, contracts := map[string]*types.Named{}, map[string]*types.Named{}
	for _, pkg := range loaded {
		if strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		if len(pkg.Errors) > 0 {
			t.Logf("%s: %v", pkg.ID, pkg.Errors[0])
		}
		w := fileSet{pkg.Fset, root}
		for _, file := range pkg.Syntax {
			result.builtFiles[w.path(file.FileStart)] = !ast.IsGenerated(file)
			w.calls(file, pkg.TypesInfo, result.calls)
		}
		if pkg.Types != nil {
			w.types(pkg.ID, pkg.Types, classes, contracts)
		}
	}
	addImplementations(classes, contracts, result.implements)
	for _, pairs := range []map[pair]bool{result.calls, result.implements} {
		maps.DeleteFunc(pairs, func(p pair, _ bool) bool { return !result.isWritten(p.from) || !result.isWritten(p.to) })
	}
	return result
}

// isWritten reports whether a declaration is in a file that is built and not generated.
func (t truth) isWritten(place string) bool {
	file, _, _ := strings.Cut(place, ":")
	return t.builtFiles[file]
}

// fileSet is a file set, with the root of the paths to return.
type fileSet struct {
	set  *token.FileSet
	root string
}

func (w fileSet) path(pos token.Pos) string {
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

func (w fileSet) place(object types.Object) string {
	if !object.Pos().IsValid() || w.path(object.Pos()) == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%s", w.path(object.Pos()), w.set.PositionFor(object.Pos(), false).Line, object.Name())
}

// calls adds the calls of functions and methods to pairs.
func (w fileSet) calls(file *ast.File, info *types.Info, pairs map[pair]bool) {
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
					pairs[pair{from, to}] = true
				}
			}
			return true
		})
	}
}

// isDeclared reports whether a function or method is declared at the level of a package, not
// by an interface without a name or within a function.
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

func (w fileSet) types(id string, pkg *types.Package, classes, contracts map[string]*types.Named) {
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

// addImplementations adds the pairs of a type and an interface that it implements. A package
// that was loaded twice, with and without its tests, has its types twice, but a pair once.
func addImplementations(classes, contracts map[string]*types.Named, pairs map[pair]bool) {
	for class, c := range classes {
		for contract, i := range contracts {
			if types.Implements(types.NewPointer(c), i.Underlying().(*types.Interface)) {
				pairs[pair{strings.Fields(class)[0], strings.Fields(contract)[0]}] = true
			}
		}
	}
}

// readFolder reads the Go files and go.mod in the folders that the go command treats as
// packages. It leaves out folders with the excluded names.
func readFolder(t testing.TB, root string, excluded ...string) map[string][]byte {
	t.Helper()
	excluded = append(excluded, "testdata", "vendor", "node_modules")
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != root && (slices.Contains(excluded, name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
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

// readAll returns all files with their declarations, after golang.Number.
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

// ours returns the calls and implementations that Check finds, in the form of the truth, and
// only between files that the go command builds here.
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
	references, _, err := golang.Check(t.Context(), files, nil)
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

// score returns precision and recall, and logs the differences.
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
	// Shown with -v.
	for _, list := range []struct {
		name  string
		pairs []string
	}{{"wrong", wrong}, {"missed", missed}} {
		slices.Sort(list.pairs)
		for _, p := range list.pairs[:min(len(list.pairs), 50)] {
			t.Logf("%s: %s: %s", what, list.name, p)
		}
	}
	return float64(right) / max(float64(len(got)), 1), float64(right) / max(float64(len(want)), 1)
}

// BenchmarkTruth compares Check with the truth, for this project and for modules of the Go
// proxy. With -v it lists the differences.
func BenchmarkTruth(b *testing.B) {
	for _, module := range []string{
		"", // this one
		"github.com/restic/restic@v0.17.3",
		"github.com/go-git/go-git/v5@v5.19.3",
		"github.com/nats-io/nats-server/v2@v2.10.22",
		"github.com/hashicorp/raft@v1.7.1",
	} {
		name := path.Base(regexp.MustCompile(`(/v\d+)?@.*`).ReplaceAllString(cmp.Or(module, "hence"), ""))
		b.Run(name, func(b *testing.B) {
			root := fetch(b, module)
			said, files := loadTruth(b, root), readFolder(b, root)
			for b.Loop() {
				calls, implements := ours(b, files, said.builtFiles)
				for _, what := range []struct {
					name      string
					got, want map[pair]bool
				}{{"calls", calls, said.calls}, {"implements", implements, said.implements}} {
					precision, recall := score(b, what.name, what.got, what.want)
					b.ReportMetric(float64(len(what.want)), what.name)
					b.ReportMetric(precision, what.name+"-precision")
					b.ReportMetric(recall, what.name+"-recall")
				}
				if share, count, ok := ctagsShare(b, root, files); ok {
					b.ReportMetric(share, "ctags-share")
					b.ReportMetric(float64(count), "ctags")
				}
			}
		})
	}
}

// fetch returns a folder with a copy of a module, in which the go command may write; for ""
// the folder of this project.
func fetch(b *testing.B, module string) string {
	b.Helper()
	if module == "" {
		root, err := filepath.Abs("../..")
		if err != nil {
			b.Fatal(err)
		}
		return root
	}
	var download struct{ Dir, Error string }
	cmd := exec.CommandContext(b.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = b.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "go.mod"), []byte("module fetching\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	out, _ := cmd.Output() // the output has the error too
	if err := json.Unmarshal(out, &download); err != nil || download.Dir == "" {
		b.Skipf("%s cannot be fetched: %v %s", module, err, download.Error)
	}
	root := filepath.Join(b.TempDir(), "source")
	if err := os.CopyFS(root, os.DirFS(download.Dir)); err != nil {
		b.Fatal(err)
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(file, 0o755)
		}
		return os.Chmod(file, 0o644)
	})
	if err != nil {
		b.Fatal(err)
	}
	return root
}

// ctagsShare returns the share of the functions, methods and types of universal-ctags that
// are declarations of golang.Read, and their number. ok is false if ctags is not installed.
func ctagsShare(b *testing.B, root string, files map[string][]byte) (share float64, count int, ok bool) {
	b.Helper()
	ctags, err := exec.LookPath("ctags")
	if err != nil {
		b.Log("ctags is not installed")
		return 0, 0, false
	}
	have, names := map[string]bool{}, []string{}
	for _, f := range readAll(files) {
		if f.Generated {
			continue
		}
		names = append(names, f.Path)
		for _, d := range f.Declarations {
			name, _, _ := strings.Cut(d.Name[strings.LastIndexByte(d.Name, '.')+1:], "~")
			have[fmt.Sprintf("%s:%d:%s", f.Path, d.StartLine, name)] = true
		}
	}
	cmd := exec.CommandContext(b.Context(), ctags, "--language-force=Go", "--kinds-Go=fstina", "-x", "--_xformat=%F:%n:%N", "-L", "-")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(strings.Join(names, "\n"))
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	right := 0
	for tag := range strings.Lines(string(out)) {
		if count++; have[strings.TrimSpace(tag)] {
			right++
		} else {
			b.Log("ctags alone has", strings.TrimSpace(tag))
		}
	}
	return float64(right) / float64(count), count, true
}
