// How each kind of edge is drawn. Kinds differ in colour, dash and arrowhead, so that no reader
// depends on only one of them. The colours are the variables --k-KIND of styles/theme.css.

export type Dash = "solid" | "dashed" | "dotted";
export type Head = "triangle" | "vee" | "tee" | "diamond" | "circle" | "square" | "chevron" | "none";

export interface Look {
  dash: Dash;
  head: Head;
  hollow: boolean;
  both: boolean; // symmetric: an arrowhead at each end, or none
  width: number;
}

const look = (dash: Dash, head: Head, width: number, more: Partial<Look> = {}): Look => ({ dash, head, hollow: false, both: false, width, ...more });

const looks: Record<string, Look> = {
  supersedes: look("solid", "triangle", 2.6),
  causes: look("solid", "vee", 2.2),
  "depends-on": look("solid", "circle", 2.2),
  contradicts: look("dashed", "tee", 2.6, { both: true }),
  supports: look("solid", "square", 2),
  "derived-from": look("dashed", "triangle", 2, { hollow: true }),
  "part-of": look("solid", "diamond", 1.8),
  follows: look("dotted", "chevron", 2),
  "relates-to": look("dashed", "none", 1.8, { both: true }),
  "links-to": look("solid", "triangle", 1.2, { hollow: true }),
  embeds: look("solid", "square", 1.2, { hollow: true }),
  "refers-to": look("dashed", "vee", 1.2),
  calls: look("solid", "vee", 1.4),
  imports: look("dashed", "square", 1.6),
  implements: look("dashed", "triangle", 1.6, { hollow: true }),
  mentions: look("dotted", "circle", 1.2, { hollow: true }),
};

const plain = look("solid", "triangle", 1.4);

export function lookOf(kind: string): Look {
  return looks[kind] ?? plain;
}

export function colourOf(kind: string): string {
  return kind in looks ? `--k-${kind}` : "--k-links-to";
}

export function inkOf(kind: string): string {
  return `var(${colourOf(kind)})`;
}

const tints: Record<string, number> = { note: 0, decision: 1, fact: 2, preference: 3, rule: 4, finding: 5, question: 6, reference: 7, package: 8, code: 9, task: 10, session: 11 };

/** tintOf returns the colour of a kind of memory; all others share one. */
export function tintOf(kind: string): string {
  return `var(--c-${tints[kind] ?? 12})`;
}
