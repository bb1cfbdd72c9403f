// The contents of the atlas, shared by the drawing and the saved file. Nothing here draws.

import type { Colouring } from "./colouring.ts";
import { around, scaleOf, type Atlas, type Plane } from "./data.ts";
import { mix, type Palette } from "./palette.ts";
import { tied, type AtlasEdges, type Tie } from "./ties.ts";

const crowd = 3000; // number of dots from which on they are too small to show a colour: the discs of their areas show it
export const leastRadius = 7; // smallest radius of the visible plane, so that the discs of three memories do not fill it
export const leastThickness = 1.7; // smallest width of an edge in pixels; WebGL breaks thinner ones into dots
const mostTies = 400;
const mostJoined = 2500; // most dots between which edges are drawn
const mostLines = 6000; // most edges drawn between dots

export interface Scene {
  atlas: Atlas;
  shown: Uint8Array; // 1 for each dot that is shown
  plane: Plane;
  colours: Colouring;
  within: number; // index of the selected area; -1 for all
  ties: readonly Tie[]; // edges between the areas in the selected one
  off: ReadonlySet<string>; // kinds of edges that are hidden
  edges: AtlasEdges | undefined; // undefined until they are loaded
  holds: (edge: number) => boolean; // reports whether an edge is shown
}

export function isCrowd(a: Atlas): boolean {
  return a.dots >= crowd;
}

/**
 * discs returns the colours of the areas. Each is tinted with the most frequent colour of its dots,
 * more strongly in a crowd.
 */
export function discs({ atlas: a, shown, colours }: Scene, p: Palette): string[] {
  return a.areas.map((area, i) => {
    const plain = p.disc(around(a, i).length - 1);
    const counts = p.dots.map(() => 0);
    for (let dot = area.start; dot < area.end; dot++) if (shown[dot]) counts[colours.of(dot)]!++;
    const most = Math.max(...counts);
    return most === 0 ? plain : mix(plain, p.dots[counts.indexOf(most)]!, isCrowd(a) ? 0.3 : 0.1);
  });
}

export interface Line {
  from: number;
  to: number;
  share: number; // number of edges, relative to the most between two areas
  width: number; // in units of the plane
}

/** tieLines returns lines between areas: the more edges, the thicker. */
export function tieLines(s: Scene): Line[] {
  const ties = tied(s.atlas, s.ties, s.off).filter((t) => s.plane.reach[t.from]! > 0 && s.plane.reach[t.to]! > 0);
  const most = ties[0]?.count ?? 1;
  const thickest = (s.within < 0 ? s.atlas.radius : s.atlas.areas[s.within]!.r) / 45;
  return ties.slice(0, mostTies).map(({ from, to, count }) => ({ from, to, share: count / most, width: thickest * (count / most) }));
}

/**
 * joined returns the indices of the shown edges between the dots of some areas that lie in the
 * selected area; undefined if there are too many dots, or if the edges are not loaded.
 */
export function joined({ atlas: a, shown, within, edges, holds, off }: Scene, leaves: readonly number[]): number[] | undefined {
  const isIn = new Uint8Array(a.dots), room = within < 0 ? { start: 0, end: a.dots } : a.areas[within]!;
  let dots = 0;
  for (const leaf of leaves) {
    const { start, end } = a.areas[leaf]!;
    if (end <= room.start || start >= room.end) continue;
    isIn.fill(1, start, end);
    for (let i = start; i < end; i++) dots += shown[i]!;
  }
  if (!edges || dots === 0 || dots > mostJoined) return undefined;
  const lines: number[] = [];
  for (let i = 0; i < edges.type.length && lines.length < mostLines; i++) {
    if (isIn[edges.from[i]!] && isIn[edges.to[i]!] && !off.has(a.types[edges.type[i]!]!) && holds(i)) lines.push(i);
  }
  return lines;
}

/** inkOf returns the opacity of each of a number of lines: the more lines, the more translucent. */
export function inkOf(lines: number): number {
  return Math.max(0.16, Math.min(0.6, 250 / lines));
}

/** thinness returns the width of the line of an edge between two dots, in units of the plane. */
export function thinness(a: Atlas, from: number, to: number): number {
  return 0.04 * Math.min(scaleOf(a.areas[a.area[from]!]!), scaleOf(a.areas[a.area[to]!]!));
}
