// The mouse and the fingers over a drawing: they mark and open memories, drag them, move the view
// and zoom.

import type { Spot } from "./places.ts";

export interface Heard {
  over: (id: string) => void; // the mouse is over a memory; "" for none
  press: (id: string) => void;
  open: (id: string) => void;
  drag: (id: string, dx: number, dy: number) => void; // pixels
  move: (dx: number, dy: number) => void;
  zoom: (at: Spot, by: number) => void;
}

const still = 4; // pixels within which a press is a click

/** listen tells of the pointers over a drawing, whose memories have data-id. */
export function listen(el: SVGSVGElement, heard: Heard): void {
  const down = new Map<number, Spot>(); // the pointers that are down, by their ids
  let held = "", travelled = 0;
  const idOf = (e: Event): string => (e.target as Element).closest<SVGElement>("[data-id]")?.dataset["id"] ?? "";
  const spot = (e: MouseEvent): Spot => {
    const box = el.getBoundingClientRect();
    return { x: e.clientX - box.x, y: e.clientY - box.y };
  };
  el.addEventListener("pointerover", (e) => e.pointerType === "mouse" && e.buttons === 0 && heard.over(idOf(e)));
  el.addEventListener("pointerleave", () => heard.over(""));
  el.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    if (down.size === 0) [held, travelled] = [idOf(e), 0];
    el.setPointerCapture(e.pointerId);
    down.set(e.pointerId, spot(e));
  });
  el.addEventListener("pointermove", (e) => {
    const before = down.get(e.pointerId);
    if (!before) return;
    const now = spot(e), [dx, dy] = [now.x - before.x, now.y - before.y];
    travelled += Math.hypot(dx, dy);
    if (travelled < still) return;
    down.set(e.pointerId, now);
    const other = [...down].find(([id]) => id !== e.pointerId)?.[1];
    if (other) heard.zoom(other, Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)));
    else if (held !== "") heard.drag(held, dx, dy);
    else heard.move(dx, dy);
  });
  const end = (e: PointerEvent): void => {
    if (down.delete(e.pointerId) && down.size === 0 && e.type === "pointerup" && travelled < still) heard.press(held);
  };
  el.addEventListener("pointerup", end);
  el.addEventListener("pointercancel", end);
  el.addEventListener("dblclick", () => held !== "" && heard.open(held));
  el.addEventListener("wheel", (e) => {
    e.preventDefault();
    heard.zoom(spot(e), Math.exp(-Math.max(-200, Math.min(200, e.deltaY)) * (e.deltaMode === 0 ? 0.0015 : 0.05)));
  }, { passive: false });
}
