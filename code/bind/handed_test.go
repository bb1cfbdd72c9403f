package bind_test

import "testing"

// The parameter of a callback has the type that the signatures of what is called agree on.
func TestParametersOfCallbacks(t *testing.T) {
	const types = `
-- types.ts --
export class Context { text(): void {} }
export class Other { text(): void {} }
export type Handler<E = any> = (c: Context, next: () => void) => E;
export type Middle = (c: Context, next: () => void) => Promise<void>;
export type H<E = any> = Handler<E> | Middle;
export interface HandlerInterface<E> {
  <P extends string>(path: P, handler: H<E>): void
  <P extends string>(path: P, ...handlers: [H<E>, H<E>]): void
  (...handlers: H<E>[]): void
  (path: string): void
}
export interface Torn { (path: string, handler: (c: Context) => void): void; (path: number, handler: (c: Other) => void): void }
export interface Part { (path: string, handler: () => void): void; (path: string, handler: (c: Context) => void): void; (path: string, name: string): void }
export interface Wild { (path: string, handler: (c: Context) => void): void; (path: string, handler: <T>(c: T) => void): void }
export class App<E = any> { get!: HandlerInterface<E>; torn!: Torn; part!: Part; wild!: Wild }
export function on(name: 'a', run: (c: Context) => void): void;
export function on(name: 'b', run: (c: Context, more: number) => void): void;
export function on(name: any, run: any) {}
export function off(name: 'a', run: (c: Context) => void): void;
export function off(name: 'b', run: (c: Other) => void): void;
export function off(name: any, run: any) {}
export function all(...run: ((c: Context) => void)[]) {}
-- app.ts --
import { App, on, off, all } from './types';
const app = new App();
`
	const bound = "app.ts calls types.ts#Context.text by declared"
	for name, c := range map[string]struct{ call, want string }{
		"an interface of several signatures":         {"app.get('/', (c) => c.text());", bound},
		"its second handler":                         {"app.get('/', (c, next) => next(), (c) => c.text());", bound},
		"a rest of handlers":                         {"app.get(1 as any, 2 as any, 3 as any, (c) => c.text());", bound},
		"a function expression":                      {"app.get('/', async function (c) { return c.text() });", bound},
		"a signature whose handler takes nothing":    {"app.part('/', (c) => c.text());", bound},
		"overloads of a function":                    {"on('a', (c) => c.text());", bound},
		"a rest of callbacks":                        {"all((c) => 1, (c) => c.text());", bound},
		"signatures that do not agree":               {"app.torn('/', (c) => c.text());", ""},
		"a signature that takes a value of any type": {"app.wild('/', (c) => c.text());", ""},
		"overloads that do not agree":                {"off('a', (c) => c.text());", ""},
		"a parameter that none has":                  {"app.part('/', (a, c) => c.text());", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, line := range bindLines(repository(types+c.call), nil, "calls") {
				if line == bound || line == "app.ts calls types.ts#Other.text by declared" {
					got = append(got, line)
				}
			}
			if len(got) > 1 || len(got) == 1 && got[0] != c.want || len(got) == 0 && c.want != "" {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// this in a function that an object or a prototype holds is that object, or an instance.
func TestThisOfFunctionsThatAreHeld(t *testing.T) {
	check(t, `
-- a.js --
export const tool = { run: function () { this.stop(); }, stop() {}, each(list) { list.forEach(function () { this.stop(); }); } };
function Bits() {}
Bits.prototype = { put: function () { this.one(); }, one: function () {} };
Bits.prototype.two = function () { this.put(); };
Bits.three = function () { this.two(); };
class Own { go = function () { this.end(); }; end() {} }
-- c.js --
module.exports = { tool: { run() { this.stop(); }, stop() {} }, Kind: class { a() { this.b(); } b() {} } };
`, `
c.js#tool.run calls c.js#tool.stop by receiver
c.js#Kind.a calls c.js#Kind.b by receiver
a.js#tool.run calls a.js#tool.stop by receiver
a.js#Bits.put calls a.js#Bits.one by receiver
a.js#Bits.two calls a.js#Bits.put by receiver
a.js#Bits.three calls a.js#Bits.two by receiver
a.js#Own.go calls a.js#Own.end by receiver
`, "calls")
}
