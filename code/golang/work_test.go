package golang_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/code/golang"
	"hence/internal/db/dbtest"
)

// each returns text for 0 to n-1, with $i for the number and $j for the next one, which is 0
// after the last.
func each(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("$i", fmt.Sprint(i), "$j", fmt.Sprint((i+1)%n), "$k", fmt.Sprint(i+1)).Replace(text))
	}
	return b.String()
}

// A file whose types or constants would take the type checker too much work is left out by
// itself; a smaller one of the same form is bound.
func TestFilesThatTakeTooMuchWorkAreLeftOut(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for name, c := range map[string]struct {
		text         func(n int) string
		small, large int
	}{
		"a circle of embedded pointers": {func(n int) string { return each(n, "type S$i struct { *S$j }\nfunc (S$i) M$i() {}\n") }, 50, 1600},
		"a chain of embedded structures, and their selectors": {func(n int) string {
			return each(n, "type S$i struct { S$k }\n") + fmt.Sprintf("type S%d struct{}\n", n) + "func H(s S0) {" + each(n, "s.X();") + "}\n"
		}, 50, 1600},
		"diamonds of embedded structures": {func(n int) string {
			return each(n, "type A$i struct { *B$i; *C$i }\ntype B$i struct { *A$k }\ntype C$i struct { *A$k }\n") + fmt.Sprintf("type A%d struct{}", n)
		}, 5, 1600},
		"a chain of interfaces": {func(n int) string { return each(n, "type I$k interface { I$i; M$i() }\n") + "type I0 interface{}" }, 50, 1600},
		"many embed a type of many": {func(n int) string {
			return "type Big struct{}\n" + each(n, "func (Big) M$i() {}\ntype S$i struct { Big }\n")
		}, 50, 1600},
		"every type fits every interface": {func(n int) string {
			return each(n, "type I$i interface { M() }\ntype T$i struct{}\nfunc (T$i) M() {}\n")
		}, 50, 1600},
		"arrays of arrays":       {func(n int) string { return each(n, "type T$i [1]T$k\n") + fmt.Sprintf("type T%d int", n) }, 50, 1600},
		"structures that double": {func(n int) string { return each(n, "type T$i struct { a, b T$k }\n") + fmt.Sprintf("type T%d int", n) }, 10, 60},
		"aliases that double": {func(n int) string {
			return each(n, "type T$i = struct { a, b T$k }\n") + fmt.Sprintf("type T%d = int", n)
		}, 10, 60},
		"texts that double": {func(n int) string {
			return "const s0 = `x`\n" + each(n, "const s$k = s$i + s$i\n") + fmt.Sprintf("var a [len(s%d)]int", n)
		}, 10, 60},
		"texts that double in a function": {func(n int) string {
			return "func H() {\nconst s0 = `x`\n" + each(n, "const s$k = s$i + s$i\n") + fmt.Sprintf("println(len(s%d)) }", n)
		}, 10, 60},
	} {
		t.Run(name, func(t *testing.T) {
			for n, want := range map[int][]string{c.small: nil, c.large: {"m/a.go"}} {
				references, left, err := golang.Check(t.Context(), map[string][]byte{
					"go.mod": []byte("module x"), "m/a.go": []byte("package m\n" + c.text(n) + "\nfunc F() { G() }\n"), "m/b.go": []byte("package m\nfunc G() { E() }\nfunc E() {}\n"),
				}, nil)
				if err != nil || !slices.Equal(left, want) || !slices.Contains(lines(references), "m#G calls m#E") {
					t.Errorf("%d: left %v, and not %v (%v)", n, left, want, err)
				}
				if bound := slices.Contains(lines(references), "m#F calls m#G"); bound != (n == c.small) {
					t.Errorf("%d: the file is bound: %v", n, bound)
				}
			}
		})
	}
	across := map[string][]byte{"go.mod": []byte("module x"), "p300/a.go": []byte("package p300\ntype T struct{}\n")}
	for i := range 300 {
		across[fmt.Sprintf("p%d/a.go", i)] = fmt.Appendf(nil, "package p%d\nimport p \"x/p%d\"\ntype T struct { p.T }\n", i, i+1)
	}
	if _, left, err := golang.Check(t.Context(), across, nil); err != nil || len(left) != 100 {
		t.Errorf("a chain through 300 packages: %d left (%v)", len(left), err)
	}
}
