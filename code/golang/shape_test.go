package golang_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/golang"
	"hence/code/symbol"
)

const shapes = `// Package store keeps things.
//
//go:build linux
package store

// Get finds
// a thing.
//
//go:noinline
func (s *Store[K]) Get(ctx context.Context, key K, // the key
	more ...Option) (thing Thing, err error) {
	return s.Get(ctx, key) // again
}

type (
	// Thing is one.
	Thing struct {
		// Name says who.
		Name string ` + "`json:\"name\"`" + `

		size int // in bytes
	}
	Finder interface {
		// Find finds.
		Find(key string) Thing // or panics
	}
)

type ID = string

const (
	// First is the first.
	First Kind = iota
	Second
	third
	Fourth // the last
)

// ErrGone says that it is gone.
var ErrGone = errors.New("gone")
`

func TestReadShapes(t *testing.T) {
	type shape struct{ Title, Signature, Doc, Text string }
	want := []shape{
		{"store.Store.Get", "func (s *Store[K]) Get(ctx context.Context, key K,\n\tmore ...Option) (thing Thing, err error)", "Get finds\na thing.", "func (s *Store[K]) Get(…}"},
		{"store.Thing", "type Thing struct {\n\tName string `json:\"name\"`\n\tsize int\n}", "Thing is one.", "Thing struct {\n\t\t// Nam…}"},
		{"store.Finder", "type Finder interface {\n\tFind(key string) Thing\n}", "", "Finder interface {\n\t\t//…}"},
		{"store.Finder.Find", "Find(key string) Thing", "Find finds.", "Find(key string) Thing"},
		{"store.ID", "type ID = string", "", "type ID = string"},
		{"store.First", "const First Kind = iota", "First is the first.", "First Kind = iota"},
		{"store.Second", "const Second Kind", "", "Second"},
		{"store.Fourth", "const Fourth Kind", "the last", "Fourth"},
		{"store.ErrGone", `var ErrGone = errors.New("gone")`, "ErrGone says that it is gone.", `var ErrGone = errors.Ne…)`},
	}
	read := golang.Read("store/a.go", []byte(shapes))
	got := []shape{}
	for _, d := range read.Declarations {
		text := shapes[d.Start:d.End]
		if lines := strings.Count(shapes[:d.Start], "\n") + 1; lines != d.StartLine || lines+strings.Count(text, "\n") != d.EndLine {
			t.Errorf("%s: lines %d to %d, want %d to %d", d.Name, d.StartLine, d.EndLine, lines, lines+strings.Count(text, "\n"))
		}
		if len(text) > 25 {
			text = text[:23] + "…" + text[len(text)-1:]
		}
		got = append(got, shape{d.Title, d.Signature, d.Doc, text})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if read.Doc != "Package store keeps things." || read.Package != "store" || read.Module != "store" || read.Broken || read.Generated {
		t.Errorf("the file is %+v", read)
	}
}

func TestReadShortensALongType(t *testing.T) {
	text := "package a\n\ntype T struct {\n" + strings.Repeat("\tField string\n", 100) + "}\n"
	got := golang.Read("a.go", []byte(text)).Declarations[0].Signature
	if len(got) > 400 || !strings.HasPrefix(got, "type T struct {\n\tField string\n") || !strings.HasSuffix(got, "\n\t…\n}") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Changes that change the tokens of a declaration, and changes that do not.
func TestReadTokens(t *testing.T) {
	hash := func(text, name string) string {
		for _, d := range golang.Read("a.go", []byte("package a\n"+text)).Declarations {
			if d.Name == name {
				return d.Tokens.Hash
			}
		}
		t.Fatalf("no %s in %s", name, text)
		return ""
	}
	for _, c := range []struct {
		name             string
		old, new         string
		oldName, newName string
		same             bool
	}{
		{"a comment, layout, a line broken in a call", "func F() { g(a, b); h() }", "// F does.\nfunc F() {\n\tg(\n\t\ta, // first\n\t\tb,\n\t)\n\th()\n}", "F", "F", true},
		{"another name, in a recursion too", "func F() { F() }", "func G() { G() }", "F", "G", true},
		{"another name of a method", "func (t T) F() { t.F() }", "func (t T) G() { t.G() }", "T.F", "T.G", true},
		{"a statement", "func F() { g() }", "func F() { g(); g() }", "F", "F", false},
		{"a text", `func F() { g("a b") }`, `func F() { g("a  b") }`, "F", "F", false},
		{"a tag of a field", "type T struct{ A int }", "type T struct{ A int `x`}", "T", "T", false},
		{"a neighbour in a group of types", "type (\n\tT int\n\tU int\n)", "type (\n\tT int\n\tU string\n)", "T", "T", true},
		{"the group that it is in", "type T int", "type (\n\tT int\n)", "T", "T", true},
		{"a constant before it, where they are counted", "const (\n\tA = iota\n\tB\n)", "const (\n\tA = iota\n\tX\n\tB\n)", "B", "B", false},
		{"a constant before it, where they are not", "const (\n\tA = 1\n\tB = 2\n)", "const (\n\tA = 1\n\tX = 3\n\tB = 2\n)", "B", "B", true},
		{"the value that a constant repeats", "const (\n\tA = 1\n\tB\n)", "const (\n\tA = 2\n\tB\n)", "B", "B", false},
	} {
		if same := hash(c.old, c.oldName) == hash(c.new, c.newName); same != c.same {
			t.Errorf("%s: the same tokens: %v", c.name, same)
		}
	}
}

func TestNumber(t *testing.T) {
	read := func(path, text string) symbol.File { return golang.Read(path, []byte(text)) }
	files := []symbol.File{
		read("a/z.go", "package a\nfunc init() {}\n"),
		read("a/b_windows.go", "package a\nfunc open() {}\nfunc init() {}\n"),
		read("a/c_linux.go", "package a\nfunc open() {}\nfunc init() {}\nfunc init() {}\n"),
		read("a/a_test.go", "package a_test\nfunc open() {}\n"),
		read("b/b.go", "package b\nfunc open() {}\n"),
	}
	golang.Number(files)
	golang.Number(files) // again, of names that have numbers
	got := []string{}
	for _, f := range files {
		for _, d := range f.Declarations {
			got = append(got, f.Path+" "+string(symbol.KeyOf(f.Module, d.Name)))
		}
	}
	want := []string{
		"a/z.go a#init~3", "a/b_windows.go a#open~2", "a/b_windows.go a#init~4",
		"a/c_linux.go a#open", "a/c_linux.go a#init", "a/c_linux.go a#init~2", "a/a_test.go a_test#open", "b/b.go b#open",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
