import assert from "node:assert/strict";
import { test } from "node:test";
import { format, graph, memory, overview, parse, review, search, type Address } from "../../src/address.ts";

const at = (address: string): Address => {
  const [rest, hash] = address.split("#");
  const [path, query] = rest!.split("?");
  return parse(path!, query ?? "", hash === undefined ? "" : "#" + hash);
};

test("an address that is formatted is parsed as what it was", () => {
  const views: Address[] = [
    search(),
    search({ q: 'hold "seats" & more', kind: "note", tag: "area/booking", origin: "vault", status: "superseded", limit: 40 }),
    memory("01a1fbcb-fe44-7053-ae77-424506c4c658"),
    memory("a name/with slashes? and 100%"),
    graph({ seed: "a", depth: 3, off: ["causes", "mentions"], superseded: false, open: ["b", "c"], from: "d", to: "e" }),
    graph({ seed: "a", off: [] }),
    graph(),
    overview({ days: 90, asOf: "2026-03-11", knownAt: "7d" }),
    overview(),
    search({ q: "fare", asOf: "last month" }),
    graph({ seed: "a", knownAt: "2026-03" }),
    search({ q: "fare", sort: "new", under: "example/decisions/" }),
    graph({ of: "packages" }),
    graph({ of: "code", by: "kind", area: 3 }),
    review(),
    review("conflicts"),
  ];
  for (const v of views) assert.deepEqual(at(format(v)), v, format(v));
});

test("what is as usual is left out of the address", () => {
  assert.equal(format(search()), "/explore/search");
  assert.equal(format(graph({ seed: "a" })), "/explore/graph?seed=a");
  assert.equal(format(overview()), "/explore/overview");
});

test("an address that somebody typed is read as far as it goes", () => {
  assert.deepEqual(at("/explore"), search());
  assert.deepEqual(at("/explore/search?q=x&limit=lots&status=odd"), search({ q: "x" }));
  assert.deepEqual(at("/explore/graph?seed=a&depth=9"), graph({ seed: "a", depth: 3 }));
  assert.deepEqual(at("/explore/memory/100%"), memory("100%"));
  assert.deepEqual(at("/explore/memory/systems/Seat%20Ledger.md"), memory("systems/Seat Ledger.md"));
});

test("an address that means nothing is lost", () => {
  for (const a of ["/explore/nothing", "/explore/graph/x", "/explore/memory/", "/explore/memory"]) assert.equal(at(a).view, "lost", a);
});
