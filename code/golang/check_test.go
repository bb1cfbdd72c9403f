package golang_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"hence/code/golang"
	"hence/code/symbol"
)

// tree returns the files of a txtar archive.
func tree(archive string) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = f.Data
	}
	return files
}

func line(r symbol.Reference) string {
	return strings.TrimSpace(string(r.From) + " " + r.Kind + " " + string(r.To) + " " + r.Rel)
}

// lines returns a line for each different reference, sorted.
func lines(references []symbol.Reference) []string {
	names := map[string]bool{}
	for _, r := range references {
		names[line(r)] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, files string
		want        []string
	}{
		{"calls within a package, into another, of methods, in closures, deferred", `
-- go.mod --
module m
-- a.go --
package m
import "m/b"
func F(t *b.T) { g(); b.H(); func() { t.M() }(); defer g2(); go g3() }
func g() {}
func g2() {}
func g3() {}
-- b/b.go --
package b
type T struct{}
func (T) M() {}
func H() {}
`, []string{". imports b", ".#F calls .#g", ".#F calls .#g2", ".#F calls .#g3", ".#F calls b#H", ".#F calls b#T.M"}},
		{"a recursion refers to nothing else", `
-- a.go --
package a
func F() { F() }
`, nil},
		{"dot imports, other names of imports, names that hide an import", `
-- go.mod --
module m
-- a.go --
package m
import (
	. "m/b"
	c "m/b"
)
func F() { G() }
func H() { c.G() }
func I(c interface{ G() }) { c.G() }
-- b/b.go --
package b
func G() {}
`, []string{". imports b", ".#F calls b#G", ".#H calls b#G"}},
		{"a generic function and the methods of a generic type", `
-- a.go --
package a
type List[T any] struct{}
func (l *List[T]) Add(t T) {}
func Map[T, U any](l []T, f func(T) U) []U { return nil }
func F() {
	l := &List[int]{}
	l.Add(1)
	Map[int, string](nil, nil)
	for range Map([]int{1}, func(i int) string { return g() }) {}
}
func g() string { return "" }
`, []string{".#F calls .#List.Add", ".#F calls .#Map", ".#F calls .#g"}},
		{"a promoted method is that of the embedded type", `
-- a.go --
package a
type Base struct{}
func (*Base) M() {}
type Mid struct{ *Base }
type Top struct{ Mid }
func F(t Top) { t.M() }
`, []string{".#F calls .#Base.M", ".#Mid refers-to .#Base embeds", ".#Top refers-to .#Mid embeds"}},
		{"a call through an interface is one of its method", `
-- a.go --
package a
type Store interface { Get() }
type Wide interface { Store; Put() }
type disk struct{}
func (disk) Get() {}
func F(s Wide) { s.Get() }
func G[S Store](s S) { s.Get() }
`, []string{".#F calls .#Store.Get", ".#G calls .#Store.Get", ".#Wide implements .#Store extends", ".#disk implements .#Store", ".#disk.Get implements .#Store.Get overrides"}},
		{"functions and methods as values", `
-- a.go --
package a
type T struct{}
func (T) M() {}
func g() {}
func F(t T) { f := t.M; f(); h := T.M; h(t); use(g) }
func use(func()) {}
`, []string{".#F calls .#use", ".#F refers-to .#T.M uses", ".#F refers-to .#g uses"}},
		{"first values of variables: exported ones, and those of the package", `
-- go.mod --
module m
-- b/a.go --
package b
var A, c = f(), g()
var _ = g()
func f() int { return 0 }
func g() int { return 0 }
`, []string{"b calls b#g", "b#A calls b#f"}},
		{"a conversion, a builtin, a variable of a function type are not calls", `
-- a.go --
package a
type T int
var v = func() {}
func F() { _ = T(1); _ = len(""); v(); f := func() {}; f() }
`, nil},
		{"tests in the package and outside it", `
-- go.mod --
module m
-- b/b.go --
package b
func F() {}
-- b/in_test.go --
package b
import "m/h"
func TestIn() { F(); h.Help() }
func Export() { F() }
-- b/out_test.go --
package b_test
import "m/b"
func TestOut() { b.F(); b.Export() }
func F() {}
-- h/h.go --
package h
import "m/b"
func Help() { b.F() }
`, []string{"b#Export calls b#F", "b#TestIn calls b#F", "b#TestIn calls h#Help", "b/in_test.go imports h",
			"b_test imports b", "b_test#TestOut calls b#Export", "b_test#TestOut calls b#F", "h imports b", "h#Help calls b#F"}},
		{"systems: each file is bound among those of its build", `
-- a.go --
package a
func F() { open() }
-- open_linux.go --
package a
func open() { wait() }
func wait() {}
-- open_windows.go --
package a
func open() { wait() }
func wait() {}
-- tagged.go --
//go:build extra && !linux
package a
func Extra() { open() }
`, []string{".#Extra calls .#open~2", ".#F calls .#open", ".#open calls .#wait", ".#open~2 calls .#wait~2"}},
		{"a program that builds leave out, beside the package", `
-- a.go --
package a
func main() {}
-- gen.go --
//go:build ignore
package main
func main() { write() }
func write() {}
`, []string{".#main~2 calls .#write"}},
		{"modules in one tree, a replaced one among them", `
-- go.mod --
module example.com/m
require example.com/old v1.0.0
replace example.com/old => ./new
-- a.go --
package m
import ("example.com/m/sub"; "example.com/old"; "example.com/far")
func F() { sub.G(); old.H(); far.I() }
-- sub/go.mod --
module example.com/m/sub
-- sub/sub.go --
package sub
import "example.com/m"
func G() { m.F() }
-- new/go.mod --
module example.com/new
-- new/new.go --
package old
func H() {}
`, []string{". imports new", ". imports sub", ".#F calls new#H", ".#F calls sub#G", "sub imports .", "sub#G calls .#F"}},
		{"a module in a folder of one letter", `
-- go.mod --
module m
-- a/go.mod --
module n
-- a/a.go --
package a
import "n/b"
func F() { b.G() }
-- a/b/b.go --
package b
func G() {}
`, []string{"a imports a/b", "a#F calls a/b#G"}},
		{"vendored code is left out", `
-- go.mod --
module m
-- a.go --
package m
import "x.org/y"
func F() { y.G() }
-- vendor/x.org/y/y.go --
package y
func G() {}
`, nil},
		{"cgo", `
-- a.go --
package a
// #include <stdio.h>
import "C"
func F() { C.puts(C.CString("")); g(C.int(1)) }
func g(C.int) {}
`, []string{".#F calls .#g"}},
		{"unknown imports, types and values do no harm", `
-- go.mod --
module m
-- a.go --
package m
import "x.org/y"
func F(v *y.V) { w := v.W(g()); w.Z(g2()); y.Do(func() { g3() }, y.V{A: g4()}) ; for _, x := range y.All { x.F(); g5() } }
func g() int { return 0 }
func g2() int { return 0 }
func g3() int { return 0 }
func g4() int { return 0 }
func g5() int { return 0 }
`, []string{".#F calls .#g", ".#F calls .#g2", ".#F calls .#g3", ".#F calls .#g4", ".#F calls .#g5"}},
		{"what an unknown interface is asserted to be", `
-- a.go --
package a
import "x.org/y"
type T struct{}
func (*T) M() {}
func F(i y.I) { i.(*T).M() }
func G(i y.I) {
	switch t := i.(type) {
	case *T:
		t.M()
	}
}
`, []string{".#F calls .#T.M", ".#G calls .#T.M"}},
		{"a mistake elsewhere in the file", `
-- a.go --
package a
func F() { g() }
func g() {
	undefined.Call(;
}
func H() { F() }
-- b.go --
package a
func I() {
	x := 1; F() +
}
func J() { var s string = 1; g(); I() }
`, []string{".#F calls .#g", ".#H calls .#F", ".#J calls .#I", ".#J calls .#g"}},
		{"packages that import each other", `
-- go.mod --
module m
-- a/a.go --
package a
import "m/b"
func F() { b.F() }
-- b/b.go --
package b
import "m/a"
func F() { a.F() }
`, []string{"a imports b", "a#F calls b#F", "b imports a", "b#F calls a#F"}},
		{"generated code imports, and is not called", `
-- go.mod --
module m
-- a.go --
package m
func F() { G() }
-- g.go --
// Code generated by x. DO NOT EDIT.

package m
import "m/b"
func G() { b.H(); F() }
var v, w = b.H, b.H
var x = b.H()
var y = func() int { return b.H() }
var z = []func(){b.H}
-- b/b.go --
package b
func H() {}
`, []string{". imports b"}},
		{"a method through a type of generated code", `
-- a.go --
package a
func (t *T) M() {}
func F() { New().M() }
-- g.go --
// Code generated by x. DO NOT EDIT.

package a
type T struct{}
func New() *T { return nil }
`, []string{".#F calls .#T.M"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			references, _, err := golang.Check(t.Context(), tree(c.files), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, lines(references)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckImplements(t *testing.T) {
	for _, c := range []struct {
		name, files string
		want        []string
	}{
		{"methods of a pointer, of an embedded type, in another package that imports neither", `
-- go.mod --
module m
-- a/a.go --
package a
type Saver interface { Save(key string) error }
-- b/b.go --
package b
type Base struct{}
func (b *Base) Save(k string) error { return nil }
type Top struct{ Base }
type Not struct{}
func (Not) Save(k string) {}
`, []string{"b#Base implements a#Saver", "b#Base.Save implements a#Saver.Save overrides", "b#Top implements a#Saver", "b#Top refers-to b#Base embeds"}},
		{"a method of the same name and another type is not one", `
-- a.go --
package a
import ("x.org/one"; "x.org/two"; "time")
type I interface { M(one.T) }
type J interface { N(time.Time) }
type A struct{}
func (A) M(two.T) {}
func (A) N(time.Duration) {}
type B struct{}
func (B) M(t one.T) {}
func (B) N(time.Time) {}
`, []string{".#B implements .#I", ".#B implements .#J", ".#B.M implements .#I.M overrides", ".#B.N implements .#J.N overrides"}},
		{"constraints and empty interfaces are not implemented", `
-- a.go --
package a
type T int
func (T) M() {}
type Empty interface{}
type Number interface { ~int; M() }
`, nil},
		{"embedding is a use: only methods make a type one that implements", `
-- a.go --
package a
import "sync"
type Runner interface { Run() }
type Base struct{}
func (Base) Run() {}
type Held struct{ Base }
type Pointed struct{ *Base }
type Hidden struct { Base; Run int }
type Twice struct { Held; Pointed }
type Gen[T any] struct{ Box[T]; sync.Mutex }
type Box[T any] struct{}
type Wide interface { Runner; Stop() }
type Holds struct{ Wide }
`, []string{".#Base implements .#Runner", ".#Base.Run implements .#Runner.Run overrides",
			".#Gen refers-to .#Box embeds", ".#Held implements .#Runner", ".#Held refers-to .#Base embeds",
			".#Hidden refers-to .#Base embeds", ".#Holds implements .#Runner", ".#Holds implements .#Wide", ".#Holds refers-to .#Wide embeds",
			".#Pointed implements .#Runner", ".#Pointed refers-to .#Base embeds", ".#Twice refers-to .#Held embeds", ".#Twice refers-to .#Pointed embeds",
			".#Wide implements .#Runner extends"}},
		{"a generic type and a generic interface", `
-- a.go --
package a
type Coll[T any] interface { Push(T) error; All() []T }
type C[E any] struct{}
func (C[E]) Push(t E) error { return nil }
func (c *C[X]) All() []X { return nil }
type Swapped[A, B any] struct{}
func (Swapped[A, B]) Push(B) error { return nil }
func (Swapped[A, B]) All() []B { return nil }
type Mixed[A, B any] struct{}
func (Mixed[A, B]) Push(A) error { return nil }
func (Mixed[A, B]) All() [][]A { return nil }
type Ints struct{}
func (Ints) Push(int) error { return nil }
func (Ints) All() []int { return nil }
type Not struct{}
func (Not) Push(int) error { return nil }
func (Not) All() []string { return nil }
`, []string{".#C implements .#Coll", ".#C.All implements .#Coll.All overrides", ".#C.Push implements .#Coll.Push overrides",
			".#Ints implements .#Coll", ".#Ints.All implements .#Coll.All overrides", ".#Ints.Push implements .#Coll.Push overrides",
			".#Swapped implements .#Coll", ".#Swapped.All implements .#Coll.All overrides", ".#Swapped.Push implements .#Coll.Push overrides"}},
		{"a generic type and a plain interface", `
-- a.go --
package a
type Getter interface { Get(string) (int, error) }
type mem[T any] struct{}
func (*mem[T]) Get(string) (t T, err error) { return }
type pair[K comparable, V any] struct{}
func (pair[K, V]) Get(K) (v V, err error) { return }
type same[T any] struct{}
func (same[T]) Get(T) (t T, err error) { return }
type words[T ~string] struct{}
func (words[T]) Get(string) (t T, err error) { return }
type numbers[T interface{ int | float64 }] struct{}
func (numbers[T]) Get(string) (t T, err error) { return }
type keyed[F comparable] struct{}
func (keyed[F]) Do(F) {}
type Doer interface { Do(func()) }
`, []string{".#mem implements .#Getter", ".#mem.Get implements .#Getter.Get overrides", ".#numbers implements .#Getter", ".#numbers.Get implements .#Getter.Get overrides",
			".#pair implements .#Getter", ".#pair.Get implements .#Getter.Get overrides"}},
		{"instances within types, of other packages, and embedded", `
-- go.mod --
module m
-- a/a.go --
package a
import "cmp"
type Tree[K cmp.Ordered, V any] interface { Walk(func(K, *Node[V]) bool) }
type Node[V any] struct{}
-- b/b.go --
package b
import ("cmp"; "m/a")
type base[K cmp.Ordered, V any] struct{}
func (base[K, V]) Walk(func(K, *a.Node[V]) bool) {}
type Top struct{ *base[string, int] }
type Slices struct{ base[string, []int] }
type bad[V any] struct{}
func (bad[V]) Walk(func([]V, *a.Node[V]) bool) {}
type Endless[T any] struct{}
func (Endless[T]) Walk(func(T, *a.Node[T]) bool) {}
`, []string{"b imports a", "b#Endless implements a#Tree", "b#Endless.Walk implements a#Tree.Walk overrides",
			"b#Slices implements a#Tree", "b#Slices refers-to b#base embeds", "b#Top implements a#Tree", "b#Top refers-to b#base embeds",
			"b#base implements a#Tree", "b#base.Walk implements a#Tree.Walk overrides"}},
		{"no type is its own part", `
-- a.go --
package a
type I[U any] interface { Push([]U); Pop() U }
type C[T any] struct{}
func (C[T]) Push(T) {}
func (C[T]) Pop() []T { return nil }
`, nil},
		{"interfaces that embed what is known, and what is not", `
-- a.go --
package a
import ("io"; "x.org/y")
type Known interface { io.Reader; Size() int }
type Unknown interface { y.I; Size() int }
type T struct{}
func (T) Read([]byte) (int, error) { return 0, nil }
func (T) Size() int { return 0 }
`, []string{".#T implements .#Known", ".#T.Size implements .#Known.Size overrides"}},
		{"what a type embeds of the standard library counts, what else is unknown", `
-- a.go --
package a
import ("testing"; "x.org/y")
type Fataler interface { Fatal(...any) }
type T struct{ *testing.T }
type U struct{ y.T }
`, []string{".#T implements .#Fataler"}},
		{"what is unknown may hide what is known", `
-- a.go --
package a
import "x.org/y"
type I interface { M() }
type Base struct{}
func (Base) M() {}
type T struct{ Base; y.T }
`, []string{".#Base implements .#I", ".#Base.M implements .#I.M overrides", ".#T refers-to .#Base embeds"}},
		{"names that are not exported are of their package", `
-- go.mod --
module m
-- a/a.go --
package a
type I interface { m() }
type A struct{}
func (A) m() {}
-- b/b.go --
package b
type B struct{}
func (B) m() {}
`, []string{"a#A implements a#I", "a#A.m implements a#I.m overrides"}},
		{"fakes of tests, and types of other systems", `
-- go.mod --
module m
-- a/a.go --
package a
type Clock interface { Now() T }
type T int
-- a/a_test.go --
package a_test
import "m/a"
type fake struct{}
func (fake) Now() a.T { return 0 }
-- a/in_test.go --
package a
type fake struct{}
func (fake) Now() T { return 0 }
-- b/b_windows.go --
package b
import "m/a"
type Win struct{}
func (*Win) Now() (t a.T) { return }
`, []string{"a#fake implements a#Clock", "a#fake.Now implements a#Clock.Now overrides",
			"a_test imports a", "a_test#fake implements a#Clock", "a_test#fake.Now implements a#Clock.Now overrides",
			"b imports a", "b#Win implements a#Clock", "b#Win.Now implements a#Clock.Now overrides"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			references, _, err := golang.Check(t.Context(), tree(c.files), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, lines(references)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A file with a type that grows without end is left out, and all other references are found.
func TestCheckEndsOnTypesWithoutEnd(t *testing.T) {
	for text, isLeft := range map[string]bool{
		"type T[P any] struct { *T[T[P]] }\nfunc (T[P]) M() {}":                                                                                          true,
		"type T[P any] struct { *U[P] }\ntype U[P any] struct { *T[[]P] }":                                                                               true,
		"type T[P any] struct { a *T[func(P)] }\nvar v = T[int]{}.a":                                                                                     true,
		"type T[P any] interface { T[T[P]] }\nfunc H[P T[T[P]]](p P) { p.M() }":                                                                          true,
		"type T[P T[T[P]]] struct{}":                                                                                                                     true,
		"func H() { type T[P any] struct { *T[*P] }; var t T[int]; t.M() }":                                                                              true,
		"type A[P any] = *T[*P]\ntype T[P any] struct { A[P] }":                                                                                          true,
		"type T struct { T }\ntype U struct { *U }\ntype I interface { I }":                                                                              false,
		"type T interface { M() interface { T } }\ntype X struct{}\nfunc (X) M() interface { T } { return nil }":                                         false,
		"type T interface { M(interface { T }) interface { T; N() } }\ntype X struct{}\nfunc (X) M(interface { T }) interface { T; N() } { return nil }": false,
		"type T[P any] struct { a *T[P]; b []T[int]; c map[string]T[*int] }":                                                                             false,
		"type T[P, Q any] struct { *T[Q, P] }\ntype U[P any] struct { T[[]P, U[int]] }":                                                                  false,
	} {
		references, left, err := golang.Check(t.Context(), map[string][]byte{"a.go": []byte("package a\n" + text), "b.go": []byte("package a\nfunc F() { G() }\nfunc G() {}")}, nil)
		if err != nil || !slices.Contains(lines(references), ".#F calls .#G") || slices.Contains(left, "a.go") != isLeft {
			t.Errorf("%s: %v, left %v: %v", text, lines(references), left, err)
		}
	}
}

// Equal names alone make no reference.
func TestCheckBindsNoBareNames(t *testing.T) {
	references, _, err := golang.Check(t.Context(), tree(`
-- go.mod --
module m
-- a.go --
package m
import ("strconv"; "x.org/rx")
type Int struct{}
func (Int) TryParse(string) bool { return false }
func (Int) Save() {}
func take() {}
func F(s rx.Stream) { s.take(); rx.take(); s.Pipe().Save(); strconv.TryParse("1"); rx.Int{}.TryParse("") ; var t interface{ Save() }; t.Save() }
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(references); len(got) > 0 {
		t.Error(got)
	}
}
