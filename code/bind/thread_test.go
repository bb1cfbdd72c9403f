package bind_test

import (
	"strings"
	"testing"
)

// Cases of bug reports about other code graphs: a wrong edge only because of equal names.

func TestNamesAloneMakeNoEdge(t *testing.T) {
	for _, c := range []struct{ name, files string }{
		{"take of a library, and an own take", `
-- src/app.ts --
import { take } from 'rxjs';
import { of } from 'rxjs/operators';
export function run(source: any) { source.pipe(take(1)); of(1).take(2); }
-- src/iterate.ts --
export function take(n: number) {}
export class Iterator2 { take(n: number) {} }
`},
		{"TryParse of the framework, and an own TryParse", `
-- src/Main.java --
package app;
class Main { void run(String s) { Integer.TryParse(s); Integer.parseInt(s); } }
-- src/Amount.java --
package app;
class Amount { static boolean TryParse(String s) { return true; } static int parseInt(String s) { return 1; } }
`},
		{"Save of two apps", `
-- one/main.py --
import store
def run(form):
    form.save()
    store.save()
-- two/store.py --
def save(): pass
class Form:
    def save(self): pass
`},
		{"a method of a value that nothing is known of", `
-- a.ts --
export class Journal { static diff() {} diff() {} Context() {} }
-- b.ts --
export function run(t: any, u) { t.diff(); u.Context(); (window as any).diff(); JSON.diff(); }
`},
		{"functions of two programs in C", `
-- one/main.c --
int main(void) { return save(1); }
-- two/save.c --
int save(int x) { return x; }
`},
		{"a var of an inner block, which is local in the whole function", `
-- a.js --
import { f, g } from './b';
export function before() { f(); for (var f of []) {} }
export function after() { if (1) { var { f, x: g } = {} } f(); g() }
export class K { m() { switch (1) { case 1: var f = 1 } f() } }
-- b.js --
export function f() {}
export function g() {}
`},
		{"names that a pattern captures, and type parameters in Python", `
-- a.py --
from b import f, g, P
def sequence(x):
    match x:
        case [f, *g] | (f, g): f(); g()
def mapping(x):
    match x:
        case {'k': f, **g}: f(); g()
def instance(x):
    match x:
        case int(real=f) as g: f(); g()
def generic[P](x: P): x.m()
class Box[P]:
    def n(self, x: P): x.m()
-- b.py --
def f(): pass
def g(): pass
class P:
    def m(self): pass
`},
		{"functions of other crates and types in Rust", `
-- src/main.rs --
mod own;
fn main() { let v = std::fs::read("x"); v.unwrap(); Vec::<i32>::new().save(); "x".parse::<i32>(); }
-- src/own.rs --
pub fn read() {}
pub struct File;
impl File { pub fn save(&self) {} pub fn unwrap(&self) {} pub fn parse(&self) {} }
`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, "", "calls") })
	}
}

func TestImplements(t *testing.T) {
	check(t, `
-- a.ts --
export interface Store { get(): void }
export class Base { put() {} }
export class File extends Base implements Store { get() {} put() {} own() {} }
-- b.py --
class Base:
    def put(self): pass
class File(Base):
    def __init__(self): pass
    def put(self): pass
-- c/Main.java --
package c;
interface Shape { double area(); }
class Square implements Shape { public double area() { return 1; } }
-- d.rs --
trait Shape { fn area(&self); }
struct Square;
impl Shape for Square { fn area(&self) {} }
`, `a.ts#File implements a.ts#Store by file
a.ts#File implements/extends a.ts#Base by file
a.ts#File.get implements a.ts#Store.get by file
a.ts#File.put implements/overrides a.ts#Base.put by file
b.py#File implements/extends b.py#Base by file
b.py#File.put implements/overrides b.py#Base.put by file
c/Main.java#Square implements c/Main.java#Shape by file
c/Main.java#Square.area implements c/Main.java#Shape.area by file
d.rs#Square implements d.rs#Shape by file
d.rs#Square.area implements d.rs#Shape.area by file`, "implements")
}

func TestModulesByName(t *testing.T) {
	check(t, `
-- tsconfig.json --
{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["app/*"], }, } } // trailing commas
-- app/x.ts --
export function x() {}
-- packages/lib/package.json --
{ "name": "@me/lib", "main": "dist/index.js" }
-- packages/lib/src/index.ts --
export { y } from './y';
-- packages/lib/src/y.ts --
export function y() {}
-- app/main.ts --
import { x } from '@/x';
import { y } from '@me/lib';
import { z } from '@me/other';
x(); y(); z();
`, `app/main.ts calls app/x.ts#x by import
app/main.ts calls packages/lib/src/y.ts#y by import`, "calls")
}

// A path that ends like a folder names its index, also beside a file of the folder's name, and a package without
// src/index is what its main names.
func TestModulesThatAreFolders(t *testing.T) {
	check(t, `
-- foo.ts --
export function f() {}
-- foo/index.ts --
export function f() {}
-- foo/own.ts --
import { f } from ".";
f();
-- foo/deep/up.ts --
import { f } from "..";
f();
-- slash.ts --
import { f } from "./foo/";
f();
-- file.ts --
import { f } from "./foo";
f();
-- packages/server/package.json --
{ "name": "server", "main": "./server.js" }
-- packages/server/server.js --
export function start() {}
-- packages/server/index.js --
export function start() {}
-- run.js --
import { start } from "server";
start();
`, `foo/own.ts calls foo/index.ts#f by import
foo/deep/up.ts calls foo/index.ts#f by import
slash.ts calls foo/index.ts#f by import
file.ts calls foo.ts#f by import
run.js calls packages/server/server.js#start by import`, "calls")
}

