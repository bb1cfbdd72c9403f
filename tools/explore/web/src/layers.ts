// Where the boxes of a lineage stand: what a memory rests on at its left, what rests on it
// at its right. Nothing here draws.

import type { Status, TraceResult } from "./types.ts";

export const wide = 190, high = 46, gapX = 70, gapY = 14;
const mostRows = 12; // of a column

/** Standing is a memory that stands in the picture. */
export interface Standing {
  id: string;
  title: string;
  status: Status;
}

export interface Box extends Standing {
  stale: boolean;
  instead: string[]; // titles of those that it stands for
  x: number;
  y: number;
}

export interface Line {
  from: string;
  to: string;
  type: string;
}

export interface Drawing {
  boxes: Box[];
  lines: Line[];
  left: number; // memories that have no room
}

/**
 * layers puts what was traced into columns by its steps. A memory for which another
 * stands now is folded into that one: its lines lead there.
 */
export function layers(of: Standing & { stale?: unknown[] }, upstream: TraceResult["results"], downstream: TraceResult["results"], now: ReadonlyMap<string, Standing> = new Map()): Drawing {
  const boxes = new Map<string, Omit<Box, "x" | "y"> & { column: number }>();
  boxes.set(of.id, { id: of.id, title: of.title, status: of.status, stale: (of.stale ?? []).length > 0, instead: [], column: 0 });
  const rows = new Map<number, number>([[0, 1]]); // in each column
  const lines = new Map<string, Line>();
  const left = new Set<string>();
  const standsFor = (id: string): string => (id === of.id ? id : (now.get(id)?.id ?? id));
  for (const [sign, traced] of [[-1, upstream], [1, downstream]] as const) {
    for (const r of traced) {
      const id = standsFor(r.id), column = sign * r.via.hop;
      const [from, to] = sign < 0 ? [id, standsFor(r.via.from)] : [standsFor(r.via.from), id];
      let box = boxes.get(id);
      if (!box) {
        if ((rows.get(column) ?? 0) >= mostRows) {
          left.add(id);
          continue;
        }
        const shown = id === r.id ? r : now.get(r.id)!;
        box = { id, title: shown.title, status: shown.status, stale: false, instead: [], column };
        boxes.set(id, box);
        rows.set(column, (rows.get(column) ?? 0) + 1);
      }
      if (id === r.id) box.stale ||= (r.stale ?? []).length > 0;
      else if (!box.instead.includes(r.title)) box.instead.push(r.title);
      if (from !== to) lines.set(`${from} ${to} ${r.via.edge_type}`, { from, to, type: r.via.edge_type });
    }
  }
  const first = Math.min(...rows.keys()), tall = Math.max(...rows.values());
  const place = new Map<number, number>();
  return {
    boxes: [...boxes.values()].map(({ column, ...box }) => {
      const row = place.get(column) ?? 0;
      place.set(column, row + 1);
      return { ...box, x: (column - first) * (wide + gapX), y: (row + (tall - rows.get(column)!) / 2) * (high + gapY) };
    }),
    lines: [...lines.values()].filter((l) => boxes.has(l.from) && boxes.has(l.to)),
    left: left.size,
  };
}
