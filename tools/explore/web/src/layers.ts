// The layout of a lineage: boxes for the memories that a memory rests on at its left, and for those
// that rest on it at its right. Nothing here draws.

import type { End, TraceResult } from "./types.ts";

export const wide = 190, high = 46, gapX = 70, gapY = 14;
const mostRows = 12; // rows of a column

export interface Box extends End {
  key: string; // unique in the picture: a memory may have a box on both sides
  stale: boolean;
  instead: string[]; // titles of the older memories folded into it
  x: number;
  y: number;
}

export interface Line {
  from: string; // keys of boxes; a line runs from left to right
  to: string;
  type: string;
}

export interface Drawing {
  boxes: Box[]; // the first one is the memory itself
  lines: Line[];
  left: number; // number of memories left out for lack of room
}

type Traced = TraceResult["results"];

/** Side is one half of the picture. Columns are numbered from the middle outward. */
interface Side {
  boxes: Map<string, Omit<Box, "x" | "y"> & { column: number }>; // by id of the memory
  links: { near: string; far: string; type: string }[];
}

/**
 * layers places the traced memories in columns by their distance from the memory in the middle. A
 * superseded memory is folded into its successor (now maps ids to successors), unless that is the
 * middle or on the other side: otherwise a consequence could appear as a cause.
 */
export function layers(of: End & { stale?: unknown[] }, upstream: Traced, downstream: Traced, now: ReadonlyMap<string, End> = new Map()): Drawing {
  const boxes: Box[] = [{ id: of.id, key: of.id, title: of.title, status: of.status, stale: (of.stale ?? []).length > 0, instead: [], x: 0, y: 0 }], lines: Line[] = [];
  let left = 0;
  for (const [sign, traced, across] of [[-1, upstream, downstream], [1, downstream, upstream]] as const) {
    const { boxes: own, links } = sideOf(of.id, sign, traced, across, now);
    const placed = new Map<string, Box>([[of.id, boxes[0]!]]);
    const standing = [...own.values()];
    for (const column of [...new Set(standing.map((b) => b.column))].sort((a, b) => a - b)) {
      const all = standing.filter((b) => b.column === column), shown = all.slice(0, mostRows);
      left += all.length - shown.length;
      const height = new Map(shown.map((b) => { // mean height of the boxes that each one is joined to
        const near = links.flatMap((l) => (l.far === b.id && placed.has(l.near) ? [placed.get(l.near)!.y] : []));
        return [b.id, near.reduce((sum, y) => sum + y, 0) / Math.max(1, near.length)];
      }));
      shown.sort((a, b) => height.get(a.id)! - height.get(b.id)!).forEach(({ column: _, ...b }, row) => {
        const box = { ...b, x: sign * column * (wide + gapX), y: (row - (shown.length - 1) / 2) * (high + gapY) };
        placed.set(b.id, box);
        boxes.push(box);
      });
    }
    for (const l of links) {
      const [near, far] = [placed.get(l.near), placed.get(l.far)];
      if (!near || !far) continue;
      const [from, to] = sign < 0 ? [far.key, near.key] : [near.key, far.key];
      if (!lines.some((o) => o.from === from && o.to === to && o.type === l.type)) lines.push({ from, to, type: l.type });
    }
  }
  const [x, y] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
  return { boxes: boxes.map((b) => ({ ...b, x: b.x - x, y: b.y - y })), lines, left };
}

function sideOf(middle: string, sign: -1 | 1, traced: Traced, across: Traced, now: ReadonlyMap<string, End>): Side {
  const isAcross = new Set([middle, ...across.map((r) => r.id)]);
  const folded = new Map<string, string>();
  const standsFor = (id: string): string => folded.get(id) ?? id;
  const links = (): Side["links"] => traced.map((r) => ({ near: standsFor(r.via.from), far: standsFor(r.id), type: r.via.edge_type })).filter((l) => l.near !== l.far);
  for (const { id } of traced) { // if folding would make a cycle, the older memory keeps its own box
    const successor = now.get(id)?.id;
    if (successor === undefined || isAcross.has(successor)) continue;
    folded.set(id, successor);
    if (!columnsOf(links())) folded.delete(id);
  }
  const side: Side = { boxes: new Map(), links: links() }, columns = columnsOf(side.links)!;
  for (const r of traced) {
    const id = standsFor(r.id);
    const shown = id === r.id ? r : now.get(r.id)!;
    const box = side.boxes.get(id) ?? { id, key: `${sign} ${id}`, title: shown.title, status: shown.status, stale: false, instead: [], column: columns.get(id)! };
    side.boxes.set(id, box);
    if (id === r.id) box.stale ||= (r.stale ?? []).length > 0;
    else if (!box.instead.includes(r.title)) box.instead.push(r.title);
  }
  return side;
}

/**
 * columnsOf returns the column of each memory, one further out than all nearer memories linked to
 * it; undefined if the links contain a cycle.
 */
function columnsOf(links: Side["links"]): Map<string, number> | undefined {
  const columns = new Map(links.map((l) => [l.far, 1]));
  for (let round = 0; round <= columns.size; round++) {
    let moved = false;
    for (const l of links) {
      const least = (columns.get(l.near) ?? 0) + 1;
      if (columns.get(l.far)! >= least) continue;
      columns.set(l.far, least);
      moved = true;
    }
    if (!moved) return columns;
  }
  return undefined;
}