// What a tsconfig.json does not have, those have that it extends, from their own folders but for ${configDir}.
func TestModulesByTheSettingsThatAreExtended(t *testing.T) {
	for shows, tt := range map[string]struct{ settings, target string }{
		"paths of the base": {`
-- apps/web/tsconfig.json --
{ "extends": "../../tsconfig.base.json" }
-- tsconfig.base.json --
{ "compilerOptions": { "paths": { "@/*": ["libs/*"] } } }`, "libs/x.ts"},
		"without the ending, through two": {`
-- apps/web/tsconfig.json --
{ "extends": "./tsconfig.app" }
-- apps/web/tsconfig.app.json --
{ "extends": "../../tsconfig.base", "compilerOptions": {} }
-- tsconfig.base.json --
{ "compilerOptions": { "paths": { "@/*": ["libs/*"] } } }`, "libs/x.ts"},
		"own paths from the baseUrl of the base": {`
-- apps/web/tsconfig.json --
{ "extends": "../tsconfig.json", "compilerOptions": { "paths": { "@/*": ["kit/*"] } } }
-- apps/tsconfig.json --
{ "compilerOptions": { "baseUrl": "shared", "paths": { "@/*": ["other/*"] } } }`, "apps/shared/kit/x.ts"},
		"the later of several": {`
-- apps/web/tsconfig.json --
{ "extends": ["../a.tsconfig.json", "../b.tsconfig.json"] }
-- apps/a.tsconfig.json --
{ "compilerOptions": { "paths": { "@/*": ["a/*"] } } }
-- apps/b.tsconfig.json --
{ "compilerOptions": { "paths": { "@/*": ["b/*"] } } }`, "apps/b/x.ts"},
		"the folder of the first": {`
-- apps/web/tsconfig.json --
{ "extends": "../../tsconfig.base.json" }
-- tsconfig.base.json --
{ "compilerOptions": { "paths": { "@/*": ["${configDir}/src/*"] } } }`, "apps/web/src/x.ts"},
		"not a package, nor without end": {`
-- apps/web/tsconfig.json --
{ "extends": ["kit/tsconfig.json", "./tsconfig.json"] }
-- apps/web/kit/tsconfig.json --
{ "compilerOptions": { "paths": { "@/*": ["${configDir}/wrong/*"] } } }
-- tsconfig.json --
{ "compilerOptions": { "paths": { "@/*": ["libs/*"] } } }
-- apps/web/wrong/x.ts --
export function x() {}`, "libs/x.ts"},
	} {
		t.Run(shows, func(t *testing.T) {
			check(t, tt.settings+`
-- `+tt.target+` --
export function x() {}
-- apps/web/src/main.ts --
import { x } from '@/x';
x();
`, "apps/web/src/main.ts calls "+tt.target+"#x by import", "calls")
		})
	}
}

// A tsconfig.json that extends itself many times ends, and has its own options.
func TestSettingsThatExtendThemselves(t *testing.T) {
	check(t, `
-- tsconfig.json --
{ "extends": [`+strings.Repeat(`"./tsconfig.json", `, 60)+`"./other.tsconfig.json"], "compilerOptions": { "paths": { "@/*": ["libs/*"] } } }
-- other.tsconfig.json --
{ "extends": [`+strings.Repeat(`"./tsconfig.json", `, 60)+`] }
-- libs/x.ts --
export function x() {}
-- main.ts --
import { x } from '@/x';
x();
`, "main.ts calls libs/x.ts#x by import", "calls")
}

// Two packages of one name do not hide a third whose name is longer, whatever the order in which they are looked at.
func TestAPackageByTheLongestName(t *testing.T) {
	for range 20 {
		check(t, `
-- one/package.json --
{ "name": "kit" }
-- two/package.json --
{ "name": "kit" }
-- three/package.json --
{ "name": "kit/sub" }
-- three/index.ts --
export function f() {}
-- main.ts --
import { f } from 'kit/sub';
import { g } from 'kit';
f(); g();
`, `main.ts calls three/index.ts#f by import`, "calls")
	}
}

// As in TypeScript, an exact key of paths comes first, then the longest text before the star.
func TestModulesByThePatternThatTypeScriptTakes(t *testing.T) {
	check(t, `
-- tsconfig.json --
{ "compilerOptions": { "paths": { "*": ["all/*"], "lib/*": ["short/*"], "lib/a/*": ["long/*"], "*/a/long-ending": ["ending/*"], "lib/a/exact*": ["star/*"], "lib/a/exact": ["exact"] } } }
-- all/x.ts --
export function f() {}
-- short/x.ts --
export function f() {}
-- short/a/long-ending.ts --
export function g() {}
-- long/x.ts --
export function f() {}
-- long/long-ending.ts --
export function f() {}
-- ending/lib.ts --
export function f() {}
-- star/.ts --
export function f() {}
-- exact.ts --
export function f() {}
-- main.ts --
import { f as all } from 'x';
import { f as short } from 'lib/x';
import { f as long } from 'lib/a/x';
import { f as prefix } from 'lib/a/long-ending';
import { f as exact } from 'lib/a/exact';
all(); short(); long(); prefix(); exact();
`, `main.ts calls all/x.ts#f by import
main.ts calls short/x.ts#f by import
main.ts calls long/x.ts#f by import
main.ts calls long/long-ending.ts#f by import
main.ts calls exact.ts#f by import`, "calls")
}
