package bind_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/code/syntax"
)

// repository returns the files of a txtar archive.
func repository(files string) (all []*syntax.Places) {
	for _, file := range txtar.Parse([]byte(files)).Files {
		if _, places := syntax.Read(file.Name, file.Data); places != nil {
			all = append(all, places)
		}
	}
	return all
}

// bindLines returns the references of some kinds as lines: "from kind to by evidence".
func bindLines(files []*syntax.Places, index *bind.Index, kinds ...string) []string {
	lines := []string{}
	all, _, _ := bind.Bind(context.Background(), files, index)
	for _, ref := range all {
		if slices.Contains(kinds, ref.Kind) {
			lines = append(lines, line(ref))
		}
	}
	slices.Sort(lines)
	return lines
}

func line(ref symbol.Reference) string {
	kind := ref.Kind
	if ref.Rel != "" {
		kind += "/" + ref.Rel
	}
	return fmt.Sprintf("%s %s %s by %s", ref.From, kind, ref.To, ref.By)
}

func check(t *testing.T, files, want string, kinds ...string) {
	t.Helper()
	wanted := []string{}
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			wanted = append(wanted, line)
		}
	}
	slices.Sort(wanted)
	if got := bindLines(repository(files), nil, kinds...); !slices.Equal(got, wanted) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(wanted, "\n\t"))
	}
}

func TestCallsOfTypeScript(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"the same file", `
-- a.ts --
export function f() { g() }
function g() {}
`, `a.ts#f calls a.ts#g by file`},
		{"an import under another name", `
-- a.ts --
import { f as h } from './b';
export const run = () => h();
-- b.ts --
export function f() {}
`, `a.ts#run calls b.ts#f by import`},
		{"exported again, and by an index", `
-- a.ts --
import { f, g } from './lib';
import * as lib from './lib/index.js';
f(); g(); lib.f();
-- lib/index.ts --
export * from './one';
export { two as g } from './two';
-- lib/one.ts --
export function f() {}
-- lib/two.ts --
export function two() {}
`, `a.ts calls lib/one.ts#f by import
a.ts calls lib/two.ts#two by import`},
		{"a local name of the same name", `
-- a.ts --
import { f } from './b';
export function run(f: () => void) { f() }
export function loop() { for (const f of []) { f() } }
export function inner() { const f = () => 1; f() }
-- b.ts --
export function f() {}
`, ``},
		{"this and super, inherited", `
-- a.ts --
import Base from './b';
export class A extends Base { run() { this.own(); this.stop(); super.run() } own() {} }
-- b.ts --
export default class Base { run() {} stop() {} }
`, `a.ts#A.run calls a.ts#A.own by receiver
a.ts#A.run calls b.ts#Base.stop by receiver
a.ts#A.run calls b.ts#Base.run by receiver`},
		{"declared types", `
-- a.ts --
import { Store, open } from './b';
export class A {
  private all: Map<string, Store> = new Map();
  constructor(private store: Store) {}
  run(list: Store[]) {
    this.store.get();
    for (const one of list) one.get();
    list.forEach(x => x.get());
    open().get();
    this.all.get('x')!.get();
  }
}
const s = new Store();
s.get();
-- b.ts --
export interface Store { get(): void }
export class Store {}
export function open(): Store | undefined { return undefined }
`, `a.ts calls b.ts#Store by import
a.ts calls b.ts#Store.get by declared
a.ts#A.run calls b.ts#Store.get by declared
a.ts#A.run calls b.ts#open by import`},
		{"a parameter whose type the callee declares", `
-- a.ts --
import { App } from './b';
export function one(app: App) { app.method((c) => c.text()) }
export function two(app: App) { app.field('/', c => { c.text() }) }
export function three(app: App) { app.called('/', c => c.text()) }
export function four(app: App) { app.several('/', c => c.text()) }
export function five(app: App) { app.alias('/', function (c) { c.text() }) }
-- b.ts --
export class Context { text() {} }
export type Handler = (c: Context) => void
export interface Called { (path: string, h: Handler): void }
export interface Several { (path: string, h: Handler): void; (path: string, h: (c: string) => void): void }
export interface App {
  method(h: (c: Context) => void): void
  field: (path: string, h: Handler) => void
  called: Called
  several: Several
  alias(path: string, h: Handler): void
}
`, `a.ts#one calls b.ts#App.method by declared
a.ts#five calls b.ts#App.alias by declared
a.ts#one calls b.ts#Context.text by declared
a.ts#two calls b.ts#Context.text by declared
a.ts#three calls b.ts#Context.text by declared
a.ts#five calls b.ts#Context.text by declared`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}

