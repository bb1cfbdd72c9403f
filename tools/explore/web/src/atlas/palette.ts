// The colours of the atlas, from the page's theme. Those of classes differ in lightness too, and the
// legend and the list name their meanings.

import { colourOf } from "../kinds.ts";

const classes = 13; // the last one is for all others

export interface Palette {
  dots: string[]; // of the classes; the last one is for all others
  ground: string;
  disc: (depth: number) => string;
  ring: string;
  tie: (share: number) => string;
  ink: string;
  edge: (kind: string) => string;
}

export function palette(): Palette {
  const css = getComputedStyle(document.documentElement);
  const isDark = document.documentElement.dataset["theme"] === "dark";
  const colour = (name: string): string => css.getPropertyValue(name).match(/#\w+/g)!.at(isDark ? -1 : 0)!; // of light-dark(A, B), or the one that it was built to
  const [ground, sunk, line] = [colour("--ground"), isDark ? "#232622" : "#efece4", colour("--line-strong")];
  return {
    dots: Array.from({ length: classes }, (_, i) => colour(`--c-${i}`)),
    ground,
    disc: (depth) => mix(ground, sunk, Math.min(1, 0.55 + 0.45 * depth)),
    ring: line,
    tie: (share) => mix(ground, line, 0.25 + 0.35 * Math.sqrt(share)),
    ink: colour("--ink"),
    edge: (kind) => colour(colourOf(kind)),
  };
}

/** parts returns the red, green and blue of a colour, each from 0 to 255. */
function parts(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** mix returns a colour between two; share is the part of b. */
export function mix(a: string, b: string, share: number): string {
  const other = parts(b);
  return "#" + parts(a).map((of, i) => Math.round(of * (1 - share) + other[i]! * share).toString(16).padStart(2, "0")).join("");
}

/**
 * translucent returns a colour with a transparency of share, with premultiplied alpha, as sigma
 * expects it.
 */
export function translucent(colour: string, share: number): string {
  return `rgba(${parts(colour).map((of) => Math.round(of * (1 - share))).join(", ")}, ${1 - share})`;
}
