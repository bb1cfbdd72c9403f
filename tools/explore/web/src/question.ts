// Questions in the search field that a drawing answers: "decisions that depend on X".

/** Question asks for what rests on a memory (downstream), or for what that rests on. */
export interface Question {
  noun: string; // of what is asked for: a kind, tag or folder, in the plural or not; "" for anything
  name: string;
  direction: "upstream" | "downstream";
}

const lead = /^(?:(?:show|list|find|all|the|which|what|everything|things|memories)\s+)+/i;
const any = /\b(?:which|what|everything|things|memories)\b/i;
const verb = "(?:depend(?:s|ing)?|rest(?:s|ing)?|rel(?:y|ies|ying)|build(?:s|ing)?)\\s+(?:up)?on";
const down = new RegExp(`^${verb}\\s+(.+)$`, "i"), up = new RegExp(`^(.+?)\\s+${verb}$`, "i");

/** questionOf returns the question that a text asks; undefined if it is to be searched for only. */
export function questionOf(text: string, kinds: readonly string[]): Question | undefined {
  const plain = text.trim().replace(/[?.\s]+$/, ""), begins = lead.exec(plain)?.[0] ?? "", rest = plain.slice(begins.length);
  const [, that = "", ofThat = ""] = /^(.*?)\s*\b(?:that|which|who|do|does)\s+(.+)$/i.exec(rest) ?? [], [, first = "", ofFirst = ""] = /^(\S+)\s+(.+)$/.exec(rest) ?? [];
  const ways = [[that, ofThat], ...(/which/i.test(begins) || kinds.some((k) => isNoun(first, k)) ? [[first, ofFirst]] : []), ["", rest]] as [string, string][];
  for (const [noun, asked] of ways) {
    const name = (down.exec(asked) ?? up.exec(asked))?.[1]?.replace(/^["“'](.*)["”']$/, "$1");
    if (name && !/^(?:that|which|who)$/i.test(name) && (noun !== "" || any.test(begins))) return { noun: noun.toLowerCase(), name, direction: down.test(asked) ? "downstream" : "upstream" };
  }
  return undefined;
}

/** isNoun reports whether a noun is a word, in the plural or not. */
export function isNoun(noun: string, word: string): boolean {
  const many = (w: string): string[] => [w, w + "s", w + "es", w.replace(/y$/, "ies")], a = noun.toLowerCase(), b = word.toLowerCase();
  return many(b).includes(a) || many(a).includes(b);
}

/** holds reports whether all words of a name but the smallest are in a title, in full or to their ends. */
export function holds(title: string, name: string): boolean {
  const words = (t: string): string[] => t.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [], there = words(title), asked = words(name).filter((w) => !/^(?:an?|the|of|to|in|on|at|for|and|our)$/.test(w));
  return asked.length > 0 && asked.every((w) => there.some((t) => t.startsWith(w) || w.startsWith(t) && t.length > 3));
}
