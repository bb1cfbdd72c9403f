// The picture of a whole store, drawn by sigma on WebGL: it draws 100,000 dots at once,
// takes its colours and places from a graphology graph, loads nothing and runs without
// eval, which the page's policy refuses. Names over it are placed by labels.ts.

import Graph from "graphology";
import Sigma from "sigma";
import { Labels, type Label } from "../graph/labels.ts";
import { Circles } from "./circles.ts";
import { nameOf, radiusOf, tied, type Atlas, type Colouring } from "./data.ts";
import { Dots, Nothing } from "./dots.ts";
import { mix, palette, translucent, type Palette } from "./palette.ts";

const mostNamed = 140; // dots that are named at once
const smallest = 6; // pixels of the radius of an area that is named
const roomOfName = 20_000; // square pixels of the picture for each name of an area
const crowd = 3000; // dots, from which on they are too small to show a colour: the discs of their areas show it
const nearEnough = 3.4; // pixels of a dot, from which on dots are named and joined
const mostJoined = 400; // dots among which edges are drawn

export interface StageHeard {
  mark: (dot: number) => void; // -1: none
  enter: (area: number) => void;
  names: (dots: number[]) => Promise<ReadonlyMap<number, { id: string; title: string }>>;
  among: (dots: number[]) => Promise<{ from: number; to: number; colour: string }[]>;
}

export interface StageShown {
  atlas: Atlas;
  visible: Uint8Array;
  colours: Colouring;
  off: ReadonlySet<string>;
}

export class Stage {
  readonly #room: HTMLElement;
  readonly #heard: StageHeard;
  readonly #labels: Labels;
  readonly #graph = new Graph({ multi: true, type: "undirected" });
  readonly #names = new Map<number, string>();
  readonly #dots = new Dots();
  #sigma: Sigma;
  #shown: StageShown;
  #within = -1;
  #marked = -1;
  #near = -1;
  #asking = 0;
  #joined = "";

  constructor(room: HTMLElement, shown: StageShown, heard: StageHeard) {
    this.#room = room;
    this.#heard = heard;
    this.#shown = shown;
    this.#fill();
    this.#tie();
    this.#sigma = this.#make();
    this.#labels = new Labels(room.parentElement!);
    this.#room.dataset["state"] = "settled";
    this.#room.dataset["dots"] = String(shown.atlas.dots);
  }

  #fill(): void {
    const { atlas: a, visible, colours } = this.#shown;
    const p = palette();
    const discs = this.#discs(p);
    a.areas.forEach((area, i) => this.#graph.addNode("a" + i, { x: area.x, y: area.y, size: area.r, color: discs[i], zIndex: this.#depth(i), area: i }));
    for (let i = 0; i < a.dots; i++) {
      this.#graph.addNode(String(i), { type: "dot", x: a.x[i], y: a.y[i], size: radiusOf(a.degree[i]!), color: p.dots[colours.of(i)], zIndex: 1000, hidden: visible[i] === 0 });
    }
  }

