// A preview of the memory that a link leads to, shown while the pointer or keyboard focus is on the
// link.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { read } from "../api.ts";
import { plainTitle } from "../snippet.ts";
import { useAsk } from "../state.ts";
import type { Memory } from "../types.ts";
import { lineOf } from "./pieces.ts";

const rest = 350; // milliseconds before the preview is shown
const most = 420; // most characters of the text

interface Place {
  id: string;
  left: number;
  top: number;
}

/** usePeek watches the links in an element, and returns the preview to show. */
export function usePeek(room: { current: HTMLElement | null }): JSX.Element | null {
  const [place, setPlace] = useState<Place>();
  const timer = useRef(0);
  useEffect(() => {
    const of = room.current!;
    const linkOf = (e: Event): HTMLAnchorElement | null => (e.target instanceof Element ? e.target.closest<HTMLAnchorElement>("a[href^='/explore/memory/']") : null);
    const come = (e: Event): void => {
      const link = linkOf(e);
      if (!link) return;
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => {
        const box = link.getBoundingClientRect();
        const id = decodeURIComponent(/^\/explore\/memory\/([^#?]*)/.exec(link.getAttribute("href")!)![1]!);
        setPlace({ id, left: Math.max(8, Math.min(box.left, innerWidth - 352)), top: box.bottom + 6 > innerHeight - 190 ? Math.max(8, box.top - 186) : box.bottom + 6 });
      }, rest);
    };
    const go = (): void => {
      clearTimeout(timer.current);
      setPlace(undefined);
    };
    const key = (e: KeyboardEvent): void => void (e.key === "Escape" && go());
    of.addEventListener("mouseover", come);
    of.addEventListener("focusin", come);
    of.addEventListener("mouseout", go);
    of.addEventListener("focusout", go);
    addEventListener("keydown", key);
    addEventListener("scroll", go, { passive: true });
    return () => {
      go();
      of.removeEventListener("mouseover", come);
      of.removeEventListener("focusin", come);
      of.removeEventListener("mouseout", go);
      of.removeEventListener("focusout", go);
      removeEventListener("keydown", key);
      removeEventListener("scroll", go);
    };
  }, []);
  return place ? <Peek key={place.id} at={place} /> : null;
}

function Peek({ at }: { at: Place }): JSX.Element | null {
  const asked = useAsk<Memory>(`peek ${at.id}`, (signal) => read(at.id, signal));
  const room = useRef<HTMLDivElement>(null);
  const m = asked.data;
  useEffect(() => {
    if (!room.current) return;
    room.current.style.left = `${at.left}px`;
    room.current.style.top = `${at.top}px`;
  }, [m]);
  if (!m) return null;
  const body = lineOf(m.content, m.title);
  return (
    <div ref={room} class="peek" role="tooltip">
      <p class="peek-title">{plainTitle(m.title)} <span class="chip">{m.kind}</span>{m.status !== "current" && <span class={`chip chip-${m.status}`}>{m.status}</span>}</p>
      <p class="hint">{[...body].length > most ? [...body].slice(0, most).join("") + "…" : body || "It has no text."}</p>
    </div>
  );
}
