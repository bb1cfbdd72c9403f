// What the picture of a whole store is made of, for the drawing and for a file. Nothing
// here draws.

import type { Colouring } from "./colouring.ts";
import { around, scaleOf, type Atlas, type Plane } from "./data.ts";
import { mix, type Palette } from "./palette.ts";
import { tied, type AtlasEdges, type Tie } from "./ties.ts";

const crowd = 3000; // dots, from which on they are too small to show a colour: the discs of their areas show it
export const leastThickness = 1.7; // pixels of an edge; WebGL breaks thinner ones into dots
const mostTies = 400;
const mostJoined = 2500; // dots among which edges are drawn
const mostLines = 6000; // of them

export interface Scene {
  atlas: Atlas;
  shown: Uint8Array; // 1 for each dot that is
  plane: Plane;
  colours: Colouring;
  within: number; // the area that is looked at, -1 for all
  ties: readonly Tie[]; // between the areas in that
  off: ReadonlySet<string>; // kinds of edges that are not drawn
  edges: AtlasEdges | undefined; // if they are known
  holds: (edge: number) => boolean; // whether one is shown
}

export function isCrowd(a: Atlas): boolean {
  return a.dots >= crowd;
}

/** discs are the colours of the areas: they have some of the colour that most of their dots have, more of it in a crowd. */
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
  share: number; // of the most that two areas have
  width: number; // in units of the plane
}

/** tieLines join areas, as thick as there are edges. */
export function tieLines(s: Scene): Line[] {
  const ties = tied(s.atlas, s.ties, s.off).filter((t) => s.plane.reach[t.from]! > 0 && s.plane.reach[t.to]! > 0);
  const most = ties[0]?.count ?? 1;
  const thickest = (s.within < 0 ? s.atlas.radius : s.atlas.areas[s.within]!.r) / 45;
  return ties.slice(0, mostTies).map(({ from, to, count }) => ({ from, to, share: count / most, width: thickest * (count / most) }));
}

/** joined are the edges among the dots of some areas, as far as those lie in the one that is looked at; undefined where there are too many. */
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

/** inkOf is how much of its colour one of so many lines has: more of them let more be seen through. */
export function inkOf(lines: number): number {
  return Math.max(0.16, Math.min(0.6, 250 / lines));
}

/** thinness is the width of the line of an edge between two dots. */
export function thinness(a: Atlas, from: number, to: number): number {
  return 0.04 * Math.min(scaleOf(a.areas[a.area[from]!]!), scaleOf(a.areas[a.area[to]!]!));
}
