import assert from "node:assert/strict";
import { test } from "node:test";
import { diff } from "../../src/diff.ts";

const said = (before: string, after: string): string[] => diff(before, after)!.map((r) =>
  ({ same: " ", gone: "-", new: "+", skip: "…" })[r.kind] + (r.skipped ?? r.parts.map((p) => (p.differs ? `[${p.text}]` : p.text)).join("")));

test("a changed line is shown before and after, with the words that differ", () => {
  assert.deepEqual(said("a\nthe quay lamp is lit\nc", "a\nthe pier lamp is lit\nc"), [" a", "-the [quay] lamp is lit", "+the [pier] lamp is lit", " c"]);
});

test("lines far from a change are left out", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  assert.deepEqual(said(lines.join("\n"), [...lines.slice(0, 10), "new", ...lines.slice(10)].join("\n")), ["…8", " line 8", " line 9", "+new", " line 10", " line 11", "…8"]);
});

test("what came and what went alone, and texts that are the same", () => {
  assert.deepEqual(said("", "a\nb"), ["+a", "+b"]);
  assert.deepEqual(said("a\nb\n", ""), ["-a", "-b"]);
  assert.deepEqual(said("a\n", "a"), ["…1"]);
  assert.deepEqual(said("", ""), []);
});

test("lines that go over into others keep their order", () => {
  const rows = diff("one two\nthree", "one\ntwo three\nfour")!;
  const side = (kind: string): string => rows.filter((r) => r.kind === kind).map((r) => r.parts.map((p) => p.text).join("")).join("\n");
  assert.equal(side("gone"), "one two\nthree");
  assert.equal(side("new"), "one\ntwo three\nfour");
});

test("texts with too little in common are not compared", () => {
  const of = (seed: number): string => Array.from({ length: 5000 }, (_, i) => String(Math.imul(i + seed, 2654435761) >>> 0)).join("\n");
  assert.equal(diff(of(1), of(9999)), undefined);
  assert.equal(diff(of(1), of(1) + "\nmore")!.at(-1)!.kind, "new");
});
