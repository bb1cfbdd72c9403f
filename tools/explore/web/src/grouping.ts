// Edges of one memory, by kind and direction.

import { heading } from "./kinds.ts";
import type { EdgeRow, KindOfEdge } from "./types.ts";

export interface Group {
  key: string;
  kind: string;
  direction: "out" | "in" | "both";
  heading: string;
  edges: EdgeRow[];
}

/**
 * grouped puts edges into groups in the order of the vocabulary, those that
 * lead out first. A kind that says the same in both directions is one group.
 */
export function grouped(edges: readonly EdgeRow[], kinds: readonly KindOfEdge[]): Group[] {
  const order = new Map(kinds.map((k, i) => [k.name, i]));
  const symmetric = new Set(kinds.filter((k) => k.symmetric).map((k) => k.name));
  const groups = new Map<string, Group>();
  for (const e of edges) {
    const both = symmetric.has(e.type);
    const key = both ? e.type : `${e.type} ${e.direction}`;
    const group = groups.get(key) ?? { key, kind: e.type, direction: both ? "both" : e.direction, heading: heading(e.type, e.direction, both), edges: [] };
    group.edges.push(e);
    groups.set(key, group);
  }
  const rank = (g: Group): number => (order.get(g.kind) ?? order.size) * 2 + (g.direction === "in" ? 1 : 0);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

const normal = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * resolver finds the memory that a link in a note's text leads to, among the
 * edges that lead out of the note: by the name of the target, and where several
 * have that name by the text around the place that declares the edge.
 */
export function resolver(edges: readonly EdgeRow[]): (target: string, written: string) => EdgeRow["other"] | undefined {
  const byTitle = new Map<string, EdgeRow[]>();
  const out = edges.filter((e) => e.direction === "out" && e.type !== "mentions");
  for (const e of out) {
    const title = normal(e.other.title);
    byTitle.set(title, [...(byTitle.get(title) ?? []), e]);
  }
  const only = (found: EdgeRow[]): EdgeRow["other"] | undefined => {
    const ids = new Set(found.map((e) => e.other.id));
    return ids.size === 1 ? found[0]!.other : undefined;
  };
  const saying = (found: EdgeRow[], written: string): EdgeRow[] => found.filter((e) => e.sites.some((s) => s.context.includes(written)));
  return (target, written) => {
    const name = normal(target.replace(/[#^].*$/, "").replace(/\\$/, "").trim().replace(/^.*\//, ""));
    if (name === "") return undefined; // a heading of the same note
    const named = byTitle.get(name) ?? byTitle.get(name.replace(/\.md$/, "")) ?? [];
    if (named.length > 0) return only(named) ?? only(saying(named, written)) ?? named[0]!.other;
    return only(saying(out, written)); // by an alias
  };
}
