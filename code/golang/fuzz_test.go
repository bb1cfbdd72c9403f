package golang_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hence/code/golang"
	"hence/code/symbol"
	"hence/internal/db/dbtest"
	"hence/internal/lineartest"
)

// For any bytes of a file, its declarations are within the file and have different names.
func FuzzRead(f *testing.F) {
	f.Add("a/a.go", []byte(shapes))
	f.Add("a_test.go", []byte("package a_test\nfunc TestX(t *testing.T) {}\nfunc TestX(t *testing.T) {}"))
	f.Add("a_windows.go", []byte("//go:build x&&\n//line z.go:7\npackage a\r\nfunc (x.T) F[T any]() {\r\n\tif\r\n}\nconst (A, B = iota, 1; C, D)\x00\xff"))
	f.Add("a.go", []byte("package a; type (T[P interface{~int}] struct{*T[P]; _ func(); };I interface{I;M(...)})\nvar (A=`\nfunc x`)"))
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		read := golang.Read(path, text)
		names := map[string]bool{}
		for _, d := range read.Declarations {
			if d.Start < 0 || d.End < d.Start || d.End > len(text) || d.StartLine < 1 || d.EndLine < d.StartLine {
				t.Errorf("%s is at %d to %d, lines %d to %d, of %d bytes", d.Name, d.Start, d.End, d.StartLine, d.EndLine, len(text))
			}
			if d.Name == "" || names[d.Name] {
				t.Errorf("a second or empty name %q", d.Name)
			}
			names[d.Name] = true
			if len(d.Signature) > 400 {
				t.Errorf("%s has a signature of %d bytes", d.Name, len(d.Signature))
			}
		}
	})
}

// For any repository, references are within their files, and both ends are declarations,
// modules or files of the repository.
func FuzzCheck(f *testing.F) {
	f.Add("-- go.mod --\nmodule m\n-- a.go --\npackage m\nimport \"m/b\"\nfunc F() { b.G() }\n-- b/b.go --\npackage b\nfunc G() {}\n")
	f.Add("-- a.go --\npackage a\ntype T[P any] struct { *T[T[P]]; a [len(x)]int }\nvar x = T[int]{}.a\nfunc (t T[P]) M() { t.M() }\ntype I interface{ I; M() }\n")
	f.Add("-- go.mod --\nmodule std\nreplace a => ../..\n-- a.go --\npackage a\nimport (\"a\"; \"C\"; \"unsafe\"; . \"io\"; \"x.y/z\")\nfunc F() { z.A(C.B) }\n")
	f.Add("-- a_test.go --\npackage a_test\nfunc f() { func() { f(g()...) }() }\n-- b_x.go --\n//go:build a && !b || c\npackage a\nconst A = 1 << (1 << 62)\n")
	f.Fuzz(func(t *testing.T, archive string) {
		files := map[string][]byte{}
		for _, file := range txtar.Parse([]byte(archive)).Files {
			files[file.Name] = file.Data
		}
		keys := map[symbol.Key]bool{}
		for _, file := range readAll(files) {
			keys[symbol.Key(file.Module)], keys[symbol.Key(file.Path)] = true, true
			for _, d := range file.Declarations {
				keys[symbol.KeyOf(file.Module, d.Name)] = true
			}
		}
		references, _, err := golang.Check(t.Context(), files, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range references {
			if !keys[r.From] || !keys[r.To] {
				t.Errorf("%s: from %s to %s", line(r), r.From, r.To)
			}
			if text := files[r.Path]; r.Start < 0 || r.End < r.Start || r.End > len(text) || r.Line != strings.Count(string(text[:r.Start]), "\n")+1 {
				t.Errorf("%s is at %d to %d, line %d", line(r), r.Start, r.End, r.Line)
			}
		}
	})
}

// Code that is nested too deep costs at most the references of its declaration.
func TestCheckOfDeepNesting(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for _, c := range []struct{ open, inner, end string }{
		{"!", "x", ""}, {"(", "1", ")"}, {"func() { ", "", " }()\n"}, {"[]", "int{}", ""}, {"f(", "", ")"}, {"1+", "1", ""}, {"struct{ a ", "int", "}{}"}, {"x.y", "", ""},
	} {
		n := 40_000 / (len(c.open) + len(c.end))
		text := "package a\nfunc F() { G() }\nfunc G() { _ = " + strings.Repeat(c.open, n) + c.inner + strings.Repeat(c.end, n) + "\n}\nfunc H() { F() }\n"
		files := map[string][]byte{"a.go": []byte(text)}
		readAll(files)
		references, _, err := golang.Check(t.Context(), files, nil)
		if err != nil || !slices.Contains(lines(references), ".#H calls .#F") {
			t.Errorf("%q: %v %v", c.open, lines(references), err)
		}
	}
}

func TestReadTakesLinearTime(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for _, part := range []string{
		"func F( {\n}\n", "func F() {\n\tif x {\n", "// a\n/* b */ ", "const ( A = iota; B; C )\n", "var (\n", "func F() { `\n", "((((", "type T struct { a struct { ",
	} {
		t.Run(strings.TrimSpace(part), func(t *testing.T) {
			lineartest.Check(t, 4000, func(size int) func() {
				text := []byte("package a\n" + strings.Repeat(part, size))
				return func() { golang.Read("a.go", text) }
			})
		})
	}
}
