// The drawing of the graph, by cytoscape with the fcose layout. Memories that have a position keep
// it; only new ones are laid out.

import cytoscape, { type Core, type EdgeSingular, type ElementDefinition, type LayoutOptions, type NodeSingular, type Position } from "cytoscape";
import fcose from "cytoscape-fcose";
import { Handle } from "./handle.ts";
import { Labels, type Label } from "./labels.ts";
import { look, type Crowd } from "./look.ts";
import type { Thing } from "./names.ts";
import { join, type Model, type Node, type Visible } from "./model.ts";

cytoscape.use(fcose);

const some = 60; // with more memories than this, edges are translucent
const many = 600; // with more than this, drawing is simplified
const mostLaidOut = 450; // most new memories that the layout can place while the user waits
const spacing = 46; // distance between memories that are placed without the layout

export interface Shown {
  model: Model;
  visible: Visible;
  seed: string;
  stale: ReadonlySet<string>;
}

export interface Heard {
  mark: (id: string) => void;
  open: (id: string) => void;
  link: (from: string, to: string) => void; // the handle was dragged from one memory to the other
}

export class Canvas {
  readonly #room: HTMLElement;
  readonly #kinds: readonly string[];
  readonly #heard: Heard;
  readonly #labels: Labels;
  readonly #handle: Handle;
  #cy: Core;
  #crowd: Crowd = "few";
  #shown: Shown | undefined;
  #marked = "";
  #upright = false; // a path runs down the drawing, not to the right

