// Splits a long text into pieces, which are parsed and shown one after the other. A piece ends
// between two blocks of markdown, so that it can be parsed alone.

const enough = 6000; // approximate number of characters of a piece
const most = 60_000; // characters from which on a block is split between two lines

/** bodyOf returns a text without frontmatter and comments, which are not shown. */
export function bodyOf(content: string): string {
  return content.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "").replace(/%%[\s\S]*?%%/g, "");
}

/**
 * withoutTitle returns a text without a first heading that repeats the title; "" if the whole text
 * is the title and has no links.
 */
export function withoutTitle(body: string, title: string): string {
  const text = body.trimStart();
  const first = /^#\s+(.*)(?:\n|$)/.exec(text);
  if (first && first[1]?.trim() === title) return text.slice(first[0].length);
  return text.trim() === title && !title.includes("](") && !title.includes("[[") ? "" : text;
}

/** lineOf returns a text on one line, without markdown; a colon stands between a heading and its text. */
export function lineOf(content: string, title: string): string {
  return withoutTitle(bodyOf(content), title).split("\n").map((line) => plainHeading(line.replace(/^\s*(#{1,6}|>|[-*+]|\d+\.)\s+(.*)$/, (_, mark: string, said: string) => said + (mark.startsWith("#") && /[\p{L}\p{N}]\s*$/u.test(said) ? ":" : "")))).filter(Boolean).join(" ");
}

/** cut splits a text into pieces. Joined, they are the text again. */
export function cut(text: string): string[] {
  const pieces: string[] = [];
  let from = 0, at = 0, fence = "", fresh = false; // fresh: the previous line is empty
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, next).trimEnd();
    const size = at - from;
    const begins = fence === "" && (fresh ? /^\S/.test(line) : /^(?:#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s)/.test(line));
    if (size >= enough && (begins || size >= most && fence === "")) {
      pieces.push(text.slice(from, at));
      from = at;
    }
    const mark = /^ {0,3}(`{3,}|~{3,}|\$\$)/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark === "$$" && line.trim().length > 4 && line.trim().endsWith("$$") ? "" : mark;
      else if (mark.startsWith(fence)) fence = "";
    } else if (fence === "$$" && line.endsWith("$$")) fence = "";
    fresh = line === "";
    at = next;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/**
 * definitions returns the lines of a text that define reference links ([name]: URL), which each
 * piece needs.
 */
export function definitions(text: string): string {
  return (text.match(/^ {0,3}\[[^\]^\n][^\]\n]*\]:[^\n]*$/gm) ?? []).join("\n");
}

export interface Heading {
  level: number;
  title: string;
  id: string; // id of its element
  line: number; // from 0
}

/**
 * slug returns a heading as it appears in an anchor: in lower case, with a hyphen for each run of
 * other signs.
 */
export function slug(heading: string): string {
  return plainHeading(heading).normalize("NFC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** plainHeading returns the text that a heading shows, without markdown. */
export function plainHeading(text: string): string {
  return text
    .replace(/!?\[\[([^\]]*)\]\]/g, (_, inner: string) => inner.split("|").at(-1)!)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|[*_`]|==)(?=\S)(.+?)\1/g, "$2")
    .replace(/\s+\^[\w-]+$/, "")
    .replace(/\s#+\s*$/, "")
    .trim();
}

/** headingsOf returns the headings of a text, with the ids to jump to; code blocks are skipped. */
export function headingsOf(body: string): Heading[] {
  const found: Heading[] = [];
  const number = numbered();
  let fence = "";
  for (const [at, line] of body.split("\n").entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence)) fence = "";
      continue;
    }
    const heading = fence === "" ? /^ {0,3}(#{1,6})\s+(.+)$/.exec(line) : null;
    if (!heading) continue;
    const title = plainHeading(heading[2]!);
    found.push({ level: heading[1]!.length, title, id: number(slug(title)), line: at });
  }
  return found;
}

/** numbered returns a function that turns slugs into unique ids: a repeated slug gets a number. */
export function numbered(): (slug: string) => string {
  const seen = new Map<string, number>();
  return (slug) => {
    const n = (seen.get(slug) ?? 0) + 1;
    seen.set(slug, n);
    return n === 1 ? "h-" + slug : `h-${slug}-${n}`;
  };
}

/**
 * ranked returns a function that maps the written level of each heading to its depth below the
 * level above, without gaps.
 */
export function ranked(above: number): (written: number) => number {
  const outer: number[] = [];
  return (written) => {
    while (outer.length > 0 && outer.at(-1)! >= written) outer.pop();
    outer.push(written);
    return above + outer.length;
  };
}