func TestCallsOfRust(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"modules, use and methods", `
-- Cargo.toml --
[package]
name = "my-crate"
-- src/lib.rs --
pub mod store;
mod util;
pub use util::helper as help;
pub fn run() { let s = store::Store::new(); s.get(); help(); crate::util::helper() }
-- src/store.rs --
use crate::util::{helper, Other};
pub struct Store { other: Other }
impl Store {
    pub fn new() -> Self { helper(); Store { other: Other {} } }
    pub fn get(&self) { self.put(); self.other.go() }
    fn put(&self) {}
}
-- src/util.rs --
pub fn helper() {}
pub struct Other {}
mod more;
-- src/util/more.rs --
use super::Other;
impl Other { pub fn go(&self) {} }
-- tests/all.rs --
use my_crate::run;
#[test]
fn runs() { assert_eq!(run(), ()); }
`, `src/lib.rs#run calls src/store.rs#Store.new by import
src/lib.rs#run calls src/store.rs#Store.get by declared
src/lib.rs#run calls src/util.rs#helper by import
src/store.rs#Store.new calls src/util.rs#helper by import
src/store.rs#Store.get calls src/store.rs#Store.put by receiver
src/store.rs#Store.get calls src/util/more.rs#Other.go by declared
tests/all.rs#runs calls src/lib.rs#run by import`},
		{"modules within a file", `
-- src/lib.rs --
mod other;
fn f() {}
pub mod a {
    pub fn f() {}
    pub struct T;
    impl T { pub fn new() -> Self { self::f(); super::f(); T } pub fn go(&self) { self.own() } fn own(&self) {} }
    pub mod deep {
        use super::T;
        use super::super::f as top;
        pub fn h() { super::f(); self::k(); T::new().go(); top() }
        fn k() { super::super::f() }
    }
}
-- src/other.rs --
pub mod more;
-- src/other/more.rs --
pub mod within { pub fn w() { super::super::super::f(); super::super::super::a::f() } }
pub fn m() { super::super::f() }
`, `src/lib.rs#a.T.new calls src/lib.rs#a.f by file
src/lib.rs#a.T.new calls src/lib.rs#f by import
src/lib.rs#a.T.go calls src/lib.rs#a.T.own by receiver
src/lib.rs#a.deep.h calls src/lib.rs#a.f by file
src/lib.rs#a.deep.h calls src/lib.rs#a.deep.k by file
src/lib.rs#a.deep.h calls src/lib.rs#a.T.new by file
src/lib.rs#a.deep.h calls src/lib.rs#a.T.go by declared
src/lib.rs#a.deep.h calls src/lib.rs#f by import
src/lib.rs#a.deep.k calls src/lib.rs#f by import
src/other/more.rs#within.w calls src/lib.rs#f by import
src/other/more.rs#within.w calls src/lib.rs#a.f by import
src/other/more.rs#m calls src/lib.rs#f by import`},
		{"traits and a local of the same name", `
-- src/main.rs --
trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() } }
struct Square;
impl Shape for Square { fn area(&self) -> f64 { 1.0 } }
fn of<T: Shape>(t: T) { t.area(); }
fn take() {}
fn main() { let take = |x: i32| x; take(1); Square.twice(); }
`, `src/main.rs#Shape.twice calls src/main.rs#Shape.area by receiver
src/main.rs#main calls src/main.rs#Shape.twice by file
src/main.rs#of calls src/main.rs#Shape.area by declared`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}

