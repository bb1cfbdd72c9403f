// The picture as a file: SVG as it is seen whole, or PNG made of that.

import { nameOf, radiusOf, tied, type Atlas, type Colouring } from "./data.ts";
import { palette } from "./palette.ts";

const mostDots = 40_000; // in a file; more are areas only
const side = 1600; // pixels

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => escapes[c]!);

/** svg draws an area, or all of it for -1. */
export function svg(a: Atlas, shown: Uint8Array, colours: Colouring, off: ReadonlySet<string>, within: number): string {
  const p = palette();
  const [cx, cy, r] = within < 0 ? [0, 0, a.radius] : [a.areas[within]!.x, a.areas[within]!.y, a.areas[within]!.r];
  const k = side / (2.08 * r);
  const n = (x: number): string => x.toFixed(1);
  const X = (x: number): string => n((x - cx) * k + side / 2), Y = (y: number): string => n((cy - y) * k + side / 2); // up is up, as in the drawing
  const inside = (i: number): boolean => within < 0 || i === within || a.areas[i]!.parent >= 0 && inside(a.areas[i]!.parent);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" width="${side}" height="${side}"><rect width="100%" height="100%" fill="${p.ground}"/>`];
  const ties = tied(a, within, off).sort((x, y) => y.count - x.count).slice(0, 400);
  const most = Math.max(1, ...ties.map((t) => t.count));
  for (const t of ties) {
    const [f, to] = [a.areas[t.from]!, a.areas[t.to]!];
    out.push(`<line x1="${X(f.x)}" y1="${Y(f.y)}" x2="${X(to.x)}" y2="${Y(to.y)}" stroke="${p.tie}" stroke-width="${n(1 + 9 * (Math.log1p(t.count) / Math.log1p(most)))}"/>`);
  }
  const depth: number[] = [];
  a.areas.forEach((area, i) => {
    depth[i] = area.parent < 0 ? 0 : depth[area.parent]! + 1;
    if (inside(i) && area.r * k > 2) out.push(`<circle cx="${X(area.x)}" cy="${Y(area.y)}" r="${n(area.r * k)}" fill="${p.disc(depth[i]!)}"/>`);
  });
  const [start, end] = within < 0 ? [0, a.dots] : [a.areas[within]!.start, a.areas[within]!.end];
  const each = Math.max(1, Math.ceil((end - start) / mostDots));
  for (let i = start; i < end; i += each) {
    if (shown[i]) out.push(`<circle cx="${X(a.x[i]!)}" cy="${Y(a.y[i]!)}" r="${n(Math.max(0.7, radiusOf(a.degree[i]!) * k))}" fill="${p.dots[colours.of(i)]}"/>`);
  }
  const named = within < 0 ? a.top : a.children[within]!;
  for (const i of named) {
    const area = a.areas[i]!;
    if (area.r * k < 36) continue;
    out.push(`<text x="${X(area.x)}" y="${Y(area.y)}" text-anchor="middle" font-family="system-ui, sans-serif" font-size="${Math.min(26, Math.max(13, area.r * k * 0.14)).toFixed(0)}" font-weight="600" fill="${p.ink}" stroke="${p.ground}" stroke-width="4" paint-order="stroke">${escape(nameOf(a, i, 1))}</text>`);
  }
  out.push("</svg>");
  return out.join("\n");
}

/** save hands a file to the person. */
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
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext("2d")!.drawImage(image, 0, 0);
  URL.revokeObjectURL(image.src);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(blob, name + ".png");
}
