// The difference between two texts, by lines, and by words within changed lines. Nothing here
// draws.

import { diffLines, diffWordsWithSpace } from "diff";

/** Part is a piece of a line; differs is set if only this version of the line has it. */
export interface Part {
  text: string;
  differs?: boolean;
}

/** Row is a line of a difference. A row of kind "skip" stands for equal lines that are left out. */
export interface Row {
  kind: "same" | "gone" | "new" | "skip";
  parts: Part[];
  skipped?: number;
}

const around = 2; // equal lines that are shown before and after a change
const mostEdits = 1000; // lines, or words of one change, that may differ; the cost of comparing grows with the square of that
const mostWords = 20_000; // characters of a change; a larger one is not compared word by word

/** diff returns the rows of a difference; undefined if more than mostEdits lines differ. */
export function diff(before: string, after: string): Row[] | undefined {
  const found = diffLines(ended(before), ended(after), { maxEditLength: mostEdits });
  if (!found) return undefined;
  const rows: Row[] = [];
  for (let i = 0; i < found.length; i++) {
    const here = found[i]!, next = found[i + 1];
    if (here.removed && next?.added) {
      rows.push(...changed(here.value, next.value));
      i++;
    } else rows.push(...linesOf(here.value).map((text): Row => ({ kind: here.removed ? "gone" : here.added ? "new" : "same", parts: [{ text }] })));
  }
  return shortened(rows);
}

/**
 * ended returns the text with a line break at its end, so that its last line is compared like the
 * others.
 */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + "\n";
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * changed returns the rows of a change, the removed lines first, with the differing words marked.
 */
function changed(before: string, after: string): Row[] {
  const words = before.length + after.length > mostWords ? undefined : diffWordsWithSpace(before, after, { maxEditLength: mostEdits });
  const side = (kind: "gone" | "new"): Row[] => {
    if (!words) return linesOf(kind === "gone" ? before : after).map((text): Row => ({ kind, parts: [{ text }] }));
    const rows: Row[] = [{ kind, parts: [] }];
    for (const w of words) {
      if (kind === "gone" ? w.added : w.removed) continue;
      const lines = w.value.split("\n");
      lines.forEach((text, i) => {
        if (i > 0) rows.push({ kind, parts: [] });
        if (text !== "") rows.at(-1)!.parts.push(w.added || w.removed ? { text, differs: true } : { text });
      });
    }
    rows.pop(); // the empty row after the last line break
    return rows;
  };
  return [...side("gone"), ...side("new")];
}

/** shortened replaces equal lines that are far from any change with "skip" rows. */
function shortened(rows: Row[]): Row[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((r, i) => {
    if (r.kind !== "same") near.fill(1, Math.max(0, i - around), Math.min(rows.length, i + around + 1));
  });
  const kept: Row[] = [];
  rows.forEach((r, i) => {
    const last = kept.at(-1);
    if (near[i]) kept.push(r);
    else if (last?.kind === "skip") last.skipped!++;
    else kept.push({ kind: "skip", parts: [], skipped: 1 });
  });
  return kept;
}