func TestCallsOfJava(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"packages, fields and inheritance", `
-- src/a/Main.java --
package a;
import b.Store;
class Main extends Base {
  private final Store store = new Store();
  void run(java.util.List<Store> all) { store.get(); for (Store s : all) s.get(); base(); help(1); help(); Side.go(); }
  void help() {}
  void help(int x) {}
}
-- src/a/Base.java --
package a;
abstract class Base { void base() {} }
-- src/a/Side.java --
package a;
class Side { static void go() {} }
-- src/b/Store.java --
package b;
public class Store { public Store() {} public void get() {} }
`, `src/a/Main.java#Main calls src/b/Store.java#Store by import
src/a/Main.java#Main calls src/b/Store.java#Store.Store by import
src/a/Main.java#Main.run calls src/b/Store.java#Store.get by declared
src/a/Main.java#Main.run calls src/a/Base.java#Base.base by receiver
src/a/Main.java#Main.run calls src/a/Main.java#Main.help by file
src/a/Main.java#Main.run calls src/a/Main.java#Main.help~2 by file
src/a/Main.java#Main.run calls src/a/Side.java#Side.go by import`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}

func TestCallsOfC(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"headers, static functions and locals", `
-- src/main.c --
#include "store.h"
#include <stdio.h>
static void local(void) {}
int main(int argc, char **argv) { store_get(1); local(); printf("x"); inline_one(); hidden(); return 0; }
int indirect(int (*store_get)(int)) { return store_get(2); }
-- src/store.h --
int store_get(int id);
static inline int inline_one(void) { return 1; }
-- src/store.c --
#include "store.h"
static int hidden(void) { return 1; }
int store_get(int id) { return hidden(); }
-- src/other.c --
int unrelated(void) { return store_get(1); }
`, `src/main.c#main calls src/store.c#store_get by import
src/main.c#main calls src/main.c#local by file
src/main.c#main calls src/store.h#inline_one by import
src/store.c#store_get calls src/store.c#hidden by file`},
		{"standard headers are the compiler's, others in angle brackets are found by their path", `
-- src/main.c --
#include <time.h>
#include <store/api.h>
int main(void) { time(0); api(); return 0; }
-- src/near.c --
#include "time.h"
int near(void) { return time(0); }
-- src/time.h --
static int time(int at) { return at; }
-- include/store/api.h --
static int api(void) { return 1; }
`, `src/main.c#main calls include/store/api.h#api by import
src/near.c#near calls src/time.h#time by import`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}

func TestCallsOfPython(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"of two modules that are taken over whole the last counts", `
-- main.py --
from first import *
from second import *
def run(): both(); only()
-- first.py --
def both(): pass
def only(): pass
-- second.py --
def both(): pass
`, `main.py#run calls second.py#both by import
main.py#run calls first.py#only by import`},
		{"packages, relative imports and __init__", `
-- app/main.py --
import lib.sub.deep
from lib import Store, again as other
from .near import near
def run(store: "Store", many: list[Store]):
    store.get(); other(); near(); lib.sub.deep.down()
    for one in many:
        one.get()
    with Store() as opened:
        opened.get()
-- app/__init__.py --
-- app/near.py --
def near(): pass
-- lib/__init__.py --
from .store import Store
from .more import *
-- lib/store.py --
class Base:
    def put(self): pass
class Store(Base):
    def __init__(self): self.inner = Base()
    def __enter__(self): return self
    def get(self):
        self.put()
        super().put()
        self.inner.put()
-- lib/more.py --
def again(): pass
-- lib/sub/deep.py --
def down(): pass
`, `app/main.py#run calls lib/store.py#Store.get by declared
app/main.py#run calls lib/more.py#again by import
app/main.py#run calls app/near.py#near by import
app/main.py#run calls lib/sub/deep.py#down by import
app/main.py#run calls lib/store.py#Store by import
app/main.py#run calls lib/store.py#Store.__init__ by import
lib/store.py#Store.__init__ calls lib/store.py#Base by file
lib/store.py#Store.get calls lib/store.py#Base.put by receiver`},
		{"a parameter and an assignment of the same name", `
-- a.py --
def take(): pass
def one(take): take()
def two():
    take = open
    take()
class A:
    def save(self): save()
    def load(self, x): x.save()
`, ``},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}