  constructor(room: HTMLElement, kinds: readonly string[], heard: Heard) {
    this.#room = room;
    this.#kinds = kinds;
    this.#heard = heard;
    this.#labels = new Labels(room.parentElement!);
    this.#handle = new Handle(room.parentElement!, {
      at: (x, y) => this.#at(x, y),
      near: (id) => this.#cy.nodes().forEach((n) => void n.toggleClass("near", n.id() === id)),
      drop: (id) => this.#heard.link(this.#marked, id),
    });
    this.#cy = this.#make();
  }

  #make(): Core {
    holdStyle();
    const big = this.#crowd === "many";
    const cy = cytoscape({
      container: this.#room,
      style: look(this.#kinds, this.#crowd),
      minZoom: 0.04,
      maxZoom: 2.5,
      boxSelectionEnabled: false,
      selectionType: "single",
      textureOnViewport: big,
      hideEdgesOnViewport: big,
      pixelRatio: big ? 1 : "auto",
    });
    cy.on("tap", "node", (e) => this.#heard.mark(e.target.id()));
    cy.on("tap", (e) => e.target === cy && this.#heard.mark(""));
    cy.on("mouseover", "node", (e) => this.#touched(e.target, true));
    cy.on("mouseout", "node", (e) => this.#touched(e.target, false));
    cy.on("render", () => this.#name());
    cy.on("dbltap", "node", (e) => this.#heard.open(e.target.id()));
    return cy;
  }

  #touched(node: NodeSingular, near: boolean): void {
    node.toggleClass("near", near);
    this.#name();
  }

  /**
   * #name shows the titles of memories, and the kinds of the edges on the path and at the marked
   * memory.
   */
  #name(): void {
    const cy = this.#cy;
    if (cy.destroyed() || cy.width() === 0) return;
    const labels: Label[] = [], taken: Thing[] = [];
    cy.nodes().forEach((n) => {
      if (n.hasClass("off")) return;
      const at = n.renderedPosition(), r = n.renderedWidth() / 2;
      const [lit, marked, near, seed] = [n.hasClass("lit"), n.hasClass("marked"), n.hasClass("near"), n.data("seed") === 1];
      taken.push({ x: at.x - r, y: at.y - r, w: 2 * r, h: 2 * r, round: true });
      if (n.hasClass("dim") && !near) return;
      const rank = (near ? 4000 : 0) + (marked ? 3000 : 0) + (lit ? 2000 : 0) + (seed ? 1000 : 0) + (n.data("size") as number);
      const was = n.data("status") === "current" ? "" : "was";
      labels.push({ key: n.id(), text: n.data("title") as string, x: at.x, y: at.y, r, rank, must: near || marked || lit || seed, look: `${seed ? "seed" : ""} ${was}`.trim(), ...(lit && this.#upright && { stand: "beside" }) });
    });
    cy.edges(".lit, .beside").forEach((e) => {
      if (e.hasClass("off")) return;
      const at = e.renderedMidpoint();
      labels.push({ key: e.id(), text: e.data("label") as string, x: at.x, y: at.y, r: 0, rank: e.hasClass("lit") ? 6000 : 500, must: e.hasClass("lit"), look: "word", stand: "line" });
    });
    this.#labels.show(labels, cy.width(), cy.height(), taken);
    const marked = cy.getElementById(this.#marked);
    if (marked.empty() || marked.hasClass("off")) this.#handle.hide();
    else this.#handle.show(marked.renderedPosition(), marked.renderedWidth() / 2);
  }

  /**
   * #at returns the id of the memory at a position in the drawing; "" for none. It ignores the
   * marked memory.
   */
  #at(x: number, y: number): string {
    let found = "", least = Infinity;
    this.#cy.nodes().forEach((n) => {
      const p = n.renderedPosition(), far = Math.hypot(p.x - x, p.y - y);
      if (n.hasClass("off") || n.id() === this.#marked || far > n.renderedWidth() / 2 + 10 || far >= least) return;
      [found, least] = [n.id(), far];
    });
    return found;
  }

  /** show updates the drawing to s; memories drawn before keep their positions. */
  show(s: Shown): void {
    this.#shown = s;
    const n = s.model.nodes.size;
    const crowd: Crowd = n > many ? "many" : n > some ? "some" : "few";
    let kept = new Map<string, Position>();
    if (crowd !== this.#crowd) {
      this.#crowd = crowd;
      kept = this.#places();
      this.#cy.destroy();
      this.#cy = this.#make();
    }
    this.#fill(s, kept);
  }

  #places(): Map<string, Position> {
    return new Map(this.#cy.nodes().toArray().map((n) => [n.id(), { ...n.position() }]));
  }

  #fill(s: Shown, kept: ReadonlyMap<string, Position>): void {
    const cy = this.#cy;
    const degree = new Map<string, number>();
    for (const key of s.visible.edges) {
      const e = s.model.edges.get(key)!;
      degree.set(e.from, (degree.get(e.from) ?? 0) + 1);
      degree.set(e.to, (degree.get(e.to) ?? 0) + 1);
    }
    const fresh: string[] = [];
    cy.startBatch();
    cy.edges().filter((x) => !s.model.edges.has(x.id())).remove();
    cy.nodes().filter((x) => !s.model.nodes.has(x.id())).remove();
    const added: ElementDefinition[] = [];
    for (const n of s.model.nodes.values()) {
      const data = { id: n.id, title: n.title, status: n.status, what: what(n), stale: s.stale.has(n.id) ? 1 : 0, seed: n.id === s.seed ? 1 : 0, size: 15 + Math.min(21, 4 * Math.sqrt(degree.get(n.id) ?? 0)) };
      const there = cy.getElementById(n.id);
      if (there.nonempty()) there.data(data);
      else {
        const place = kept.get(n.id);
        if (!place) fresh.push(n.id);
        added.push({ group: "nodes", data, ...(place && { position: { ...place } }) });
      }
    }
    for (const [key, e] of s.model.edges) {
      if (cy.getElementById(key).empty()) added.push({ group: "edges", data: { id: key, source: e.from, target: e.to, type: e.type, label: e.rel === "" ? e.type : `${e.type} (${e.rel})` } });
    }
    cy.add(added);
    cy.nodes().forEach((n) => void n.toggleClass("off", !s.visible.nodes.has(n.id())));
    cy.edges().forEach((e) => void e.toggleClass("off", !s.visible.edges.has(e.id())));
    cy.endBatch();
    this.#room.dataset["nodes"] = String(s.visible.nodes.size);
    this.#emphasise();
    this.#layOut(fresh);
  }

  /**
   * #layOut places new memories around a memory they are linked to, and lets the layout spread
   * them.
   */
  #layOut(fresh: string[]): void {
    const cy = this.#cy;
    if (fresh.length === 0) {
      this.#settled();
      return;
    }
    this.#room.dataset["state"] = "moving";
    const isNew = new Set(fresh);
    const first = fresh.length === cy.nodes().length;
    const way = [...this.#shown!.model.lit.nodes]; // a path runs to the right, or down if the drawing is taller than wide
    if (first) this.#upright = cy.height() > cy.width();
    const along = (step: number): Position => (this.#upright ? { x: 0, y: 100 * step } : { x: 190 * step, y: 60 * (step % 2) });
    let turn = 0;
    for (const id of inOrder(fresh, this.#shown!)) {
      const node = cy.getElementById(id);
      const beside = node.neighborhood().nodes().toArray().find((n) => !isNew.has(n.id()));
      const centre = beside ? beside.position() : { x: 0, y: 0 };
      const r = (beside && !first ? 1.6 : 0.001) * spacing + spacing * Math.sqrt(turn);
      const angle = turn * 2.399963; // the golden angle fills a disc evenly
      const step = way.indexOf(id);
      node.position(first && step >= 0 ? along(step) : { x: centre.x + r * Math.cos(angle), y: centre.y + r * Math.sin(angle) });
      turn++;
    }
    if (fresh.length > mostLaidOut || first && fresh.length === way.length) {
      this.#fit(false);
      this.#settled();
      return;
    }
    const placed = cy.nodes().filter((n) => !isNew.has(n.id()) || first && n.hasClass("lit"));
    const places = this.#places();
    const options = {
      name: "fcose",
      quality: "proof", // this quality starts from the given positions
      randomize: false,
      animate: false,
      fit: false,
      uniformNodeDimensions: false,
      packComponents: false,
      idealEdgeLength: (e: EdgeSingular) => (e.hasClass("lit") ? 170 : 70) + 14 * Math.sqrt(Math.min(e.source().degree(false), e.target().degree(false))),
      nodeRepulsion: 16000,
      edgeElasticity: 0.3,
      gravity: 0.12,
      numIter: fresh.length > 150 ? 500 : 2000,
      ...(placed.nonempty() && { fixedNodeConstraint: (placed.toArray() as NodeSingular[]).map((n) => ({ nodeId: n.id(), position: n.position() })) }),
    } as LayoutOptions;
    const layout = cy.layout(options);
    layout.one("layoutstop", () => {
      placed.positions((n) => places.get(n.id())!); // the layout may have moved even these a little
      this.#fit(!first);
      this.#settled();
    });
    layout.run();
  }

  #fit(gently: boolean): void {
    const cy = this.#cy;
    const shown = cy.elements().not(".off");
    const edge = (this.#shown?.model.lit.nodes.size ?? 0) > 0 ? 120 : 46; // room for the names at the ends of a path
    const calm = !gently || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (calm) {
      cy.fit(shown, Math.min(edge, cy.width() / 5));
      if (cy.zoom() > 1.25) {
        cy.zoom(1.25);
        cy.center(shown);
      }
    } else {
      cy.animate({ fit: { eles: shown, padding: Math.min(edge, cy.width() / 5) }, duration: 260 });
    }
  }

  #settled(): void {
    this.#cy.one("render", () => (this.#room.dataset["state"] = "settled"));
    this.#cy.forceRender();
  }

  /**
   * mark highlights one memory; "" for none. bring moves it into view, linkable allows the handle
   * for linking.
   */
  mark(id: string, bring = false, linkable = false): void {
    this.#marked = id;
    this.#handle.allow(linkable);
    this.#emphasise();
    const node = this.#cy.getElementById(id);
    if (!bring || node.empty() || node.hasClass("off")) return;
    const box = node.renderedBoundingBox({});
    if (box.x1 < 0 || box.y1 < 0 || box.x2 > this.#cy.width() || box.y2 > this.#cy.height()) this.#cy.center(node);
  }

  #emphasise(): void {
    const cy = this.#cy;
    const lit = this.#shown?.model.lit;
    cy.batch(() => {
      cy.elements().removeClass("dim lit marked beside");
      if (lit && lit.nodes.size > 0) {
        cy.nodes().forEach((n) => void n.addClass(lit.nodes.has(n.id()) ? "lit" : "dim"));
        cy.edges().forEach((e) => void e.addClass(lit.edges.has(e.id()) ? "lit" : "dim"));
      }
      const node = cy.getElementById(this.#marked);
      if (node.empty()) return;
      node.addClass("marked").removeClass("dim");
      const beside = node.connectedEdges().not(".off");
      if (beside.length <= 40) beside.addClass("beside");
      if (!lit || lit.nodes.size === 0) cy.elements().not(node.closedNeighborhood()).addClass("dim");
      else beside.removeClass("dim");
    });
  }

  /** restyle reads the colours of the page again. */
  restyle(): void {
    this.#cy.style(look(this.#kinds, this.#crowd));
  }

  zoom(by: number): void {
    this.#cy.zoom({ level: this.#cy.zoom() * by, renderedPosition: { x: this.#cy.width() / 2, y: this.#cy.height() / 2 } });
  }

  fit(): void {
    this.#fit(true);
  }

  destroy(): void {
    this.#labels.destroy();
    this.#handle.destroy();
    this.#cy.destroy();
  }
}

/**
 * holdStyle keeps cytoscape from adding a style element, which the page's policy forbids: cytoscape
 * adds none if an element has this id. graph.css contains the same rules.
 */
function holdStyle(): void {
  const id = "__________cytoscape_stylesheet";
  if (document.getElementById(id)) return;
  const instead = document.createElement("meta");
  instead.id = id;
  document.head.append(instead);
}

/**
 * what returns the class that decides the shape of a memory: "file", "note", or "agent" for all
 * others.
 */
function what(n: Node): string {
  if (n.kind === "file" || n.kind === "canvas" || n.kind === "package") return "file";
  return n.kind === "note" || n.kind === "" ? "note" : "agent";
}

/**
 * inOrder returns the new memories in breadth-first order from the seed, so that the order is
 * always the same.
 */
function inOrder(fresh: readonly string[], s: Shown): string[] {
  const beside = new Map<string, string[]>();
  for (const e of s.model.edges.values()) {
    join(beside, e.from, e.to);
    join(beside, e.to, e.from);
  }
  const wanted = new Set(fresh);
  const start = [s.seed, ...s.model.roots, ...fresh];
  const seen = new Set<string>();
  const order: string[] = [];
  for (const from of start) {
    const queue = [from];
    for (let i = 0; i < queue.length; i++) {
      const id = queue[i]!;
      if (seen.has(id)) continue;
      seen.add(id);
      if (wanted.has(id)) order.push(id);
      queue.push(...(beside.get(id) ?? []));
    }
  }
  return order;
}
