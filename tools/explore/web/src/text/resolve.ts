// Finds the memories that the links of a text lead to.

import { format, memory } from "../address.ts";
import type { Status, Written } from "../types.ts";
import { slug } from "./pieces.ts";

export interface LinkTarget {
  id: string; // "" for the memory that contains the link
  href: string;
  status: Status;
  kind: string;
  title: string;
}

/**
 * Resolve returns the memory that a target means: a path or name, optionally with #heading or
 * #^block; undefined if it is unknown.
 */
export type Resolve = (target: string) => LinkTarget | undefined;

const fold = (name: string): string => name.normalize("NFC").toLowerCase().replace(/\.md$/, "");

/**
 * resolver returns a Resolve that searches the links that the program resolved: first by the exact
 * name, then ignoring case, then by title. A name without a match that is the memory's own title
 * leads to the memory itself.
 */
export function resolver(links: readonly Written[], own: { id: string; title: string }): Resolve {
  const exact = new Map<string, Written>(), folded = new Map<string, Written>(), titles = new Map<string, Written>();
  const put = (to: Map<string, Written>, name: string, w: Written): void => {
    if (!to.has(name)) to.set(name, w); // of equal names, the first one is used
  };
  for (const w of links) {
    put(exact, w.target, w);
    put(folded, fold(w.target), w);
    put(titles, fold(w.title), w);
  }
  const last = (name: string): string => name.replace(/^.*\//, "");
  return (target) => {
    const at = target.indexOf("#");
    const name = (at < 0 ? target : target.slice(0, at)).replace(/\\$/, "").trim();
    const anchor = at < 0 ? "" : anchorOf(target.slice(at));
    const found = exact.get(name) ?? folded.get(fold(name)) ?? titles.get(fold(last(name)));
    if (found && name !== "") return { id: found.id, href: format(memory(found.id)) + anchor, status: found.status, kind: found.kind, title: found.title };
    if (name === "" ? anchor !== "" : fold(last(name)) === fold(own.title)) return { id: "", href: anchor === "" ? format(memory(own.id)) : anchor, status: "current", kind: "", title: own.title };
    return undefined;
  };
}

/** anchorOf returns the fragment of a URL for #Heading, #Outer#Inner (for Inner) or #^block. */
export function anchorOf(written: string): string {
  const inner = written.split("#").at(-1)!.trim();
  if (inner === "") return "";
  return inner.startsWith("^") ? "#b-" + encodeURIComponent(inner.slice(1)) : "#h-" + encodeURIComponent(slug(inner));
}
