import assert from "node:assert/strict";
import { test } from "node:test";
import { gapX, layers, wide } from "../../src/layers.ts";
import type { TraceResult } from "../../src/types.ts";

type Traced = TraceResult["results"][number];

const row = (id: string, from: string, more: Partial<Traced> = {}): Traced => ({
  id, title: id.toUpperCase(), status: "current", kind: "fact", route: [], via: { from, edge_type: "depends-on", rel: "", direction: "out" }, ...more,
});
const here = { id: "x", title: "X", status: "current" as const };

/** drawn says what stands where, and what leads from left to right. */
function drawn(...all: Parameters<typeof layers>) {
  const d = layers(...all), at = new Map(d.boxes.map((b) => [b.key, b])), middle = d.boxes[0]!.x;
  for (const l of d.lines) assert.ok(at.get(l.from)!.x < at.get(l.to)!.x, `${l.from} ${l.to} leads back`);
  return { boxes: d.boxes.map((b) => [b.id, Math.round((b.x - middle) / (wide + gapX)), b.instead.join()]), lines: d.lines.map((l) => at.get(l.from)!.id + at.get(l.to)!.id), left: d.left };
}

test("causes stand at the left, consequences at the right", () => {
  const d = drawn(here, [row("a", "x"), row("b", "a")], [row("c", "x")]);
  assert.deepEqual(d.boxes, [["x", 0, ""], ["a", -1, ""], ["b", -2, ""], ["c", 1, ""]]);
  assert.deepEqual(d.lines, ["ax", "ba", "xc"]);
});

const n = { id: "n", title: "N", status: "current" as const };

test("what was superseded is folded into what stands for it now", () => {
  const old = [row("old", "x", { status: "superseded" }), row("older", "old", { status: "superseded" }), row("g", "older")];
  const d = drawn(here, old, [], new Map([["old", n], ["older", n]]));
  assert.deepEqual(d.boxes, [["x", 0, ""], ["n", -1, "OLD,OLDER"], ["g", -2, ""]]);
  assert.deepEqual(d.lines, ["nx", "gn"]);
});

test("nothing is folded into what stands at the other side, or in the middle", () => {
  const old = row("old", "x", { status: "superseded" }), now = new Map([["old", n]]);
  assert.deepEqual(drawn(here, [old], [row("n", "x")], now).boxes, [["x", 0, ""], ["old", -1, ""], ["n", 1, ""]]);
  assert.deepEqual(drawn(here, [old], [], new Map([["old", here]])).boxes, [["x", 0, ""], ["old", -1, ""]]);
});

test("a memory that is cause and consequence stands at both sides", () => {
  const d = drawn(here, [row("a", "x")], [row("c", "x"), row("a", "c")]);
  assert.deepEqual(d.boxes, [["x", 0, ""], ["a", -1, ""], ["c", 1, ""], ["a", 2, ""]]);
  assert.deepEqual(d.lines, ["ax", "xc", "ca"]);
});

test("nothing is folded where that would lead in a circle", () => {
  const old = [row("old", "x", { status: "superseded" }), row("b", "old"), row("older", "b", { status: "superseded" })];
  const d = drawn(here, old, [], new Map([["old", n], ["older", n]]));
  assert.deepEqual(d.boxes, [["x", 0, ""], ["n", -1, "OLD"], ["b", -2, ""], ["older", -3, ""]]);
  assert.deepEqual(d.lines, ["nx", "bn", "olderb"]);
});

test("what is folded stands beyond all that it leads to", () => {
  const old = row("old", "x", { status: "superseded" });
  const d = drawn(here, [old, row("b", "x"), row("c", "b"), row("n", "c"), row("d", "old")], [], new Map([["old", n]]));
  assert.deepEqual(d.boxes.map(([id, column]) => [id, column]), [["x", 0], ["b", -1], ["c", -2], ["n", -3], ["d", -4]]);
  assert.deepEqual(d.lines, ["nx", "bx", "cb", "nc", "dn"]);
});

test("what is stale is marked, itself too, and what has no room is counted", () => {
  const many = Array.from({ length: 15 }, (_, i) => row(`m${i}`, "x", { stale: [{ id: "q", title: "Q", reason: "superseded", route: [] }] }));
  const d = layers({ ...here, stale: [1] }, many, []);
  assert.equal(d.boxes.length, 13);
  assert.equal(d.left, 3);
  assert.ok(d.boxes.every((b) => b.stale));
});
