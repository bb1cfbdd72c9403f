// Names over a drawing, as elements: they keep their size whatever the zoom, and stand
// where names.ts has room for them.

import { place, type Box, type Name, type Placed } from "./names.ts";

export interface Label {
  key: string;
  text: string;
  x: number;
  y: number;
  r: number;
  rank: number;
  must?: boolean;
  look?: string; // a class
}

const height = 17; // of a line, as graph.css has it
const most = 160; // names at once
const font = "12px system-ui, sans-serif";
const bigger: Record<string, [number, string]> = { area: [20, "600 14px system-ui, sans-serif"] };

export class Labels {
  readonly #room: HTMLElement;
  readonly #shown = new Map<string, HTMLElement>();
  readonly #measured = new Map<string, number>();
  readonly #pen = document.createElement("canvas").getContext("2d")!;
  placed: (Placed & { text: string; look: string })[] = [];

  constructor(over: HTMLElement) {
    this.#room = document.createElement("div");
    this.#room.className = "names";
    this.#room.setAttribute("aria-hidden", "true"); // the list beside the drawing says the same
    over.append(this.#room);
  }

  #width(text: string, look: string): number {
    const kind = Object.keys(bigger).find((k) => look.includes(k)) ?? "";
    const key = kind + text;
    let w = this.#measured.get(key);
    if (w === undefined) {
      this.#pen.font = bigger[kind]?.[1] ?? font;
      w = Math.ceil(this.#pen.measureText(text).width) + 8;
      if (this.#measured.size > 20_000) this.#measured.clear();
      this.#measured.set(key, w);
    }
    return w;
  }

  /** show places labels in place of those before. */
  show(labels: readonly Label[], width: number, heightOfRoom: number, taken: readonly Box[] = []): void {
    const near = labels.filter((l) => l.x > -120 && l.y > -40 && l.x < width + 120 && l.y < heightOfRoom + 40);
    const byKey = new Map(near.map((l) => [l.key, l]));
    const names = near.map((l): Name => ({ ...l, w: this.#width(l.text, l.look ?? ""), h: (l.look ?? "").includes("area") ? bigger["area"]![0] : height, must: l.must ?? false }));
    this.placed = place(names, most, taken, width).map((p) => ({ ...p, text: byKey.get(p.key)!.text, look: byKey.get(p.key)!.look ?? "" }));
    const kept = new Set<string>();
    for (const p of this.placed) {
      kept.add(p.key);
      let e = this.#shown.get(p.key);
      if (!e) {
        e = document.createElement("span");
        this.#shown.set(p.key, e);
        this.#room.append(e);
      }
      if (e.textContent !== p.text) e.textContent = p.text;
      e.className = p.look;
      e.style.transform = `translate(${Math.round(p.x)}px, ${Math.round(p.y)}px)`;
    }
    for (const [key, e] of this.#shown) {
      if (kept.has(key)) continue;
      e.remove();
      this.#shown.delete(key);
    }
  }

  clear(): void {
    this.show([], 0, 0);
  }

  destroy(): void {
    this.#room.remove();
  }
}
