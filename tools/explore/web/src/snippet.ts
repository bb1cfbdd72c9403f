// A snippet is a piece of raw text in which the hits stand between double
// asterisks. It is shown as text with marks: links by what they show, without
// the signs of markdown around it.

export interface Piece {
  text: string;
  hit: boolean;
}

export function pieces(snippet: string): Piece[] {
  const tidy = snippet
    .replace(/!?\[\[([^\]]*)\]\]/g, (_, inner: string) => shown(inner))
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(^|\s)\^[\w-]*(?:\*\*[\w-]*\*\*[\w-]*)*(?=\s|$|…)/g, "$1")
    .replace(/`/g, "")
    .replace(/\s*\|(?:[\s|:-]*\|)?\s*/g, " · ")
    .replace(/(^|\s)(?:#{1,6}|[-*+>])\s+/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  const found: Piece[] = [];
  tidy.split("**").forEach((text, i) => {
    if (text !== "") found.push({ text, hit: i % 2 === 1 });
  });
  return found;
}

/** shown is what a wikilink shows: its alias, or the name without folders, with the marks that were in it. */
function shown(inner: string): string {
  const parts = inner.split(/\\?\|/);
  const alias = parts.length > 1 ? parts.at(-1)! : inner.replace(/#.*$/, "").replace(/^.*\//, "");
  const marks = alias.split("**").length - 1;
  return marks % 2 === 0 ? alias : alias.replaceAll("**", ""); // a mark that the cut has halved
}
