// The outlines of memories and edges in a drawing, as paths of SVG. Nothing here draws.

import type { Dash, Head } from "../kinds.ts";
import type { Spot } from "./places.ts";

export type State = "current" | "superseded" | "stale";

/**
 * outline returns the shape of a memory around the origin: a disc; a square if it is superseded; a
 * diamond if it is stale. All have about the area of a disc of radius r.
 */
export function outline(state: State, r: number): string {
  const [half, far] = [0.86 * r, 1.25 * r];
  switch (state) {
    case "current": return `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`;
    case "superseded": return `M${-half} ${-half}H${half}V${half}H${-half}Z`;
    case "stale": return `M0 ${-far}L${far} 0L0 ${far}L${-far} 0Z`;
  }
}

/** heads are the outlines of arrowheads with the tip at the origin, pointing along x, and their lengths. */
export const heads: Record<Head, { path: string; long: number }> = {
  triangle: { path: "M-10-5L0 0L-10 5Z", long: 9 },
  vee: { path: "M-10-5L0 0L-10 5L-7 0Z", long: 7 },
  tee: { path: "M-1-6V6", long: 1 },
  diamond: { path: "M-13 0L-6.5-4.2L0 0L-6.5 4.2Z", long: 13 },
  circle: { path: "M-8 0A4 4 0 1 1 0 0A4 4 0 1 1-8 0Z", long: 8 },
  square: { path: "M-8-4H0V4H-8Z", long: 8 },
  chevron: { path: "M-8-5L0 0L-8 5", long: 1 },
  none: { path: "", long: 0 },
};

export const dashes: Record<Dash, string> = { solid: "", dashed: "6 4", dotted: "1.6 3.4" };

/** Tip is where an arrowhead touches the rim of a memory, and its angle in degrees. */
export interface Tip extends Spot {
  angle: number;
}

/** Curve is an edge from rim to rim: its path ends where the arrowheads begin. */
export interface Curve {
  path: string;
  start: Tip;
  end: Tip;
  at: (share: number) => Spot; // a point on it; 0.5 is the middle
}

/** End is an end of an edge: the centre of a memory, the radius of its rim, the length of the arrowhead. */
export interface End extends Spot {
  rim: number;
  head: number;
}

/**
 * curve returns an edge between two memories. bend is how far its middle is from the straight line,
 * to the left as seen from a.
 */
export function curve(a: End, b: End, bend: number): Curve {
  const far = Math.max(1, Math.hypot(b.x - a.x, b.y - a.y)), [ux, uy] = [(b.x - a.x) / far, (b.y - a.y) / far];
  const c = { x: (a.x + b.x) / 2 + 2 * bend * uy, y: (a.y + b.y) / 2 - 2 * bend * ux };
  const out = (from: Spot, by: number): Tip => {
    const long = Math.max(1, Math.hypot(c.x - from.x, c.y - from.y)), [x, y] = [(c.x - from.x) / long, (c.y - from.y) / long];
    const held = Math.min(by, Math.max(0, far / 2 - 1));
    return { x: from.x + x * held, y: from.y + y * held, angle: (Math.atan2(-y, -x) * 180) / Math.PI };
  };
  const [from, to] = [out(a, a.rim + a.head), out(b, b.rim + b.head)];
  const at = (t: number): Spot => ({ x: (1 - t) ** 2 * from.x + 2 * t * (1 - t) * c.x + t * t * to.x, y: (1 - t) ** 2 * from.y + 2 * t * (1 - t) * c.y + t * t * to.y });
  const middle = bend === 0 ? "L" : `Q${short(c.x)} ${short(c.y)} `;
  return { path: `M${short(from.x)} ${short(from.y)}${middle}${short(to.x)} ${short(to.y)}`, start: out(a, a.rim), end: out(b, b.rim), at };
}

/** short returns a number with at most one decimal. */
function short(v: number): number {
  return Math.round(v * 10) / 10;
}
