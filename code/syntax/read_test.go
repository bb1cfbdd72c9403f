package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/symbol"
	"hence/code/syntax"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// samples are small files with the declarations of each language.
var samples = []struct{ path, text string }{
	{"src/store.ts", `/**
 * Keeps things.
 * @module store
 */

import { Base } from './base';

/** A thing
 *  that is kept. */
export interface Thing extends Base { name(): string; size: number }
export const Thing = { make: (): Thing => null!, none() {} };
// Not a doc of f: a line stands between.

export function open(path: string): Store;
export function open(path: string, mode?: number): Store { return new Store(path) }
export abstract class Store<T = Thing> extends Base implements Iterable<T> {
  /** How many. */
  static count = 0;
  #secret() {}
  constructor(private readonly path: string) { super(); }
  get size(): number { return 1 }
  set size(n: number) {}
  onClose = async () => { this.#secret() };
  abstract read(): Promise<T>;
  [Symbol.iterator]() {}
}
const hidden = 3, shown = 4, f2 = function () { function inner() { return 1 } return inner() };
export { shown, f2 as renamed };
export type Id = string | number;
export enum Color { Red, Green }
export namespace N { export function deep() {} }
export default (x: number) => x;
declare global { interface Window { x: number } }
`},
	{"test/store.test.js", `const store = require('../src/store');
describe('the store', () => {
  const helper = () => store.open();
  it('opens "twice"', async () => { helper(); });
  it.skip('closes', function () {});
});
exports.make = function () {};
module.exports.other = class Other { run() {} };
Store.prototype.extra = function extra() {};
`},
	{"pkg/store.py", `"""Keeps things."""
import os
LIMIT = 3  # a limit
_hidden = 1
names: list[str] = []

def overload(f): return f

@overload
def read(a: int) -> int: ...
@overload
def read(a: str) -> str: ...
def read(a):
    """Reads.

    More.
    """
    def inner(): return a
    return inner()

class Store(Base, metaclass=Meta):
    """A store."""
    kind: str = "x"
    def __init__(self, path): self.path = path
    @property
    def size(self): return 1
    @size.setter
    def size(self, n): pass
    @staticmethod
    async def make() -> "Store": ...
    class Inner:
        def run(self): pass
    key = lambda self: 1

if os.name == "nt":
    def platform(): return "windows"
else:
    def platform(): return "unix"
def test_it(): pass
`},
	{"src/lib.rs", `//! Keeps things.
use std::fmt;
/// A store.
#[derive(Debug)]
pub struct Store<T> { inner: Vec<T>, pub size: usize }
pub enum Kind { A, B(u8) }
pub trait Shape: fmt::Debug { type Out; fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }
impl<T> Store<T> {
    /// Makes one.
    pub fn new() -> Self { Store { inner: vec![], size: 0 } }
    fn hidden(&mut self) {}
}
impl<T> Shape for Store<T> { type Out = u8; fn area(&self) -> f64 { 1.0 } }
pub const LIMIT: usize = 3;
pub static NAME: &str = "x";
pub type Alias = Store<u8>;
macro_rules! square { ($x:expr) => { $x * $x } }
mod inner { pub fn deep() {} }
#[cfg(test)]
mod tests { use super::*; #[test] fn works() { Store::<u8>::new(); } }
`},
	{"src/main/java/p/Store.java", `package p;
import java.util.List;
/** A store. */
public class Store<T> extends Base implements Shape {
  /** How many. */
  public static final int LIMIT = 3;
  private int hidden = 1;
  public Store(String path) { this.hidden = 2; }
  @Override public double area() { return 1; }
  void put(int a) {}
  void put(String a) {}
  interface Inner { void run(); default void stop() {} }
  enum Color { RED, GREEN; int rgb() { return 1; } }
  record Point(int x, int y) {}
}
@interface Mark { String value(); }
`},
	{"src/store.c", `/* A licence. */
#include "store.h"
/* How many. */
int limit = 3;
static int hidden;
struct store { int size; struct inner { int x; } in; };
typedef struct { int a; } anonymous;
typedef struct named { int a; } named;
typedef int (*callback)(int);
enum color { RED };
int declared(int a);
/**
 * Opens.
 */
struct store *store_open(const char *path, int (*fn)(int)) { return fn(1); }
static inline void twice(void) {}
void test_it(void) {}
`},
}

