// Chooses the labels of the atlas: the names of areas, and the titles of dots in areas that are
// near. Nothing here draws or sends requests.

import type { Label } from "../graph/labels.ts";
import type { Disc, Thing } from "../graph/names.ts";
import { nameOf, radiusOf, scaleOf, type Atlas, type Plane } from "./data.ts";

const smallest = 12; // smallest radius in pixels of an area that is named
const roomOfName = 9000; // square pixels of the picture for each name of an area
const mostNamed = 140; // most dots that are named at once
const mostOver = 24; // the same while the dots are too close for names between them
const seenFrom = 5; // pixels of a unit of scaleOf from which on each dot of an area is seen; dots are 1.5 units apart
const namedFrom = 22; // the same, from which on there is room for names between the dots
const openFrom = 0.3; // share of the picture that the radius of an area takes at least if the view is inside it

/** Seen describes the visible part of the plane. */
export interface Seen {
  width: number;
  height: number;
  unit: number; // pixels of the screen per unit of the plane
  at: (x: number, y: number) => { x: number; y: number };
}

export interface Naming {
  labels: Label[];
  things: Thing[]; // areas that labels do not cover
  leaves: number[]; // innermost areas in which each dot is seen
  unknown: number[]; // dots that could be named, but have no known title
}

/** SeenDot is a dot on the screen. */
interface SeenDot {
  dot: number;
  area: number;
  x: number;
  y: number;
  r: number;
  room: number; // pixels per unit of scaleOf of its area
  head: Disc | undefined; // the disc of its area, if the dot names that area
}

/** named returns the labels of the visible part. titles maps dots to titles. */
export function named(a: Atlas, shown: Uint8Array, plane: Plane, titles: ReadonlyMap<number, string>, seen: Seen): Naming {
  const { width, height, unit } = seen;
  const labels: Label[] = [], things: Thing[] = [], leaves: number[] = [], dots: SeenDot[] = [];
  const visit = (i: number, inNamed: boolean): void => {
    const area = a.areas[i]!, r = plane.reach[i]! * unit, inside = a.children[i]!;
    const { x, y } = seen.at(plane.areaX[i]!, plane.areaY[i]!);
    if (r === 0 || x + r < 0 || y + r < 0 || x - r > width || y - r > height) return;
    const room = inside.length === 0 ? unit * scaleOf(area) : 0;
    if (room >= seenFrom) leaves.push(i);
    const isOpen = area.r * unit > openFrom * Math.min(width, height) && Math.hypot(x - width / 2, y - height / 2) < area.r * unit; // the view is inside it
    const isRoomy = room >= namedFrom, isNamed = isRoomy || isOpen && room >= seenFrom; // its dots are named
    inside.forEach((c) => visit(c, inNamed && isOpen));
    if (isNamed) {
      const head = isRoomy && !area.loose ? shown.indexOf(1, area.start) : -1;
      for (let dot = area.start; dot < area.end; dot++) {
        if (!shown[dot]) continue;
        const p = seen.at(plane.x[dot]!, plane.y[dot]!);
        if (p.x > 0 && p.y > 0 && p.x < width && p.y < height) dots.push({ dot, area: i, ...p, r: room * radiusOf(a.degree[dot]!), room, head: dot === head ? { x, y, r } : undefined });
      }
    }
    if (!inNamed || r < smallest || isOpen && inside.length > 0 || isRoomy && !area.loose) return;
    if (!isNamed) things.push(disc(x, y, r));
    const stand = room < seenFrom && r > 40 ? "within" : "rim", look = r < 48 ? "area tiny" : r < 64 ? "area small" : "area";
    labels.push({ key: "a" + i, text: nameOf(a, i), x, y, r, rank: 10_000 + area.end - area.start, look, stand, wide: Math.max(144, 1.75 * r), within: Math.max(92, 1.75 * r), lines: r > 26 ? 3 : 2 });
  };
  a.top.forEach((i) => visit(i, true));
  labels.sort((p, q) => q.rank - p.rank).splice(Math.max(8, Math.round((width * height) / roomOfName)));

  for (const d of dots) if (d.room >= namedFrom) things.push(disc(d.x, d.y, d.r));
  const { labels: ofDots, unknown } = labelsOf(a, dots, titles);
  return { labels: [...labels, ...ofDots], things, leaves, unknown };
}

/** labelsOf returns labels for the most linked dots. */
function labelsOf(a: Atlas, dots: SeenDot[], titles: ReadonlyMap<number, string>): Pick<Naming, "labels" | "unknown"> {
  const labels: Label[] = [], unknown: number[] = [];
  dots.sort((p, q) => a.degree[q.dot]! - a.degree[p.dot]! || p.dot - q.dot);
  for (const { dot, area, x, y, r, room, head } of dots.slice(0, dots.every((d) => d.room < namedFrom) ? mostOver : mostNamed)) {
    const of = a.areas[area]!, key = String(dot);
    let text = titles.get(dot);
    if (text === undefined) unknown.push(dot);
    if (head && dot === of.start) text ??= of.names[0];
    if (text === undefined) continue;
    const wide = Math.max(96, Math.min(200, 2.6 * room));
    if (head) labels.push({ key, text, x, y, r, rank: 10_000 + of.end - of.start, look: "area small", around: head, wide, lines: 3 });
    else if (room < namedFrom) labels.push({ key, text, x, y, r, rank: a.degree[dot]!, look: "plate", wide: 150 });
    else labels.push({ key, text, x, y, r, rank: a.degree[dot]!, wide, lines: room > 70 ? 3 : 2 });
  }
  return { labels, unknown };
}

function disc(x: number, y: number, r: number): Thing {
  return { x: x - r, y: y - r, w: 2 * r, h: 2 * r, round: true };
}
