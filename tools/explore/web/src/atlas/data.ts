// A whole store as a picture: dots in areas, column by column. Nothing here draws or
// asks.

import type { AtlasAnswer, AtlasArea } from "../types.ts";

export interface Atlas {
  version: string;
  dots: number;
  x: Float32Array;
  y: Float32Array;
  degree: Uint16Array;
  area: Uint32Array;
  kind: Uint16Array;
  folder: Uint16Array;
  tag: Uint16Array;
  status: Uint8Array;
  stored: Uint32Array; // minutes since 1970
  knownTo: Map<number, number>; // of the dots that were superseded or forgotten
  heldFrom: Map<number, number>; // of those that hold since another time than they were stored
  heldTo: Map<number, number>;
  over: Set<number>; // what holds no more by now
  areas: AtlasArea[];
  children: number[][]; // of each area
  top: number[];
  radius: number; // of all of it
  ties: [number, number, number, number][];
  kinds: string[];
  folders: string[];
  tags: string[];
  types: string[];
  rest: number;
}

function bytes(text: string | null): ArrayBuffer {
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
    version: a.version, dots: a.dots, x: new Float32Array(bytes(a.x)), y: new Float32Array(bytes(a.y)), degree: new Uint16Array(bytes(a.degree)),
    area: new Uint32Array(bytes(a.area)), kind: new Uint16Array(bytes(a.kind)), folder: new Uint16Array(bytes(a.folder)), tag: new Uint16Array(bytes(a.tag)),
    status: new Uint8Array(bytes(a.status)), stored: new Uint32Array(bytes(a.stored)), knownTo, heldFrom, heldTo, over,
    areas: a.areas, children, top, radius, ties: a.ties, kinds: a.kinds, folders: a.folders, tags: a.tags, types: a.types, rest: a.rest,
  };
}

export interface Shown {
  superseded: boolean;
  asOf: number; // minutes since 1970; 0: now
  knownAt: number;
}

/** visible says of each dot whether it is shown: what was known and held at the times, as the tools have it. */
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

export const schemes = ["area", "folder", "tag", "kind", "status"] as const;
export type Scheme = (typeof schemes)[number];

export interface Colouring {
  of: (dot: number) => number; // an index of the legend
  legend: { name: string; count: number }[]; // the last is all others, where there are more
}

const mostColours = 12;
const statuses = ["current", "superseded", "forgotten"];

/** colouring puts dots into classes: those with most dots have a colour each. */
export function colouring(a: Atlas, by: Scheme, shown: Uint8Array): Colouring {
  if (by === "area") {
    const outer = new Uint32Array(a.areas.length); // by area, the outermost around it; each of the small groups is its own
    a.areas.forEach((area, i) => (outer[i] = area.parent < 0 || a.areas[area.parent]!.loose ? i : outer[area.parent]!));
    const rank = new Map(a.top.map((area, i) => [area, i]));
    return { of: (dot) => (rank.get(outer[a.area[dot]!]!) ?? outer[a.area[dot]!]!) % mostColours, legend: [] };
  }
  const [column, names] = { folder: [a.folder, a.folders.map(topFolder)], tag: [a.tag, a.tags], kind: [a.kind, a.kinds], status: [a.status, statuses] }[by] as [ArrayLike<number>, string[]];
  const counts = new Map<string, number>();
  for (let i = 0; i < a.dots; i++) {
    if (!shown[i]) continue;
    const name = names[column[i]!] ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const first = sorted.filter(([name]) => name !== "").slice(0, mostColours);
  const at = new Map(first.map(([name], i) => [name, i]));
  const legend = first.map(([name, count]) => ({ name, count }));
  const rest = sorted.reduce((n, [name, count]) => (at.has(name) ? n : n + count), 0);
  if (rest > 0) legend.push({ name: first.length === mostColours ? "all others" : by === "tag" ? "no tag" : by === "folder" ? "no folder" : "none", count: rest });
  const classes = names.map((name) => at.get(name) ?? mostColours);
  return { of: (dot) => classes[column[dot]!] ?? mostColours, legend };
}

/** topFolder is the vault and its first folder. */
function topFolder(folder: string): string {
  return folder.split("/").slice(0, 2).join("/");
}

/** nameOf is what an area is called: by its most linked memories; memories without edges by their kind and folder. */
export function nameOf(a: Atlas, i: number, most = 2): string {
  const area = a.areas[i]!;
  if (area.loose) {
    if (a.degree[area.start]! > 0) return "Small groups";
    if (area.parent < 0) return "Without edges";
    const folder = a.folders[a.folder[area.start]!] ?? "";
    return `${a.kinds[a.kind[area.start]!]}${folder === "" ? "" : " in " + folder}`;
  }
  return area.names.slice(0, most).map((n) => ([...n].length > 34 ? [...n].slice(0, 33).join("").trimEnd() + "…" : n)).join(" · ");
}

/** radiusOf is how large a dot is: the more edges, the larger. */
export function radiusOf(degree: number): number {
  return Math.min(0.86, 0.5 + 0.07 * Math.log2(1 + degree));
}

/** tied counts the edges between areas side by side of kinds that are on, in an area or in none. */
export function tied(a: Atlas, within: number, off: ReadonlySet<string>): { from: number; to: number; count: number }[] {
  const sums = new Map<string, { from: number; to: number; count: number }>();
  for (const [from, to, type, count] of a.ties) {
    if (a.areas[from]!.parent !== within || off.has(a.types[type]!)) continue;
    const key = `${from} ${to}`;
    const there = sums.get(key);
    if (there) there.count += count;
    else sums.set(key, { from, to, count });
  }
  return [...sums.values()];
}
