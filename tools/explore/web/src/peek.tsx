// A preview of a memory, while the mouse rests on a link to it, on its name in a list or on its node
// in a drawing, or while the keyboard is there. A finger brings none.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { read } from "./api.ts";
import { States } from "./parts.tsx";
import { plainText, plainTitle } from "./snippet.ts";
import { useAsk, useShared } from "./state.ts";
import { lineOf } from "./text/pieces.ts";
import type { Memory } from "./types.ts";

const rest = 400; // milliseconds before the preview is shown
const most = 420; // most characters of the text
const [wide, high, gap] = [344, 190, 8]; // pixels: the size that the preview has at most, and around it

type Box = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

interface Place {
  id: string;
  left: number;
  top: number;
}

let turn: (id: string, box: Box) => void = () => undefined;

/** peekAt previews a memory beside a box on the screen; "" ends a preview. */
export function peekAt(id: string, box: Box): void {
  turn(id, box);
}

/** placeOf returns where a preview stands: beside an item of a list where there is room, else beneath or above. */
function placeOf(id: string, box: Box, isListed: boolean): Place {
  const held = (at: number, most: number): number => Math.max(gap, Math.min(at, most - gap));
  if (isListed && box.right + 2 * gap + wide < innerWidth) return { id, left: box.right + gap, top: held(box.top, innerHeight - high) };
  if (isListed && box.left - 2 * gap > wide) return { id, left: box.left - gap - wide, top: held(box.top, innerHeight - high) };
  return { id, left: held(box.left, innerWidth - wide), top: box.bottom + gap + high > innerHeight ? Math.max(gap, box.top - high) : box.bottom + gap };
}

/** Peeks watches the page, and shows the preview. */
export function Peeks(): JSX.Element | null {
  const { address } = useShared();
  const [place, setPlace] = useState<Place>();
  const own = useRef(""), isShown = useRef(false);
  isShown.current = place !== undefined;
  own.current = address.view === "memory" ? address.id : "";
  useEffect(() => {
    let timer = 0, at: Element | null = null;
    const end = (): void => {
      clearTimeout(timer);
      at?.removeAttribute("aria-describedby");
      at = null;
      setPlace(undefined);
    };
    const later = (place: () => Place): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        at?.setAttribute("aria-describedby", "peek");
        setPlace(place());
      }, rest);
    };
    turn = (id, box) => {
      end();
      if (id !== "" && matchMedia("(hover: hover)").matches) later(() => placeOf(id, box, false));
    };
    const come = (e: Event): void => {
      const on = e.target instanceof Element ? e.target.closest<HTMLElement | SVGElement>("a[href^='/explore/memory/'], [data-id]") : null;
      if (on === at || e instanceof PointerEvent && e.pointerType !== "mouse") return;
      end();
      const id = on?.dataset["id"] ?? decodeURIComponent(/^\/explore\/memory\/([^#?]*)/.exec(on?.getAttribute("href") ?? "")?.[1] ?? "");
      if (!on || id === own.current || e.type === "focusin" && !on.matches(":focus-visible") || e instanceof PointerEvent && e.buttons !== 0) return;
      at = on;
      const item = on.closest("li");
      later(() => placeOf(id, (item ?? on).getBoundingClientRect(), item !== null));
    };
    document.addEventListener("pointerover", come);
    document.addEventListener("focusin", come);
    for (const event of ["pointerdown", "keydown", "wheel", "popstate", "blur"]) addEventListener(event, end, { passive: true });
    addEventListener("scroll", () => isShown.current && end(), { passive: true, capture: true });
    document.documentElement.addEventListener("pointerleave", end);
  }, []);
  useEffect(() => setPlace(undefined), [address]);
  return place ? <Peek key={place.id} at={place} /> : null;
}

function Peek({ at }: { at: Place }): JSX.Element | null {
  const m = useAsk<Memory>(`peek ${at.id}`, (signal) => read(at.id, signal)).data;
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!room.current) return;
    room.current.style.left = `${at.left}px`;
    room.current.style.top = `${at.top}px`;
  }, [m, at]);
  if (!m) return null;
  const body = plainText(lineOf(m.content, m.title));
  return (
    <div ref={room} id="peek" class="peek" role="tooltip">
      <p class="peek-title">{plainTitle(m.title)} <States of={m} /></p>
      <p class="hint">{[...body].length > most ? [...body].slice(0, most).join("") + "…" : body || "It has no text."}</p>
    </div>
  );
}
