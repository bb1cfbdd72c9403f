// Snippets of search results. A snippet arrives in pieces, some of which are hits. It is shown as
// text with marks, without markdown syntax: a link appears as its label.

export interface Piece {
  text: string;
  hit?: boolean;
}

// Characters that mark the start and end of a hit while markdown is removed. Both are removed from
// the text first, so that nothing in it is treated as a mark.
const open = "\u0002", shut = "\u0003";
const anyMark = /[\u0002\u0003]/g;

export function tidy(snippet: Piece[]): Piece[] {
  const marked = snippet.map((p) => {
    const text = p.text.replace(anyMark, "");
    return p.hit ? open + text + shut : text;
  }).join("");
  return pieces(marked
    .replace(/!?\[\[([^\]]*)\]\]/g, (_, inner: string) => shown(inner))
    .replace(/!?\[\[([^\[\]]*…)$/, "$1") // a link that was cut off
    .replace(/^(…[^\[\]]*)\]\]/, "$1")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(^|\s)\^[\w\u0002\u0003-]*(?=\s|$|…)/g, "$1")
    .replace(/\*\*(?=\S)(.*?\S)\*\*/g, "$1")
    .replace(/(^|[^\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*.])/g, "$1$2")
    .replace(/(^|[\s("])(==|_)(?=\S)((?:(?!\2).)*\S)\2(?![\w=])/g, "$1$3")
    .replace(/(\w)::(?=\s)/g, "$1:")
    .replace(/`/g, "")
    .replace(/\s*\|(?:[\s|:-]*\|)?\s*/g, " · ")
    .replace(/(^|\s)[-*+]\s+\[[ xX]\]\s+/g, "$1")
    .replace(/(^|\s)(?:#{1,6}|[-*+>])\s+/g, "$1")
    .replace(/\s+/g, " ")
    .trim());
}

/** plainText returns a text without markdown, as a snippet shows it. */
export function plainText(text: string): string {
  return tidy([{ text }]).map((p) => p.text).join("");
}

/** pieces splits a text at its marks. A mark that has lost its partner is dropped. */
function pieces(marked: string): Piece[] {
  const found: Piece[] = [];
  const add = (text: string, hit: boolean): void => {
    const plain = text.replace(anyMark, "");
    if (plain !== "") found.push({ text: plain, hit });
  };
  let at = 0;
  for (const m of marked.matchAll(/\u0002([^\u0002\u0003]+)\u0003/g)) {
    add(marked.slice(at, m.index), false);
    add(m[1]!, true);
    at = m.index + m[0].length;
  }
  add(marked.slice(at), false);
  return found;
}

/**
 * shown returns the text that a wikilink shows: its alias, or the name without folders and heading.
 * Marks in it stay.
 */
function shown(inner: string): string {
  const parts = inner.split(/\\?\|/).filter((p, i) => i === 0 || !/^\d+(?:x\d+)?$/.test(p)); // without the size of a picture
  return parts.length > 1 ? parts.at(-1)! : parts[0]!.replace(/#.*$/, "").replace(/^.*\//, "");
}

/**
 * plainTitle returns a title without markdown, which a title made from the first line of a text may
 * contain.
 */
export function plainTitle(title: string): string {
  const plain = title
    .replace(/!?\[\[([^\]]*)\]\]/g, (_, inner: string) => shown(inner))
    .replace(/!?\[\[(?=[^\]]*…$)/, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\*\*(?=\S)(.*?\S)\*\*/g, "$1")
    .replace(/(^|\s)`([^`]+)`(?![`\w])/g, "$1$2")
    .trim();
  return plain === "" ? title : plain;
}
