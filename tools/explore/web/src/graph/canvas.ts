// The drawing of the graph, as SVG. Memories that have a place keep it; places.ts finds places for
// new ones, and labels.ts places the names over the drawing.

import { inkOf, lookOf, tintOf } from "../kinds.ts";
import { Labels, type Label } from "./labels.ts";
import { listen } from "./pointers.ts";
import { join, tally, type Model, type Node, type Visible } from "./model.ts";
import type { Thing } from "./names.ts";
import { along, implied, layered, neighbours, spread, type Places, type Spot, type Tie } from "./places.ts";
import { curve, dashes, heads, outline, type Curve, type State } from "./shapes.ts";

const margin = 0.075; // of the width and the height, on each side of the fitted drawing
const mostStretched = 2.4; // how much more the drawing is stretched along one side than along the other
const narrow = 500; // width of a drawing, in pixels, below which it has less room for names
const fewEdges = 12; // with at most as many, each edge has its name
const mostAvoided = 400; // with more edges, names may cover them
const least = 12; // radius, in pixels, in which a press means a memory

export interface Shown {
  model: Model;
  visible: Visible;
  seed: string;
  stale: ReadonlySet<string>;
  rows: boolean; // what uses others stands in rows above what it uses
}

export interface Heard {
  mark: (id: string) => void;
  open: (id: string) => void;
}

/** Dot is a memory in the drawing. */
interface Dot {
  node: Node;
  sign: SVGGElement;
  r: number;
  rim: number; // where edges end, from the centre
  at: Spot; // on the screen
}

/** Line is an edge in the drawing. */
interface Line {
  from: string;
  to: string;
  kind: string;
  name: string;
  bend: number;
  sign: SVGGElement;
  curve?: Curve;
}

interface View {
  kx: number; // pixels for one unit of the plane
  ky: number;
  x: number; // of the plane's origin, on the screen
  y: number;
}

export class Canvas {
  readonly #room: HTMLElement;
  readonly #labels: Labels;
  readonly #svg = svg("svg", { class: "graph-svg", "aria-hidden": "true" });
  readonly #lines = svg("g", {});
  readonly #dots = svg("g", {});
  readonly #resized: ResizeObserver;
  #places: Places = new Map();
  #memories = new Map<string, Dot>();
  #edges = new Map<string, Line>();
  #view: View = { kx: 1, ky: 1, x: 0, y: 0 };
  #shown: Shown | undefined;
  #marked = "";
  #near = "";
  #frame = 0;
  #moving = 0; // the frame of an animation
  #fitted = false; // the drawing fills the room, and goes on to when that changes its size

  constructor(room: HTMLElement, heard: Heard) {
    this.#room = room;
    this.#svg.append(this.#lines, this.#dots);
    room.append(this.#svg);
    this.#labels = new Labels(room.parentElement!);
    listen(this.#svg, {
      over: (id) => this.#touch(id),
      press: heard.mark,
      open: heard.open,
      drag: (id, dx, dy) => this.#drag(id, dx, dy),
      move: (dx, dy) => this.#move(dx, dy),
      zoom: (at, by) => this.#zoomAt(at, by),
    });
    this.#resized = new ResizeObserver(() => (this.#fitted ? this.fit(false) : this.#draw()));
    this.#resized.observe(room);
  }

