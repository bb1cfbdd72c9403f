// Where the memories of a drawing stand, on a plane that the drawing is fitted to. Nothing here
// draws.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";

export interface Spot {
  x: number;
  y: number;
}

export type Places = Map<string, Spot>;

/** Tie is an edge as the layout sees it. */
export interface Tie {
  from: string;
  to: string;
}

const long = 90; // of an edge
const mostSpread = 450; // most new memories that the layout spreads while the user waits
const golden = 2.399963; // an angle that fills a disc evenly

interface Body extends SimulationNodeDatum {
  id: string;
}

/**
 * spread places new memories, in their order, around those they are tied to; memories in kept stay
 * where they are. shape is the height of the drawing by its width: a first layout is turned so that
 * it runs along the longer side.
 */
export function spread(fresh: readonly string[], ties: readonly Tie[], kept: ReadonlyMap<string, Spot>, shape: number): Places {
  const beside = neighbours(ties), bodies = new Map<string, Body>();
  for (const [id, at] of kept) bodies.set(id, { id, ...at, fx: at.x, fy: at.y });
  fresh.forEach((id, turn) => {
    const known = [...(beside.get(id) ?? [])].map((other) => kept.get(other)).find((at) => at !== undefined);
    const centre = known ?? { x: 0, y: 0 }, r = (known ? long : 0) + long * 0.5 * Math.sqrt(turn);
    bodies.set(id, { id, x: centre.x + r * Math.cos(turn * golden), y: centre.y + r * Math.sin(turn * golden) });
  });
  if (fresh.length <= mostSpread) {
    const degree = (id: string): number => beside.get(id)?.size ?? 0;
    forceSimulation([...bodies.values()])
      .force("tie", forceLink<Body, { source: string; target: string }>(ties.map((t) => ({ source: t.from, target: t.to }))).id((b) => b.id)
        .distance((l) => long + 12 * Math.sqrt(Math.min(degree(nameOf(l.source)), degree(nameOf(l.target))))))
      .force("apart", forceManyBody<Body>().strength(-420).distanceMax(12 * long))
      .force("room", forceCollide<Body>(long * 0.4))
      .force("x", forceX<Body>(0).strength(0.04))
      .force("y", forceY<Body>(0).strength(0.04))
      .stop()
      .tick(fresh.length > 150 ? 150 : 300);
  }
  const places: Places = new Map(fresh.map((id) => [id, { x: bodies.get(id)!.x!, y: bodies.get(id)!.y! }]));
  return kept.size === 0 ? turned(places, shape > 1) : places;
}

function nameOf(end: string | Body): string {
  return typeof end === "string" ? end : end.id;
}

/** neighbours returns the ids that each id is tied to, either way. */
export function neighbours(ties: readonly Tie[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { from, to } of ties) {
    all.set(from, (all.get(from) ?? new Set()).add(to));
    all.set(to, (all.get(to) ?? new Set()).add(from));
  }
  return all;
}

