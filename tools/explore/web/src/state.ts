// What every view shares: where we are, what the program offers, and asking it.

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { format, parse, type Address } from "./address.ts";
import { Fault, Refused } from "./api.ts";
import type { About } from "./types.ts";

export interface Shared {
  about: About;
  address: Address;
  /** go shows another address; replace leaves no step to go back to. */
  go: (to: Address, replace?: boolean) => void;
  /** epoch counts the changes that are known: what was asked before one is asked again. */
  epoch: number;
  /** turn counts those that were made here, and times that somebody asked for everything again: a drawing waits for these. */
  turn: number;
  /** changed says that the store is not what it was, in words for the status line, and maybe how to take it back. */
  changed: (said: string, undo?: () => Promise<void>) => void;
  refused: (e: Refused) => void;
  canWrite: boolean;
  can: (toolOrFeature: string) => boolean;
}

/** Stale is what is known of stale memories: how many, and in the graph which. */
export interface Stale {
  count: number;
  ids: ReadonlySet<string>;
}

export const StaleContext = createContext<Stale>({ count: 0, ids: new Set() });

export const SharedContext = createContext<Shared | null>(null);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error("used outside of the page");
  return shared;
}

/** useAddress follows the browser's history. */
export function useAddress(): [Address, Shared["go"]] {
  const here = (): Address => parse(location.pathname, location.search, location.hash);
  const [address, setAddress] = useState(here);
  useEffect(() => {
    const moved = (): void => setAddress(here());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
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
  data: T | undefined; // the last answer; stays while a new one is on its way
  error: Fault | undefined;
  loading: boolean;
  again: () => void;
}

const patience = 3000; // milliseconds before what is shown is asked again, where that failed for now

let underWay = 0;
const patient = new Set<() => void>();

/** calm is when nothing is asked that somebody waits for. */
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
 * useAsk asks whenever key, or the store, has changed, and drops answers that
 * a later question has made out of date. A null key asks nothing. What takes
 * long and can wait is asked when the rest is there. What is still is asked again
 * only after changes made here. An answer that says the same is the same value. Where
 * asking again fails for now, the answer before stays, and is asked for once more later.
 */
export function useAsk<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, { canWait = false, still = false } = {}): Asked<T> {
  const { epoch, turn, refused } = useShared();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: string | null; data?: T; error?: Fault; loading: boolean }>({ key: null, loading: key !== null });
  const latest = useRef(ask), shown = useRef(state);
  latest.current = ask;
  shown.current = state;
  useEffect(() => {
    if (key === null) {
      setState({ key, loading: false });
      return;
    }
    const stop = new AbortController();
    let later: ReturnType<typeof setTimeout> | undefined;
    setState((s) => ({ ...s, loading: true })); // its key stays that of the answer that is shown
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
      (data) => stop.signal.aborted || setState((s) => ({ key, data: s.key === key && !still ? same(s.data, data) : data, loading: false })),
      (e: unknown) => {
        if (stop.signal.aborted) return;
        if (e instanceof Refused) refused(e);
        const error = asFault(e);
        const stays = shown.current.key === key && shown.current.data !== undefined && passes(error);
        if (stays) later = setTimeout(() => setRound((n) => n + 1), patience);
        setState((s) => (stays ? { ...s, loading: false } : { key, error, loading: false }));
      },
    );
    return () => {
      stop.abort();
      clearTimeout(later);
    };
  }, [key, still ? turn : epoch, round]);
  return { data: state.data, error: state.error, loading: state.loading || state.key !== key, again: () => setRound((n) => n + 1) };
}

/** same is the value before where the new one says no more. */
function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** useSame is a value that stays itself while it says the same. */
export function useSame<T>(value: T): T {
  const kept = useRef(value);
  return (kept.current = same(kept.current, value));
}

/** passes says whether an error is one that is gone soon: what is shown may stay. */
function passes(e: Fault): boolean {
  return e.code === "offline" || e.code === "unavailable";
}

export function asFault(e: unknown): Fault {
  return e instanceof Fault ? e : new Fault("internal", e instanceof Error ? e.message : String(e), 0);
}

/** useTitle names the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Hence" : title + " · Hence";
  }, [title]);
}

/** Told is called with how many there are of something, once that is known. */
export type Told = (n: number | undefined) => void;

/** useCount tells a number once it is known. */
export function useCount(told: Told, n: number | undefined): void {
  useEffect(() => told(n), [n]);
}
