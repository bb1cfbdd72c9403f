// Assigns each dot of the atlas to a colour class. Nothing here draws.

import { tally } from "../graph/model.ts";
import type { Atlas } from "./data.ts";

const schemes = ["area", "folder", "tag", "kind", "status"];

/**
 * schemesOf returns the colour schemes that a user can choose. "tag:topic" colours by the tags
 * below topic/; it is offered for the roots with most tags.
 */
export function schemesOf(a: Atlas): string[] {
  const nested = [...tally(a.tags.map(rootOf))].filter(([root, n]) => root !== "" && n > 1).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 8);
  return schemes.flatMap((s) => (s === "tag" ? [s, ...nested.map(([root]) => `tag:${root}`)] : [s]));
}

/** rootOf returns the part of a tag before its first slash; "" if there is none. */
function rootOf(tag: string): string {
  return tag.includes("/") ? tag.slice(0, tag.indexOf("/")) : "";
}

export interface Colouring {
  of: (dot: number) => number; // the class of a dot: an index in the legend, or mostColours for the rest
  legend: { name: string; count: number; rest: boolean }[]; // the last entry may stand for all others
}

export const mostColours = 12;
const statuses = ["current", "superseded", "forgotten"];

/**
 * colouring assigns dots to classes by a scheme. The largest classes have a colour each, the others
 * share one.
 */
export function colouring(a: Atlas, by: string, shown: Uint8Array): Colouring {
  if (by === "area") return byArea(a);
  if (by === "tag" || by.startsWith("tag:")) return byTag(a, by.slice("tag:".length), shown);
  const [column, names] = ({ folder: [a.folder, a.folders.map(topFolder)], kind: [a.kind, a.kinds], status: [a.status, statuses] }[by] ?? [a.kind, a.kinds]) as [ArrayLike<number>, string[]];
  const counts = new Map<string, number>();
  for (let i = 0; i < a.dots; i++) if (shown[i]) add(counts, names[column[i]!] ?? "");
  const { legend, at } = classed(counts, by === "folder" ? "no folder" : "none");
  const classes = names.map((name) => at.get(name) ?? mostColours);
  return { of: (dot) => classes[column[dot]!] ?? mostColours, legend };
}

/**
 * byArea gives each outermost area a colour. A loose area has none if there are others; if it is
 * the only one, the areas in it have a colour each.
 */
function byArea(a: Atlas): Colouring {
  const classes = new Uint8Array(a.areas.length);
  const rank = new Map(a.top.map((area, i) => [area, i]));
  a.areas.forEach((area, i) => {
    const own = rank.get(i);
    if (area.parent >= 0 && !(a.top.length === 1 && a.areas[area.parent]!.loose)) classes[i] = classes[area.parent]!;
    else classes[i] = area.loose && a.top.length > 1 ? mostColours : (own ?? i) % mostColours;
  });
  return { of: (dot) => classes[a.area[dot]!]!, legend: [] };
}

/**
 * byTag colours a dot by the rarest of its tags that have a colour, as that one says most. With a
 * root, only the tags below it count.
 */
function byTag(a: Atlas, root: string, shown: Uint8Array): Colouring {
  const fits = a.tags.map((tag) => tag !== "" && (root === "" || rootOf(tag) === root));
  const counts = new Map<string, number>();
  for (let i = 0, at = 0; i < a.dots; i++) {
    let none = true;
    for (; at < a.tagEnd[i]!; at++) {
      if (!shown[i] || !fits[a.tag[at]!]) continue;
      add(counts, a.tags[a.tag[at]!]!);
      none = false;
    }
    if (none && shown[i]) add(counts, "");
  }
  const first = new Map(classed(counts, "").legend.filter((l) => !l.rest).map((l, i) => [l.name, i]));
  const classes = new Uint8Array(a.dots).fill(mostColours), numbers = new Map<string, number>(), inOrder = [...first.keys()];
  for (let i = 0, at = 0; i < a.dots; i++) {
    for (; at < a.tagEnd[i]!; at++) {
      const found = first.get(a.tags[a.tag[at]!]!);
      if (found !== undefined && (classes[i] === mostColours || found > classes[i]!)) classes[i] = found;
    }
    if (shown[i]) add(numbers, inOrder[classes[i]!] ?? "");
  }
  const rest = numbers.get("") ?? 0;
  const legend = inOrder.map((name) => ({ name, count: numbers.get(name) ?? 0, rest: false }));
  return { of: (dot) => classes[dot]!, legend: rest > 0 ? [...legend, { name: first.size === mostColours ? "all others" : "no tag", count: rest, rest: true }] : legend };
}

function add(to: Map<string, number>, name: string): void {
  to.set(name, (to.get(name) ?? 0) + 1);
}

/**
 * classed gives the most frequent names a class each, in that order. none is the legend's text for
 * "".
 */
function classed(counts: ReadonlyMap<string, number>, none: string): { legend: Colouring["legend"]; at: ReadonlyMap<string, number> } {
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const first = sorted.filter(([name]) => name !== "").slice(0, mostColours);
  const at = new Map(first.map(([name], i) => [name, i]));
  const legend = first.map(([name, count]) => ({ name, count, rest: false }));
  const rest = sorted.reduce((n, [name, count]) => (at.has(name) ? n : n + count), 0);
  return { legend: rest > 0 ? [...legend, { name: first.length === mostColours ? "all others" : none, count: rest, rest: true }] : legend, at };
}

/** topFolder returns the vault and first folder of a folder. */
function topFolder(folder: string): string {
  return folder.split("/").slice(0, 2).join("/");
}
