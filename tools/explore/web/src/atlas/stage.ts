// Draws the atlas with sigma on WebGL. Sigma draws 100,000 dots at once, takes their colours and
// positions from a graphology graph, loads nothing and runs without eval, which the page's policy
// forbids. labels.ts places the labels over it.

import Graph from "graphology";
import Sigma from "sigma";
import { EdgeRectangleProgram } from "sigma/rendering";
import { Labels } from "../graph/labels.ts";
import { Circles, Discs, Nothing } from "./circles.ts";
import { around, radiusOf, scaleOf } from "./data.ts";
import { Dots } from "./dots.ts";
import { named, type Seen } from "./naming.ts";
import { palette, translucent } from "./palette.ts";
import { discs, inkOf, isCrowd, joined, leastRadius, leastThickness, thinness, tieLines, type Scene } from "./scene.ts";
import type { View } from "./picture.ts";

const largeDots = 3.4; // radius of a dot in pixels, from which on it is always drawn
const calm = 140; // milliseconds without movement, after which the edges of near dots are drawn

export interface StageHeard {
  mark: (dot: number) => void; // -1: none
  over: (dot: number, box: DOMRect) => void; // the mouse is over a dot; -1: over none
  enter: (area: number) => void;
  names: (dots: number[]) => Promise<ReadonlyMap<number, { id: string; title: string }>>;
  near: () => void; // called when dots are seen one by one and their edges are not loaded
  joined: (isJoined: boolean) => void; // reports whether edges between dots are drawn, or those between areas
}

export class Stage {
  readonly #room: HTMLElement;
  readonly #heard: StageHeard;
  readonly #labels: Labels;
  readonly #graph = new Graph({ multi: true, type: "undirected" });
  readonly #titles = new Map<number, string>();
  readonly #dots = new Dots();
  readonly #sigma: Sigma;
  #scene: Scene;
  #marked = -1;
  #near = -1;
  #asking = 0;
  #leaves: number[] = [];
  #lines: number[] | undefined; // indices of the edges drawn between dots; undefined if ties are drawn
  #joined = "";
  #timer = 0;

  constructor(room: HTMLElement, scene: Scene, heard: StageHeard) {
    this.#room = room;
    this.#heard = heard;
    this.#scene = scene;
    this.#fill();
    this.#join(true);
    this.#sigma = this.#make();
    this.#labels = new Labels(room.parentElement!);
    this.#room.dataset["state"] = "settled";
    this.#room.dataset["dots"] = String(scene.atlas.dots);
    this.#count();
  }

  #fill(): void {
    const { atlas: a, shown, colours, plane } = this.#scene;
    const p = palette();
    a.areas.forEach((_, i) => this.#graph.addNode("a" + i, { type: "area", x: plane.areaX[i], y: plane.areaY[i], size: 0, area: i }));
    const scales = a.areas.map(scaleOf);
    for (let i = 0; i < a.dots; i++) {
      this.#graph.addNode(String(i), { type: "dot", x: plane.x[i], y: plane.y[i], size: scales[a.area[i]!]! * radiusOf(a.degree[i]!), color: p.dots[colours.of(i)], hidden: shown[i] === 0 });
    }
  }

