// Labels over a drawing, as HTML elements: they keep their size at every zoom, and names.ts finds
// places for them.

import { place, wrap, type Name, type Placed, type Thing } from "./names.ts";

/** Label is a name whose text is not broken into lines yet; it stands around its thing unless it says otherwise. */
export interface Label extends Omit<Name, "w" | "h" | "narrower" | "within" | "must" | "stand">, Partial<Pick<Name, "must" | "stand">> {
  text: string;
  look?: string; // classes
  wide?: number; // maximum width of a line in pixels
  lines?: number; // maximum number of lines
  narrow?: number[]; // the same of up to three lines, where there is no room for wider ones
  within?: number; // maximum width of a line in pixels if the label is placed within its thing
}

/** Written is a label with its position. */
export interface Written extends Placed {
  lines: string[];
  look: string;
}

const most = 160; // most labels at once
const wide = 168; // default maximum width of a line in pixels
const padding = 4; // pixels at each end of a line
const step = 12; // pixels; maximum widths are rounded up to multiples of it, so that one cached line break serves many

/** Type holds the font of a kind of label. */
interface Type {
  high: number; // height of a line in pixels
  size: number;
  weight: number;
}

export const family = "system-ui, sans-serif";
const usual: Type = { high: 15, size: 12, weight: 400 };
const types: Record<string, Type> = {
  "area tiny": { high: 13, size: 11, weight: 600 },
  "area small": { high: 15, size: 12, weight: 600 },
  area: { high: 18, size: 14, weight: 600 },
  "seed large": { high: 18, size: 14, weight: 700 },
  seed: { high: 15, size: 12, weight: 700 },
  large: { high: 18, size: 14, weight: 400 },
  word: { high: 15, size: 11, weight: 400 },
};

export function typeOf(look: string): Type {
  return types[Object.keys(types).find((t) => look.includes(t)) ?? ""] ?? usual;
}

let pen: CanvasRenderingContext2D | undefined;
const measured = new Map<string, number>(), wrapped = new Map<string, string[]>();

/**
 * kept returns the cached value of a key, which make computes once. The cache is cleared when it
 * has more than 20,000 entries.
 */
function kept<T>(all: Map<string, T>, key: string, make: () => T): T {
  if (!all.has(key)) {
    if (all.size > 20_000) all.clear();
    all.set(key, make());
  }
  return all.get(key)!;
}

function measure(text: string, font: string): number {
  return kept(measured, font + text, () => {
    pen ??= document.createElement("canvas").getContext("2d")!;
    pen.font = font;
    return Math.ceil(pen.measureText(text).width);
  });
}

/** written returns the labels that have a place, with their positions and lines. */
export function written(labels: readonly Label[], width: number, height: number, things: readonly Thing[] = []): Written[] {
  const near = labels.filter((l) => l.x + l.r > -120 && l.y + l.r > -40 && l.x - l.r < width + 120 && l.y - l.r < height + 40);
  const texts = new Map<string, { look: string; forms: string[][]; within: string[] | undefined }>();
  const names = near.map((l): Name => {
    const look = l.look ?? "", { high, size, weight } = typeOf(look), font = `${weight} ${size}px ${family}`;
    const broken = (most: number, lines = l.lines ?? 2): string[] => {
      const room = Math.ceil(most / step) * step;
      return kept(wrapped, `${font} ${room} ${lines} ${l.text}`, () => wrap(l.text, room, lines, (text) => measure(text, font)));
    };
    const sized = (lines: string[]): { w: number; h: number } => ({ w: Math.max(...lines.map((line) => measure(line, font)), 0) + 2 * padding, h: high * lines.length });
    const forms = [broken(l.wide ?? wide), ...(l.narrow ?? []).map((most) => broken(most, 3))], [first, ...narrower] = forms.map(sized), within = l.within === undefined ? undefined : broken(l.within);
    texts.set(l.key, { look, forms, within });
    const { key, x, y, r, rank, must = false, stand = "around" } = l;
    return { key, x, y, r, rank, must, stand, ...first!, narrower, ...(within && { within: sized(within) }), ...(l.around && { around: l.around }) };
  });
  return place(names, most, things, { width, height }).map((p) => {
    const { look, forms, within } = texts.get(p.key)!;
    return { ...p, look: p.isOver && look !== "word" ? `${look} plate` : look, lines: (p.isWithin && within) || forms[p.form]! };
  });
}

export class Labels {
  readonly #room: HTMLElement;
  readonly #shown = new Map<string, HTMLElement>();
  written: Written[] = [];

  constructor(over: HTMLElement) {
    this.#room = document.createElement("div");
    this.#room.className = "names";
    this.#room.setAttribute("aria-hidden", "true"); // the list beside the drawing has the same text
    over.append(this.#room);
  }

  /** show places labels, and removes those shown before. */
  show(labels: readonly Label[], width: number, height: number, things: readonly Thing[] = []): void {
    this.written = written(labels, width, height, things);
    const stays = new Set<string>();
    for (const p of this.written) {
      stays.add(p.key);
      let e = this.#shown.get(p.key);
      if (!e) {
        e = document.createElement("span");
        this.#shown.set(p.key, e);
        this.#room.append(e);
      }
      const text = p.lines.join("\n");
      if (e.textContent !== text) e.textContent = text;
      if (e.className !== p.look) {
        const { high, size, weight } = typeOf(p.look);
        e.className = p.look;
        e.style.font = `${weight} ${size}px/${high}px ${family}`;
      }
      e.style.transform = `translate(${Math.round(p.x)}px, ${Math.round(p.y)}px)`;
    }
    for (const [key, e] of this.#shown) {
      if (stays.has(key)) continue;
      e.remove();
      this.#shown.delete(key);
    }
  }

  destroy(): void {
    this.#room.remove();
  }
}