// describe returns a file as lines, for the golden files.
func describe(file symbol.File) string {
	text := strings.Builder{}
	fmt.Fprintf(&text, "%s %s", file.Path, file.Language)
	for mark, on := range map[string]bool{" broken": file.Broken, " generated": file.Generated} {
		if on {
			text.WriteString(mark)
		}
	}
	fmt.Fprintf(&text, "\n\t%q\n", file.Doc)
	for _, d := range file.Declarations {
		fmt.Fprintf(&text, "%d-%d %s %s", d.StartLine, d.EndLine, d.Sort, d.Name)
		if d.Exported {
			text.WriteString(" exported")
		}
		if d.Test {
			text.WriteString(" test")
		}
		fmt.Fprintf(&text, " (%s)\n\t%s\n", d.Title, d.Signature)
		if d.Doc != "" {
			fmt.Fprintf(&text, "\t%q\n", d.Doc)
		}
	}
	return text.String()
}

func TestDeclarations(t *testing.T) {
	for _, c := range samples {
		t.Run(c.path, func(t *testing.T) {
			file, _ := syntax.Read(c.path, []byte(c.text))
			golden := filepath.Join("testdata", filepath.Base(c.path)+".golden")
			got := describe(file)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a/b.tsx", "", "typescript"},
		{"a/b.MJS", "", "javascript"},
		{"a/tool", "#!/usr/bin/env python3\n", "python"},
		{"a/tool", "#!/usr/bin/env node\n", "javascript"},
		{"a/tool", "#!/bin/sh\n", ""},
		{"a/b.h", "", "c"},
		{"a/package.json", "", "json"},
		{"a/other.json", "", ""},
		{"a/b.go", "", ""},
	} {
		if got := syntax.Language(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s %q is %q, want %q", c.path, c.text, got, c.want)
		}
	}
}

func TestGeneratedFilesHaveNoDeclarations(t *testing.T) {
	for _, c := range []struct {
		name, path, text string
		want             bool
	}{
		{"a mark", "a.ts", "// Code generated by x. DO NOT EDIT.\nexport function f() {}", true},
		{"a mark in a block", "a.py", "# -*- coding: utf-8 -*-\n# Generated by protoc. DO NOT EDIT!\ndef f(): pass", true},
		{"minified", "a.js", "function f(){}" + strings.Repeat("f();", 100), true},
		{"a mark behind code", "a.ts", "export function f() {}\n// Code generated by x. DO NOT EDIT.", false},
		{"long but few lines", "a.js", "function f() { return '" + strings.Repeat("x", 200) + "' }\n", false},
	} {
		file, _ := syntax.Read(c.path, []byte(c.text))
		if file.Generated != c.want || (len(file.Declarations) == 0) != c.want {
			t.Errorf("%s: generated %v, %d declarations; want %v", c.name, file.Generated, len(file.Declarations), c.want)
		}
	}
}

// A change of comments, layout, the name or other declarations does not change the tokens of
// a declaration; a change of its code does. Layout is also what prettier, black and rustfmt change.
func TestTokens(t *testing.T) {
	hash := func(path, text, name string) string {
		file, _ := syntax.Read(path, []byte(text))
		for _, d := range file.Declarations {
			if d.Name == name {
				return d.Tokens.Hash
			}
		}
		t.Fatalf("%s: no %s in %q", path, name, text)
		return ""
	}
	for _, c := range []struct {
		name, path, from, before, to, after string
		same                                bool
	}{
		{"comments and layout", "a.ts", "f", "export function f(a: number) { return a+1 }", "f", "// x\nexport function f( a: number ) {\n  // why\n  return a + 1\n}", true},
		{"its name", "a.ts", "f", "function f(a) { return f(a) }", "g", "function g(a) { return g(a) }", true},
		{"a body", "a.ts", "f", "function f(a) { return 1 }", "f", "function f(a) { return 2 }", false},
		{"a method of a class", "a.ts", "A", "class A { x = 1; f() { return 1 } }", "A", "class A { x = 1; f() { return 2 } g() {} }", true},
		{"a field of a class", "a.ts", "A", "class A { x = 1; f() {} }", "A", "class A { x = 2; f() {} }", false},
		{"the other part of a merged name", "a.ts", "A", "interface A { a(): void }\nconst x = 1;\nexport const A = 1;", "A", "interface A { a(): void }\nconst x = 1;\nexport const A = 2;", false},
		{"a comment of Python", "a.py", "f", "def f(a):\n    return a\n", "f", "def f(a):\n    # why\n    return  a\n", true},
		{"a line moved out of a block", "a.py", "f", "def f(a):\n    if a:\n        b()\n        c()\n", "f", "def f(a):\n    if a:\n        b()\n    c()\n", false},
		{"indentation by tabs", "a.py", "f", "def f(a):\n    if a:\n        b()\n", "f", "def f(a):\n\tif a:\n\t\tb()\n", true},
		{"a method before it in a class of Python", "a.py", "A.f", "class A:\n    def f(a):\n        return 1\n", "A.f", "class A:\n    def g(a):\n        return 2\n    def f(a):\n        return 1\n", true},
		{"methods of a class of Python", "a.py", "A", "class A:\n    def f(a):\n        return 1\n    x = 1\n", "A", "class A:\n    def g(a):\n        if a:\n            return 2\n    x = 1\n    def f(a):\n        return 1\n", true},
		{"a field of a class of Python", "a.py", "A", "class A:\n    x = 1\n    def f(a):\n        return 1\n", "A", "class A:\n    x = 2\n    def f(a):\n        return 1\n", false},
		{"a block around it in Python", "a.py", "f", "def f(a):\n    return 1\n", "f", "try:\n    def f(a):\n        return 1\nexcept E:\n    pass\n", true},
		{"line ends of a template", "a.ts", "f", "function f() { return `a\nb` }", "f", "function f() {\r\n return `a\r\nb` }", true},
		{"line ends of a text of Python", "a.py", "f", "def f(a):\n    return \"\"\"a\nb\"\"\"\n", "f", "def f(a):\r\n    return \"\"\"a\r\nb\"\"\"\r\n", true},
		{"a neighbour", "a.rs", "f", "fn f() {}\nfn g() {}", "f", "fn g() { 1; }\nfn f() {}", true},
		{"a method of Java", "A.java", "A.f", "class A { void f() { g(); } }", "A.f", "class A { void f() { h(); } }", false},
		{"a format in a text of Python", "a.py", "f", "def f(a):\n    return f'{a:.2f}'\n", "f", "def f(a):\n    return f'{a:.3f}'\n", false},
		{"a conversion in a text of Python", "a.py", "f", "def f(a):\n    return f'{a!r}'\n", "f", "def f(a):\n    return f'{a!s}'\n", false},
		{"the words of a text of Python", "a.py", "f", "def f(a):\n    return f'x {a} y'\n", "f", "def f(a):\n    return f'x {a} z'\n", false},
		{"escaped braces of Python", "a.py", "f", "def f(a):\n    return f'{{x}}'\n", "f", "def f(a):\n    return f'{{y}}'\n", false},
		{"a continued line of Python", "a.py", "f", "def f(a):\n    return a + 1\n", "f", "def f(a):\n    return a + \\\n        1\n", true},
		{"an attribute of Rust", "a.rs", "f", "fn f() {}", "f", "#[cfg(unix)]\nfn f() {}", false},
		{"a second attribute of Rust", "a.rs", "f", "/// It does.\n#[inline]\nfn f() {}", "f", "/// It does.\n#[must_use]\n// so\n#[inline]\nfn f() {}", false},
		{"an attribute of a field of Rust", "a.rs", "S", "struct S { #[serde(skip)] a: u8 }", "S", "struct S { a: u8 }", false},
		{"flags of an expression", "a.ts", "f", "function f() { return /a/g }", "f", "function f() { return /a/i }", false},
		{"an escape in a text", "a.ts", "f", "function f() { return 'a\\n' }", "f", "function f() { return 'a\\t' }", false},
		{"words of a template", "a.ts", "f", "function f(a) { return `x ${a} y` }", "f", "function f(a) { return `x ${a} z` }", false},
		{"words of JSX", "a.tsx", "f", "function f() { return <p>one two</p> }", "f", "function f() { return <p>one three</p> }", false},
		{"an entity of JSX", "a.tsx", "f", "function f() { return <p>a &amp; b</p> }", "f", "function f() { return <p>a &lt; b</p> }", false},
		{"an annotation of Java", "A.java", "A.f", "class A { @Override void f() { } }", "A.f", "class A { @Deprecated void f() { } }", false},
		{"a text block of Java", "A.java", "A.f", "class A { String f() { return \"\"\"\n a\n\"\"\"; } }", "A.f", "class A { String f() { return \"\"\"\n b\n\"\"\"; } }", false},
		{"a raw text of Rust", "a.rs", "f", "fn f() { g(r#\"a\"#) }", "f", "fn f() { g(r#\"b\"#) }", false},
		{"tokens of a macro of Rust", "a.rs", "f", "fn f() { vec![1, 2] }", "f", "fn f() { vec![1; 2] }", false},
		{"a format of a macro of Rust", "a.rs", "f", "fn f() { println!(\"{:?}\", 1) }", "f", "fn f() { println!(\"{:x}\", 1) }", false},
		{"a condition of the preprocessor", "a.c", "f", "int f(void) {\n#if A\n return 1;\n#endif\n return 2; }", "f", "int f(void) {\n#if B\n return 1;\n#endif\n return 2; }", false},
		{"a pragma of C", "a.c", "f", "int f(void) {\n#pragma omp a\n return 1; }", "f", "int f(void) {\n#pragma omp b\n return 1; }", false},
		{"an attribute of C", "a.c", "f", "int f(void) { return 1; }", "f", "__attribute__((noinline)) int f(void) { return 1; }", false},
		{"a character of C", "a.c", "f", "int f(void) { return 'a'; }", "f", "int f(void) { return 'b'; }", false},
		{"white space of C", "a.c", "f", "int f(void) { return 1; }", "f", "int\nf(void)\n{\n\treturn 1; /* x */\n}", true},
		{"a comma at the end", "a.ts", "f", "function f(a, b) { return [g(a, b), { a, b }] }", "f", "function f(\n  a,\n  b,\n) {\n  return [\n    g(\n      a,\n      b,\n    ),\n    {\n      a,\n      b,\n    },\n  ]\n}", true},
		{"a hole at the end of an array", "a.ts", "f", "function f() { return [a] }", "f", "function f() { return [a,,] }", false},
		{"an array with a hole alone", "a.ts", "f", "function f() { return [] }", "f", "function f() { return [,] }", false},
		{"semicolons", "a.ts", "f", "function f() { let a = 1\n  a++\n  return a }", "f", "function f() { let a = 1; a++; return a; }", true},
		{"semicolons of a class", "a.ts", "A", "class A { x = 1\n  y = 2\n  f() {} }", "A", "class A { x = 1; y = 2; f() {}; }", true},
		{"separators of an interface", "a.ts", "A", "interface A { x: number\n  y: string }", "A", "interface A { x: number, y: string, }", true},
		{"semicolons of overloads", "a.ts", "A", "interface A { f(a: B): C\n f(a: D): E }", "A", "interface A { f(a: B): C; f(a: D): E; }", true},
		{"where the head of a loop has its parts", "a.ts", "f", "function f() { for (; a; ) g() }", "f", "function f() { for (;; a) g() }", false},
		{"a body that is empty", "a.ts", "f", "function f() { while (a) g() }", "f", "function f() { while (a); g() }", false},
		{"a line break after return", "a.ts", "f", "function f() { return (a) }", "f", "function f() { return\n(a) }", false},
		{"quotes", "a.ts", "f", `function f() { return g('a', 'it\'s', '"', { 'b': 1 }) }`, "f", `function f() { return g("a", "it's", "\"", { b: 1 }) }`, true},
		{"a key that needs its quotes", "a.ts", "f", "function f() { return { 'a-b': 1 } }", "f", "function f() { return { 'a_b': 1 } }", false},
		{"how a number is written", "a.ts", "f", "function f() { return [0XAB, 1.50, 2.0, 1E+5, 10] }", "f", "function f() { return [0xab, 1.5, 2, 1e5, 10] }", true},
		{"a number", "a.ts", "f", "function f() { return 1.05 }", "f", "function f() { return 1.5 }", false},
		{"the order of the flags of an expression", "a.ts", "f", "function f() { return /a/mg }", "f", "function f() { return /a/gm }", true},
		{"parentheses of an arrow", "a.ts", "f", "const f = a => g(b => b)", "f", "const f = (a) => g((b) => b);", true},
		{"an object for a block", "a.ts", "f", "const f = () => ({ a })", "f", "const f = () => { a }", false},
		{"parentheses that change nothing", "a.ts", "f", "function f() { return a + b * c && (d || e) }", "f", "function f() {\n  return (\n    (a + (b * c)) && (d || e)\n  )\n}", true},
		{"parentheses of members", "a.ts", "f", "function f() { return (a.b).c + (new A).d }", "f", "function f() { return a.b.c + new A().d }", true},
		{"operators in another order", "a.ts", "f", "function f() { return (a + b) * c }", "f", "function f() { return a + b * c }", false},
		{"a sum from the right", "a.ts", "f", "function f() { return a - b - c }", "f", "function f() { return a - (b - c) }", false},
		{"a sequence for arguments", "a.ts", "f", "function f() { g((a, b)) }", "f", "function f() { g(a, b) }", false},
		{"the end of an optional chain", "a.ts", "f", "function f() { return (a?.b).c }", "f", "function f() { return a?.b.c }", false},
		{"what new makes", "a.ts", "f", "function f() { return new (g())() }", "f", "function f() { return new g()() }", false},
		{"parentheses of types", "a.ts", "A", "type A = B | C[]", "A", "type A =\n  | B\n  | (C)[];", true},
		{"an array of either", "a.ts", "A", "type A = B | C[]", "A", "type A = (B | C)[]", false},
		{"lines of JSX", "a.tsx", "f", "function f() { return <p a={'b'}>one {c} two <b>three</b> four</p> }", "f", "function f() {\n  return (\n    <p a=\"b\">\n      one {c}{\" \"}\n      two <b>three</b>\n      {\" \"}four\n    </p>\n  );\n}", true},
		{"a space of JSX", "a.tsx", "f", "function f() { return <p>{a} {b}</p> }", "f", "function f() { return <p>{a}{b}</p> }", false},
		{"a space of JSX at the end of a line", "a.tsx", "f", "function f() { return <p>{a} {b}</p> }", "f", "function f() { return <p>{a}\n {b}</p> }", false},
		{"black", "a.py", "f", "def f(a, *, b = 'x'):\n    'It does.'\n    from c import (d, e)\n    if (a): return {'k': a, \"l\": U'v'}; g()\n    for (x, y) in b: h(x, y, F'{a}', 0XAB)\n    return a and b or \\\n        c, d\n",
			"f", "def f(\n    a,\n    *,\n    b=\"x\",\n):\n    \"\"\"It does this.\"\"\"\n    from c import d, e\n\n    if a:\n        return {\n            \"k\": a,\n            \"l\": \"v\",\n        }\n        g()\n    for x, y in b:\n        h(x, y, f\"{a}\", 0xab)\n    return (\n        a and b or c,\n        d,\n    )\n", true},
		{"a tuple of one", "a.py", "f", "def f(a):\n    return g((a,), b[a,])\n", "f", "def f(a):\n    return g((a), b[a])\n", false},
		{"a tuple for arguments", "a.py", "f", "def f(a, b):\n    g((a, b))\n", "f", "def f(a, b):\n    g(a, b)\n", false},
		{"a line break after return in Python", "a.py", "f", "def f(a):\n    return g(a)\n", "f", "def f(a):\n    return\n    g(a)\n", false},
		{"a text that is not of the documentation", "a.py", "f", "def f(a):\n    a = 'x'\n", "f", "def f(a):\n    a = 'y'\n", false},
		{"a text that a prefix changes", "a.py", "f", "def f(a):\n    return g('\\\\n', b'c')\n", "f", "def f(a):\n    return g(r'\\\\n', b'c')\n", false},
		{"a space beside an escape", "a.py", "f", "def f(a):\n    return 'a \\n'\n", "f", "def f(a):\n    return 'a\\n'\n", false},
		{"operators of Python in another order", "a.py", "f", "def f(a):\n    return not (a in b) == c\n", "f", "def f(a):\n    return (not a) in b == c\n", false},
		{"rustfmt", "a.rs", "f", "fn f<T>(a: T) -> u8 where T: G { match a { B => { c(a) } D => { return 1 }, E => e, _ => vec![1, 2] } }",
			"f", "fn f<T>(a: T) -> u8\nwhere\n    T: G,\n{\n    match a {\n        B => c(a),\n        D => return 1,\n        E => {\n            e\n        }\n        _ => vec![\n            1,\n            2,\n        ],\n    }\n}", true},
		{"a closure with a block", "a.rs", "f", "fn f() { a.map(|b| { b.c }) }", "f", "fn f() { a.map(|b| b.c) }", true},
		{"a value that is thrown away", "a.rs", "f", "fn f() { a.map(|b| { b.c; }) }", "f", "fn f() { a.map(|b| b.c) }", false},
		{"a tuple of Rust of one", "a.rs", "f", "fn f() -> (u8,) { (1,) }", "f", "fn f() -> (u8) { (1) }", false},
		{"a comma at the end in C", "a.c", "a", "int a[] = {1, 2};", "a", "int a[] = {\n  1,\n  2,\n};", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if same := hash(c.path, c.before, c.from) == hash(c.path, c.after, c.to); same != c.same {
				t.Errorf("the same tokens: %v, want %v", same, c.same)
			}
		})
	}
}
