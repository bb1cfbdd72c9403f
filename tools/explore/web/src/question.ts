// Questions in the search field that a drawing answers: "decisions that depend on X".

/** Question asks for what rests on a memory (downstream), or for what that rests on. */
export interface Question {
  kind: string; // "" for any
  name: string;
  direction: "upstream" | "downstream";
}

const lead = /^(?:(?:show|list|find|all|the|which|what|everything|things|memories)\s+)+/i;
const any = /\b(?:which|what|everything|things|memories)\b/i;
const verb = "(?:depend(?:s|ing)?|rest(?:s|ing)?|rel(?:y|ies|ying)|build(?:s|ing)?)\\s+(?:up)?on";

/** questionOf returns the question that a text asks; undefined if it is to be searched for only. */
export function questionOf(text: string, kinds: readonly string[]): Question | undefined {
  const plain = text.trim().replace(/[?.\s]+$/, ""), rest = plain.replace(lead, "");
  const kind = kinds.find((k) => k !== "" && new RegExp(`^(?:${k.replace(/\W/g, "\\$&")}s?|${k.replace(/\W/g, "\\$&").replace(/y$/, "ies")})\\s`, "i").test(rest)) ?? "";
  if (kind === "" && !any.test(lead.exec(plain)?.[0] ?? "")) return undefined;
  const asked = (kind === "" ? rest : rest.replace(/^\S+\s+/, "")).replace(/^(?:(?:that|which|who|do|does)\s+)+/i, "");
  const down = new RegExp(`^${verb}\\s+(.+)$`, "i").exec(asked), up = new RegExp(`^(.+?)\\s+${verb}$`, "i").exec(asked);
  const name = (down ?? up)?.[1]?.replace(/^["“'](.*)["”']$/, "$1");
  return name ? { kind, name, direction: down ? "downstream" : "upstream" } : undefined;
}
