// The placement of labels in a drawing: they do not cover one another, and the most important ones
// are placed first. Nothing here draws.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/**
 * Thing is an area that labels do not cover. A round one fills the disc in its box. A thin one, a
 * piece of a line, is covered where there is no other room.
 */
export interface Thing extends Box {
  round?: boolean;
  thin?: boolean;
}

/**
 * Stand says where a label goes: "around" a thing, preferably beneath it; preferably "beside" it;
 * "within" it, whatever is drawn there; on its "rim", or else within; or on a "line".
 */
export type Stand = "around" | "beside" | "within" | "rim" | "line";

/** Disc is a circle on the screen, in pixels. */
export interface Disc {
  x: number;
  y: number;
  r: number;
}

export type Size = Pick<Box, "w" | "h">;

/** Name is a label that belongs to a round thing, or to a point on a line. */
export interface Name {
  key: string;
  x: number; // centre of the thing, on the screen
  y: number;
  r: number; // radius of the thing, on the screen
  w: number; // size of the text
  h: number;
  rank: number; // higher ones are placed first
  must: boolean; // it is placed even if it covers others
  stand: Stand;
  narrower?: Size[]; // of the text in other lines, for where there is no room for the first
  within?: Size; // of the text if it is placed within the thing
  around?: Disc; // disc on whose rim the label is placed if there is no room beside the thing
}

export interface Placed extends Box {
  key: string;
  isWithin: boolean;
  form: number; // 0, or from 1 that of narrower
  isOver: boolean; // lines lie beneath it
}

const gap = 3; // between a thing and its name
const mostOver = 24; // pieces of lines that one of many names may lie on
const many = 24; // names
const cell = 96; // size of the cells of the grid that finds neighbours

/** Taken holds the occupied areas, in a grid. */
class Taken {
  readonly #cells = new Map<string, Thing[]>();

  *#keys(b: Box): Iterable<string> {
    for (let i = Math.floor(b.x / cell); i <= Math.floor((b.x + b.w) / cell); i++) {
      for (let j = Math.floor(b.y / cell); j <= Math.floor((b.y + b.h) / cell); j++) yield `${i} ${j}`;
    }
  }

  add(b: Thing): void {
    for (const key of this.#keys(b)) {
      const there = this.#cells.get(key);
      if (there) there.push(b);
      else this.#cells.set(key, [b]);
    }
  }

  /**
   * covered returns how many square pixels of a box are occupied, and how many pieces of lines lie in
   * it. A disc that touches the box counts as the box around it.
   */
  covered(b: Box): { area: number; lines: number } {
    const seen = new Set<Box>();
    let area = 0, lines = 0;
    for (const key of this.#keys(b)) {
      for (const o of this.#cells.get(key) ?? []) {
        if (seen.has(o)) continue;
        seen.add(o);
        const w = Math.min(b.x + b.w, o.x + o.w) - Math.max(b.x, o.x), h = Math.min(b.y + b.h, o.y + o.h) - Math.max(b.y, o.y);
        if (w <= 0 || h <= 0 || o.round && misses(b, o)) continue;
        if (o.thin) lines++;
        else area += w * h;
      }
    }
    return { area, lines };
  }
}

/** misses reports whether a box and a disc do not touch. */
function misses(b: Box, disc: Box): boolean {
  const r = disc.w / 2, x = disc.x + r, y = disc.y + r;
  return Math.hypot(x - Math.max(b.x, Math.min(x, b.x + b.w)), y - Math.max(b.y, Math.min(y, b.y + b.h))) >= r;
}

/** Spot is a place for a label, and what lies there already. */
type Spot = Pick<Placed, "isWithin" | "form"> & { b: Box; area: number; lines: number };

export interface Room {
  width: number;
  height: number;
}

/**
 * spots returns the places where a label may go, the best first. The label of a thing in view is
 * not cut off at the left or right; a label within a thing is moved into its visible part.
 */
function spots(n: Name, room: Room): Box[] {
  const { x, r, w, h } = n;
  const inside = n.stand === "within";
  const held = (at: number, long: number, most: number): number => Math.max(0, Math.min(at - long / 2, most - long));
  const middle = inside || x >= 0 && x <= room.width ? held(x, w, room.width) : x - w / 2;
  const y = inside ? held(n.y, h, room.height) + h / 2 : n.y;
  const centred = (by: number[]): Box[] => by.map((b) => ({ x: middle, y: y - h / 2 + b, w, h }));
  const [beneath, above] = centred([r + gap + h / 2, -r - gap - h / 2]) as [Box, Box];
  const beside = [x + r + gap, x - r - gap - w].filter((at) => at >= 0 && at + w <= room.width).map((at) => ({ x: at, y: y - h / 2, w, h }));
  const aboveAndBeneath = (...all: Box[]): Box[] => all.filter((b) => b.y >= 0 && b.y + h <= room.height);
  const d = 0.7 * r + gap / 2; // where the corner of a label meets the thing
  const aside = [x + d, x - d - w, x - 0.2 * w, x - 0.8 * w].filter((at) => at >= 0 && at + w <= room.width)
    .flatMap((at, i) => [...new Set([i < 2 ? y + d : beneath.y, i < 2 ? y - d - h : above.y])].map((top) => ({ x: at, y: top, w, h })));
  switch (n.stand) {
    case "around": return [...aboveAndBeneath(beneath, above), ...beside, ...aboveAndBeneath(...aside)];
    case "beside": return [...beside, ...aboveAndBeneath(beneath, above)];
    case "rim": return [...aboveAndBeneath(above, beneath), ...beside];
    case "within": return centred([0, -0.7 * h, 0.7 * h].filter((by) => by === 0 || Math.abs(by) + h / 2 < r));
    case "line": return centred([0, -0.9 * h, 0.9 * h, -1.8 * h, 1.8 * h]);
  }
}

