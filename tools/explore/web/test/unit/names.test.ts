import assert from "node:assert/strict";
import { test } from "node:test";
import { place, wrap, type Box, type Name } from "../../src/graph/names.ts";

const name = (key: string, x: number, y: number, rank: number, more: Partial<Name> = {}): Name => ({ key, x, y, r: 8, w: 90, h: 17, rank, must: false, stand: "around", ...more });
const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test("no name stands on another, and the most important have one", () => {
  const all = Array.from({ length: 500 }, (_, i) => name(`n${i}`, (i * 73) % 900, (i * 151) % 700, (i * 37) % 101));
  const placed = place(all, 500);
  for (const [i, a] of placed.entries()) for (const b of placed.slice(i + 1)) assert.ok(!overlap(a, b), `${a.key} ${b.key}`);
  const best = all.toSorted((a, b) => b.rank - a.rank)[0]!;
  assert.ok(placed.some((p) => p.key === best.key));
  assert.ok(placed.length > 40, `${placed.length} of 500`);
});

test("a name is narrower where its lines have no room, and then no wider than it must be", () => {
  const walls = [{ x: 0, y: 0, w: 60, h: 300 }, { x: 140, y: 0, w: 60, h: 300 }], long = name("a", 100, 100, 1, { narrower: [{ w: 70, h: 34 }, { w: 40, h: 51 }] });
  const placed = (n: Partial<Name>): number[] => place([{ ...long, ...n }], 9, walls).map((p) => p.form);
  assert.deepEqual([placed({ w: 60 }), placed({}), placed({ narrower: [{ w: 90, h: 34 }, { w: 40, h: 51 }] }), placed({ narrower: [] })], [[0], [1], [2], []]);
});

test("the order in which names come makes no difference", () => {
  const all = Array.from({ length: 60 }, (_, i) => name(`n${i}`, (i * 73) % 300, (i * 151) % 200, i % 5));
  assert.deepEqual(place(all.toReversed(), 99), place(all, 99));
});

test("what must stand stands, on the words of edges last", () => {
  const word = name("word", 100, 100, 9, { r: 0, must: true, stand: "line" });
  const placed = place([name("a", 100, 80, 5, { must: true }), word, name("b", 100, 120, 1)], 9);
  assert.deepEqual(placed.map((p) => p.key).sort(), ["a", "b", "word"]);
  for (const [i, a] of placed.entries()) for (const b of placed.slice(i + 1)) assert.ok(!overlap(a, b), `${a.key} ${b.key}`);
  assert.equal(place([name("a", 0, 0, 1), name("b", 0, 0, 2), name("c", 0, 0, 3)], 1).length, 1);
});

test("a name does not run over the edge of the room", () => {
  const all = [name("left", 10, 50, 3), name("right", 390, 100, 2, { r: 0, stand: "line" }), name("outside", -40, 150, 1, { r: 0, stand: "line" })];
  const at = new Map(place(all, 9, [], { width: 400, height: 300 }).map((p) => [p.key, p.x]));
  assert.deepEqual([at.get("left"), at.get("right"), at.get("outside")], [0, 310, -85]);
  const crowd = Array.from({ length: 9 }, (_, i) => name(`n${i}`, 360, 100 + 12 * i, 9 - i));
  for (const p of place(crowd, 9, [], { width: 400, height: 300 })) assert.ok(p.x >= 0 && p.x + p.w <= 400, `${p.key} at ${p.x}`);
});

test("a name covers nothing that is drawn, a disc no further than it reaches", () => {
  const thing = { x: 60, y: 111, w: 80, h: 80, round: true }; // beneath, where the name would stand first
  assert.deepEqual(place([name("a", 100, 100, 1)], 9, [thing]).map((p) => p.y), [100 - 8 - 3 - 17]);
  assert.deepEqual(place([name("a", 17, 100, 1, { w: 40 })], 9, [thing]).map((p) => p.y), [100 + 8 + 3], "the corner of its box is free");
});

