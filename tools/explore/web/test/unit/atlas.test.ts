import assert from "node:assert/strict";
import { test } from "node:test";
import { colouring, schemesOf } from "../../src/atlas/colouring.ts";
import { decode, nameOf, planeOf, visible } from "../../src/atlas/data.ts";
import { decodeEdges, holding, kindsOf, kindsWithin, tied, tiesNow, tiesOf } from "../../src/atlas/ties.ts";
import type { AtlasAnswer } from "../../src/types.ts";

const base64 = (numbers: ArrayBufferView): string => Buffer.from(numbers.buffer).toString("base64");

const area = (parent: number, start: number, end: number, names: string[], loose = false) => ({ parent, start, end, x: 0, y: 0, r: 1, loose, name: names.join(", "), names });

const answer: AtlasAnswer = {
  version: "v", dots: 4, x: base64(new Float32Array(4)), y: base64(new Float32Array(4)), degree: base64(new Uint16Array([2, 1, 1, 0])),
  area: base64(new Uint32Array([1, 1, 2, 3])), kind: base64(new Uint16Array([1, 1, 2, 1])), folder: base64(new Uint16Array([1, 1, 2, 0])), tag: base64(new Uint16Array([0, 2, 0, 1, 1])), tag_end: base64(new Uint32Array([2, 4, 5, 5])),
  status: base64(new Uint8Array([0, 1, 0, 2])), stored: base64(new Uint32Array([100, 50, 200, 60])),
  spans: [[0, 0, 80, 0, 0], [1, 120, 0, 80, 0], [2, 0, 0, 300, 1], [3, 90, 0, 0, 0]],
  areas: [area(-1, 0, 3, ["One", "Two"]), area(0, 0, 2, ["One"]), area(0, 2, 3, ["Two"]), area(-1, 3, 4, ["Three"], true)],
  ties: [[0, 3, 0, 5], [1, 2, 0, 2], [1, 2, 1, 3]], kinds: ["", "fact", "note"], folders: ["", "v/a/b", "v/a/c"], tags: ["team/red", "team/blue", "topic/holds"], types: ["causes", "links-to"], rest: 0,
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
  assert.deepEqual(colouring(atlas, "folder", shown).legend, [{ name: "v/a", count: 3, rest: false }, { name: "no folder", count: 1, rest: true }]);
  assert.deepEqual(colouring(atlas, "kind", shown).legend, [{ name: "fact", count: 3, rest: false }, { name: "note", count: 1, rest: false }]);
});

test("colours by tag go to the rarest, or to those of one root", () => {
  const shown = new Uint8Array([1, 1, 1, 1]), by = (scheme: string) => colouring(atlas, scheme, shown);
  assert.deepEqual(schemesOf(atlas), ["area", "folder", "tag", "tag:team", "kind", "status"]);
  assert.deepEqual(by("tag").legend.map((l) => [l.name, l.count]), [["team/blue", 1], ["team/red", 1], ["topic/holds", 1], ["no tag", 1]]);
  assert.deepEqual(by("tag:team").legend.map((l) => [l.name, l.count]), [["team/blue", 1], ["team/red", 2], ["no tag", 1]]);
});

const edges = decodeEdges({ from: base64(new Uint32Array([0, 0, 0, 0])), to: base64(new Uint32Array([2, 2, 1, 3])), type: base64(new Uint8Array([0, 0, 1, 1])), stored: base64(new Uint32Array([210, 260, 100, 100])), spans: [[1, 220, 400]] });

test("edges are counted between areas side by side, of the kinds that are on", () => {
  assert.deepEqual(tied(atlas, tiesNow(atlas, 0), new Set()), [{ from: 1, to: 2, count: 5 }]);
  assert.deepEqual(tied(atlas, tiesNow(atlas, 0), new Set(["causes"])), [{ from: 1, to: 2, count: 3 }]);
  assert.deepEqual(tied(atlas, tiesNow(atlas, -1), new Set()), [{ from: 0, to: 3, count: 5 }]);
});

test("kinds are counted among what is in an area", () => {
  const all = (): boolean => true;
  assert.deepEqual([...kindsOf(atlas, tiesNow(atlas, 0))], [["causes", 2], ["links-to", 3]]);
  assert.deepEqual([...kindsWithin(atlas, -1, edges, all)], [["causes", 2], ["links-to", 2]]);
  assert.deepEqual([...kindsWithin(atlas, 1, edges, all)], [["links-to", 1]]);
});

test("at another time edges are counted that were known and held, between what was", () => {
  const then = (within: number, asOf: number, knownAt: number) => {
    const times = { superseded: false, asOf, knownAt };
    return tiesOf(atlas, within, edges, holding(edges, times, visible(atlas, times)));
  };
  assert.deepEqual(then(0, 0, 230), [[1, 2, 0, 1]]);
  assert.deepEqual(then(0, 0, 270), [[1, 2, 0, 2]]);
  assert.deepEqual(then(0, 215, 0), [[1, 2, 0, 1]]);
  assert.deepEqual(then(0, 230, 0), [[1, 2, 0, 2]]);
  assert.deepEqual(then(0, 350, 0), [], "one of its ends had ended");
  assert.deepEqual(then(-1, 0, 80), [], "one of its ends was not there yet");
});

test("an area reaches as far as what is shown in it, and what lies in one moves together", () => {
  const place = (parent: number, start: number, end: number, x: number, r: number) => ({ ...area(parent, start, end, ["One"]), x, r });
  const placed = decode({ ...answer, areas: [place(-1, 0, 4, 0, 5), place(0, 0, 2, -2.5, 2), place(0, 2, 4, 2.5, 2)], area: base64(new Uint32Array([1, 1, 2, 2])), x: base64(new Float32Array([-2.5, -1.5, 2.5, 3.5])) });
  const at = (...shown: number[]) => {
    const p = planeOf(placed, new Uint8Array(shown));
    return { reach: [...p.reach].map((r) => Math.round(10 * r) / 10), dots: [...p.x].map((x) => Math.round(10 * x) / 10) };
  };
  assert.deepEqual(at(1, 1, 1, 1), { reach: [4, 1.9, 1.9], dots: [-1.9, -0.9, 1.9, 2.9] });
  assert.deepEqual(at(1, 0, 1, 0), { reach: [1.9, 0.9, 0.9], dots: [-0.9, 0.1, 0.9, 1.9] });
  assert.deepEqual(at(0, 0, 1, 0).reach, [0.9, 0, 0.9]);
  assert.deepEqual(at(0, 0, 0, 0).reach, [0, 0, 0]);
});

test("areas have the names that the server gives, and loose ones say so", () => {
  assert.equal(nameOf(atlas, 0), "One, Two");
  assert.equal(nameOf(atlas, 3), "Without edges");
});
