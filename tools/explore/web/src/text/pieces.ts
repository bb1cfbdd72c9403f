// A long text in pieces, which are read and shown one after the other. A piece ends
// between two blocks of markdown, so that it reads the same alone.

const enough = 6000; // characters of a piece, more or less
const most = 60_000; // from which on a block is cut between its lines

/** bodyOf leaves out frontmatter and comments, which are not shown. */
export function bodyOf(content: string): string {
  return content.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "").replace(/%%[\s\S]*?%%/g, "");
}

/** withoutTitle leaves out a first heading, or a whole text without links, that says the title again. */
export function withoutTitle(body: string, title: string): string {
  const text = body.trimStart();
  const first = /^#\s+(.*)(?:\n|$)/.exec(text);
  if (first && first[1]?.trim() === title) return text.slice(first[0].length);
  return text.trim() === title && !title.includes("](") && !title.includes("[[") ? "" : text;
}

/** lineOf is a text without its marks, on one line. */
export function lineOf(content: string, title: string): string {
  return withoutTitle(bodyOf(content), title).split("\n").map((line) => plainHeading(line.replace(/^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s+/, ""))).filter(Boolean).join(" ");
}

/** cut is a text in pieces. Together they are the text. */
export function cut(text: string): string[] {
  const pieces: string[] = [];
  let from = 0, at = 0, fence = "", fresh = false; // fresh: the line before is empty
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

/** definitions are the lines of a text that say where the links of a name lead: each piece needs them. */
export function definitions(text: string): string {
  return (text.match(/^ {0,3}\[[^\]^\n][^\]\n]*\]:[^\n]*$/gm) ?? []).join("\n");
}

export interface Heading {
  level: number;
  title: string;
  id: string; // of its element
}

/** slug is a heading as part of an address: of "Outer#Inner" that of the last. */
export function slug(heading: string): string {
  return plainHeading(heading).normalize("NFC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** plainHeading is what a heading shows. */
export function plainHeading(text: string): string {
  return text
    .replace(/!?\[\[([^\]]*)\]\]/g, (_, inner: string) => inner.split("|").at(-1)!)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|[*_`]|==)(?=\S)(.+?)\1/g, "$2")
    .replace(/\s+\^[\w-]+$/, "")
    .replace(/\s#+\s*$/, "")
    .trim();
}

/** headingsOf are the headings of a text outside of its code, as one jumps to them. */
export function headingsOf(body: string): Heading[] {
  const found: Heading[] = [];
  const number = numbered();
  let fence = "";
  for (const line of body.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence)) fence = "";
      continue;
    }
    const heading = fence === "" ? /^ {0,3}(#{1,6})\s+(.+)$/.exec(line) : null;
    if (!heading) continue;
    const title = plainHeading(heading[2]!);
    found.push({ level: heading[1]!.length, title, id: number(slug(title)) });
  }
  return found;
}

/** numbered makes ids of slugs: the second of a name has a number. */
export function numbered(): (slug: string) => string {
  const seen = new Map<string, number>();
  return (slug) => {
    const n = (seen.get(slug) ?? 0) + 1;
    seen.set(slug, n);
    return n === 1 ? "h-" + slug : `h-${slug}-${n}`;
  };
}

/** ranked tells how deep the headings of a text are below one of a level, however many steps they leave out. */
export function ranked(above: number): (written: number) => number {
  const outer: number[] = [];
  return (written) => {
    while (outer.length > 0 && outer.at(-1)! >= written) outer.pop();
    outer.push(written);
    return above + outer.length;
  };
}
