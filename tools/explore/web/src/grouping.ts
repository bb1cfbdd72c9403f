// Groups the edges of one memory by kind and direction.

import type { EdgeRow, KindOfEdge } from "./types.ts";

export interface Group {
  key: string;
  kind: string;
  direction: "out" | "in" | "both";
  heading: string;
  edges: EdgeRow[];
}

/**
 * grouped returns edges in groups, in the order of kinds; of each kind, outgoing edges come first.
 * The edges of a symmetric kind form one group.
 */
export function grouped(edges: readonly EdgeRow[], kinds: readonly KindOfEdge[]): Group[] {
  const order = new Map(kinds.map((k, i) => [k.name, i]));
  const kind = (name: string): KindOfEdge | undefined => kinds[order.get(name) ?? -1];
  const groups = new Map<string, Group>();
  for (const e of edges) {
    const both = kind(e.type)?.symmetric ?? false;
    const key = both ? e.type : `${e.type} ${e.direction}`;
    const group = groups.get(key) ?? { key, kind: e.type, direction: both ? "both" : e.direction, heading: headingOf(e.type, kind(e.type)?.inverse ?? "", e.direction === "in" && !both), edges: [] };
    group.edges.push(e);
    groups.set(key, group);
  }
  const rank = (g: Group): number => (order.get(g.kind) ?? order.size) * 2 + (g.direction === "in" ? 1 : 0);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

/** headingOf returns the name of a kind, or of its inverse, in words: "Depended on by". */
function headingOf(name: string, inverse: string, isAgainst: boolean): string {
  const words = (isAgainst ? inverse || name + ", the other way" : name).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
