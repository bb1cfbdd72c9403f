// The colours of classes, for the light and the dark theme. They differ in lightness too, and the
// legend and the list name their meanings.

import { colourOf } from "../kinds.ts";

const light = ["#2f7d63", "#b85c1e", "#3a6fb5", "#9c3f7a", "#7a7d1c", "#6a4fb0", "#b03a3a", "#1f8190", "#8a6a3a", "#4f7f2a", "#b0508f", "#5a6472"];
const dark = ["#6fcfae", "#f0a066", "#82b4f2", "#e08fc4", "#cfd05e", "#b9a2f0", "#f28a80", "#6ccbd8", "#d9b98a", "#a3d67a", "#f0a5d5", "#a8b3c2"];

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
  const colour = (name: string): string => css.getPropertyValue(name).trim();
  const [ground, sunk, line] = [colour("--ground"), isDark ? "#232622" : "#efece4", colour("--line-strong")];
  return {
    dots: [...(isDark ? dark : light), isDark ? "#7d8278" : "#9a9686"],
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
