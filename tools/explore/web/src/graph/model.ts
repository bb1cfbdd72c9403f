// The data of the drawing: memories, the edges between them, and a path. Nothing here draws or
// sends requests.

import { plainTitle } from "../snippet.ts";
import type { Node, PathResult, PlainEdge } from "../types.ts";

export type { Node };

export interface Model {
  nodes: Map<string, Node>;
  edges: Map<string, PlainEdge>;
  roots: Set<string>; // ids of memories that no filter hides: the seed, packages, opened memories, those on a path
  lit: { nodes: Set<string>; edges: Set<string> }; // the memories and edges of the path
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

/** addEdges adds the edges whose two ends are in the model. */
export function addEdges(m: Model, edges: readonly PlainEdge[]): void {
  for (const e of edges) {
    if (m.nodes.has(e.from) && m.nodes.has(e.to)) m.edges.set(edgeKey(e), { from: e.from, to: e.to, type: e.type, rel: e.rel });
  }
}

/** light adds a path to the model, with every edge along it in its stored direction. */
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
 * visible returns the memories and edges that pass the filters: the roots, the memories that edges
 * of visible kinds connect to a root, and those edges. Edges of the path always pass the filter by
 * kind.
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
  const nodes = new Set([...m.roots].filter((id) => m.nodes.has(id))); // grows while it is read
  for (const id of nodes) for (const other of joined.get(id) ?? []) nodes.add(other);
  for (const key of edges) if (!nodes.has(m.edges.get(key)!.from)) edges.delete(key);
  return { nodes, edges };
}

export function join(to: Map<string, string[]>, from: string, other: string): void {
  const others = to.get(from);
  if (others) others.push(other);
  else to.set(from, [other]);
}

/** tally returns how often each value comes. */
export function tally<T>(values: Iterable<T>): Map<T, number> {
  const n = new Map<T, number>();
  for (const v of values) n.set(v, (n.get(v) ?? 0) + 1);
  return n;
}

/** packageName returns the title of a package without the word before it. */
export function packageName(title: string): string {
  return title.replace(/^(package|module|crate) /, "");
}

/** commonFolders returns what all titles begin with, up to a slash; "" if there is one title. */
export function commonFolders(titles: readonly string[]): string {
  const [first = "", ...others] = titles;
  let prefix = others.length === 0 ? "" : first;
  for (const t of others) while (!`${t}/`.startsWith(prefix)) prefix = prefix.slice(0, prefix.slice(0, -1).lastIndexOf("/") + 1);
  return prefix.slice(0, prefix.lastIndexOf("/") + 1);
}
