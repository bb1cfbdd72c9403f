// What the canvas shows: memories, the edges among them, and the path between
// two of them. Nothing here draws or asks.

import { plainTitle } from "../snippet.ts";
import type { End, PathResult, PlainEdge } from "../types.ts";

export interface Node extends End {
  kind: string;
}

export interface Model {
  nodes: Map<string, Node>;
  edges: Map<string, PlainEdge>;
  roots: Set<string>; // shown whatever is filtered: the seed, what was opened, the ends of a path
  lit: { nodes: Set<string>; edges: Set<string> }; // the path that was found
}

export function emptyModel(): Model {
  return { nodes: new Map(), edges: new Map(), roots: new Set(), lit: { nodes: new Set(), edges: new Set() } };
}

export function edgeKey(e: PlainEdge): string {
  return `${e.from} ${e.type} ${e.rel} ${e.to}`;
}

export function addNode(m: Model, n: Node): void {
  if (n.status !== "forgotten") m.nodes.set(n.id, { id: n.id, title: plainTitle(n.title), status: n.status, kind: n.kind || m.nodes.get(n.id)?.kind || "" });
}

/** addEdges adds the edges whose two ends are there. */
export function addEdges(m: Model, edges: readonly PlainEdge[]): void {
  for (const e of edges) {
    if (m.nodes.has(e.from) && m.nodes.has(e.to)) m.edges.set(edgeKey(e), { from: e.from, to: e.to, type: e.type, rel: e.rel });
  }
}

/** light adds a path with every edge along it, each in the direction in which it is stored. */
export function light(m: Model, p: PathResult): void {
  p.path.forEach((step) => addNode(m, { id: step.id, title: step.title, status: step.status, kind: "" }));
  p.path.forEach((step, i) => {
    m.lit.nodes.add(step.id);
    m.roots.add(step.id);
    const next = p.path[i + 1];
    if (!next) return;
    for (const e of step.edges_to_next ?? []) {
      const edge = e.direction === "out" ? { from: step.id, to: next.id, type: e.type, rel: e.rel } : { from: next.id, to: step.id, type: e.type, rel: e.rel };
      addEdges(m, [edge]);
      m.lit.edges.add(edgeKey(edge));
    }
  });
}

export interface Visible {
  nodes: Set<string>;
  edges: Set<string>;
}

/**
 * visible is what the filters leave: edges of the kinds that are on, and the
 * memories that one of them joins to something, or that stand by themselves
 * because they were asked for.
 */
export function visible(m: Model, off: ReadonlySet<string>, superseded: boolean): Visible {
  const allowed = (id: string): boolean => superseded || m.roots.has(id) || m.nodes.get(id)?.status === "current";
  const edges = new Set<string>();
  const joined = new Map<string, string[]>();
  for (const [key, e] of m.edges) {
    if (off.has(e.type) && !m.lit.edges.has(key)) continue;
    if (!allowed(e.from) || !allowed(e.to)) continue;
    edges.add(key);
    join(joined, e.from, e.to);
    join(joined, e.to, e.from);
  }
  const nodes = new Set([...m.roots].filter((id) => m.nodes.has(id)));
  const queue = [...nodes];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const other of joined.get(id) ?? []) {
      if (nodes.has(other)) continue;
      nodes.add(other);
      queue.push(other);
    }
  }
  for (const key of edges) if (!nodes.has(m.edges.get(key)!.from)) edges.delete(key);
  return { nodes, edges };
}

export function join(to: Map<string, string[]>, from: string, other: string): void {
  const others = to.get(from);
  if (others) others.push(other);
  else to.set(from, [other]);
}

/** inKinds counts edges by kind. */
export function inKinds(m: Model): Map<string, number> {
  const n = new Map<string, number>();
  for (const e of m.edges.values()) n.set(e.type, (n.get(e.type) ?? 0) + 1);
  return n;
}
