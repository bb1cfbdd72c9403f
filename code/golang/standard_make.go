//go:build ignore

// This program writes standard.txt: the declarations of the standard library that other
// code can see, without bodies and comments, for linux/amd64. Run by go generate.
package main

import (
	"bytes"
	"fmt"
	"go/build"
	"go/constant"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	build.Default.GOOS, build.Default.GOARCH, build.Default.CgoEnabled = "linux", "amd64", false
	source := importer.ForCompiler(token.NewFileSet(), "source", nil)
	w := writer{packages: map[*types.Package]map[string]types.Object{}}
	for _, name := range publicPackages() {
		pkg, err := source.Import(name)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			if token.IsExported(name) {
				w.want(pkg.Scope().Lookup(name))
			}
		}
	}
	if err := os.WriteFile("standard.txt", w.archive(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// publicPackages returns the paths of the packages that programs import, except those that
// hold mostly constants of operating systems and file formats.
func publicPackages() (names []string) {
	root := filepath.Join(runtime.GOROOT(), "src")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch d.Name() {
		case "cmd", "internal", "testdata", "vendor", "debug", "syscall", "builtin", "unsafe", "simd":
			if name != "runtime/debug" {
				return fs.SkipDir
			}
		}
		if pkg, err := build.ImportDir(file, 0); err == nil && pkg.Name != "main" {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return names
}

// writer collects the wanted objects, and all types that they mention.
type writer struct {
	packages map[*types.Package]map[string]types.Object
}

func (w *writer) want(object types.Object) {
	pkg := object.Pkg()
	if pkg == nil || pkg.Path() == "unsafe" || w.packages[pkg][object.Name()] != nil {
		return
	}
	if w.packages[pkg] == nil {
		w.packages[pkg] = map[string]types.Object{}
	}
	w.packages[pkg][object.Name()] = object
	w.declaration(object) // for the types that it mentions
}

// qualify returns a qualifier that names packages by their whole paths, so that no two have
// the same name. Names of the package own get no qualifier.
func (w *writer) qualify(own *types.Package) types.Qualifier {
	return func(pkg *types.Package) string {
		if pkg == own {
			return ""
		}
		return local(pkg.Path())
	}
}

func local(path string) string {
	return strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path)
}

// typ returns the text of a type, and wants the named types in it.
func (w *writer) typ(t types.Type, of *types.Package) string {
	w.visit(t, map[types.Type]bool{})
	return types.TypeString(reduced(t), w.qualify(of))
}

func (w *writer) visit(t types.Type, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.want(t.Obj())
		for arg := range t.TypeArgs().Types() {
			w.visit(arg, seen)
		}
	case *types.Named:
		w.want(t.Origin().Obj())
		for arg := range t.TypeArgs().Types() {
			w.visit(arg, seen)
		}
	case *types.Pointer:
		w.visit(t.Elem(), seen)
	case *types.Slice:
		w.visit(t.Elem(), seen)
	case *types.Array:
		w.visit(t.Elem(), seen)
	case *types.Chan:
		w.visit(t.Elem(), seen)
	case *types.Map:
		w.visit(t.Key(), seen)
		w.visit(t.Elem(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(v.Type(), seen)
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			w.visit(p.Constraint(), seen)
		}
		w.visit(t.Params(), seen)
		w.visit(t.Results(), seen)
	case *types.Struct:
		for field := range reduced(t).(*types.Struct).Fields() {
			w.visit(field.Type(), seen)
		}
	case *types.Interface:
		for f := range t.ExplicitMethods() {
			w.visit(f.Type(), seen)
		}
		for e := range t.EmbeddedTypes() {
			w.visit(e, seen)
		}
	case *types.Union:
		for term := range t.Terms() {
			w.visit(term.Type(), seen)
		}
	}
}

// reduced returns a structure with only its exported and embedded fields, and any other
// type unchanged.
func reduced(t types.Type) types.Type {
	s, ok := t.(*types.Struct)
	if !ok {
		return t
	}
	fields := []*types.Var{}
	for field := range s.Fields() {
		if field.Exported() || field.Embedded() {
			fields = append(fields, field)
		}
	}
	return types.NewStruct(fields, nil)
}

// declaration returns the text of a declaration; for a type with its methods.
func (w *writer) declaration(object types.Object) string {
	of := object.Pkg()
	switch o := object.(type) {
	case *types.Const:
		value := o.Val().ExactString()
		if o.Val().Kind() == constant.Float || len(value) > 40 {
			value = o.Val().String()
		}
		if b, ok := o.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return fmt.Sprintf("const %s = %s\n", o.Name(), value)
		}
		return fmt.Sprintf("const %s %s = %s\n", o.Name(), w.typ(o.Type(), of), value)
	case *types.Var:
		return fmt.Sprintf("var %s %s\n", o.Name(), w.typ(o.Type(), of))
	case *types.Func:
		return w.function(o, "")
	case *types.TypeName:
		return w.typeName(o)
	}
	panic(object)
}

func (w *writer) function(f *types.Func, receiver string) string {
	signature := f.Signature()
	head := "func " + receiver + f.Name()
	if receiver == "" {
		head += w.parameters(signature.TypeParams(), f.Pkg())
	}
	plain := types.NewSignatureType(nil, nil, nil, signature.Params(), signature.Results(), signature.Variadic())
	return head + strings.TrimPrefix(w.typ(plain, f.Pkg()), "func") + "\n"
}

func (w *writer) typeName(o *types.TypeName) string {
	if o.IsAlias() {
		alias, ok := o.Type().(*types.Alias)
		if !ok {
			return fmt.Sprintf("type %s = %s\n", o.Name(), w.typ(o.Type(), o.Pkg()))
		}
		return fmt.Sprintf("type %s%s = %s\n", o.Name(), w.parameters(alias.TypeParams(), o.Pkg()), w.typ(alias.Rhs(), o.Pkg()))
	}
	named := o.Type().(*types.Named)
	var b strings.Builder
	fmt.Fprintf(&b, "type %s%s %s\n", o.Name(), w.parameters(named.TypeParams(), o.Pkg()), w.typ(named.Underlying(), o.Pkg()))
	methods := slices.SortedFunc(named.Methods(), func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	for _, m := range methods {
		if !m.Exported() && o.Exported() && m.Name() != "private" {
			continue
		}
		receiver := o.Name()
		if n := named.TypeParams().Len(); n > 0 {
			names := []string{}
			for p := range m.Signature().RecvTypeParams().TypeParams() {
				names = append(names, p.Obj().Name())
			}
			receiver += "[" + strings.Join(names, ", ") + "]"
		}
		if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
			receiver = "*" + receiver
		}
		b.WriteString(w.function(m, "("+receiver+") "))
	}
	return b.String()
}

func (w *writer) parameters(list *types.TypeParamList, of *types.Package) string {
	if list.Len() == 0 {
		return ""
	}
	names := []string{}
	for p := range list.TypeParams() {
		names = append(names, p.Obj().Name()+" "+w.typ(p.Constraint(), of))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// archive returns all packages in the txtar format, one file for each package.
func (w *writer) archive() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Made by standard_make.go from %s; DO NOT EDIT.\n", runtime.Version())
	all := slices.SortedFunc(maps.Keys(w.packages), func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	for _, pkg := range all {
		var body strings.Builder
		for _, name := range slices.Sorted(maps.Keys(w.packages[pkg])) {
			body.WriteString(w.declaration(w.packages[pkg][name]))
		}
		var text bytes.Buffer
		fmt.Fprintf(&text, "package %s\n", pkg.Name())
		for _, other := range append([]string{"unsafe"}, paths(all)...) {
			if other != pkg.Path() && strings.Contains(body.String(), local(other)+".") {
				fmt.Fprintf(&text, "import %s %q\n", local(other), other)
			}
		}
		text.WriteString(body.String())
		pretty, err := format.Source(text.Bytes())
		if err != nil {
			log.Fatalf("%s: %v\n%s", pkg.Path(), err, text.Bytes())
		}
		fmt.Fprintf(&out, "-- %s --\n%s", pkg.Path(), pretty)
	}
	return out.Bytes()
}

func paths(all []*types.Package) (names []string) {
	for _, pkg := range all {
		names = append(names, pkg.Path())
	}
	return names
}
