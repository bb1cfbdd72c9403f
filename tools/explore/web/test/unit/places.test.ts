import assert from "node:assert/strict";
import { test } from "node:test";
import { along, implied, layered, spread, type Places, type Tie } from "../../src/graph/places.ts";
import { curve, outline } from "../../src/graph/shapes.ts";

const tie = (text: string): Tie => ({ from: text[0]!, to: text[1]! });
const ties = (...all: string[]): Tie[] => all.map(tie);
const sides = (p: Places): [number, number] => {
  const [xs, ys] = [[...p.values()].map((at) => at.x), [...p.values()].map((at) => at.y)];
  return [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
};

/** chance returns numbers from 0 to 1, the same ones each time. */
function chance(seed: number): () => number {
  return () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}

function randomTies(seed: number, nodes: number, edges: number): { ids: string[]; ties: Tie[] } {
  const next = chance(seed), ids = Array.from({ length: nodes }, (_, i) => `n${i}`), pick = (): string => ids[Math.floor(next() * nodes)]!;
  return { ids, ties: Array.from({ length: edges }, () => ({ from: pick(), to: pick() })) };
}

/** reaches is the naive answer: whether a way of ties leads from one to the other, without the tie left out. */
function reaches(all: readonly Tie[], from: string, to: string, without?: Tie): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const t of all) if (t.from === id && !(t.from === without?.from && t.to === without?.to)) seen.add(t.to);
  return seen.has(to);
}

test("what was placed stays, and the same drawing comes each time", () => {
  const chain = ties("ab", "bc", "cd", "da");
  const first = spread(["a", "b", "c", "d"], chain, new Map(), 1);
  assert.deepEqual(spread(["a", "b", "c", "d"], chain, new Map(), 1), first);
  const more = spread(["e"], [...chain, tie("ae")], first, 1);
  assert.deepEqual([...more.keys()], ["e"]);
  const [a, e] = [first.get("a")!, more.get("e")!];
  assert.ok(Math.hypot(a.x - e.x, a.y - e.y) < 300, "near what it is tied to");
});

test("a drawing runs along the longer side of its room", () => {
  const chain = ties("ab", "bc", "cd", "de", "ef");
  const [wide, high] = sides(spread([..."abcdef"], chain, new Map(), 0.5));
  assert.ok(wide > 1.4 * high, `${wide} by ${high}`);
  const [narrow, tall] = sides(spread([..."abcdef"], chain, new Map(), 2));
  assert.ok(tall > 1.4 * narrow, `${narrow} by ${tall}`);
  assert.ok(sides(along([..."abc"], false))[0] > sides(along([..."abc"], true))[0]);
});

test("no two of many stand in one place, linked or not", () => {
  for (const n of [2, 30, 600]) {
    const { ids, ties } = randomTies(n, n, n), places = [...spread(ids, ties, new Map(), 1).values()];
    const near = places.some((a, i) => places.some((b, j) => i < j && Math.hypot(a.x - b.x, a.y - b.y) < 5));
    assert.ok(!near, `${n}`);
    assert.ok(places.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y)));
  }
});

test("what uses another stands above it, in any graph; a cycle shares a row", () => {
  const row = layered([..."abcxyz"], ties("ab", "bc", "ac", "xy", "yx", "xz"));
  assert.ok(row.get("a")!.y < row.get("b")!.y && row.get("b")!.y < row.get("c")!.y);
  assert.equal(row.get("x")!.y, row.get("y")!.y);
  assert.ok(row.get("x")!.y < row.get("z")!.y);
  for (let seed = 1; seed <= 200; seed++) {
    const { ids, ties } = randomTies(seed, 14, 22), places = layered(ids, ties);
    assert.equal(places.size, ids.length);
    for (const { from, to } of ties) if (!reaches(ties, to, from)) assert.ok(places.get(from)!.y < places.get(to)!.y, `${seed}: ${from} ${to}`);
  }
});

test("ties that a longer way implies are known, as a naive search has them", () => {
  assert.deepEqual([...implied([..."abc"], ties("ab", "bc", "ac"))], [2]);
  for (let seed = 1; seed <= 300; seed++) {
    const { ids, ties: all } = randomTies(seed, 9, 14), found = implied(ids, all);
    all.forEach((t, i) => {
      if (reaches(all, t.to, t.from)) return assert.ok(!found.has(i), `${seed}: a cycle`);
      // Another way that does not begin with a tie into the cycle of its end, or within that of its start.
      const own = (a: string, b: string): boolean => a === b || reaches(all, a, b) && reaches(all, b, a);
      const want = all.some((s) => own(s.from, t.from) && !own(s.to, t.from) && !own(s.to, t.to) && reaches(all, s.to, t.to));
      assert.equal(found.has(i), want, `${seed}: ${t.from} ${t.to} of ${all.map((s) => s.from + s.to)}`);
    });
  }
});

test("an edge runs from rim to rim, and its line ends where the arrowhead begins", () => {
  const c = curve({ x: 0, y: 0, rim: 10, head: 0 }, { x: 100, y: 0, rim: 20, head: 9 }, 0);
  assert.deepEqual([c.path, c.start.x, c.end.x, Math.abs(c.end.angle)], ["M10 0L71 0", 10, 80, 0]);
  const bent = curve({ x: 0, y: 0, rim: 0, head: 0 }, { x: 100, y: 0, rim: 0, head: 0 }, 20);
  assert.equal(Math.round(bent.at(0.5).y), -20);
  assert.ok(!curve({ x: 5, y: 5, rim: 9, head: 9 }, { x: 5, y: 5, rim: 9, head: 9 }, 10).path.includes("NaN"), "two in one place");
  for (const state of ["current", "superseded", "stale"] as const) assert.match(outline(state, 7), /^M.*Z$/);
});
