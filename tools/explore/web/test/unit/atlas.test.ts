import assert from "node:assert/strict";
import { test } from "node:test";
import { colouring, decode, nameOf, tied, visible } from "../../src/atlas/data.ts";
import type { AtlasAnswer } from "../../src/types.ts";

const base64 = (numbers: ArrayBufferView): string => Buffer.from(numbers.buffer).toString("base64");

const area = (parent: number, start: number, end: number, names: string[], loose = false) => ({ parent, start, end, x: 0, y: 0, r: 1, loose, names });

const answer: AtlasAnswer = {
  version: "v", dots: 4, x: base64(new Float32Array(4)), y: base64(new Float32Array(4)), degree: base64(new Uint16Array([2, 1, 1, 0])),
  area: base64(new Uint32Array([1, 1, 2, 3])), kind: base64(new Uint16Array([1, 1, 2, 1])), folder: base64(new Uint16Array([1, 1, 2, 0])), tag: base64(new Uint16Array(4)),
  status: base64(new Uint8Array([0, 1, 0, 2])), stored: base64(new Uint32Array([100, 50, 200, 60])),
  spans: [[0, 0, 80, 0, 0], [1, 120, 0, 80, 0], [2, 0, 0, 300, 1], [3, 90, 0, 0, 0]],
  areas: [area(-1, 0, 3, ["One", "Two"]), area(0, 0, 2, ["One"]), area(0, 2, 3, ["Two"]), area(-1, 3, 4, ["Three"], true)],
  ties: [[0, 3, 0, 5], [1, 2, 0, 2], [1, 2, 1, 3]], kinds: ["", "fact", "note"], folders: ["", "v/a/b", "v/a/c"], tags: [""], types: ["causes", "links-to"], rest: 0,
};
const atlas = decode(answer);
const seen = (asOf: number, knownAt: number, superseded = false): string => [...visible(atlas, { superseded, asOf, knownAt })].join("");

test("today shows what is current and not over, and superseded ones if asked", () => {
  assert.equal(seen(0, 0), "1000");
  assert.equal(seen(0, 0, true), "1100");
});

test("known at a time is what was stored and not yet replaced or forgotten", () => {
  assert.equal(seen(0, 55), "0100");
  assert.equal(seen(0, 70), "0101");
  assert.equal(seen(0, 110), "1100");
  assert.equal(seen(0, 130), "1000");
});

test("what held at a time began by then and had not ended", () => {
  assert.equal(seen(60, 0), "0100");
  assert.equal(seen(90, 0), "1000");
  assert.equal(seen(250, 0), "1010");
  assert.equal(seen(350, 0), "1000");
});

test("colours go to the classes with most dots, by the first folder", () => {
  const shown = new Uint8Array([1, 1, 1, 1]);
  assert.deepEqual(colouring(atlas, "folder", shown).legend, [{ name: "v/a", count: 3 }, { name: "no folder", count: 1 }]);
  assert.deepEqual(colouring(atlas, "kind", shown).legend, [{ name: "fact", count: 3 }, { name: "note", count: 1 }]);
});

test("edges are counted between areas side by side, of the kinds that are on", () => {
  assert.deepEqual(tied(atlas, 0, new Set()), [{ from: 1, to: 2, count: 5 }]);
  assert.deepEqual(tied(atlas, 0, new Set(["causes"])), [{ from: 1, to: 2, count: 3 }]);
  assert.deepEqual(tied(atlas, -1, new Set()), [{ from: 0, to: 3, count: 5 }]);
});

test("areas have the names of what is most linked, and loose ones say so", () => {
  assert.equal(nameOf(atlas, 0), "One · Two");
  assert.equal(nameOf(atlas, 3), "Without edges");
});
