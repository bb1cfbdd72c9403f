// The data of the atlas, a map of a whole store: dots in areas, as one array per column. Nothing
// here draws or sends requests.

import type { AtlasAnswer, AtlasArea, AtlasColumn } from "../types.ts";

export interface Atlas extends Omit<AtlasAnswer, AtlasColumn | "spans"> {
  x: Float32Array;
  y: Float32Array;
  degree: Uint16Array;
  area: Uint32Array;
  kind: Uint16Array;
  folder: Uint16Array;
  tag: Uint16Array; // indices in tags, of all dots one after another
  tagEnd: Uint32Array;
  status: Uint8Array;
  stored: Uint32Array; // minutes since 1970
  knownTo: Map<number, number>; // when dots were superseded or forgotten
  heldFrom: Map<number, number>; // when dots became valid, if not when they were stored
  heldTo: Map<number, number>;
  over: Set<number>; // dots that are no longer valid
  children: number[][]; // the areas inside each area
  top: number[];
  radius: number; // of the whole map
}

export function bytes(text: string | null): ArrayBuffer {
  const raw = atob(text ?? "");
  const all = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) all[i] = raw.charCodeAt(i);
  return all.buffer;
}

export function decode(a: AtlasAnswer): Atlas {
  const children: number[][] = a.areas.map(() => []);
  const top: number[] = [];
  let radius = 1;
  a.areas.forEach((area, i) => {
    if (area.parent >= 0) children[area.parent]!.push(i);
    else {
      top.push(i);
      radius = Math.max(radius, Math.hypot(area.x, area.y) + area.r);
    }
  });
  const knownTo = new Map<number, number>(), heldFrom = new Map<number, number>(), heldTo = new Map<number, number>(), over = new Set<number>();
  for (const [dot, known, from, to, ended] of a.spans) {
    if (known > 0) knownTo.set(dot, known);
    if (from > 0) heldFrom.set(dot, from);
    if (to > 0) heldTo.set(dot, to);
    if (ended > 0) over.add(dot);
  }
  return {
    ...a, x: new Float32Array(bytes(a.x)), y: new Float32Array(bytes(a.y)), degree: new Uint16Array(bytes(a.degree)),
    area: new Uint32Array(bytes(a.area)), kind: new Uint16Array(bytes(a.kind)), folder: new Uint16Array(bytes(a.folder)), tag: new Uint16Array(bytes(a.tag)), tagEnd: new Uint32Array(bytes(a.tag_end)),
    status: new Uint8Array(bytes(a.status)), stored: new Uint32Array(bytes(a.stored)), knownTo, heldFrom, heldTo, over, children, top, radius,
  };
}

export interface Shown {
  superseded: boolean;
  asOf: number; // minutes since 1970; 0: now
  knownAt: number;
}

/**
 * visible returns 1 for each dot that was known and valid at the given times, and 0 for the others,
 * by the same rules as the tools.
 */
export function visible(a: Atlas, s: Shown): Uint8Array {
  const shown = new Uint8Array(a.dots);
  const past = s.asOf > 0 || s.knownAt > 0;
  for (let i = 0; i < a.dots; i++) {
    if (!past) {
      shown[i] = a.status[i] === 0 && !a.over.has(i) || a.status[i] === 1 && s.superseded ? 1 : 0;
      continue;
    }
    const stored = a.stored[i]!;
    if (s.knownAt > 0 && stored > s.knownAt || s.asOf > 0 && (a.heldFrom.get(i) ?? stored) > s.asOf) continue;
    const known = a.knownTo.get(i) ?? Infinity, held = a.heldTo.get(i) ?? Infinity;
    const gone = s.knownAt > 0 ? known <= s.knownAt : a.status[i] === 2;
    const ended = s.asOf > 0 && held <= s.asOf;
    shown[i] = (!gone || s.superseded && a.status[i] === 1) && (!ended || s.superseded && a.status[i] === 1) ? 1 : 0;
  }
  return shown;
}

/**
 * counted returns the number of shown dots before each dot; the last entry is the number of all.
 */
export function counted(shown: Uint8Array): Uint32Array {
  const before = new Uint32Array(shown.length + 1);
  for (let i = 0; i < shown.length; i++) before[i + 1] = before[i]! + shown[i]!;
  return before;
}

