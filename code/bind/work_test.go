package bind_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/code/bind"
	"hence/code/syntax"
)

// each returns text for 0 to n-1, with $i for the number, $j for the next one, which is 0
// after the last, and $k and $l for the next two.
func each(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("$i", fmt.Sprint(i), "$j", fmt.Sprint((i+1)%n), "$k", fmt.Sprint(i+1), "$l", fmt.Sprint(i+2)).Replace(text))
	}
	return b.String()
}

// A file whose names take too much work is left without references, by itself; a smaller
// one of the same form is bound.
func TestFilesThatTakeTooMuchWorkAreLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		text func(n int) string
	}{
		"a circle of classes of TypeScript": {"a.ts", func(n int) string { return each(n, "class S$i extends S$j { m$i() { this.x() } }\n") }},
		"a circle of classes of Python":     {"a.py", func(n int) string { return each(n, "class S$i(S$j):\n  def m$i(self): self.x()\n") }},
		"a circle of traits of Rust":        {"src/main.rs", func(n int) string { return each(n, "trait T$i: T$j { fn m$i(&self) { self.x() } }\n") }},
		"a circle of classes of Java": {"A.java", func(n int) string {
			return "package a;\n" + each(n, "class S$i extends S$j { void m$i() { this.x(); } }\n")
		}},
		"a fan of parents": {"a.ts", func(n int) string {
			return each(n, "class P$i extends P$k {}\n") + each(n, "class Q$i extends P0 { m() { this.x$i() } }\n")
		}},
		"unions of unions":           {"a.ts", func(n int) string { return each(n, "type A$i = A$k | A$l\nfunction g$i(a: A$i) { a.x() }\n") }},
		"values that are one of two": {"a.ts", func(n int) string { return "let a: any\n" + each(n, "const v$i = a ? v$k : v$l\nv$i.x()\n") }},
		"a chain of calls":           {"a.ts", func(n int) string { return each(n/200, "y.z()\n"+strings.Repeat(".b()\n", 240)) }},
		"objects that a file exports of many": {"a.ts", func(n int) string {
			return each(n, "export * from './n$i'\n") + each(n, "import { x$i } from './a'\nx$i()\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{20, 2000} {
				files := []*syntax.Places{}
				for path, text := range map[string]string{c.file: c.text(n), "b.ts": "function f() { g() }\nfunction g() {}\n"} {
					if _, places := syntax.Read(path, []byte(text)); places == nil {
						t.Fatalf("%s cannot be read", path)
					} else {
						files = append(files, places)
					}
				}
				references, left, err := bind.Bind(context.Background(), files, nil)
				if err != nil || len(left) > 0 != (n > 20) || n > 20 && !slices.Equal(left, []string{c.file}) {
					t.Errorf("%d: left %v (%v)", n, left, err)
				}
				if len(references) == 0 || line(references[len(references)-1]) != "b.ts#f calls b.ts#g by file" && c.file < "b" {
					t.Errorf("%d: the other file is not bound", n)
				}
			}
		})
	}
}
