// Loads the memories and edges that an address of the graph view asks for.

import type { AtTimes, GraphAddress } from "../address.ts";
import { call, describe, post } from "../api.ts";
import type { EdgesResult, NeighborhoodResult, PackagesResult, PathResult, PlainEdge } from "../types.ts";
import { timesOf } from "../times.tsx";
import { addEdges, addNode, commonFolders, emptyModel, light, packageName, type Model, type Node } from "./model.ts";

const near = 200; // largest number of memories that get_neighborhood returns
const perPage = 500; // edges of a page
export const mostAdded = 2000; // about the largest number of neighbours added of one memory
const mostAmong = 2000; // largest number of ids that api/among takes

/** Part is a memory and what is around it. */
interface Part {
  seed: Node;
  nodes: Node[];
  edges: PlainEdge[];
  truncated: boolean;
}

export interface Loaded {
  model: Model;
  seed: string; // the id of the seed, which the address may name in another way
  truncated: boolean; // the seed has more memories around it
  path: PathResult | null;
  partial: string[]; // titles of opened memories that have more neighbours
  rest: number; // number of packages that are left out
  prefix: string; // the folders that the names of all packages begin with, which their titles leave out
}

function isNow(a: AtTimes): boolean {
  return a.asOf === "" && a.knownAt === "";
}

/**
 * Loader loads graphs and caches the answers. The view makes a new one after a change on this page,
 * or when the user asks to redraw.
 */
export class Loader {
  readonly #kept = new Map<string, Promise<unknown>>();
  readonly #kinds: string[];

  constructor(kinds: string[]) {
    this.#kinds = kinds;
  }

  async load(a: GraphAddress): Promise<Loaded> {
    const guesses = !a.off.includes("mentions");
    const [packages, around, path, ...opened] = await Promise.all([
      a.seed === "" && a.of === "packages" ? this.#once<PackagesResult>("packages", () => post("packages", {})) : null,
      a.seed === "" ? null : this.#around(a.seed, a.depth, a.superseded, guesses, a),
      a.from === "" || a.to === "" ? null : this.#path(a.from, a.to, a.superseded, a),
      ...a.open.map((id) => (isNow(a) ? this.#all(id, guesses) : this.#around(id, 1, a.superseded, false, a))),
    ]);
    const m = emptyModel();
    const loaded: Loaded = { model: m, seed: around?.seed.id ?? "", truncated: around?.truncated ?? false, path, partial: opened.filter((o) => o.truncated).map((o) => o.seed.title), rest: packages?.rest ?? 0, prefix: commonFolders((packages?.packages ?? []).map((p) => packageName(p.title))) };
    for (const p of packages?.packages ?? []) {
      addNode(m, { ...p, title: packageName(p.title).slice(loaded.prefix.length) || p.title, kind: "package" });
      m.roots.add(p.id);
    }
    addEdges(m, (packages?.edges ?? []).map((e) => ({ ...e, rel: e.count > 1 ? `× ${e.count}` : "" })));
    for (const part of around ? [around, ...opened] : opened) {
      addNode(m, part.seed);
      m.roots.add(part.seed.id);
      part.nodes.forEach((n) => addNode(m, n));
      addEdges(m, part.edges);
    }
    if (path?.found) {
      light(m, path);
      const ids = path.path.map((s) => s.id); // the path itself lacks kinds
      (await this.#once(`described ${ids.join()}`, () => describe(ids))).forEach((n) => addNode(m, n));
    }
    if (isNow(a) && (opened.length > 0 || path?.found)) addEdges(m, await this.#among([...m.nodes.keys()], guesses));
    for (const end of [a.from, a.to]) if (m.nodes.has(end)) m.roots.add(end);
    return loaded;
  }

  #around(id: string, depth: number, superseded: boolean, guesses: boolean, at: AtTimes): Promise<NeighborhoodResult> {
    return this.#once(`around ${id} ${depth} ${superseded} ${guesses} ${at.asOf} ${at.knownAt}`, () =>
      call("get_neighborhood", { id, depth, limit: near, detail: "full", include_superseded: superseded, ...timesOf(at), ...(guesses && { edge_types: this.#kinds }) }));
  }

  #path(from: string, to: string, superseded: boolean, at: AtTimes): Promise<PathResult> {
    return this.#once(`path ${from} ${to} ${superseded} ${at.asOf} ${at.knownAt}`, () =>
      call("memory_path", { from_id: from, to_id: to, max_hops: 10, include_superseded: superseded, ...timesOf(at) }));
  }

  /** #all returns the neighbours of a memory, read page by page. */
  #all(id: string, guesses: boolean): Promise<Part> {
    return this.#once(`all ${id} ${guesses}`, async () => {
      const [got, first] = await Promise.all([describe([id]), post<EdgesResult>("edges", { id, limit: perPage })]);
      const seed = got[0]!, all = [...first.edges];
      let page = first;
      while (page.next && all.length < mostAdded) {
        page = await post<EdgesResult>("edges", { id, limit: perPage, cursor: page.next });
        all.push(...page.edges);
      }
      const edges = all.map((e): PlainEdge => ({ from: e.direction === "out" ? seed.id : e.other.id, to: e.direction === "out" ? e.other.id : seed.id, type: e.type, rel: e.rel }));
      return { seed, nodes: all.filter((e) => e.type !== "mentions" || guesses).map((e) => e.other), edges, truncated: page.truncated };
    });
  }

  async #among(ids: string[], guesses: boolean): Promise<PlainEdge[]> {
    if (ids.length > mostAmong) return [];
    const r = await this.#once<{ edges: PlainEdge[] }>(`among ${guesses} ${ids.join()}`, () => post("among", { ids, ...(guesses && { types: this.#kinds }) }));
    return r.edges;
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept) return kept as Promise<T>;
    const asked = ask();
    this.#kept.set(key, asked);
    asked.catch(() => this.#kept.delete(key));
    return asked;
  }
}
