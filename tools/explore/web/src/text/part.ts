// The part of a text that an anchor names: what stands under a heading, or one block.

import { slug } from "./pieces.ts";

/** partOf is what an anchor names of a text: all of it for none, "" for a block that is not there. */
export function partOf(body: string, anchor: string): string {
  const name = decodeURIComponent(anchor.slice(2));
  const lines = body.split("\n");
  if (anchor.startsWith("h-")) return section(lines, name);
  return anchor.startsWith("b-") ? block(lines, name) : body;
}

/** section goes to the next heading that is as high. A heading that is not there means all. */
function section(lines: string[], wanted: string): string {
  let level = 0, from = -1;
  for (const [i, line] of lines.entries()) {
    const heading = /^(#{1,6})\s+(.+)$/.exec(line);
    if (!heading) continue;
    if (from >= 0 && heading[1]!.length <= level) return lines.slice(from, i).join("\n");
    if (from < 0 && slug(heading[2]!) === wanted) [from, level] = [i, heading[1]!.length];
  }
  return lines.slice(Math.max(0, from)).join("\n");
}

const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s/;
const blank = (line: string | undefined): boolean => line === undefined || line.trim() === "";
const indent = (line: string): number => line.length - line.trimStart().length;

/** block is the paragraph, quotation or table that has an id, or the item with what is below it. */
function block(lines: string[], id: string): string {
  let at = lines.findIndex((line) => line.trimEnd().split(/\s/).at(-1) === "^" + id);
  if (at < 0) return "";
  const alone = lines[at]!.trim() === "^" + id; // the block is the one before
  if (alone) while (at > 0 && blank(lines[at - 1])) at--;
  const last = alone ? at - 1 : at;
  let from = last;
  while (!alone && !item.test(lines[from]!) && !blank(lines[from - 1]) && !/^#{1,6}\s/.test(lines[from - 1]!)) from--;
  if (alone) while (!blank(lines[from - 1])) from--;
  let end = last + 1;
  const deep = alone ? null : item.exec(lines[from]!);
  if (deep) while (!blank(lines[end]) && indent(lines[end]!) > deep[1]!.length) end++;
  else if (!alone) while (!blank(lines[end]) && !item.test(lines[end]!)) end++;
  const by = deep?.[1]!.length ?? 0; // a deep item alone would read as code
  return lines.slice(Math.max(0, from), end).map((line) => line.slice(Math.min(by, indent(line)))).join("\n");
}