/** turned turns places so that they are widest along x, or along y if upright. */
function turned(places: Places, upright: boolean): Places {
  const all = [...places.values()], n = all.length;
  const mx = all.reduce((sum, p) => sum + p.x, 0) / n, my = all.reduce((sum, p) => sum + p.y, 0) / n;
  let xx = 0, xy = 0, yy = 0;
  for (const p of all) {
    xx += (p.x - mx) ** 2;
    xy += (p.x - mx) * (p.y - my);
    yy += (p.y - my) ** 2;
  }
  const angle = (upright ? Math.PI / 2 : 0) - Math.atan2(2 * xy, xx - yy) / 2, [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return new Map([...places].map(([id, p]) => [id, { x: (p.x - mx) * cos - (p.y - my) * sin, y: (p.x - mx) * sin + (p.y - my) * cos }]));
}

/** along places the steps of a path in a zigzag to the right, or down if upright. */
export function along(way: readonly string[], upright: boolean): Places {
  return new Map(way.map((id, i) => {
    const [far, aside] = [2 * long * i, long * 0.6 * (i % 2)];
    return [id, upright ? { x: aside, y: far } : { x: far, y: aside }];
  }));
}

const mostInLine = 12; // a longer row is broken into lines

/**
 * layered places what uses others above what it uses: a row for each length of the longest way down.
 * What uses each other in a cycle shares a row.
 */
export function layered(ids: readonly string[], ties: readonly Tie[]): Places {
  const uses = targets(ties), groups = cycles(ids, uses), depth = new Map<string, number>();
  for (const group of groups) { // each group after those that it uses
    const below = group.flatMap((id) => [...(uses.get(id) ?? [])].flatMap((to) => (group.includes(to) ? [] : [depth.get(to)! + 1])));
    for (const id of group) depth.set(id, Math.max(0, ...below));
  }
  const rows: string[][] = [];
  for (const id of ids) (rows[depth.get(id)!] ??= []).push(id);
  const beside = neighbours(ties), at = new Map<string, number>(); // place in the row, from 0 to 1
  const number = (row: readonly string[]): void => row.forEach((id, i) => at.set(id, (i + 0.5) / row.length));
  rows.forEach(number);
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const mean = new Map(row.map((id) => {
        const others = [...(beside.get(id) ?? [])].filter((o) => depth.get(o) !== depth.get(id)).map((o) => at.get(o)!);
        return [id, others.length === 0 ? at.get(id)! : others.reduce((a, b) => a + b, 0) / others.length];
      }));
      row.sort((a, b) => mean.get(a)! - mean.get(b)! || (a < b ? -1 : 1));
      number(row);
    }
  }
  const places: Places = new Map();
  let y = 0;
  for (const row of rows.toReversed()) {
    const lines = Math.ceil(row.length / mostInLine);
    row.forEach((id, i) => places.set(id, { x: at.get(id)! * mostInLine * long, y: y + (i % lines) * long * 0.6 }));
    y += (1 + (lines - 1) * 0.6) * long;
  }
  return places;
}

function targets(ties: readonly Tie[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { from, to } of ties) if (from !== to) all.set(from, (all.get(from) ?? new Set()).add(to));
  return all;
}

/**
 * cycles returns the strongly connected groups, each after all groups that its members use
 * (Tarjan's algorithm).
 */
function cycles(ids: readonly string[], uses: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>(), low = new Map<string, number>(), open: string[] = [], isOpen = new Set<string>(), groups: string[][] = [];
  const visit = (id: string): void => {
    index.set(id, index.size);
    low.set(id, index.get(id)!);
    open.push(id);
    isOpen.add(id);
    for (const to of uses.get(id) ?? []) {
      if (!index.has(to)) visit(to);
      if (isOpen.has(to)) low.set(id, Math.min(low.get(id)!, low.get(to)!));
    }
    if (low.get(id) !== index.get(id)) return;
    const group = open.splice(open.indexOf(id));
    group.forEach((member) => isOpen.delete(member));
    groups.push(group);
  };
  for (const id of ids) if (!index.has(id)) visit(id);
  return groups;
}

/**
 * implied returns the indices of ties that say nothing new about who rests on whom: their ends are
 * also joined by a longer way. Ties within a cycle are not among them.
 */
export function implied(ids: readonly string[], ties: readonly Tie[]): Set<number> {
  const uses = targets(ties), group = new Map<string, number>(), below: Set<number>[] = [];
  cycles(ids, uses).forEach((members, g) => {
    members.forEach((id) => group.set(id, g));
    const direct = new Set(members.flatMap((id) => [...(uses.get(id) ?? [])].map((to) => group.get(to)!)).filter((other) => other !== g));
    below[g] = new Set([...direct].flatMap((other) => [other, ...below[other]!]));
  });
  const next = new Map<number, Set<number>>();
  for (const { from, to } of ties) {
    const [a, b] = [group.get(from)!, group.get(to)!];
    if (a !== b) next.set(a, (next.get(a) ?? new Set()).add(b));
  }
  return new Set(ties.flatMap(({ from, to }, i) => {
    const [a, b] = [group.get(from)!, group.get(to)!];
    return a !== b && [...next.get(a)!].some((other) => other !== b && below[other]!.has(b)) ? [i] : [];
  }));
}