  #make(): Sigma {
    const a = this.#scene.atlas, r = Math.max(leastRadius, a.radius);
    const sigma = new Sigma(new Graph(), this.#room, {
      renderLabels: false,
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio) => ratio,
      autoRescale: true,
      stagePadding: 24,
      minCameraRatio: Math.min(0.5, 5 / r),
      maxCameraRatio: 2.5,
      defaultDrawNodeHover: ring,
      nodeHoverProgramClasses: { area: Nothing, dot: Nothing },
      nodeProgramClasses: { area: Nothing, dot: isCrowd(a) ? this.#dots.program(largeDots) : Circles },
      edgeProgramClasses: { ground: Discs, tie: EdgeRectangleProgram, disc: Discs, joint: EdgeRectangleProgram }, // drawn in this order
      minEdgeThickness: leastThickness,
      hideEdgesOnMove: false,
      enableEdgeEvents: false,
      allowInvalidContainer: true,
    });
    sigma.setCustomBBox({ x: [-r, r], y: [-r, r] });
    this.#dots.watch(sigma, () => 0.4 * this.#unit(sigma));
    sigma.setGraph(this.#graph); // after the bounding box is set: each time that sigma processes the graph costs as much as the first
    sigma.on("clickNode", ({ node }) => this.#heard.mark(Number(node)));
    sigma.on("clickStage", ({ event }) => this.#click(this.#areasAt(event)));
    sigma.on("doubleClickNode", ({ preventSigmaDefault }) => preventSigmaDefault());
    sigma.on("enterNode", ({ node }) => this.#touch(Number(node)));
    sigma.on("leaveNode", () => this.#touch(-1));
    sigma.on("moveBody", ({ event }) => (this.#room.style.cursor = this.#near >= 0 || this.#areasAt(event).length > 0 ? "pointer" : ""));
    sigma.on("afterRender", () => this.#name());
    return sigma;
  }

  /** #unit returns the number of pixels of the screen per unit of the map. */
  #unit(sigma = this.#sigma): number {
    const zero = sigma.graphToViewport({ x: 0, y: 0 }), one = sigma.graphToViewport({ x: 1, y: 0 });
    return Math.hypot(one.x - zero.x, one.y - zero.y);
  }

  #seen(): Seen {
    return { ...this.#sigma.getDimensions(), unit: this.#unit(), at: (x, y) => this.#sigma.graphToViewport({ x, y }) };
  }

  /** #areasAt returns the areas at a position on the screen, the outermost first. */
  #areasAt(place: { x: number; y: number }): number[] {
    const { atlas: a, plane } = this.#scene;
    const { x, y } = this.#sigma.viewportToGraph(place);
    const within = (areas: readonly number[]): number | undefined => areas.find((i) => Math.hypot(plane.areaX[i]! - x, plane.areaY[i]! - y) < plane.reach[i]!);
    const way: number[] = [];
    for (let at = within(a.top); at !== undefined; at = within(a.children[at]!)) way.push(at);
    return way;
  }

  /**
   * #click enters the next area inward, or a neighbouring one. A click on the selected area itself
   * goes back out.
   */
  #click(way: readonly number[]): void {
    const { atlas: a, within } = this.#scene;
    this.#heard.mark(-1);
    const here = around(a, within);
    const to = way.find((area) => !here.includes(area)) ?? (way.at(-1) === within ? a.areas[within]!.parent : undefined);
    if (to !== undefined) this.#heard.enter(to);
  }

  #touch(dot: number): void {
    this.#near = dot;
    this.#room.style.cursor = dot < 0 ? "" : "pointer";
    if (dot >= 0 && !this.#titles.has(dot)) this.#ask([dot]);
    this.#heard.over(dot, this.#boxOf(dot));
    this.#name();
  }

  /** #boxOf returns the box around a dot in the window. */
  #boxOf(dot: number): DOMRect {
    if (dot < 0) return new DOMRect();
    const { x, y } = this.#at(dot), r = this.#radiusOf(dot), room = this.#room.getBoundingClientRect();
    return new DOMRect(room.x + x - r, room.y + y - r, 2 * r, 2 * r);
  }

  #at(dot: number): { x: number; y: number } {
    const { x, y } = this.#scene.plane;
    return this.#sigma.graphToViewport({ x: x[dot]!, y: y[dot]! });
  }

  #radiusOf(dot: number): number {
    const a = this.#scene.atlas;
    return Math.max(4, this.#unit() * scaleOf(a.areas[a.area[dot]!]!) * radiusOf(a.degree[dot]!));
  }

  /** show draws a scene with other colours, times or kinds of edges; the map must be the same. */
  show(scene: Scene): void {
    const was = this.#scene;
    this.#scene = scene;
    if (scene.shown !== was.shown || scene.colours !== was.colours || scene.plane !== was.plane) this.#paint(scene.plane !== was.plane);
    this.#join(true);
    this.#count();
    this.#name();
  }

  /** #paint updates the positions and colours of the dots, and the positions of the areas. */
  #paint(isMoved: boolean): void {
    const { shown, colours, plane } = this.#scene;
    const p = palette();
    this.#graph.updateEachNodeAttributes((node, attributes) => {
      const area = attributes["area"] as number | undefined;
      if (area !== undefined) {
        [attributes["x"], attributes["y"]] = [plane.areaX[area], plane.areaY[area]];
        return attributes;
      }
      const i = Number(node);
      [attributes["x"], attributes["y"]] = [plane.x[i], plane.y[i]];
      attributes["hidden"] = shown[i] === 0;
      attributes["color"] = p.dots[colours.of(i)];
      return attributes;
    }, { attributes: isMoved ? ["x", "y"] : ["hidden", "color"] });
  }

  #count(): void {
    this.#room.dataset["shown"] = String(this.#scene.shown.reduce((n, v) => n + v, 0));
    this.#room.dataset["areas"] = String(this.#scene.plane.reach.reduce((n, r) => n + (r > 0 ? 1 : 0), 0));
  }

  /**
   * #join draws the areas, and the edges between the dots that are near, or those between areas if
   * dots are far away or too many. Sigma processes all dots again for each edge that is removed, so
   * all edges are removed at once.
   */
  #join(anew = false): void {
    const { atlas: a, edges, within, plane } = this.#scene;
    const key = `${within} ${this.#leaves.join()}`;
    if (key === this.#joined && !anew) return;
    this.#joined = key;
    if (this.#leaves.length > 0 && !edges) this.#heard.near();
    this.#lines = this.#leaves.length > 0 ? joined(this.#scene, this.#leaves) : undefined;
    const p = palette(), g = this.#graph;
    if (g.size > 0) g.clearEdges();
    const grounds = around(a, within);
    discs(this.#scene, p).forEach((color, i) => g.addEdge("a" + i, "a" + i, { type: grounds.includes(i) ? "ground" : "disc", size: plane.reach[i], color, hidden: plane.reach[i] === 0 }));
    const ties = this.#lines ? [] : tieLines(this.#scene);
    for (const { from, to, width, share } of ties) g.addEdge("a" + from, "a" + to, { type: "tie", size: width, color: p.tie(share) });
    const ink = inkOf(this.#lines?.length ?? 1);
    for (const i of this.#lines ?? []) {
      const [from, to] = [edges!.from[i]!, edges!.to[i]!];
      g.addEdge(String(from), String(to), { type: "joint", size: thinness(a, from, to), color: translucent(p.edge(a.types[edges!.type[i]!]!), 1 - ink) });
    }
    this.#heard.joined(this.#lines !== undefined);
    this.#room.dataset["ties"] = String(ties.length);
    this.#room.dataset["joined"] = String(this.#lines?.length ?? 0);
  }

  /** look moves the camera to an area; -1 for the whole map. */
  look(area: number): void {
    const a = this.#scene.atlas;
    const { areaX, areaY } = this.#scene.plane;
    const [x, y, r] = area < 0 ? [0, 0, a.radius] : [areaX[area]!, areaY[area]!, a.areas[area]!.r * 1.15];
    const camera = this.#sigma.getCamera();
    const middle = this.#sigma.viewportToFramedGraph(this.#sigma.graphToViewport({ x, y }));
    const to = { x: middle.x, y: middle.y, ratio: area < 0 ? 1 : camera.getBoundedRatio(r / Math.max(leastRadius, a.radius)) };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) camera.setState(to);
    else void camera.animate(to, { duration: 350 });
  }

  mark(dot: number, bring = false): void {
    this.#marked = dot;
    if (dot >= 0 && !this.#titles.has(dot)) this.#ask([dot]);
    if (dot >= 0 && bring) {
      const at = this.#at(dot);
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
    this.#paint(false);
    this.#join(true);
  }

  /** view returns what is visible now. */
  view(): View {
    return { seen: this.#seen(), labels: this.#labels.written, lines: this.#lines };
  }

  #ask(dots: number[]): void {
    const turn = ++this.#asking;
    void this.#heard.names(dots).then((names) => {
      names.forEach((n, dot) => this.#titles.set(dot, n.title));
      if (turn === this.#asking) this.#name();
    }).catch(() => undefined); // the view shows the error
  }

  /** #name shows the names of areas, and the titles of dots that are near enough. */
  #name(): void {
    if (!this.#labels) return;
    const { atlas: a, shown, plane } = this.#scene;
    const seen = this.#seen();
    const { labels, things, leaves, unknown } = named(a, shown, plane, this.#titles, seen);
    if (unknown.length > 0) this.#ask(unknown);
    for (const dot of new Set([this.#near, this.#marked])) {
      if (dot < 0 || !shown[dot]) continue;
      const own = labels.findIndex((l) => l.key === String(dot));
      if (own >= 0) labels.splice(own, 1);
      labels.push({ key: String(dot), text: this.#titles.get(dot) ?? "…", ...this.#at(dot), r: this.#radiusOf(dot), rank: 99_999, must: true, look: "seed", lines: 3 });
    }
    this.#labels.show(labels, seen.width, seen.height, things);
    this.#leaves = leaves;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#join(), calm);
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#dots.stop();
    this.#labels.destroy();
    this.#sigma.kill();
  }
}

/**
 * ring draws a ring around the node under the pointer. Sigma would draw the node again over the
 * picture, where an area would cover its dots.
 */
function ring(context: CanvasRenderingContext2D, at: { x: number; y: number; size: number }): void {
  context.beginPath();
  context.arc(at.x, at.y, at.size + 1, 0, 2 * Math.PI);
  context.strokeStyle = palette().ring;
  context.lineWidth = 2;
  context.stroke();
}
