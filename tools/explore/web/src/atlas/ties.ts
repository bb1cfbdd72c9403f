// The edges of a whole store, one by one, and counted between areas. Nothing here draws or sends
// requests.

import type { AtlasEdgesAnswer } from "../types.ts";
import { bytes, type Atlas, type Shown } from "./data.ts";

/** AtlasEdges holds the edges of an atlas, including those that are no longer valid. */
export interface AtlasEdges {
  from: Uint32Array; // indices of dots
  to: Uint32Array;
  type: Uint8Array;
  stored: Uint32Array;
  heldFrom: Map<number, number>; // when edges became valid, if not when they were stored
  heldTo: Map<number, number>;
}

export function decodeEdges(a: AtlasEdgesAnswer): AtlasEdges {
  const heldFrom = new Map<number, number>(), heldTo = new Map<number, number>();
  for (const [edge, from, to] of a.spans) {
    if (from > 0) heldFrom.set(edge, from);
    if (to > 0) heldTo.set(edge, to);
  }
  return { from: new Uint32Array(bytes(a.from)), to: new Uint32Array(bytes(a.to)), type: new Uint8Array(bytes(a.type)), stored: new Uint32Array(bytes(a.stored)), heldFrom, heldTo };
}

/**
 * holding returns a function that reports whether an edge is shown: between shown dots, known and
 * valid at the given times.
 */
export function holding(e: AtlasEdges, s: Shown, shown: Uint8Array): (edge: number) => boolean {
  const past = s.asOf > 0 || s.knownAt > 0, now = Math.floor(Date.now() / 60_000);
  return (i) => {
    if (!shown[e.from[i]!] || !shown[e.to[i]!]) return false;
    const to = e.heldTo.get(i) ?? Infinity;
    if (!past) return to > now;
    const stored = e.stored[i]!;
    return !(s.knownAt > 0 && stored > s.knownAt) && !(s.asOf > 0 && ((e.heldFrom.get(i) ?? stored) > s.asOf || to <= s.asOf));
  };
}

export type Tie = [from: number, to: number, type: number, count: number];

/**
 * tiesNow returns the numbers of current edges between the areas directly inside an area; -1 for
 * the outermost areas.
 */
export function tiesNow(a: Atlas, within: number): Tie[] {
  return a.ties.filter(([from]) => a.areas[from]!.parent === within);
}

/** tiesOf returns the same for the edges that holds reports as shown. */
export function tiesOf(a: Atlas, within: number, e: AtlasEdges, holds: (edge: number) => boolean): Tie[] {
  const side = new Int32Array(a.dots).fill(-1); // for each dot, the index in sides of the area that contains it
  const sides = within < 0 ? a.top : a.children[within]!;
  sides.forEach((area, n) => side.fill(n, a.areas[area]!.start, a.areas[area]!.end));
  const sums = new Map<number, number>();
  for (let i = 0; i < e.type.length; i++) {
    const from = side[e.from[i]!]!, to = side[e.to[i]!]!;
    if (from < 0 || to < 0 || from === to || !holds(i)) continue;
    const key = (Math.min(from, to) * sides.length + Math.max(from, to)) * a.types.length + e.type[i]!;
    sums.set(key, (sums.get(key) ?? 0) + 1);
  }
  return [...sums].map(([key, count]): Tie => {
    const pair = Math.floor(key / a.types.length);
    return [sides[Math.floor(pair / sides.length)]!, sides[pair % sides.length]!, key % a.types.length, count];
  });
}

/**
 * kindsWithin returns the number of shown edges of each kind between the dots of an area; -1 for
 * all dots.
 */
export function kindsWithin(a: Atlas, within: number, e: AtlasEdges, holds: (edge: number) => boolean): Map<string, number> {
  const { start, end } = within < 0 ? { start: 0, end: a.dots } : a.areas[within]!, counts = new Map<string, number>();
  for (let i = 0; i < e.type.length; i++) {
    const [from, to] = [e.from[i]!, e.to[i]!];
    if (from < start || from >= end || to < start || to >= end || !holds(i)) continue;
    const kind = a.types[e.type[i]!]!;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** kindsOf returns the number of edges of each kind in ties. */
export function kindsOf(a: Atlas, ties: readonly Tie[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, , type, n] of ties) counts.set(a.types[type]!, (counts.get(a.types[type]!) ?? 0) + n);
  return counts;
}

/**
 * tied returns the number of edges between each two areas, summed over the kinds that are not
 * hidden, the largest first.
 */
export function tied(a: Atlas, ties: readonly Tie[], off: ReadonlySet<string>): { from: number; to: number; count: number }[] {
  const sums = new Map<string, { from: number; to: number; count: number }>();
  for (const [from, to, type, count] of ties) {
    if (off.has(a.types[type]!)) continue;
    const key = `${from} ${to}`;
    const there = sums.get(key);
    if (there) there.count += count;
    else sums.set(key, { from, to, count });
  }
  return [...sums.values()].sort((x, y) => y.count - x.count);
}