test("an area is named on its rim where that is free, else within", () => {
  const area = name("area", 200, 200, 1, { r: 60, stand: "rim" }), walls = [{ x: 0, y: 0, w: 400, h: 138 }, { x: 0, y: 262, w: 400, h: 138 }, { x: 0, y: 0, w: 138, h: 400 }, { x: 262, y: 0, w: 138, h: 400 }];
  assert.deepEqual(place([area], 9).map((p) => p.y), [200 - 60 - 3 - 17]);
  assert.deepEqual(place([area], 9, walls).map((p) => p.y), [200 - 8.5]);
  assert.deepEqual(place([{ ...area, stand: "within" }, name("over", 200, 189, 2, { r: 0, stand: "line" })], 9).map((p) => p.key), ["over", "area"]);
});

test("what has no room beside its thing stands on the rim of the disc around that", () => {
  const walls = [{ x: 100, y: 100, w: 200, h: 200 }], head = name("head", 200, 200, 1, { around: { x: 200, y: 200, r: 120 } });
  assert.deepEqual(place([head], 9).map((p) => p.y), [200 + 8 + 3]);
  assert.deepEqual(place([head], 9, walls).map((p) => p.y), [200 - 120 - 3 - 17]);
});

test("an area that is seen in part is named where it is seen", () => {
  const [p] = place([name("area", 450, -100, 1, { r: 200, stand: "within" })], 9, [], { width: 400, height: 300 });
  assert.deepEqual([p!.x, p!.y], [310, 0]);
});

test("a text is broken between words, else where signs or letters are, and cut at its end", () => {
  const broken = (text: string, wide: number, lines: number): string[] => wrap(text, wide, lines, (t) => [...t].length);
  assert.deepEqual(broken("Charge the card at booking", 12, 2), ["Charge the", "card at…"], "a word is not cut");
  assert.deepEqual(broken("tools/explore/web/src", 12, 1), ["tools/…"]);
  assert.deepEqual(broken("Incomprehensibilities", 12, 1), ["Incomprehen…"], "but one that is wider than a line");
  assert.deepEqual(broken("Hold seats in the ledger", 14, 3), ["Hold seats in", "the ledger"]);
  assert.deepEqual(broken("Hold seats in the ledger for ten minutes", 14, 2), ["Hold seats in", "the ledger…"]);
  assert.deepEqual(broken("dendron.topic.special-notes.daily", 14, 3), ["dendron.topic.", "special-notes.", "daily"]);
  assert.deepEqual(broken("Hold reaper in release 2.3 at 14:30", 25, 3), ["Hold reaper in release", "2.3 at 14:30"]);
  assert.deepEqual(broken("Incomprehensibilities", 8, 3), ["Incompre", "hensibil", "ities"]);
  assert.deepEqual(broken("支付网关超时后重试三次", 6, 2), ["支付网关超时", "后重试三次"]);
  assert.deepEqual([broken("short", 14, 2), broken("", 14, 2)], [["short"], []]);
});

test("a name stands beside lines where there is room, and on them where there is not, but never on a memory", () => {
  const line = (y: number): { x: number; y: number; w: number; h: number; thin: boolean } => ({ x: 60, y, w: 80, h: 6, thin: true });
  assert.deepEqual(place([name("a", 100, 100, 1)], 9, [line(115)]).map((p) => p.y), [100 - 8 - 3 - 17], "above, as a line runs beneath");
  const walls = [{ x: 0, y: 60, w: 89, h: 80 }, { x: 111, y: 60, w: 89, h: 80 }, { x: 0, y: 60, w: 200, h: 30 }];
  assert.deepEqual(place([name("a", 100, 100, 1)], 9, [...walls, line(145)]).map((p) => p.y), [], "beneath there are memories");
  assert.deepEqual(place([name("a", 100, 100, 1, { w: 20 })], 9, [...walls, line(115)]).map((p) => p.y), [100 + 8 + 3], "only lines run there");
});
