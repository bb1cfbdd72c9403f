package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/code/syntax"
)

// repository reads files in the form of txtar.
func repository(files string) *bind.Repository {
	r := bind.New()
	for _, file := range txtar.Parse([]byte(files)).Files {
		if _, places := syntax.Read(file.Name, file.Data); places != nil {
			r.Put(places)
		}
	}
	return r
}

// told writes references as lines: from kind to, and the evidence.
func told(r *bind.Repository, kinds ...string) []string {
	lines := []string{}
	for _, bound := range r.BindAll() {
		for _, ref := range bound.References {
			if slices.Contains(kinds, ref.Kind) {
				lines = append(lines, line(ref))
			}
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
	if got := told(repository(files), kinds...); !slices.Equal(got, wanted) {
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
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}
