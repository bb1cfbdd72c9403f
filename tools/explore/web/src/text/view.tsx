// Renders the text of a memory in pieces: the first one at once, the others in short time slices.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { memory, parse } from "../address.ts";
import { jumpTo } from "../parts.tsx";
import { useShared } from "../state.ts";
import type { Written } from "../types.ts";
import { enrich } from "./enrich.ts";
import { footnotesOf } from "./footnotes.ts";
import { renderer } from "./markdown.ts";
import { bodyOf, cut, definitions, withoutTitle } from "./pieces.ts";
import { resolver } from "./resolve.ts";

const atOnce = 24; // milliseconds of rendering before other work gets a turn

/** shownOf returns the part of a memory's text that is shown. */
export function shownOf(content: string, title: string): string {
  return withoutTitle(bodyOf(content), title);
}

export function Text({ id, body, title, links, anchor = "", vault = false }: { id: string; body: string; title: string; links: readonly Written[]; anchor?: string; vault?: boolean }): JSX.Element {
  const { go, can } = useShared();
  const room = useRef<HTMLDivElement>(null);
  const finish = useRef<() => void>(() => undefined);
  const resolve = useMemo(() => resolver(links, { id, title }), [links, id, title]);

  useLayoutEffect(() => {
    const shown = room.current!;
    shown.style.minHeight = `${shown.offsetHeight}px`; // keep the height of the previous text, so that the scroll position stays
    shown.replaceChildren();
    shown.dataset["state"] = "partly";
    const { text, notes } = footnotesOf(body);
    const render = renderer(resolve, { definitions: definitions(text), notes });
    const gone = new AbortController();
    const pieces = cut(text);
    const next = (): void => {
      const fragment = render(pieces.shift()!);
      enrich(fragment, { resolve, files: vault && can("links"), signal: gone.signal, outer: [id] });
      shown.append(fragment);
    };
    const some = (until: number): void => {
      while (pieces.length > 0 && performance.now() < until) next();
      if (pieces.length > 0 || shown.dataset["state"] === "whole") return;
      shown.append(...render.notes());
      shown.dataset["state"] = "whole";
      shown.style.minHeight = "";
    };
    finish.current = () => some(Infinity);
    let timer = 0;
    const later = (): void => {
      timer = window.setTimeout(() => {
        some(performance.now() + atOnce);
        if (pieces.length > 0) later();
      });
    };
    if (pieces.length > 0) next();
    some(performance.now() + atOnce);
    if (pieces.length > 0) later();
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [id, body, resolve]);

  const reached = useRef("");
  useEffect(() => { // once per anchor: an edit by somebody else must not scroll the page
    if (anchor !== "" && reached.current !== anchor) jump(anchor, finish.current);
    reached.current = anchor;
  }, [id, body, resolve, anchor]);

  return (
    <div
      ref={room}
      class="text"
      onClick={(e) => {
        const a = e.target instanceof Element ? e.target.closest("a") : null;
        const href = a?.getAttribute("href") ?? "";
        if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
        if (href.startsWith("#")) {
          e.preventDefault();
          go(memory(id, href.slice(1)));
          jump(href.slice(1), finish.current);
        } else if (href.startsWith("/explore/memory/")) {
          e.preventDefault();
          const to = new URL(href, location.href);
          go(parse(to.pathname, to.search, to.hash));
        }
      }}
    />
  );
}

/**
 * jump scrolls to an anchor and moves the keyboard focus to it. finish renders the rest of the
 * text, if the anchor is not there yet.
 */
export function jump(anchor: string, finish: () => void): void {
  let name = anchor;
  try {
    name = decodeURIComponent(anchor);
  } catch {
    // a stray % that the user typed
  }
  if (!document.getElementById(name)) finish();
  jumpTo(name);
}
