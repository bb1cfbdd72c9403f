package reading_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hence/code/reading"
	"hence/internal/fault"
	"hence/projection/projectiontest"
)

// A name never shows the lines of another declaration of the same name, though their numbers change with
// what is written above and in other files.
func TestReadOfANameThatIsDeclaredTwice(t *testing.T) {
	const f, g = "class A {\n  ", "int f(int a) { int q = a + 4; return q * 2; }\n}\n"
	files := map[string]string{
		"go.mod": "module example.com/repo\n", "A.java": f + g,
		"p/b.go": "package p\n\nfunc init() { one() }\n", "p/c.go": "package p\n\nfunc init() { two() }\n\nfunc init() { three() }\n",
		"p/a_linux.go": "package p\n\nfunc Openf() {}\n", "p/a_windows.go": "package p\n\nfunc Openf() { _ = 1 }\n",
	}
	r, dir := newWorld(t, files)
	const overload = "int f(String a) { int q = a.length(); return q * 2; }\n  "
	for _, c := range []struct{ file, text, id, want string }{
		{"A.java", f + overload + g, "A.f", "a + 4"},
		{"A.java", f + overload + strings.Replace(g, "a + 4", "a  +  4", 1), "A.f", "a  +  4"},
		{"A.java", f + strings.Replace(g, "+ 4", "+ 5", 1), "A.f", "a + 5"},
		{"A.java", f + overload + strings.Replace(g, "+ 4", "+ 5", 1), "A.f", ""},
		{"p/c.go", "// Package p is c.\n" + files["p/c.go"], "code://repo/p#init~2", "two()"},
		{"p/c.go", "// Package p is c.\n" + files["p/c.go"], "code://repo/p#init~3", "three()"},
		{"p/c.go", strings.Replace(files["p/c.go"], "two", "four", 1), "code://repo/p#init~2", ""},
		{"p/c.go", "package p\n\nfunc init() { four() }\n", "code://repo/p#init~2", ""},
		{"p/a_windows.go", strings.Replace(files["p/a_windows.go"], "1", "2", 1), "code://repo/p#Openf~2", "_ = 2"},
	} {
		projectiontest.Write(t, dir, filepath.FromSlash(c.file), c.text)
		got, err := r.Read(t.Context(), reading.ReadArgs{ID: c.id})
		switch {
		case c.want == "" && fault.CodeOf(err) != fault.NotFound:
			t.Errorf("%s of\n%s\nshows %q, %v", c.id, c.text, got.Text, err)
		case c.want != "" && (err != nil || !strings.Contains(got.Text, c.want) || got.StartLine != got.EndLine):
			t.Errorf("%s of\n%s\nshows %q, %v; want %s", c.id, c.text, got.Text, err, c.want)
		}
		projectiontest.Write(t, dir, filepath.FromSlash(c.file), files[c.file])
	}
}
