// The difference of two texts: lines, and within a changed line its words. Nothing here
// draws.

import { diffLines, diffWordsWithSpace } from "diff";

/** Part is a piece of a line, and whether it is only in this text. */
export interface Part {
  text: string;
  differs?: boolean;
}

/** Row is a line of a difference. A skip stands for lines that are the same in both. */
export interface Row {
  kind: "same" | "gone" | "new" | "skip";
  parts: Part[];
  skipped?: number;
}

const around = 2; // lines that are shown before and after a change
const mostEdits = 1000; // lines, or words of one change, that may differ: comparing takes the square of that
const mostWords = 20_000; // characters of a change, above which its lines are not compared by words

/** diff is what differs between two texts; undefined where they have too little in common to find it soon. */
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

/** ended has a line break at its end, so that its last line is compared like the others. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + "\n";
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** changed are the lines of a change, with the words that differ. */
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
    rows.pop(); // after the last line break
    return rows;
  };
  return [...side("gone"), ...side("new")];
}

/** shortened leaves out lines that are the same and far from a change. */
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
