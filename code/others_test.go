package code_test

import (
	"slices"
	"testing"

	"hence/code"
	"hence/internal/db/dbtest"
)

// A file that stays as it is can mean something else once another changes: settings, ignored files, modules, packages,
// files that come first. Each change here leaves the store that an import from nothing leaves.
func TestAChangeOfAnotherFileChangesWhatAFileMeans(t *testing.T) {
	dbtest.SkipUnderRace(t)
	const gone = "\x00" // in place of a text: the file is removed
	goFiles := map[string]string{
		"go.mod": "module m\n\ngo 1.22\n", "a/a.go": "package a\n\n// F does.\nfunc F() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"m/a\"\n\nfunc G() int { return a.F() }\n", "c/c.go": "package c\n\nimport \"other/a\"\n\nfunc H() int { return a.F() }\n",
	}
	ts := map[string]string{
		"package.json": `{"name": "app"}`, "src/lib/a.ts": "export function f(): number { return 1 }\n", "other/lib/a.ts": "export function f(): number { return 2 }\n",
		"src/b.ts":              "import { f } from '@/lib/a'\nexport function g(): number { return f() }\n",
		"src/c.ts":              "import { f } from 'kit/a'\nexport function h(): number { return f() }\n",
		"packages/kit/a.ts":     "export function f(): number { return 3 }\n",
		"packages/kit/index.ts": "export { f } from './a'\n",
		"src/d.ts":              "import { f } from 'kit'\nimport { f as e } from './lib/a'\nexport function i(): number { return f() + e() }\n",
	}
	python := map[string]string{
		"pkg/__init__.py": "from .a import f\n", "pkg/a.py": "def f():\n    return 1\n", "pkg/b.py": "from pkg import f\n\ndef g():\n    return f()\n",
		"c.py": "import pkg.a as x\n\ndef h():\n    return x.f()\n", "src/pkg/a.py": "def f():\n    return 2\n",
	}
	rust := map[string]string{
		"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\n", "src/lib.rs": "pub mod a;\npub mod b;\n", "src/a.rs": "pub fn f() -> i32 { 1 }\n",
		"src/b.rs": "use crate::a::f;\npub fn g() -> i32 { f() }\n", "src/main.rs": "use m::b::g;\nfn main() { g(); }\n",
	}
	java := map[string]string{
		"src/p/A.java": "package p;\npublic class A { public static int f() { return 1; } }\n", "src/q/B.java": "package q;\nimport p.A;\npublic class B { int g() { return A.f(); } }\n",
		"src/q/C.java": "package q;\nimport p.*;\npublic class C { int h() { return A.f(); } }\n",
	}
	c := map[string]string{
		"a.h": "int f(int x);\n", "a.c": "#include \"a.h\"\nint f(int x) { return x; }\n", "b.c": "#include \"a.h\"\nint g(void) { return f(1); }\n",
	}
	for name, of := range map[string]struct {
		files   map[string]string
		changes []map[string]string // one import after each
	}{
		"Go: the module gets another name":             {goFiles, []map[string]string{{"go.mod": "module other\n\ngo 1.22\n"}, {"go.mod": goFiles["go.mod"]}}},
		"Go: a module is replaced by a folder":         {goFiles, []map[string]string{{"go.mod": "module m\n\ngo 1.22\n\nrequire other v0.0.0\n\nreplace other => ./x\n", "x/go.mod": "module other\n", "x/a/a.go": "package a\n\nfunc F() int { return 2 }\n"}, {"go.mod": goFiles["go.mod"]}}},
		"Go: a folder becomes a module":                {goFiles, []map[string]string{{"a/go.mod": "module other/a\n"}, {"a/go.mod": gone}}},
		"Go: a workspace comes":                        {goFiles, []map[string]string{{"x/go.mod": "module other\n", "x/a/a.go": "package a\n\nfunc F() int { return 2 }\n"}, {"go.work": "go 1.22\n\nuse (\n\t.\n\t./x\n)\n"}, {"go.work": gone}}},
		"Go: a name is shadowed in the package":        {goFiles, []map[string]string{{"b/d.go": "package b\n\nvar a = struct{ F func() int }{}\n"}, {"b/d.go": gone}}},
		"Go: the package has another name":             {goFiles, []map[string]string{{"a/a.go": "package z\n\nfunc F() int { return 1 }\n"}}},
		"Go: a method comes to a type of another file": {map[string]string{"go.mod": "module m\n", "t.go": "package m\n\ntype T struct{ U }\n", "u.go": "package m\n\ntype U struct{}\n", "x.go": "package m\n\nfunc x(t T) { t.F() }\n"}, []map[string]string{{"u.go": "package m\n\ntype U struct{}\n\nfunc (U) F() {}\n"}, {"v.go": "package m\n\nfunc (T) F() {}\n"}, {"v.go": gone}}},
		"a folder is ignored":                          {goFiles, []map[string]string{{".gitignore": "a/\n"}, {".gitignore": "a/*\n!a/a.go\n"}, {".gitignore": gone}, {"a/.gitignore": "*.go\n"}}},
		"TypeScript: paths of the compiler":            {ts, []map[string]string{{"tsconfig.json": `{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}`}, {"tsconfig.json": `{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["other/*"]}}}`}, {"tsconfig.json": `{"extends": "./base.json"}`, "base.json": `{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}`}, {"tsconfig.json": gone}}},
		"TypeScript: a nearer file of settings":        {ts, []map[string]string{{"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}`}, {"src/tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["../other/*"]}}}`}, {"src/tsconfig.json": gone}}},
		"TypeScript: a package gets its name":          {ts, []map[string]string{{"packages/kit/package.json": `{"name": "kit"}`}, {"packages/kit/package.json": `{"name": "kit", "main": "a.ts"}`}, {"packages/kit/package.json": `{"name": "kit", "exports": {".": "./a.ts", "./a": "./index.ts"}}`}, {"packages/kit/package.json": gone}}},
		"TypeScript: a file comes before another":      {ts, []map[string]string{{"src/lib/a/index.ts": "export function f(): number { return 9 }\n"}, {"src/lib/a.ts": gone}, {"src/lib/a.js": "export function f() { return 8 }\n"}}},
		"TypeScript: a file hands on what it imports":  {ts, []map[string]string{{"packages/kit/package.json": `{"name": "kit"}`}, {"packages/kit/index.ts": "export * from './z'\n", "packages/kit/z.ts": "export { f } from './a'\n"}, {"packages/kit/z.ts": "export const other = 1\n"}}},
		"Python: the package hands on":                 {python, []map[string]string{{"pkg/__init__.py": "from .z import f\n", "pkg/z.py": "def f():\n    return 3\n"}, {"pkg/__init__.py": gone}, {"pkg/__init__.py": "from .a import *\n"}}},
		"Python: a module comes before the package":    {python, []map[string]string{{"pkg.py": "def f():\n    return 4\n"}, {"pkg.py": gone, "pkg/a.py": gone}, {"pyproject.toml": "[tool.setuptools.packages.find]\nwhere = [\"src\"]\n"}}},
		"Rust: a module is another file":               {rust, []map[string]string{{"src/lib.rs": "pub mod b;\n#[path = \"z.rs\"]\npub mod a;\n", "src/z.rs": "pub fn f() -> i32 { 2 }\n"}, {"src/lib.rs": "pub mod b;\npub mod a { pub fn f() -> i32 { 3 } }\n"}, {"src/lib.rs": "pub mod b;\n"}}},
		"Rust: the crate gets another name":            {rust, []map[string]string{{"Cargo.toml": "[package]\nname = \"other\"\nversion = \"0.1.0\"\n"}, {"Cargo.toml": "[package]\nname = \"other\"\n\n[lib]\nname = \"m\"\n"}, {"Cargo.toml": gone}}},
		"Java: a class of the own package":             {java, []map[string]string{{"src/q/A.java": "package q;\npublic class A { public static int f() { return 2; } }\n"}, {"src/p/A.java": gone}, {"src/q/A.java": gone}}},
		"C: another header, and two definitions":       {c, []map[string]string{{"a.h": "#define f h\nint h(int x);\n"}, {"a.h": c["a.h"], "z.c": "int f(int x) { return 2 * x; }\n"}, {"a.c": gone}, {"b.h": "static inline int f(int x) { return 3; }\n", "a.h": "#include \"b.h\"\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, of.files)
			w.imports()
			before, changes := w.edges("true"), 0
			for n, change := range of.changes {
				for path, text := range change {
					if text == gone {
						w.remove(path)
					} else {
						w.write(path, text)
					}
				}
				w.imports()
				fresh := w
				fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
				fresh.imports()
				if w.same(w.contents(), fresh.contents()); t.Failed() {
					t.Fatalf("after change %d", n+1)
				}
				if now := w.edges("true"); !slices.Equal(now, before) {
					before, changes = now, changes+1
				}
			}
			if changes == 0 {
				t.Error("no change leads anywhere else: the case shows nothing")
			}
		})
	}
}