  #depth(area: number): number {
    const { parent } = this.#shown.atlas.areas[area]!;
    return parent < 0 ? 0 : this.#depth(parent) + 1;
  }

  /** #discs are the colours of the areas: edges are seen through them, and in a crowd they have some of the colour that most of their dots have. */
  #discs(p: Palette): string[] {
    const { atlas: a, visible, colours } = this.#shown;
    return a.areas.map((area, i) => {
      const plain = p.disc(this.#depth(i));
      if (a.dots < crowd) return translucent(plain, 0.45);
      if (area.loose && a.children[i]!.length > 0) return plain;
      const counts = p.dots.map(() => 0);
      for (let dot = area.start; dot < area.end; dot++) if (visible[dot]) counts[colours.of(dot)]!++;
      const most = Math.max(...counts);
      return most === 0 ? plain : mix(plain, p.dots[counts.indexOf(most)]!, 0.3);
    });
  }

  #make(): Sigma {
    const r = this.#shown.atlas.radius;
    const sigma = new Sigma(new Graph(), this.#room, {
      renderLabels: false,
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio) => ratio,
      autoRescale: true,
      stagePadding: 24,
      zIndex: true,
      minCameraRatio: Math.min(0.5, 12 / r),
      maxCameraRatio: 2.5,
      defaultDrawNodeHover: ring,
      nodeHoverProgramClasses: { circle: Nothing, dot: Nothing },
      nodeProgramClasses: { circle: Circles, dot: this.#shown.atlas.dots < crowd ? Circles : this.#dots.program(nearEnough) },
      defaultEdgeType: "line",
      minEdgeThickness: 0.6,
      hideEdgesOnMove: false,
      enableEdgeEvents: false,
      allowInvalidContainer: true,
    });
    sigma.setCustomBBox({ x: [-r, r], y: [-r, r] });
    this.#dots.watch(sigma, () => 0.5 * this.#unit(sigma));
    sigma.setGraph(this.#graph); // with the box that it lies in: each time that sigma takes it in costs as much as the first
    sigma.on("clickNode", ({ node }) => {
      const area = this.#graph.getNodeAttribute(node, "area") as number | undefined;
      if (area === undefined) this.#heard.mark(Number(node));
      else this.#heard.enter(area);
    });
    sigma.on("clickStage", () => this.#heard.mark(-1));
    sigma.on("doubleClickNode", ({ preventSigmaDefault }) => preventSigmaDefault());
    sigma.on("enterNode", ({ node }) => this.#touch(node));
    sigma.on("leaveNode", () => this.#touch(""));
    sigma.on("afterRender", () => this.#name());
    return sigma;
  }

  /** #unit is how many pixels of the screen a unit of the map takes. */
  #unit(sigma = this.#sigma): number {
    const zero = sigma.graphToViewport({ x: 0, y: 0 }), one = sigma.graphToViewport({ x: 1, y: 0 });
    return Math.hypot(one.x - zero.x, one.y - zero.y);
  }

  #touch(node: string): void {
    this.#near = node === "" || node.startsWith("a") ? -1 : Number(node);
    this.#room.style.cursor = node === "" ? "" : "pointer";
    if (this.#near >= 0 && !this.#names.has(this.#near)) this.#ask([this.#near]);
    this.#name();
  }

  /** show takes other colours, times or kinds; the map stays. */
  show(shown: StageShown): void {
    const { visible, colours, atlas } = shown;
    this.#shown = shown;
    const p = palette();
    const discs = this.#discs(p);
    this.#graph.updateEachNodeAttributes((node, attributes) => {
      if (attributes["area"] !== undefined) {
        attributes["color"] = discs[attributes["area"] as number];
        return attributes;
      }
      const i = Number(node);
      attributes["hidden"] = visible[i] === 0;
      attributes["color"] = p.dots[colours.of(i)];
      return attributes;
    }, { attributes: ["hidden", "color"] });
    this.#room.dataset["shown"] = String(visible.reduce((n, v) => n + v, 0));
    if (atlas.ties.length > 0) this.#tie();
    this.#joined = "";
  }

  /** #tie draws the edges between the areas that lie in the one that is looked at. */
  #tie(): void {
    const { atlas: a, off } = this.#shown;
    const p = palette();
    this.#graph.forEachEdge((edge, attributes) => void (attributes["tie"] && this.#graph.dropEdge(edge)));
    const ties = tied(a, this.#within, off);
    const most = Math.max(1, ...ties.map((t) => t.count));
    const scale = (this.#within < 0 ? a.radius : a.areas[this.#within]!.r) / 60;
    for (const t of ties.sort((x, y) => y.count - x.count).slice(0, 400)) {
      this.#graph.addEdge("a" + t.from, "a" + t.to, { tie: true, size: Math.max(0.12, scale * (Math.log1p(t.count) / Math.log1p(most))), color: p.tie });
    }
    this.#room.dataset["ties"] = String(Math.min(400, ties.length));
  }

  /** within shows an area from near, -1 all of it. */
  within(area: number): void {
    if (this.#within !== area) {
      this.#within = area;
      this.#tie();
    }
    const a = this.#shown.atlas;
    const [x, y, r] = area < 0 ? [0, 0, a.radius] : [a.areas[area]!.x, a.areas[area]!.y, a.areas[area]!.r * 1.15];
    const middle = this.#sigma.viewportToFramedGraph(this.#sigma.graphToViewport({ x, y }));
    const to = { x: middle.x, y: middle.y, ratio: r / a.radius };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.#sigma.getCamera().setState(to);
    else void this.#sigma.getCamera().animate(to, { duration: 350 });
  }

  mark(dot: number, bring = false): void {
    this.#marked = dot;
    if (dot >= 0 && !this.#names.has(dot)) this.#ask([dot]);
    if (dot >= 0 && bring) {
      const a = this.#shown.atlas;
      const at = this.#sigma.graphToViewport({ x: a.x[dot]!, y: a.y[dot]! });
      const { width, height } = this.#sigma.getDimensions();
      if (at.x < 0 || at.y < 0 || at.x > width || at.y > height) {
        const middle = this.#sigma.viewportToFramedGraph(at);
        this.#sigma.getCamera().setState({ x: middle.x, y: middle.y });
      }
    }
    this.#name();
  }

  zoom(by: number): void {
    const camera = this.#sigma.getCamera();
    camera.setState({ ratio: camera.getBoundedRatio(camera.getState().ratio / by) });
  }

  restyle(): void {
    this.show(this.#shown);
  }

  /** place is where a dot stands on the screen; for what is written over the picture. */
  place(dot: number): { x: number; y: number } {
    const a = this.#shown.atlas;
    return this.#sigma.graphToViewport({ x: a.x[dot]!, y: a.y[dot]! });
  }

  #ask(dots: number[]): void {
    const turn = ++this.#asking;
    void this.#heard.names(dots).then((names) => {
      names.forEach((n, dot) => this.#names.set(dot, n.title));
      if (turn === this.#asking) this.#name();
    }).catch(() => undefined); // the view says what is wrong
  }

  /** #name writes the names of areas, and of dots that are near enough. */
  #name(): void {
    if (!this.#labels) return;
    const { atlas: a, visible } = this.#shown;
    const { width, height } = this.#sigma.getDimensions();
    const unit = this.#unit();
    const at = (x: number, y: number): { x: number; y: number } => this.#sigma.graphToViewport({ x, y });
    const labels: Label[] = [];
    const leaves: number[] = [];
    const visit = (i: number): void => {
      const area = a.areas[i]!, r = area.r * unit;
      const p = at(area.x, area.y);
      if (p.x + r < 0 || p.y + r < 0 || p.x - r > width || p.y - r > height || r < smallest) return;
      const inside = a.children[i]!;
      const open = r > 0.3 * Math.min(width, height); // one is in it: its parts have the names
      if (!open || inside.length === 0 && unit < nearEnough) labels.push({ key: "a" + i, text: nameOf(a, i, r > 110 ? 2 : 1), x: p.x, y: p.y, r: 0, rank: 10_000 + area.end - area.start, look: "area" });
      if (open) inside.forEach(visit);
      if (inside.length === 0) leaves.push(i);
    };
    a.top.forEach(visit);
    labels.sort((x, y) => y.rank - x.rank).splice(Math.max(8, Math.round((width * height) / roomOfName)));
    if (unit * 0.5 > nearEnough) this.#nameDots(leaves, labels, unit, at, width, height);
    for (const dot of [this.#near, this.#marked]) {
      if (dot < 0 || !visible[dot]) continue;
      const p = at(a.x[dot]!, a.y[dot]!);
      labels.push({ key: dot === this.#marked ? "marked" : "near", text: this.#names.get(dot) ?? "…", x: p.x, y: p.y, r: Math.max(4, unit * radiusOf(a.degree[dot]!)), rank: 99_999, must: true, look: "seed" });
    }
    this.#labels.show(labels, width, height);
  }

  #nameDots(leaves: number[], labels: Label[], unit: number, at: (x: number, y: number) => { x: number; y: number }, width: number, height: number): void {
    const { atlas: a, visible } = this.#shown;
    const inView: [number, number, number][] = [];
    for (const leaf of leaves) {
      for (let i = a.areas[leaf]!.start; i < a.areas[leaf]!.end; i++) {
        if (!visible[i]) continue;
        const p = at(a.x[i]!, a.y[i]!);
        if (p.x > 0 && p.y > 0 && p.x < width && p.y < height) inView.push([i, p.x, p.y]);
      }
    }
    inView.sort((x, y) => a.degree[y[0]]! - a.degree[x[0]]! || x[0] - y[0]);
    const first = inView.slice(0, mostNamed);
    const unknown = first.map(([i]) => i).filter((i) => !this.#names.has(i));
    if (unknown.length > 0) this.#ask(unknown);
    for (const [i, x, y] of first) {
      const text = this.#names.get(i);
      if (text !== undefined) labels.push({ key: String(i), text: [...text].length > 44 ? [...text].slice(0, 43).join("") + "…" : text, x, y, r: unit * radiusOf(a.degree[i]!), rank: a.degree[i]! });
    }
    if (inView.length <= mostJoined) this.#join(inView.map(([i]) => i));
  }

  /** #join draws the edges among the dots that are in view. */
  #join(dots: number[]): void {
    const key = dots.toSorted((x, y) => x - y).join();
    if (key === this.#joined) return;
    this.#joined = key;
    void this.#heard.among(dots).then((edges) => {
      if (this.#joined !== key) return;
      this.#graph.forEachEdge((edge, attributes) => void (!attributes["tie"] && this.#graph.dropEdge(edge)));
      for (const e of edges) this.#graph.addEdge(String(e.from), String(e.to), { size: 0.07, color: e.colour });
      this.#room.dataset["joined"] = String(edges.length);
    }).catch(() => undefined); // the view says what is wrong
  }

  destroy(): void {
    this.#dots.stop();
    this.#labels.destroy();
    this.#sigma.kill();
  }
}

/** ring is drawn around what is under the pointer; drawn again over the picture, an area would cover its dots. */
function ring(context: CanvasRenderingContext2D, at: { x: number; y: number; size: number }): void {
  context.beginPath();
  context.arc(at.x, at.y, at.size + 1, 0, 2 * Math.PI);
  context.strokeStyle = palette().ring;
  context.lineWidth = 2;
  context.stroke();
}
