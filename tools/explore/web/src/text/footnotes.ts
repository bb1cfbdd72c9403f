// Extracts the footnotes of a text. Their definitions may be anywhere in it; they are shown at its
// end.

/** Notes maps the labels of footnotes to their texts. */
export type Notes = Map<string, string>;

const begins = /^ {0,3}\[\^([^\]\s]{1,80})\]:[ \t]*(.*)$/;

/**
 * footnotesOf returns a text without the definitions of its footnotes, and the footnotes. Code
 * blocks are left alone.
 */
export function footnotesOf(body: string): { text: string; notes: Notes } {
  const notes: Notes = new Map();
  if (!body.includes("[^")) return { text: body, notes };
  const kept: string[] = [];
  let fence = "", label: string | undefined, empty = 0;
  for (const line of body.split("\n")) {
    const found = fence === "" ? begins.exec(line) : null;
    if (found) {
      label = found[1]!;
      empty = 0;
      if (!notes.has(label)) notes.set(label, found[2]!);
      continue;
    }
    if (label !== undefined && line.trim() === "") {
      empty++;
      continue;
    }
    if (label !== undefined && (/^(?: {2,}|\t)/.test(line) || empty === 0)) { // the footnote continues; after an empty line only if indented
      notes.set(label, notes.get(label)! + "\n".repeat(1 + empty) + line.replace(/^(?: {1,4}|\t)/, ""));
      empty = 0;
      continue;
    }
    if (label !== undefined) kept.push("");
    label = undefined;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === "" ? mark : mark.startsWith(fence) ? "" : fence;
    kept.push(line);
  }
  return { text: kept.join("\n"), notes };
}