/** around returns an area and the areas that contain it, the outermost first; nothing for -1. */
export function around(a: Atlas, area: number): number[] {
  return area < 0 ? [] : [...around(a, a.areas[area]!.parent), area];
}

/**
 * scaleOf returns the scale of an innermost area: the size of one unit of its dots, in units of the
 * map.
 */
export function scaleOf(a: AtlasArea): number {
  return a.r / Math.sqrt(a.end - a.start);
}

const margin = 0.62; // around the outermost dots, in units of scaleOf; the server leaves the same

/** Plane holds the positions of all dots and areas at a time. */
export interface Plane {
  x: Float32Array; // positions of the dots
  y: Float32Array;
  areaX: Float32Array;
  areaY: Float32Array;
  reach: Float32Array; // radii of the areas, 0 where nothing is shown
}

const apart = 1.03; // factor by which discs stay apart
const settled = 0.95; // factor from which on the areas in an area have their final positions

/**
 * planeOf returns a plane in which each area is only as large as its shown dots require, and the
 * areas inside another one are moved together, so that it grows with its memories.
 */
export function planeOf(a: Atlas, shown: Uint8Array): Plane {
  const n = a.areas.length, reach = new Float32Array(n), drawn = new Float32Array(n).fill(1); // drawn: factor by which the areas inside are moved together
  for (let i = n - 1; i >= 0; i--) { // inner areas have higher indices
    const area = a.areas[i]!, inside = a.children[i]!.filter((c) => reach[c]! > 0);
    if (a.children[i]!.length === 0) {
      let far = -1;
      for (let dot = area.start; dot < area.end; dot++) if (shown[dot]) far = Math.max(far, Math.hypot(a.x[dot]! - area.x, a.y[dot]! - area.y));
      if (far >= 0) reach[i] = Math.min(area.r, far + margin * scaleOf(area));
      continue;
    }
    let least = 0;
    inside.forEach((c, k) => {
      for (const d of inside.slice(0, k)) least = Math.max(least, (reach[c]! + reach[d]!) / Math.hypot(a.areas[c]!.x - a.areas[d]!.x, a.areas[c]!.y - a.areas[d]!.y));
    });
    drawn[i] = apart * least > settled ? 1 : apart * least;
    for (const c of inside) reach[i] = Math.min(area.r, Math.max(reach[i]!, 1.04 * (drawn[i]! * Math.hypot(a.areas[c]!.x - area.x, a.areas[c]!.y - area.y) + reach[c]!)));
  }
  const areaX = new Float32Array(n), areaY = new Float32Array(n);
  a.areas.forEach((area, i) => {
    const p = area.parent, by = p < 0 ? 0 : drawn[p]!;
    areaX[i] = p < 0 ? area.x : areaX[p]! + by * (area.x - a.areas[p]!.x);
    areaY[i] = p < 0 ? area.y : areaY[p]! + by * (area.y - a.areas[p]!.y);
  });
  if (drawn.every((by) => by === 1)) return { x: a.x, y: a.y, areaX, areaY, reach };
  const x = new Float32Array(a.dots), y = new Float32Array(a.dots);
  for (let dot = 0; dot < a.dots; dot++) {
    const i = a.area[dot]!;
    x[dot] = areaX[i]! + a.x[dot]! - a.areas[i]!.x;
    y[dot] = areaY[i]! + a.y[dot]! - a.areas[i]!.y;
  }
  return { x, y, areaX, areaY, reach };
}

/** nameOf returns the name of an area, which no other has. The server names those that are not loose. */
export function nameOf(a: Atlas, i: number): string {
  const area = a.areas[i]!;
  if (!area.loose) return area.name;
  if (a.degree[area.start]! > 0) return area.parent < 0 ? "Small groups" : `Small groups in ${nameOf(a, area.parent)}`;
  if (area.parent < 0) return "Without edges";
  const folder = a.folders[a.folder[area.start]!] ?? "";
  return `${a.kinds[a.kind[area.start]!]}${folder === "" ? "" : " in " + folder}`;
}

/**
 * radiusOf returns the radius of a dot in units of scaleOf: the more edges, the larger. Dots are
 * 1.5 units apart.
 */
export function radiusOf(degree: number): number {
  return Math.min(0.46, 0.2 + 0.05 * Math.log2(1 + degree));
}
