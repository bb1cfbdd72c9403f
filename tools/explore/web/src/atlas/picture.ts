// Saves the visible atlas as a file: as SVG, or as PNG made from the SVG.

import { family, typeOf, written, type Written } from "../graph/labels.ts";
import { around, radiusOf, scaleOf } from "./data.ts";
import { named, type Seen } from "./naming.ts";
import { palette } from "./palette.ts";
import { discs, inkOf, joined, leastRadius, leastThickness, thinness, tieLines, type Scene } from "./scene.ts";

const sharpness = 2; // pixels of a PNG per pixel of the screen
const margin = 26; // pixels around the whole plane, for names
const speck = 0.5; // smallest radius in pixels with which a dot is drawn
const soft = 0.6; // pixels that WebGL fades at the rim of a dot; also the share that it leaves of the width of a thin line

/** View is the visible part of the plane, with the labels and edges drawn over it. */
export interface View {
  seen: Seen;
  labels: readonly Written[];
  lines: readonly number[] | undefined; // indices of edges between dots; undefined if edges between areas are drawn
}

/** whole returns a view of the whole plane in a picture of a size. titles maps dots to titles. */
export function whole(s: Scene, titles: ReadonlyMap<number, string>, width: number, height: number): View {
  const { areaX, areaY, reach } = s.plane, areas = s.atlas.top.filter((i) => reach[i]! > 0);
  const side = (at: Float32Array): [middle: number, long: number] => {
    const [min, max] = [Math.min(...areas.map((i) => at[i]! - reach[i]!)), Math.max(...areas.map((i) => at[i]! + reach[i]!))];
    return areas.length === 0 ? [0, 1] : [(min + max) / 2, Math.max(leastRadius, max - min)];
  };
  const [[midX, wide], [midY, high]] = [side(areaX), side(areaY)], unit = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high);
  const seen: Seen = { width, height, unit, at: (x, y) => ({ x: width / 2 + (x - midX) * unit, y: height / 2 - (y - midY) * unit }) }; // y grows upward in the plane, as in the drawing
  const { labels, things, leaves } = named(s.atlas, s.shown, s.plane, titles, seen);
  return { seen, labels: written(labels, width, height, things), lines: leaves.length > 0 ? joined(s, leaves) : undefined };
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => escapes[c]!);
const n = (x: number): string => String(Math.round(x * 100) / 100);

const thicknessOf = (pixels: number): number => (pixels > 4 ? pixels : soft * Math.max(leastThickness, pixels));

/** svg returns a view as the text of an SVG file. */
export function svg(s: Scene, { seen, labels, lines }: View): string {
  const { atlas: a, shown, plane, colours } = s;
  const { width, height, unit, at } = seen;
  const p = palette();
  const isSeen = (x: number, y: number, r: number): boolean => x + r > 0 && y + r > 0 && x - r < width && y - r < height;
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}"><rect width="100%" height="100%" fill="${p.ground}"/>`];
  const placeOf = (area: number): { x: number; y: number } => at(plane.areaX[area]!, plane.areaY[area]!);
  const place = (dot: number): { x: number; y: number } => at(plane.x[dot]!, plane.y[dot]!);
  const line = (f: { x: number; y: number }, t: { x: number; y: number }, thick: number, ink: string, more = ""): void => {
    out.push(`<path d="M${n(f.x)} ${n(f.y)}L${n(t.x)} ${n(t.y)}" stroke="${ink}" stroke-width="${n(thicknessOf(thick * unit))}"${more}/>`);
  };
  const fills = discs(s, p), grounds = around(a, s.within);
  const disc = (i: number): void => {
    const { x, y } = placeOf(i), r = plane.reach[i]! * unit;
    if (r > 0.5 && isSeen(x, y, r)) out.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fills[i]}"/>`);
  };
  grounds.forEach(disc);
  if (!lines) for (const t of tieLines(s)) line(placeOf(t.from), placeOf(t.to), t.width, p.tie(t.share));
  fills.forEach((_, i) => grounds.includes(i) || disc(i));
  for (const i of lines ?? []) {
    const [from, to] = [s.edges!.from[i]!, s.edges!.to[i]!];
    line(place(from), place(to), thinness(a, from, to), p.edge(a.types[s.edges!.type[i]!]!), ` opacity="${n(inkOf(lines!.length))}"`);
  }
  const dots = new Map<string, string[]>(); // one path for all dots that look the same: 100,000 elements would be too many
  const scales = a.areas.map(scaleOf);
  for (let i = 0; i < a.dots; i++) {
    if (!shown[i]) continue;
    const { x, y } = place(i), r = Math.max(speck, scales[a.area[i]!]! * radiusOf(a.degree[i]!) * unit - soft);
    if (!isSeen(x, y, r)) continue;
    const look = `stroke="${p.dots[colours.of(i)]}" stroke-width="${n(2 * r)}"`;
    const same = dots.get(look);
    if (same) same.push(`M${n(x)} ${n(y)}h0`);
    else dots.set(look, [`M${n(x)} ${n(y)}h0`]);
  }
  for (const [look, all] of dots) out.push(`<path ${look} stroke-linecap="round" d="${all.join("")}"/>`);
  for (const l of labels) {
    const { high, size, weight } = typeOf(l.look);
    const rows = l.lines.map((text, i) => `<tspan x="${n(l.x + l.w / 2)}" y="${n(l.y + high * (i + 0.74))}">${escape(text)}</tspan>`);
    out.push(`<text text-anchor="middle" font-family="${family}" font-size="${size}" font-weight="${weight}" fill="${p.ink}" stroke="${p.ground}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">${rows.join("")}</text>`);
  }
  out.push("</svg>");
  return out.join("\n");
}

/** save starts the download of a file. */
function save(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
}

export function saveSVG(text: string, name: string): void {
  save(new Blob([text], { type: "image/svg+xml" }), name + ".svg");
}

export async function savePNG(text: string, name: string): Promise<void> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [sharpness * image.naturalWidth, sharpness * image.naturalHeight];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(blob, name + ".png");
}
