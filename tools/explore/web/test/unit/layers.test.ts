import assert from "node:assert/strict";
import { test } from "node:test";
import { layers } from "../../src/layers.ts";
import type { TraceResult } from "../../src/types.ts";

type Traced = TraceResult["results"][number];

const row = (id: string, hop: number, from: string, more: Partial<Traced> = {}): Traced => ({
  id, title: id.toUpperCase(), status: "current", kind: "fact", route: [], via: { hop, from, edge_type: "depends-on", rel: "", direction: "out" }, ...more,
});
const here = { id: "x", title: "X", status: "current" as const };

test("causes stand at the left, consequences at the right", () => {
  const d = layers(here, [row("a", 1, "x"), row("b", 2, "a")], [row("c", 1, "x")]);
  const x = new Map(d.boxes.map((b) => [b.id, b.x]));
  assert.ok(x.get("b")! < x.get("a")! && x.get("a")! < x.get("x")! && x.get("x")! < x.get("c")!);
  assert.deepEqual(d.lines.map((l) => l.from + l.to), ["ax", "ba", "xc"]);
});

test("what was superseded is folded into what stands for it now", () => {
  const now = { id: "n", title: "N", status: "current" as const };
  const d = layers(here, [row("old", 1, "x", { status: "superseded" }), row("older", 2, "old", { status: "superseded" }), row("g", 3, "older")], [], new Map([["old", now], ["older", now]]));
  assert.deepEqual(d.boxes.map((b) => [b.id, b.instead]), [["x", []], ["n", ["OLD", "OLDER"]], ["g", []]]);
  assert.deepEqual(d.lines.map((l) => l.from + l.to), ["nx", "gn"]);
});

test("what is stale is marked, itself too, and what has no room is counted", () => {
  const many = Array.from({ length: 15 }, (_, i) => row(`m${i}`, 1, "x", { stale: [{ id: "q", title: "Q", reason: "superseded", route: [] }] }));
  const d = layers({ ...here, stale: [1] }, many, []);
  assert.equal(d.boxes.length, 13);
  assert.equal(d.left, 3);
  assert.ok(d.boxes.every((b) => b.stale));
});