  /** show updates the drawing to s; memories drawn before keep their places. */
  show(s: Shown): void {
    this.#shown = s;
    this.#room.dataset["state"] = "moving";
    this.#room.dataset["nodes"] = String(s.visible.nodes.size);
    const isFirst = this.#places.size === 0;
    this.#place(s);
    this.#fill(s);
    this.#emphasise();
    if (isFirst || this.#fitted) this.fit(!isFirst);
    else this.#draw();
  }

  /** #place finds places for the memories that have none. */
  #place({ model, seed, rows }: Shown): void {
    for (const id of this.#places.keys()) if (!model.nodes.has(id)) this.#places.delete(id);
    const fresh = inOrder([...model.nodes.keys()].filter((id) => !this.#places.has(id)), model, seed);
    if (fresh.length === 0) return;
    const ties: Tie[] = [...model.edges.values()], shape = this.#room.clientHeight / Math.max(1, this.#room.clientWidth);
    if (rows) {
      this.#places = layered([...model.nodes.keys()].sort(), ties);
      return;
    }
    const way = [...model.lit.nodes];
    if (this.#places.size === 0 && way.length > 0) this.#places = along(way, shape > 1);
    const others = fresh.filter((id) => !this.#places.has(id));
    if (others.length > 0) for (const [id, at] of spread(others, ties, this.#places, shape)) this.#places.set(id, at);
  }

  /** #fill makes the elements of what is visible, and removes those of what is not. */
  #fill(s: Shown): void {
    const { model, visible } = s, ends = new Map([...visible.edges].map((key) => [key, [model.edges.get(key)!.from, model.edges.get(key)!.to].sort()]));
    const degree = tally([...ends.values()].flat()), pairs = new Map<string, string[]>();
    for (const [key, pair] of ends) join(pairs, pair.join(), key);
    const smallest = sizeOf(visible.nodes.size) * (this.#room.clientWidth >= narrow ? 1 : visible.nodes.size > 15 ? 0.65 : 0.8) * (s.rows ? 0.6 : 1); // rows leave room for names
    for (const id of visible.nodes) {
      const node = model.nodes.get(id)!, r = smallest + Math.min(smallest, 1.5 * Math.sqrt(degree.get(id) ?? 0));
      const sign = this.#memories.get(id)?.sign ?? svg("g", { "data-id": id }, svg("path", { class: "glow" }), svg("circle", { class: "press" }), svg("path", { class: "body" }));
      const state = stateOf(node, s.stale);
      sign.setAttribute("class", `dot dot-${state}${id === s.seed ? " dot-seed" : ""}`);
      sign.style.setProperty("--tint", tintOf(node.kind));
      sign.dataset["status"] = node.status;
      set(sign.children[0]!, { d: outline(state, r + 7) });
      set(sign.children[1]!, { r: Math.max(r, least) });
      set(sign.children[2]!, { d: outline(state, r) });
      if (!sign.isConnected) this.#dots.append(sign);
      this.#memories.set(id, { node, sign, r, rim: (state === "current" ? r : 1.12 * r) + 2, at: { x: 0, y: 0 } });
    }
    const keys = [...visible.edges], far = s.rows ? implied([...visible.nodes], keys.map((key) => model.edges.get(key)!)) : undefined;
    keys.forEach((key, i) => {
      const e = model.edges.get(key)!, all = pairs.get(ends.get(key)!.join())!;
      const bend = s.rows ? 0 : (all.indexOf(key) - (all.length - 1) / 2) * 22 * (e.from < e.to ? 1 : -1);
      const sign = this.#edges.get(key)?.sign ?? lineSign(e.type);
      sign.classList.toggle("line-implied", far !== undefined && (far.has(i) || all[0] !== key));
      set(sign, { "data-from": e.from, "data-to": e.to, "data-type": e.type });
      if (!sign.isConnected) this.#lines.append(sign);
      this.#edges.set(key, { from: e.from, to: e.to, kind: e.type, name: e.rel === "" ? e.type : `${e.type} (${e.rel})`, bend, sign });
    });
    drop(this.#memories, visible.nodes);
    drop(this.#edges, visible.edges);
    this.#svg.dataset["crowd"] = s.rows ? "rows" : keys.length > 60 ? "some" : "few";
  }

  /**
   * #emphasise sets the classes of the path, of the marked memory and of what is beside it, and dims
   * the rest.
   */
  #emphasise(): void {
    const lit = this.#shown?.model.lit, isPath = lit !== undefined && lit.nodes.size > 0;
    const of = this.#memories.has(this.#marked) ? this.#marked : this.#shown?.rows ? this.#near : "";
    const beside = new Set([of]);
    for (const [key, line] of this.#edges) {
      const isBeside = of !== "" && (line.from === of || line.to === of), isLit = lit?.edges.has(key) ?? false;
      if (isBeside) beside.add(line.from).add(line.to);
      line.sign.classList.toggle("lit", isLit);
      line.sign.classList.toggle("beside", isBeside);
      line.sign.classList.toggle("dim", isPath ? !isLit && !isBeside : of !== "" && !isBeside);
    }
    for (const [id, { sign }] of this.#memories) {
      const isLit = lit?.nodes.has(id) ?? false;
      sign.classList.toggle("lit", isLit);
      sign.classList.toggle("picked", id === this.#marked);
      sign.classList.toggle("near", id === this.#near);
      sign.classList.toggle("dim", isPath ? !isLit && !beside.has(id) : of !== "" && !beside.has(id));
    }
  }

  /** #draw puts everything in its place in the next frame. */
  #draw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#put();
      if (this.#shown && this.#moving === 0) this.#room.dataset["state"] = "settled";
    });
  }

  #put(): void {
    const { kx, ky, x, y } = this.#view;
    for (const [id, dot] of this.#memories) {
      const at = this.#places.get(id)!;
      dot.at = { x: x + at.x * kx, y: y + at.y * ky };
      dot.sign.setAttribute("transform", `translate(${dot.at.x.toFixed(1)} ${dot.at.y.toFixed(1)})`);
    }
    for (const line of this.#edges.values()) {
      const [a, b] = [this.#memories.get(line.from)!, this.#memories.get(line.to)!], look = lookOf(line.kind), head = heads[look.head].long;
      const c = curve({ ...a.at, rim: a.rim, head: look.both ? head : 0 }, { ...b.at, rim: b.rim, head }, line.bend);
      line.curve = c;
      const [glow, way, ...ends] = [...line.sign.children];
      set(glow!, { d: c.path });
      set(way!, { d: c.path });
      [c.end, c.start].forEach((tip, i) => ends[i] && set(ends[i], { transform: `translate(${tip.x.toFixed(1)} ${tip.y.toFixed(1)}) rotate(${tip.angle.toFixed(1)})` }));
    }
    this.#name();
  }

  /**
   * #name shows the titles of memories, and the kinds of the edges on the path and at the marked
   * memory, or of all edges if there are few.
   */
  #name(): void {
    const [width, height] = [this.#room.clientWidth, this.#room.clientHeight];
    if (width === 0) return;
    const { offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h } = this.#room.parentElement!.querySelector<HTMLElement>(".zoom")!;
    const labels: Label[] = [], things: Thing[] = [{ x, y, w, h }], upright = height > width, isFew = this.#memories.size <= 15 && width >= narrow;
    for (const [id, { node, r, at, sign }] of this.#memories) {
      things.push({ x: at.x - r, y: at.y - r, w: 2 * r, h: 2 * r, round: true });
      const [isNear, isLit, isMarked, isSeed] = [id === this.#near, sign.classList.contains("lit"), id === this.#marked, id === this.#shown?.seed];
      if (sign.classList.contains("dim") && !isNear) continue;
      const rank = (isNear ? 4000 : 0) + (isMarked ? 3000 : 0) + (isLit ? 2000 : 0) + (isSeed ? 1000 : 0) + r;
      const look = [isSeed ? "seed" : "", isFew ? "large" : "", node.status === "current" ? "" : "was"].filter(Boolean).join(" ");
      labels.push({ key: id, text: node.title, ...at, r: r + (isSeed || isLit ? 9 : 2), rank, must: isNear || isMarked || isLit || isSeed, look, narrow: [108, 76], ...(isLit && upright && { stand: "beside" }), ...(isFew && { wide: 200 }) });
    }
    const drawn = [...this.#edges].filter(([, l]) => l.sign.matches(":not(.line-implied), .beside, .lit"));
    if (drawn.length <= mostAvoided) for (const [, { curve: c }] of drawn) things.push(...beads(c!));
    for (const [key, { name, sign, curve: c }] of drawn) {
      const isLit = sign.classList.contains("lit");
      if (!isLit && !sign.classList.contains("beside") && (drawn.length > fewEdges || sign.classList.contains("dim"))) continue;
      labels.push({ key, text: name, ...c!.at(0.5), r: 0, rank: isLit ? 6000 : 0, must: isLit, look: "word", stand: "line" });
    }
    this.#labels.show(labels, width, height, things);
  }

  #touch(id: string): void {
    if (id === this.#near) return;
    this.#near = id;
    this.#emphasise();
    this.#draw();
  }

  #drag(id: string, dx: number, dy: number): void {
    const at = this.#places.get(id);
    if (!at) return;
    this.#places.set(id, { x: at.x + dx / this.#view.kx, y: at.y + dy / this.#view.ky });
    this.#fitted = false;
    this.#draw();
  }

  #move(dx: number, dy: number): void {
    this.#see({ ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy });
  }

  #zoomAt({ x, y }: Spot, by: number): void {
    const v = this.#view;
    this.#see({ kx: v.kx * by, ky: v.ky * by, x: x + (v.x - x) * by, y: y + (v.y - y) * by });
  }

  /** #see changes the view by the hand of the user. */
  #see(view: View): void {
    cancelAnimationFrame(this.#moving);
    this.#moving = 0;
    this.#fitted = false;
    this.#view = view;
    this.#draw();
  }

  /** mark highlights one memory, "" for none, and moves it into view. */
  mark(id: string): void {
    this.#marked = id;
    this.#emphasise();
    const dot = this.#memories.get(id), [width, height] = [this.#room.clientWidth, this.#room.clientHeight];
    if (dot && this.#room.dataset["state"] === "settled" && (dot.at.x < 0 || dot.at.y < 0 || dot.at.x > width || dot.at.y > height)) this.#move(width / 2 - dot.at.x, height / 2 - dot.at.y);
    this.#draw();
  }

  zoom(by: number): void {
    this.#zoomAt({ x: this.#room.clientWidth / 2, y: this.#room.clientHeight / 2 }, by);
  }

  /** fit makes the drawing fill its room, gently if the user allows motion. */
  fit(gently = true): void {
    const target = this.#filling();
    if (!target) return;
    this.#fitted = true;
    cancelAnimationFrame(this.#moving);
    this.#moving = 0;
    if (!gently || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#view = target;
      this.#draw();
      return;
    }
    const from = this.#view, start = performance.now();
    const step = (now: number): void => {
      const share = Math.min(1, (now - start) / 260), eased = share * (2 - share);
      const between = (a: number, b: number): number => a + (b - a) * eased;
      this.#view = { kx: between(from.kx, target.kx), ky: between(from.ky, target.ky), x: between(from.x, target.x), y: between(from.y, target.y) };
      this.#moving = share < 1 ? requestAnimationFrame(step) : 0;
      this.#draw();
    };
    this.#moving = requestAnimationFrame(step);
  }

  /** #filling returns the view in which what is visible fills the room; undefined if nothing is. */
  #filling(): View | undefined {
    const dots = [...this.#memories].map(([id, { r }]) => ({ ...this.#places.get(id)!, r }));
    const [width, height] = [this.#room.clientWidth, this.#room.clientHeight];
    if (dots.length === 0 || width === 0) return undefined;
    const widest = Math.max(...dots.map((d) => d.r));
    const side = (values: number[], long: number): { middle: number; k: number } => {
      const [min, max] = [Math.min(...values), Math.max(...values)];
      return { middle: (min + max) / 2, k: Math.max(1, long * (1 - 2 * margin) - 2 * widest) / (max - min) }; // Infinity if they stand on a line
    };
    const [x, y] = [side(dots.map((d) => d.x), width), side(dots.map((d) => d.y), height)];
    const k = Math.min(x.k, y.k), both = Number.isFinite(k) ? k : 1;
    const [kx, ky] = [Math.min(x.k, both * mostStretched), Math.min(y.k, both * mostStretched)];
    return { kx, ky, x: width / 2 - x.middle * kx, y: height / 2 - y.middle * ky };
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#moving);
    this.#resized.disconnect();
    this.#labels.destroy();
    this.#svg.remove();
  }
}

/** svg makes an element of SVG with attributes and children. */
function svg<K extends "svg" | "g" | "path" | "circle">(name: K, attributes: Record<string, string>, ...children: SVGElement[]): SVGElementTagNameMap[K] {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(e, attributes);
  e.append(...children);
  return e;
}

function set(e: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
}

/** lineSign makes the element of an edge: a glow, the line, and an arrowhead for each end with one. */
function lineSign(kind: string): SVGGElement {
  const look = lookOf(kind), { path } = heads[look.head];
  const head = (): SVGPathElement => svg("path", { class: look.hollow ? "head hollow" : "head", d: path });
  const sign = svg("g", { class: "line" },
    svg("path", { class: "glow" }),
    svg("path", { class: "way", "stroke-width": String(look.width), "stroke-dasharray": dashes[look.dash] }),
    ...(path === "" ? [] : look.both ? [head(), head()] : [head()]));
  sign.style.color = inkOf(kind);
  return sign;
}

function drop<T extends { sign: SVGElement }>(all: Map<string, T>, stays: ReadonlySet<string>): void {
  for (const [key, { sign }] of all) {
    if (stays.has(key)) continue;
    sign.remove();
    all.delete(key);
  }
}

/** sizeOf returns the least radius of a memory, in pixels, where n are drawn. */
function sizeOf(n: number): number {
  return n <= 6 ? 20 : n <= 15 ? 15 : n <= 40 ? 11 : n <= 120 ? 8 : n <= 400 ? 5.5 : 3.5;
}

function stateOf(n: Node, stale: ReadonlySet<string>): State {
  return n.status === "superseded" ? "superseded" : stale.has(n.id) ? "stale" : "current";
}

/** beads returns areas along an edge that names avoid. */
function beads(c: Curve): Thing[] {
  const [a, b] = [c.at(0), c.at(1)], n = Math.min(40, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 12));
  return Array.from({ length: n }, (_, i) => {
    const { x, y } = c.at((i + 0.5) / n);
    return { x: x - 3, y: y - 3, w: 6, h: 6, thin: true };
  });
}

/**
 * inOrder returns memories in breadth-first order from the seed, so that the order is always the
 * same.
 */
function inOrder(fresh: readonly string[], model: Model, seed: string): string[] {
  const beside = neighbours([...model.edges.values()]), wanted = new Set(fresh), seen = new Set<string>();
  for (const start of [seed, ...model.roots, ...fresh]) {
    if (!model.nodes.has(start) || seen.has(start)) continue;
    const reached = new Set([start]); // grows while it is read
    for (const id of reached) for (const other of beside.get(id) ?? []) if (!seen.has(other)) reached.add(other);
    for (const id of reached) seen.add(id);
  }
  return [...seen].filter((id) => wanted.has(id));
}
