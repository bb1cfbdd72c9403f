// State that every view shares: the current address, what the program offers, and useAsk, which
// sends requests.

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { format, parse, type Address } from "./address.ts";
import { Fault, Refused } from "./api.ts";
import type { About, Row } from "./types.ts";

export interface Shared {
  about: About;
  address: Address;
  /** go shows another address; with replace, it replaces the current history entry. */
  go: (to: Address, replace?: boolean) => void;
  /**
   * epoch counts the changes that the page knows of; each change makes views request their data
   * again.
   */
  epoch: number;
  /**
   * turn counts the changes made on this page, and the times that the user asked to reload
   * everything. Drawings reload only when turn grows.
   */
  turn: number;
  /**
   * changed reports a change of the store: text for the status line, and optionally a function that
   * undoes the change.
   */
  changed: (said: string, undo?: () => Promise<void>) => void;
  refused: (e: Refused) => void;
  canWrite: boolean;
  can: (toolOrFeature: string) => boolean;
}

/** Waits says what waits for a person, by part of the desk, and in the graph view which memories are stale. */
export interface Waits {
  all: number;
  parts: { part: string; said: string }[];
  stale: ReadonlySet<string>;
  recent: Asked<Row[]>; // what agents stored since one looked last
}

export const WaitsContext = createContext<Waits>({ all: 0, parts: [], stale: new Set(), recent: { data: undefined, error: undefined, loading: true, again: () => undefined } });

export const SharedContext = createContext<Shared | null>(null);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error("used outside of the page");
  return shared;
}

/**
 * useAddress returns the current address and go, which changes it. It follows the browser's
 * history.
 */
export function useAddress(): [Address, Shared["go"]] {
  const here = (): Address => parse(location.pathname, location.search, location.hash);
  const [address, setAddress] = useState(here);
  useEvent("popstate", () => setAddress(here()));
  const go = useCallback((to: Address, replace = false) => {
    const target = format(to), was = here();
    if (target === location.pathname + location.search + location.hash) return;
    if (replace) history.replaceState(null, "", target);
    else {
      history.pushState(null, "", target);
      if (to.view !== was.view || to.view === "memory" && was.view === "memory" && to.id !== was.id) scrollTo(0, 0);
    }
    setAddress(here());
  }, []);
  return [address, go];
}

export interface Asked<T> {
  data: T | undefined; // the latest answer; kept while a new request is running
  error: Fault | undefined;
  loading: boolean;
  again: () => void;
}

const patience = 3000; // milliseconds before a request that failed temporarily is retried

let underWay = 0;
const patient = new Set<() => void>();

/** calm resolves when no request is running that the user waits for. */
export function calm(): Promise<void> {
  return new Promise((now) => {
    if (underWay === 0) now();
    else patient.add(now);
  });
}

function ended(): void {
  underWay--;
  if (underWay > 0) return;
  patient.forEach((now) => now());
  patient.clear();
}

/**
 * useAsk sends a request whenever key or the store changes, and drops answers that a later request
 * has made obsolete. A null key sends nothing. With canWait, the request waits until all others
 * have finished. With still, it is repeated only after changes made on this page. Without still, an
 * answer equal to the previous one keeps the previous value. If a repeated request fails
 * temporarily, the previous answer stays and the request is retried later.
 */
export function useAsk<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, { canWait = false, still = false } = {}): Asked<T> {
  const { epoch, turn, refused } = useShared();
  const [round, setRound] = useState(0);
  const when = still ? turn : epoch;
  const [state, setState] = useState<{ key: string | null; when: number; data?: T; error?: Fault; loading: boolean }>({ key: null, when, loading: key !== null });
  const latest = useRef(ask), shown = useRef(state);
  latest.current = ask;
  shown.current = state;
  useEffect(() => {
    if (key === null) {
      setState({ key, when, loading: false });
      return;
    }
    const stop = new AbortController();
    let later: ReturnType<typeof setTimeout> | undefined;
    setState((s) => ({ ...s, loading: true })); // the key remains the one of the answer that is shown
    const start = async (): Promise<T> => {
      if (canWait) {
        await calm();
        stop.signal.throwIfAborted();
        return latest.current(stop.signal);
      }
      underWay++;
      return latest.current(stop.signal).finally(ended);
    };
    start().then(
      (data) => stop.signal.aborted || setState((s) => ({ key, when, data: s.key === key && !still ? same(s.data, data) : data, loading: false })),
      (e: unknown) => {
        if (stop.signal.aborted) return;
        if (e instanceof Refused) refused(e);
        const error = asFault(e);
        const stays = shown.current.key === key && shown.current.data !== undefined && passes(error);
        if (stays) later = setTimeout(() => setRound((n) => n + 1), patience); // still loading until then: the data shown is from an earlier request
        else setState({ key, when, error, loading: false });
      },
    );
    return () => {
      stop.abort();
      clearTimeout(later);
    };
  }, [key, when, round]);
  const loading = state.loading || state.key !== key || key !== null && state.when !== when; // also before the request is sent
  return { data: state.data, error: state.error, loading, again: () => setRound((n) => n + 1) };
}

/** same returns before if both values are equal as JSON, else now. */
function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** passes reports whether an error is temporary, so that the data shown may stay. */
function passes(e: Fault): boolean {
  return e.code === "offline" || e.code === "unavailable";
}

export function asFault(e: unknown): Fault {
  return e instanceof Fault ? e : new Fault("internal", e instanceof Error ? e.message : String(e), 0);
}

/** typing reports whether a key press goes into a form field or editable text. */
export function typing(e: KeyboardEvent): boolean {
  const t = e.target;
  return t instanceof HTMLElement && (t.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName));
}

/** useEvent hears an event of the window, or of another target, as long as what asks is shown; first before all others. */
export function useEvent<E extends Event>(name: string, heard: (e: E) => void, first = false, of: EventTarget = window): void {
  const act = useRef(heard);
  act.current = heard;
  useLayoutEffect(() => { // before the first paint, so that no key press is missed
    const hear = (e: Event): void => act.current(e as E);
    of.addEventListener(name, hear, first);
    return () => of.removeEventListener(name, hear, first);
  }, []);
}

/** useKey hears the key presses that are for the page, and not for a field or a dialog. */
export function useKey(pressed: (e: KeyboardEvent) => void, first = false): void {
  useEvent<KeyboardEvent>("keydown", (e) => {
    if (!e.defaultPrevented && !e.ctrlKey && !e.metaKey && !e.altKey && !typing(e) && !document.querySelector("dialog[open]")) pressed(e);
  }, first);
}

/** useTitle sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Hence" : title + " · Hence";
  }, [title]);
}
