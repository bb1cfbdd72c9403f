package bind_test

import "testing"

// A function that is handed over as a value is used there, and not called.
func TestUsesOfFunctionsAsValues(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"TypeScript: arguments, objects, lists, results, conditions", `
-- a.ts --
import { cmp, h as handler } from './b';
function one() {}
function two() {}
function three() {}
export function run(list: number[], cb: () => void) {
  list.sort(cmp);
  setTimeout(handler, 10);
  use({ one, key: two });
  const all = [three];
  cb; list;
  return handler;
}
export function pick(ok: boolean) { return ok ? one : two; }
export function kept() { one.call(null); two.bind(null); }
export function use(x: unknown) {}
-- b.ts --
export function cmp() {}
export function h() {}
`, `a.ts#run refers-to/uses b.ts#cmp by import
a.ts#run refers-to/uses b.ts#h by import
a.ts#run refers-to/uses a.ts#one by file
a.ts#run refers-to/uses a.ts#two by file
a.ts#run refers-to/uses a.ts#three by file
a.ts#pick refers-to/uses a.ts#one by file
a.ts#pick refers-to/uses a.ts#two by file
a.ts#kept refers-to/uses a.ts#one by file
a.ts#kept refers-to/uses a.ts#two by file`},
		{"TypeScript: aliases, methods, markup, the file itself", `
-- a.tsx --
import * as lib from './b';
export function fn() {}
export const alias = fn;
export const table = { fn, other: lib.far };
export class A {
  field = fn;
  on() {}
  render() { return <button onClick={this.on} ref={fn}>x</button>; }
}
lib.listen(fn);
export default fn;
export { fn as again };
-- b.ts --
export function far() {}
export function listen(f: unknown) {}
`, `a.tsx#alias refers-to/uses a.tsx#fn by file
a.tsx#table refers-to/uses a.tsx#fn by file
a.tsx#table refers-to/uses b.ts#far by import
a.tsx#A refers-to/uses a.tsx#fn by file
a.tsx#A.render refers-to/uses a.tsx#A.on by receiver
a.tsx#A.render refers-to/uses a.tsx#fn by file
a.tsx refers-to/uses a.tsx#fn by file`},
		{"TypeScript: decorators of classes, methods, fields and parameters", `
-- a.ts --
import { Deco, made, Param } from './b';
@Deco
export class A {
  @made('x') method(@Param p: string) {}
  @Deco field = 1;
}
@made('y') class B {}
-- b.ts --
export function Deco(x: unknown) {}
export function made(x: string) { return Deco }
export function Param() {}
`, `a.ts#A refers-to/uses b.ts#Deco by import
a.ts#A.method refers-to/uses b.ts#made by import
a.ts#A.method refers-to/uses b.ts#Param by import
a.ts#B refers-to/uses b.ts#made by import
b.ts#made refers-to/uses b.ts#Deco by file`},
		{"names of the same spelling are not the function", `
-- a.ts --
import type { T } from './b';
export function f() {}
export function run(f: string, o: { f: number }) { log(f); log(o.f); log({ f: 1 }); const g: typeof f = f; }
export function log(x: unknown) {}
export function loop() { for (const f of []) log(f); try {} catch (f) { log(f) } }
-- a.py --
def f(): pass
def run(f, o): print(f, o.f, key=f)
def other():
    f = 1
    return f
def third():
    global f
    return {"f": 1}
-- a.rs --
fn f() {}
fn run(f: u8) { let g = f; take(f); }
fn other(o: O) { take(o.f); let f = 1; take(f); vec![O { f: 1 }]; }
fn take(x: u8) {}
struct O { f: u8 }
`, ``},
		{"JavaScript", `
-- a.js --
const { load } = require('./b');
function cb() {}
module.exports = cb;
exports.named = cb;
exports.run = function () { load(cb); return Promise.resolve().then(cb).catch(load); };
-- b.js --
exports.load = function load(f) {};
`, `a.js#run refers-to/uses a.js#cb by file
a.js#run refers-to/uses b.js#load by import`},
		{"Python", `
-- a.py --
import functools
from b import deco, Base, made
def run(x): return x
def f8(): return list(map(run, [1]))
table = {"a": run}
fast = run
@deco
def marked(): pass
@made(1)
class A(Base):
    @deco
    def go(self): return self.stop
    def stop(self): sorted([], key=run)
def partial(): return functools.partial(run, 1), [run for _ in ()]
class B:
    handler = run
-- b.py --
def deco(f): return f
def made(n): return deco
class Base: pass
`, `a.py#f8 refers-to/uses a.py#run by file
a.py#table refers-to/uses a.py#run by file
a.py#fast refers-to/uses a.py#run by file
a.py#marked refers-to/uses b.py#deco by import
a.py#A refers-to/uses b.py#made by import
a.py#A.go refers-to/uses b.py#deco by import
a.py#A.go refers-to/uses a.py#A.stop by receiver
a.py#A.stop refers-to/uses a.py#run by file
a.py#partial refers-to/uses a.py#run by file
a.py#B refers-to/uses a.py#run by file
b.py#made refers-to/uses b.py#deco by file`},
		{"Rust", `
-- src/main.rs --
mod far;
use far::twice;
struct S { f: fn(u8) -> u8 }
impl S { fn new() -> Self { S { f: one } } fn go(x: u8) -> u8 { x } fn all(&self) -> Vec<u8> { vec![1].iter().map(Self::go).collect() } }
fn one(x: u8) -> u8 { x }
pub const TABLE: [fn(u8) -> u8; 2] = [one, far::twice];
fn run() { let f = one; take(twice); take(S::go); let t = (far::twice, 1); routes![one]; }
fn take(f: fn(u8) -> u8) {}
-- src/far.rs --
pub fn twice(x: u8) -> u8 { x }
`, `src/main.rs#S.new refers-to/uses src/main.rs#one by file
src/main.rs#S.all refers-to/uses src/main.rs#S.go by file
src/main.rs#TABLE refers-to/uses src/main.rs#one by file
src/main.rs#TABLE refers-to/uses src/far.rs#twice by import
src/main.rs#run refers-to/uses src/main.rs#one by file
src/main.rs#run refers-to/uses src/far.rs#twice by import
src/main.rs#run refers-to/uses src/main.rs#S.go by file`},
		{"Java", `
-- A.java --
package a;
class A {
  void run(java.util.List<String> all) { all.forEach(A::show); all.forEach(this::keep); all.map(B::twice); all.map(A::new); }
  static void show(String s) {}
  void keep(String s) {}
}
-- B.java --
package a;
class B { static int twice(int x) { return x; } static int twice(String x) { return 1; } }
`, `A.java#A.run refers-to/uses A.java#A.show by file
A.java#A.run refers-to/uses A.java#A.keep by receiver`},
		{"C", `
-- a.c --
#include "b.h"
static int cmp(const void *a, const void *b) { return 0; }
struct ops table = { .open = far_open, .close = cmp };
static int (*kept)(const void *, const void *) = cmp;
void run(void *v) { qsort(v, 1, 1, cmp); handler h = &far_open; h(NULL); int cmp = 1; take(cmp); }
-- b.h --
int far_open(void *p);
-- b.c --
#include "b.h"
int far_open(void *p) { return 0; }
`, `a.c#table refers-to/uses b.c#far_open by import
a.c#table refers-to/uses a.c#cmp by file
a.c refers-to/uses a.c#cmp by file
a.c#run refers-to/uses a.c#cmp by file
a.c#run refers-to/uses b.c#far_open by import`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "refers-to") })
	}
}
