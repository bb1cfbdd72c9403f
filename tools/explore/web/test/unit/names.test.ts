import assert from "node:assert/strict";
import { test } from "node:test";
import { place, type Box, type Name } from "../../src/graph/names.ts";

const name = (key: string, x: number, y: number, rank: number, more: Partial<Name> = {}): Name => ({ key, x, y, r: 8, w: 90, h: 17, rank, must: false, ...more });
const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test("no name stands on another, and the most important have one", () => {
  const all = Array.from({ length: 500 }, (_, i) => name(`n${i}`, (i * 73) % 900, (i * 151) % 700, (i * 37) % 101));
  const placed = place(all, 500);
  for (const [i, a] of placed.entries()) for (const b of placed.slice(i + 1)) assert.ok(!overlap(a, b), `${a.key} ${b.key}`);
  const best = all.toSorted((a, b) => b.rank - a.rank)[0]!;
  assert.ok(placed.some((p) => p.key === best.key));
  assert.ok(placed.length > 40, `${placed.length} of 500`);
});

test("the order in which names come makes no difference", () => {
  const all = Array.from({ length: 60 }, (_, i) => name(`n${i}`, (i * 73) % 300, (i * 151) % 200, i % 5));
  assert.deepEqual(place(all.toReversed(), 99), place(all, 99));
});

test("what must stand stands, on the words of edges last", () => {
  const word = name("word", 100, 100, 9, { r: 0, must: true });
  const placed = place([name("a", 100, 80, 5, { must: true }), word, name("b", 100, 120, 1)], 9);
  assert.deepEqual(placed.map((p) => p.key).sort(), ["a", "b", "word"]);
  for (const [i, a] of placed.entries()) for (const b of placed.slice(i + 1)) assert.ok(!overlap(a, b), `${a.key} ${b.key}`);
  assert.equal(place([name("a", 0, 0, 1), name("b", 0, 0, 2), name("c", 0, 0, 3)], 1).length, 1);
});

test("a name does not run over the edge of the room", () => {
  const all = [name("left", 10, 50, 3), name("right", 390, 100, 2, { r: 0 }), name("outside", -40, 150, 1, { r: 0 })];
  const at = new Map(place(all, 9, [], 400).map((p) => [p.key, p.x]));
  assert.deepEqual([at.get("left"), at.get("right"), at.get("outside")], [0, 310, -85]);
  const crowd = Array.from({ length: 9 }, (_, i) => name(`n${i}`, 360, 100 + 12 * i, 9 - i));
  for (const p of place(crowd, 9, [], 400)) assert.ok(p.x >= 0 && p.x + p.w <= 400, `${p.key} at ${p.x}`);
});
