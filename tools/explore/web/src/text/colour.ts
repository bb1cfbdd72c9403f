// Colours source code: comments, strings, numbers and keywords, by rules that most languages share.
// What a rule takes wrongly has another colour, and nothing worse.

const keywords = new Set(("abstract as async await boolean break byte case catch chan char class const continue def default defer delete do double elif else enum export extends false final finally float fn for from func function go goto if impl implements import in instanceof int interface is lambda let long loop map match mod mut new nil None not null or package pass private protected pub public raise range return self short static string struct super switch this throw throws trait True False true try type typedef typeof undefined union unsafe unsigned use var void where while with yield select insert update create table view trigger begin end primary key references order by group having limit values on join left and exists").split(" "));

const hash = /^(?:py|python|sh|bash|shell|zsh|yaml|yml|toml|rb|ruby|make|makefile|dockerfile|perl|r)$/i;
const dashes = /^(?:sql|lua|haskell|hs)$/i;

export interface Token {
  text: string;
  look: "" | "remark" | "quote" | "number" | "word";
}

/** tokens splits source code of a language, by its name or the ending of its files, in coloured parts. */
export function tokens(code: string, language: string): Token[] {
  const line = hash.test(language) ? "#[^\\n]*" : dashes.test(language) ? "--[^\\n]*" : "//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)";
  const rule = new RegExp(`(${line})|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`]*\`)|(\\b\\d[\\w.]*)|([A-Za-z_]\\w*)`, "g");
  const found: Token[] = [];
  let at = 0;
  for (const m of code.matchAll(rule)) {
    const look = m[1] !== undefined ? "remark" : m[2] !== undefined ? "quote" : m[3] !== undefined ? "number" : keywords.has(m[0]) ? "word" : "";
    if (look === "") continue;
    if (m.index > at) found.push({ text: code.slice(at, m.index), look: "" });
    found.push({ text: m[0], look });
    at = m.index + m[0].length;
  }
  if (at < code.length) found.push({ text: code.slice(at), look: "" });
  return found;
}

/** colour colours the text of a code element. */
export function colour(code: HTMLElement, language: string): void {
  code.replaceChildren(...tokens(code.textContent ?? "", language).map((t) => {
    if (t.look === "") return t.text;
    const span = document.createElement("span");
    span.className = "code-" + t.look;
    span.textContent = t.text;
    return span;
  }));
}

/** linesOf splits tokens at line breaks. */
export function linesOf(all: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const t of all) {
    t.text.split("\n").forEach((text, i) => {
      if (i > 0) lines.push([]);
      if (text !== "") lines.at(-1)!.push({ ...t, text });
    });
  }
  return lines;
}
