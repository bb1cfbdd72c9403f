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

// The truth about a repository is what the go command and go/packages say of it, with
// all that it imports compiled. Both sides write a declaration as its file, its line
// and its name.

// pair is an edge of the truth or of ours.
type pair struct{ from, to string }

type truth struct {
	calls      map[pair]bool
	implements map[pair]bool
	files      map[string]bool // that the go command builds here, tests included; true if written by hand
}

// loadTruth asks go/packages.
func loadTruth(t testing.TB, root string) truth {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedCompiledGoFiles
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
			t.Logf("%s: %v", pkg.ID, pkg.Errors[0])
		}
		w := witness{pkg.Fset, root}
		for _, file := range pkg.Syntax {
			said.files[w.path(file.FileStart)] = !ast.IsGenerated(file)
			w.calls(file, pkg.TypesInfo, said.calls)
		}
		if pkg.Types != nil {
			w.types(pkg.ID, pkg.Types, classes, contracts)
		}
	}
	implementing(classes, contracts, said.implements)
	for _, pairs := range []map[pair]bool{said.calls, said.implements} {
		maps.DeleteFunc(pairs, func(p pair, _ bool) bool { return !said.isWritten(p.from) || !said.isWritten(p.to) })
	}
	return said
}

// isWritten tells whether a place is in a file that is built and not generated.
func (said truth) isWritten(place string) bool {
	file, _, _ := strings.Cut(place, ":")
	return said.files[file]
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
func (w witness) calls(file *ast.File, info *types.Info, pairs map[pair]bool) {
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
func implementing(classes, contracts map[string]*types.Named, pairs map[pair]bool) {
	for class, c := range classes {
		for contract, i := range contracts {
			if types.Implements(types.NewPointer(c), i.Underlying().(*types.Interface)) {
				pairs[pair{strings.Fields(class)[0], strings.Fields(contract)[0]}] = true
			}
		}
	}
}

// readFolder reads the Go files and go.mod of a folder, those that the go command takes
// for its packages. Folders of the left names are left out.
func readFolder(t testing.TB, root string, left ...string) map[string][]byte {
	t.Helper()
	left = append(left, "testdata", "vendor", "node_modules")
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != root && (slices.Contains(left, name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
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

// score returns precision and recall, and logs what differs.
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
	// Run with -v to look at them.
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

// BenchmarkTruth compares with the truth: this project, and modules that the Go proxy
// has. With -v it lists what differs.
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
				calls, implements := ours(b, files, said.files)
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

// fetch returns a folder with the files of a module, which the go command may write to.
func fetch(b *testing.B, module string) string {
	b.Helper()
	if module == "" {
		root, err := filepath.Abs("../..")
		if err != nil {
			b.Fatal(err)
		}
		return root
	}
	var said struct{ Dir, Error string }
	cmd := exec.CommandContext(b.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = b.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "go.mod"), []byte("module fetching\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	out, _ := cmd.Output() // what failed is in what it says
	if err := json.Unmarshal(out, &said); err != nil || said.Dir == "" {
		b.Skipf("%s cannot be fetched: %v %s", module, err, said.Error)
	}
	root := filepath.Join(b.TempDir(), "source")
	if err := os.CopyFS(root, os.DirFS(said.Dir)); err != nil {
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

// ctagsShare returns how many of the functions, methods and types that universal-ctags
// finds are declarations of ours; ok is false where it is not installed.
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
