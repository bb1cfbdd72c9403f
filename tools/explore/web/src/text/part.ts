// Finds the part of a text that an anchor names: the section under a heading, or one block.

import { headingsOf } from "./pieces.ts";

/**
 * partOf returns the part of a text that an anchor names: the whole text for an empty anchor, ""
 * for a missing block.
 */
export function partOf(body: string, anchor: string): string {
  const id = decodeURIComponent(anchor);
  if (anchor.startsWith("h-")) return section(body, id);
  return anchor.startsWith("b-") ? block(body.split("\n"), id.slice(2)) : body;
}

/**
 * section returns the lines from the heading with an id to the next one of the same or a higher
 * level; the whole text if the heading is missing.
 */
function section(body: string, id: string): string {
  const headings = headingsOf(body);
  const at = headings.findIndex((heading) => heading.id === id);
  if (at < 0) return body;
  const next = headings.slice(at + 1).find((heading) => heading.level <= headings[at]!.level);
  return body.split("\n").slice(headings[at]!.line, next?.line).join("\n");
}

const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s/;
const blank = (line: string | undefined): boolean => line === undefined || line.trim() === "";
const indent = (line: string): number => line.length - line.trimStart().length;

/**
 * block returns the paragraph, quotation or table with an id, or the list item with the items
 * nested in it; "" if there is none.
 */
function block(lines: string[], id: string): string {
  let at = lines.findIndex((line) => line.trimEnd().split(/\s/).at(-1) === "^" + id);
  if (at < 0) return "";
  const alone = lines[at]!.trim() === "^" + id; // the id has a line of its own, and names the block before it
  if (alone) while (at > 0 && blank(lines[at - 1])) at--;
  const last = alone ? at - 1 : at;
  let from = last;
  while (!alone && !item.test(lines[from]!) && !blank(lines[from - 1]) && !/^#{1,6}\s/.test(lines[from - 1]!)) from--;
  if (alone) while (!blank(lines[from - 1])) from--;
  let end = last + 1;
  const deep = alone ? null : item.exec(lines[from]!);
  if (deep) while (!blank(lines[end]) && indent(lines[end]!) > deep[1]!.length) end++;
  else if (!alone) while (!blank(lines[end]) && !item.test(lines[end]!)) end++;
  const by = deep?.[1]!.length ?? 0; // removed, because an indented item alone would be parsed as code
  return lines.slice(Math.max(0, from), end).map((line) => line.slice(Math.min(by, indent(line)))).join("\n");
}