/**
 * place returns places for as many labels as there is room for, but no more than most; the highest
 * ranks are placed first. A label with must is placed even without free room.
 */
export function place(names: readonly Name[], most: number, things: readonly Thing[] = [], room: Room = { width: Infinity, height: Infinity }): Placed[] {
  const full = new Taken(), written = new Taken(), placed: Placed[] = [];
  things.forEach((b) => full.add(b));
  for (const n of [...names].sort((a, b) => b.rank - a.rank || (a.key < b.key ? -1 : 1))) {
    if (placed.length >= most && !n.must) break;
    const spot = (b: Box, over: Taken, isWithin: boolean, form: number): Spot => ({ b, isWithin, form, ...over.covered(b) });
    const inside = n.stand === "within" || n.stand === "rim" ? spots({ ...n, ...n.within, stand: "within" }, room).map((b) => spot(b, written, true, 0)) : [];
    const all = ({ w, h }: Size, form: number): Spot[] => {
      const beside = n.stand === "within" ? [] : spots({ ...n, w, h }, room), rim = n.around ? spots({ ...n, w, h, ...n.around, stand: "rim" }, room) : [];
      return [...[...beside, ...rim].map((b) => spot(b, full, false, form)), ...inside];
    };
    const least = (of: Spot[], by: "area" | "lines"): Spot | undefined => of.reduce<Spot | undefined>((a, b) => (a && a[by] <= b[by] ? a : b), undefined);
    const sizes = [n, ...(n.narrower ?? [])], isFree = (s: Spot): boolean => s.area === 0 && (names.length <= many || s.lines <= mostOver);
    const best = sizes.reduce<Spot | undefined>((found, size, form) => found ?? least(all(size, form).filter(isFree), "lines"), undefined) ?? (n.must ? least(sizes.flatMap(all), "area") : undefined);
    if (!best) continue;
    [full, written].forEach((taken) => taken.add(best.b));
    placed.push({ key: n.key, isWithin: best.isWithin, form: best.form, isOver: best.lines > 0, ...best.b });
  }
  return placed;
}

const scripts = "\\u2e80-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff00-\\uffef"; // scripts without spaces between words
const isWithin = new RegExp(`^[^\\s\\-./_:${scripts}]{2}$`, "u"); // two letters of one word
const pieces = new RegExp(`[${scripts}]|[^\\s${scripts}]*?[-./_:](?<!\\d[.:](?=\\d))(?=[^\\s])|[^\\s${scripts}]+|\\s+`, "gu");

/**
 * wrap breaks a text into at most the given number of lines of a width; the last line is cut if
 * needed.
 */
export function wrap(text: string, wide: number, lines: number, measure: (text: string) => number): string[] {
  const done: string[] = [];
  let line = "";
  const rest: string[] = text.match(pieces) ?? [];
  while (rest.length > 0) {
    const piece = rest.shift()!;
    if (measure(line + piece.trimEnd()) <= wide) line += line === "" ? piece.trimStart() : piece;
    else if (done.length === lines - 1) return [...done, cut(line + piece + rest.join(""), wide, measure, "…")];
    else if (line.trim() !== "") {
      done.push(line.trimEnd());
      line = "";
      rest.unshift(piece);
    } else { // a word that is wider than a line
      const start = cut(piece, wide, measure, "") || [...piece][0]!;
      done.push(start);
      rest.unshift(piece.slice(start.length));
    }
  }
  return line.trim() === "" ? done : [...done, line.trimEnd()];
}

/** cut returns as much of the beginning of a text as fits with an end: whole words, if one fits. */
function cut(text: string, wide: number, measure: (text: string) => number, end: string): string {
  const letters = [...text];
  let n = letters.length;
  while (n > 0 && measure(letters.slice(0, n).join("").trimEnd() + end) > wide) n--;
  const kept = letters.slice(0, n).join(""), words = end !== "" && isWithin.test(letters.slice(Math.max(0, n - 1), n + 1).join("")) ? /^.*[\s\-./_:]/su.exec(kept)?.[0] : undefined;
  return (words ?? kept).trimEnd() + end;
}
