package syntax_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hence/code/syntax"
	"hence/internal/lineartest"
)

// FuzzRead reads any bytes in any language: declarations are in order and within the file,
// their names differ, and their texts are valid UTF-8.
func FuzzRead(f *testing.F) {
	for _, c := range samples {
		f.Add(c.path, []byte(c.text))
	}
	f.Add("a.ts", []byte("interface A {\n (a): b\n <T>(x: T): T\n}\nclass extends { [x]() {} }"))
	f.Add("a.py", []byte("class A:\n @x\n def f(self, *, a: 'B[C]'=1): return self.f\nx: 'A'\n"))
	f.Add("a.js", []byte("a.b.c = function () {}; module.exports = exports.x = () => {}"))
	f.Add("a.c", []byte("long long _sync __attribute__ ((common));"))
	f.Add("package.json", []byte(`{"name": 3}`))
	f.Add("tsconfig.json", []byte("{// c\n}"))
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		file, places := syntax.Read(path, text)
		names := map[string]bool{}
		last := 0
		for _, d := range file.Declarations {
			if names[d.Name] || d.Start < last || d.End < d.Start || d.End > len(text)+1 || d.StartLine < 1 || d.EndLine < d.StartLine {
				t.Errorf("%s: %+v", path, d)
			}
			if !utf8.ValidString(d.Signature) || !utf8.ValidString(d.Doc) {
				t.Errorf("%s: %q %q is not UTF-8", d.Name, d.Signature, d.Doc)
			}
			names[d.Name], last = true, d.Start
		}
		if places == nil {
			return
		}
		for _, call := range places.Calls {
			if call.Start > call.End || call.End > len(text)+1 || call.From != "" && !names[call.From] {
				t.Errorf("%s: %+v", path, call)
			}
		}
	})
}

// hostile are texts for which a careless reader takes quadratic time.
var hostile = map[string]func(n int) string{
	"open brackets":       func(n int) string { return strings.Repeat("(", n) },
	"open braces":         func(n int) string { return strings.Repeat("{", n) },
	"nested functions":    func(n int) string { return strings.Repeat("function f(){", n/13) },
	"nested calls":        func(n int) string { return strings.Repeat("f(", n/2) },
	"a long chain":        func(n int) string { return "x" + strings.Repeat(".a()", n/4) },
	"a list of operators": func(n int) string { return "function f() { return [" + strings.Repeat("a && b,\n", n/8) + "] }" },
	"many comments":       func(n int) string { return strings.Repeat("/** a */\n", n/9) + "function f(){}" },
	"many functions":      func(n int) string { return strings.Repeat("/** a */ function f(){}\n", n/24) },
	"the same class":      func(n int) string { return strings.Repeat("class A { f() {} }\n", n/19) },
	"many assignments":    func(n int) string { return strings.Repeat("x = x.y()\n", n/10) },
	"many Python classes": func(n int) string { return strings.Repeat("class A:\n def f(self): self.x = self.x.y()\n", n/43) },
	"texts in Python": func(n int) string {
		return strings.Repeat("#\n", n/4) + strings.Repeat("'a'\n", n/8) + "def f(): pass\n"
	},
	"nested Python": func(n int) string { return nestedPython(n) },
	"generic lines": func(n int) string { return "interface A {" + strings.Repeat("\n<T>(x: T): T", n/13) },
	"quotes":        func(n int) string { return strings.Repeat("\"'`", n/3) },
	"less than":     func(n int) string { return strings.Repeat("a<", n/2) },
	"Rust items":    func(n int) string { return strings.Repeat("#[a]\n/// d\nfn f() { let x = x.y(); }\n", n/37) },
	"Java methods":  func(n int) string { return "class A {" + strings.Repeat("void f() { g(); }", n/17) + "}" },
	"C prototypes":  func(n int) string { return strings.Repeat("int f(int (*a)(int));\n", n/22) },
	"binary":        func(n int) string { return strings.Repeat("\x00\xff\xfe", n/3) },
}

func nestedPython(n int) string {
	text := strings.Builder{}
	for depth := 0; text.Len() < n; depth++ {
		text.WriteString(strings.Repeat(" ", depth%100) + "def f():\n")
	}
	return text.String()
}

func TestReadTakesLinearTime(t *testing.T) {
	for path, names := range map[string][]string{
		"a.ts":   {"a list of operators", "many comments", "many functions", "the same class", "a long chain"},
		"a.py":   {"texts in Python", "many assignments", "many Python classes"},
		"a.rs":   {"Rust items"},
		"A.java": {"Java methods"},
		"a.c":    {"C prototypes"},
	} {
		for _, name := range names {
			t.Run(name+" in "+path, func(t *testing.T) {
				lineartest.Check(t, 100_000, func(size int) func() {
					text := []byte(hostile[name](size))
					return func() { syntax.Read(path, text) }
				})
			})
		}
	}
}

// Read returns within the time limit of the parser, also for a text that is not code.
func TestTextsThatAreNoCodeEnd(t *testing.T) {
	for name, write := range hostile {
		for _, path := range []string{"a.ts", "a.py", "a.rs", "a.java", "a.c"} {
			began := time.Now()
			syntax.Read(path, []byte(write(4_000)))
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s in %s takes %v for 4 kB", name, path, took)
			}
		}
	}
}

// The memory that C allocates is freed: the process does not grow when it reads a file again
// and again.
func TestMemoryOfCIsFreed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the size of the process is read from /proc")
	}
	text := []byte(strings.Repeat("export function f(a: string) { return g(a, [1, 2, 3]) }\n", 500))
	read := func(times int) {
		for range times {
			syntax.Read("a.ts", text)
		}
		runtime.GC()
	}
	read(5)
	before := resident(t)
	read(25)
	if after := resident(t); after > before+48<<20 {
		t.Errorf("%d MB before, %d MB after 25 more readings", before>>20, after>>20)
	}
}

func resident(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func ExampleRead() {
	file, _ := syntax.Read("a.ts", []byte("/** Adds. */\nexport const add = (a: number, b: number) => a + b;\n"))
	d := file.Declarations[0]
	fmt.Println(d.Name, d.Sort, d.Exported, d.Doc, "—", d.Signature)
	// Output: add func true Adds. — export const add = (a: number, b: number)
}
