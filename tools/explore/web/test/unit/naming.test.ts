import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, planeOf } from "../../src/atlas/data.ts";
import { named, type Seen } from "../../src/atlas/naming.ts";

const base64 = (numbers: ArrayBufferView): string => Buffer.from(numbers.buffer).toString("base64");
const dots = 24;
const atlas = decode({
  version: "v", dots, x: base64(Float32Array.from({ length: dots }, (_, i) => (i < 20 ? i % 5 : 12 + (i % 2)))), y: base64(Float32Array.from({ length: dots }, (_, i) => (i < 20 ? Math.floor(i / 5) : Math.floor((i - 20) / 2)))),
  degree: base64(Uint16Array.from({ length: dots }, (_, i) => (i < 20 ? 20 - i : 0))), area: base64(Uint32Array.from({ length: dots }, (_, i) => (i < 20 ? 0 : 1))),
  kind: base64(new Uint16Array(dots).fill(1)), folder: base64(new Uint16Array(dots)), tag: null, tag_end: base64(new Uint32Array(dots)), status: base64(new Uint8Array(dots)), stored: base64(new Uint32Array(dots)), spans: [],
  areas: [{ parent: -1, start: 0, end: 20, x: 2, y: 1.5, r: 4.47, loose: false, name: "Hub", names: ["Hub"] }, { parent: -1, start: 20, end: 24, x: 12.5, y: 0.5, r: 2, loose: true, name: "", names: ["Alone"] }],
  ties: [], kinds: ["", "fact"], folders: [""], tags: [], types: [], rest: 0,
});
const seen = (unit: number): Seen => ({ width: 1200, height: 900, unit, at: (x, y) => ({ x: 100 + x * unit, y: 300 + y * unit }) });
const titles = new Map(Array.from({ length: dots }, (_, i) => [i, `Memory ${i}`] as const));
const naming = (unit: number, shown: Uint8Array = new Uint8Array(dots).fill(1)) => named(atlas, shown, planeOf(atlas, shown), titles, seen(unit));
const texts = (unit: number, shown?: Uint8Array): string[] => naming(unit, shown).labels.map((l) => l.text);

test("from far areas are named, from near their memories, and what has no edges still as such", () => {
  assert.deepEqual(texts(10), ["Hub", "Without edges"]);
  const near = naming(40);
  assert.deepEqual(near.leaves, [0, 1]);
  assert.equal(near.labels.length, 25);
  assert.deepEqual(near.labels.filter((l) => l.look?.startsWith("area")).map((l) => l.text).sort(), ["Memory 0", "Without edges"], "an area is called by its most linked memory, and not once more");
});

test("what is not shown is not named, nor is an area without any", () => {
  const shown = new Uint8Array(dots);
  assert.deepEqual(texts(10, shown), []);
  shown[3] = 1;
  assert.deepEqual(texts(10, shown), ["Hub"]);
  assert.deepEqual(texts(40, shown), ["Memory 3"]);
});

test("names that are not known are asked for, the most linked first", () => {
  const shown = new Uint8Array(dots).fill(1);
  const { unknown, labels } = named(atlas, shown, planeOf(atlas, shown), new Map(), seen(40));
  assert.deepEqual(unknown.slice(0, 3), [0, 1, 2]);
  assert.deepEqual(labels.map((l) => l.text).sort(), ["Hub", "Without edges"]);
});
