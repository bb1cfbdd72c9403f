// A field that searches for a memory; used for linking and for paths.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useId, useRef, useState } from "preact/hooks";
import { call } from "./api.ts";
import { StatusChip } from "./parts.tsx";
import { plainTitle } from "./snippet.ts";
import { useAsk } from "./state.ts";
import type { Hit, Named, SearchResult } from "./types.ts";
import { place } from "./words.ts";

/**
 * useSlow returns the value once it has not changed for wait milliseconds; until then, the older
 * value.
 */
export function useSlow<T>(value: T, wait = 160): T {
  const [slow, setSlow] = useState(value);
  useLayoutEffect(() => { // before the next event, so that the timer of the last value does not set it again
    const t = setTimeout(() => setSlow(value), wait);
    return () => clearTimeout(t);
  }, [value, wait]);
  return slow;
}

/** useEnter returns what Enter does: it opens what is marked as soon as what is found is of that text, unless one types on. */
export function useEnter(text: string, current: boolean, open: () => void): () => void {
  const [entered, enter] = useState<string>();
  useLayoutEffect(() => {
    if (entered === undefined || entered === text && !current) return;
    enter(undefined);
    if (entered === text) open();
  });
  return () => enter(text);
}

export function Picker({ label, picked, pick, not = [], status = "current" }: { label: string; picked: Named | null; pick: (m: Named | null) => void; not?: string[]; status?: "current" | "all" }): JSX.Element {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const query = useSlow(text.trim());
  const asked = useAsk<SearchResult>(query === "" || !open ? null : `pick ${status} ${query}`, (signal) =>
    call("memory_search", { query, limit: 8, detail: "index", graph: false, status }, signal));
  const list = useRef<HTMLUListElement>(null);
  const found: Hit[] = (asked.data?.results ?? []).filter((h) => !not.includes(h.id));
  const shown = open && query !== "" && !picked;
  useEffect(() => { // in a dialog the list may end below the visible part
    if (shown) list.current?.scrollIntoView({ block: "nearest" });
  }, [shown, found.length]);
  useEffect(() => {
    if (shown) list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const choose = (m: Named): void => {
    pick({ id: m.id, title: m.title });
    setOpen(false);
  };
  const enter = useEnter(text, query === text.trim() && !asked.loading, () => found[at] && choose(found[at]));
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      {picked ? (
        <div class="picked">
          <span>{plainTitle(picked.title)}</span>
          <button type="button" class="quiet" aria-label={`Choose another than ${picked.title}`} onClick={() => { pick(null); setText(""); queueMicrotask(() => field.current?.focus()); }}>✕</button>
        </div>
      ) : (
        <input
          id={id}
          ref={field}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          placeholder="Words of its title or text"
          aria-expanded={shown && found.length > 0}
          aria-controls={shown && found.length > 0 ? id + "-list" : undefined}
          aria-activedescendant={shown && found.length > 0 ? `${id}-${at}` : undefined}
          value={text}
          onInput={(e) => { setText(e.currentTarget.value); setOpen(true); setAt(0); }}
          onBlur={() => setTimeout(() => setOpen(false), 150)}
          onKeyDown={(e) => {
            if (e.key === "ArrowDown" || e.key === "ArrowUp") {
              e.preventDefault();
              setOpen(true);
              setAt((n) => Math.max(0, Math.min(found.length - 1, n + (e.key === "ArrowDown" ? 1 : -1))));
            } else if (e.key === "Enter" && open && text.trim() !== "") {
              e.preventDefault();
              enter();
            } else if (e.key === "Escape" && shown) {
              e.preventDefault();
              e.stopPropagation();
              setOpen(false);
            }
          }}
        />
      )}
      {shown && found.length > 0 && (
        <ul ref={list} id={id + "-list"} role="listbox" aria-label="Suggestions" class="options">
          {found.map((h, i) => (
            <li key={h.id} id={`${id}-${i}`} role="option" aria-selected={i === at} onMouseDown={(e) => { e.preventDefault(); choose(h); }}>
              <span>{plainTitle(h.title)} <StatusChip status={h.status} /></span>
              <small>{h.kind} · {place(h)}</small>
            </li>
          ))}
        </ul>
      )}
      {shown && asked.data && found.length === 0 && !asked.loading && <p class="hint">Nothing found.</p>}
    </div>
  );
}
