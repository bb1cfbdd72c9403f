package bind_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/code/syntax"
	_ "hence/internal/repeattest"
)

// The result of Bind does not depend on the order in which files are added.
func TestFilesArePutInAnyOrder(t *testing.T) {
	for _, language := range []string{"typescript", "python", "rust", "java", "c"} {
		t.Run(language, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				texts := map[string]string{}
				for _, path := range modulePaths[language] {
					if rapid.IntRange(0, 4).Draw(t, "leave out") > 0 {
						texts[path] = module(t, language, path)
					}
				}
				paths := slices.Sorted(maps.Keys(texts))
				if diff := cmp.Diff(bindInOrder(texts, paths), bindInOrder(texts, rapid.Permutation(paths).Draw(t, "order"))); diff != "" {
					t.Fatalf("sorted -, in another order +\n%s\n%v", diff, texts)
				}
			})
		})
	}
}

func bindInOrder(texts map[string]string, paths []string) []symbol.Reference {
	files := []*syntax.Places{}
	for _, path := range paths {
		if _, places := syntax.Read(path, []byte(texts[path])); places != nil {
			files = append(files, places)
		}
	}
	all, _, _ := bind.Bind(context.Background(), files, nil)
	return all
}

var modulePaths = map[string][]string{
	"typescript": {"a.ts", "b.ts", "c/index.ts", "c/d.ts", "package.json"},
	"python":     {"a.py", "b.py", "c/__init__.py", "c/d.py"},
	"rust":       {"src/lib.rs", "src/a.rs", "src/b/mod.rs", "src/b/c.rs"},
	"java":       {"p/A.java", "p/B.java", "q/C.java", "q/D.java"},
	"c":          {"a.c", "b.c", "a.h", "x/b.h"},
}

// module draws a small file with imports, re-exports, inheritance and calls.
func module(t *rapid.T, language, path string) string {
	pick := func(all ...string) string { return rapid.SampledFrom(all).Draw(t, "piece") }
	name := func() string { return pick("f", "g", "K", "L") }
	text := ""
	for range rapid.IntRange(1, 6).Draw(t, "pieces") {
		text += piece(language, name, pick)
	}
	if language == "java" {
		text = "package " + path[:1] + ";\n" + pick("import p.A;", "import q.*;", "import q.C;", "") + "\n" + text
	}
	if path == "package.json" {
		return fmt.Sprintf(`{"name": %q}`, pick("m", "n"))
	}
	return text
}

func piece(language string, name func() string, pick func(...string) string) string {
	switch language {
	case "typescript":
		from := pick("./a", "./b", "./c", "./d", "../a", "m")
		return pick(
			fmt.Sprintf("import { %s } from '%s';\n", name(), from),
			fmt.Sprintf("export * from '%s';\n", from),
			fmt.Sprintf("export { %s as %s } from '%s';\n", name(), name(), from),
			fmt.Sprintf("export function %s(x: %s): %s { %s(); x.go(); return x }\n", name(), name(), name(), name()),
			fmt.Sprintf("export class %s extends %s { go() { this.stop(); super.go(); %s().go() } stop() {} }\n", name(), name(), name()),
		)
	case "python":
		from := pick(".a", ".", "a", "b", "c", "c.d", "..a")
		return pick(
			fmt.Sprintf("from %s import %s\n", from, name()),
			fmt.Sprintf("from %s import *\n", from),
			fmt.Sprintf("import %s\n", pick("a", "b", "c.d")),
			fmt.Sprintf("def %s(x: %s) -> %s:\n    %s()\n    x.go()\n    c.d.%s()\n", name(), name(), name(), name(), name()),
			fmt.Sprintf("class %s(%s):\n    def go(self):\n        self.stop()\n        super().go()\n        %s().go()\n    def stop(self): pass\n", name(), name(), name()),
		)
	case "rust":
		return pick(
			fmt.Sprintf("mod %s;\n", pick("a", "b", "c")),
			fmt.Sprintf("use %s::%s;\n", pick("crate::a", "super", "crate::b::c", "self::c", "crate"), name()),
			fmt.Sprintf("use %s::*;\n", pick("crate::a", "super", "crate::b")),
			fmt.Sprintf("pub fn %s(x: &%s) -> %s { %s(); x.go(); }\n", name(), name(), name(), name()),
			fmt.Sprintf("pub struct %s { l: %s }\n", name(), name()),
			fmt.Sprintf("impl %s { pub fn go(&self) { self.l.go(); self.stop() } }\n", name()),
			fmt.Sprintf("pub trait %s { fn stop(&self) {} }\nimpl %s for %s {}\n", name(), name(), name()),
		)
	case "java":
		class := pick("A", "B", "C", "D")
		return pick(
			fmt.Sprintf("class %s extends %s { void go() { stop(); new %s().go(); } }\n", class, pick("A", "B", "C"), pick("A", "C", "D")),
			fmt.Sprintf("class %s { %s one; void stop() { one.go(); go(1); } void go(int x) {} }\n", class, pick("A", "C", "D")),
		)
	}
	return pick(
		fmt.Sprintf("#include \"%s\"\n", pick("a.h", "b.h", "x/b.h")),
		fmt.Sprintf("int %s(void);\n", name()),
		fmt.Sprintf("int %s(void) { return %s(); }\n", name(), name()),
		fmt.Sprintf("static int %s(void) { return %s(); }\n", name(), name()),
	)
}
