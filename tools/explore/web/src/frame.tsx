// The frame around the views: navigation, keyboard shortcuts, the theme switch and notices.

import type { JSX } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { graph, overview, review, search, type Address } from "./address.ts";
import { call, post } from "./api.ts";
import { GraphView } from "./graph/view.tsx";
import { MemoryView } from "./memory.tsx";
import { NowLine, type Following } from "./now.tsx";
import { OverviewView } from "./overview.tsx";
import type { Said } from "./page.tsx";
import { Dialog, Link, Trouble } from "./parts.tsx";
import { numberOf, useRecent } from "./desk.tsx";
import { Peeks } from "./peek.tsx";
import { ReviewView } from "./review.tsx";
import { SearchView } from "./search.tsx";
import { WaitsContext, asFault, typing, useAsk, useEvent, useKey, useShared, useTitle, type Waits } from "./state.ts";
import { useTheme } from "./theme.ts";
import { StoreDialog } from "./write.tsx";
import type { ConflictsResult, StaleResult, TidyResult } from "./types.ts";
import { digits } from "./words.ts";

const keys: [string, string][] = [
  ["/, Ctrl-K or ⌘K", "search"],
  ["n", "store a memory"],
  ["↑ ↓", "through results, and through the list of a graph"],
  ["Enter", "open what is marked"],
  ["Esc", "out of a field, a dialog, a selection"],
  ["g then s, g, o, r", "go to search, graph, overview, review"],
  ["e", "graph: add the neighbours of the marked memory"],
  ["a, b", "graph: take the marked memory as start or end of a path"],
  ["a, r, o, u", "review: accept, reject, the other way, undo the last"],
  ["j, k, Enter", "review: the next card, the one before, open it"],
  ["l", "graph: link the marked memory"],
  ["+ − 0", "graph: nearer, further, everything"],
  ["d", "light or dark"],
  ["?", "these keys"],
];

const arrival = "/explore/"; // the address without a view: Review if something waits, else search

export function Frame({ said, quiet, following, again }: { said: Said; quiet: () => void; following: Following; again: () => void }): JSX.Element {
  const { about, address, go, can } = useShared();
  const [help, setHelp] = useState(false);
  const [storing, setStoring] = useState(false);
  const [theme, flip] = useTheme();
  const [coming, setComing] = useState(() => location.href.endsWith(arrival)); // until it is known where to, or something is done
  const most = address.view === "graph" ? 500 : 1; // the graph needs their ids, to mark them
  const asked = useAsk<StaleResult>(can("stale") ? `stale ${most}` : null, (signal) => post("stale", { limit: most }, signal), { canWait: !coming });
  const asks = useAsk<TidyResult>(can("memory_tidy") ? "asks" : null, (signal) => call("memory_tidy", { propose: ["pending", "asked", "secret"], limit: 1 }, signal), { canWait: !coming });
  const conflicts = useAsk<ConflictsResult>(can("conflicts") ? "contradictions" : null, (signal) => post("conflicts", { limit: 1 }, signal), { canWait: !coming });
  const recent = useRecent(!coming);
  const waits = useMemo<Waits>(() => {
    const secrets = numberOf(asks.data, "secret");
    const parts = [
      ["pending", numberOf(asks.data, "pending"), "waiting"], ["asked", numberOf(asks.data, "asked"), "asked for"], ["secret", secrets, secrets === 1 ? "secret" : "secrets"],
      ["stale", asked.data?.total_count ?? 0, "stale"], ["conflicts", conflicts.data?.total_count ?? 0, conflicts.data?.total_count === 1 ? "contradiction" : "contradictions"], ["recent", recent.data?.length ?? 0, "new"],
    ].filter((p): p is [string, number, string] => Number(p[1]) > 0);
    return { all: parts.reduce((n, p) => n + p[1], 0), parts: parts.map(([part, n, what]) => ({ part, said: `${digits(n)} ${what}` })), stale: new Set((asked.data?.memories ?? []).map((m) => m.id)), recent };
  }, [asked.data, asks.data, conflicts.data, recent.data, recent.error, recent.loading]);
  const all = waits.all, known = [asked, asks, conflicts, recent].every((a) => !a.loading);
  useLayoutEffect(() => { // before the next event, so that a click elsewhere is not overridden
    if (!coming) return;
    if (all > 0) go(review(), true);
    if (all > 0 || known) setComing(false);
  }, [coming, all, known]);
  useEffect(() => {
    const acts = (): void => setComing(false);
    for (const event of ["keydown", "pointerdown", "popstate"]) addEventListener(event, acts, { once: true });
  }, []);
  useKeys(go, flip, () => setHelp(true), () => can("memory_store") && setStoring(true));

  const other = theme === "dark" ? "Light" : "Dark";
  const seed = address.view === "memory" ? address.id : "";
  const places: { to: Address; name: string; sign: JSX.Element; mark?: number }[] = [
    { to: search(), name: "Search", sign: <circle cx="7" cy="7" r="4.5" /> },
    { to: graph({ seed }), name: "Graph", sign: <><circle cx="4" cy="12" r="2" /><circle cx="12" cy="12" r="2" /><circle cx="8" cy="4" r="2" /><path d="M5 10.2 7 5.8M9 5.8l2 4.4" /></> },
    { to: overview(), name: "Overview", sign: <path d="M3 13V8M8 13V3M13 13V6" /> },
    { to: review(), name: "Review", sign: <path d="m3 8.5 3.2 3.2L13 4.5" />, mark: all },
  ];
  return (
    <>
      <a class="skip" href="#view" onClick={(e) => { e.preventDefault(); document.getElementById("view")?.focus(); }}>To the content</a>
      <header class="top">
        <Link to={search()} class="brand">
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><circle cx="16" cy="8" r="4.4" /><circle cx="7" cy="23" r="4.4" /><circle cx="25" cy="23" r="4.4" /></svg>
          Hence
        </Link>
        <nav aria-label="Views">
          {places.map((p) => (
            <Link key={p.name} to={p.to} class="place" here={p.to.view === address.view}>
              <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round">{p.sign}{p.name === "Search" && <path d="m10.5 10.5 3.5 3.5" />}</svg>
              {p.name}
              {p.mark ? <span class="mark-count"><span aria-hidden="true">{p.mark > 999 ? "999+" : p.mark}</span><span class="hush">, {waits.parts.map((w) => w.said).join(", ")}</span></span> : null}
            </Link>
          ))}
        </nav>
        <div class="notices">
          <Toast said={said} quiet={quiet} />
          <NowLine of={following} still={address.view === "graph"} again={again} />
        </div>
        <div class="top-end">
          <span class="where" title={`hence ${about.version}`}>{about.database}{about.namespace !== "" && ` · ${about.namespace}`}</span>
          {about.read_only && <span class="chip">read only</span>}
          {can("memory_store") && <button type="button" class="quiet sign" onClick={() => setStoring(true)} aria-label="Store a memory" title="Store a memory (n)">+</button>}
          <button type="button" class="quiet sign" onClick={flip} aria-label={other} title={`${other} (d)`}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.6" /><path d="M8 2a6 6 0 0 1 0 12Z" fill="currentColor" /></svg>
          </button>
          <button type="button" class="quiet sign" onClick={() => setHelp(true)} aria-label="Keys" title="Keys (?)">?</button>
        </div>
      </header>
      <main id="view" tabIndex={-1} class={`view view-${address.view}`}>
        <WaitsContext.Provider value={waits}><Held of={address} /></WaitsContext.Provider>
      </main>
      <Peeks />
      {storing && <StoreDialog close={() => setStoring(false)} />}
      {help && (
        <Dialog title="Keys" close={() => setHelp(false)}>
          <dl class="keys">
            {keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}
          </dl>
        </Dialog>
      )}
    </>
  );
}

/** Held shows a view, or an error if it fails to render; the frame stays usable. */
function Held({ of }: { of: Address }): JSX.Element {
  const [failed, again] = useErrorBoundary((e: unknown) => console.error(e));
  useEffect(() => {
    if (failed) again();
  }, [of]);
  if (!failed) return <View of={of} />;
  return (
    <section class="alone">
      <h1>This view cannot be shown</h1>
      <Trouble of={asFault(failed)} again={again} />
    </section>
  );
}

function View({ of }: { of: Address }): JSX.Element {
  switch (of.view) {
    case "search": return <SearchView address={of} />;
    case "memory": return <MemoryView key={of.id} address={of} />;
    case "graph": return <GraphView address={of} />;
    case "overview": return <OverviewView address={of} />;
    case "review": return <ReviewView address={of} />;
    case "lost": return <Lost />;
  }
}

function Lost(): JSX.Element {
  useTitle("Nothing here");
  return (
    <section class="alone">
      <h1>There is nothing at this address</h1>
      <p>It may be mistyped. <Link to={search()}>Search</Link> finds what there is.</p>
    </section>
  );
}

/**
 * Toast shows what was just done, with a button to undo it. It disappears after 12 seconds, but not
 * while the pointer is over it.
 */
function Toast({ said, quiet }: { said: Said; quiet: () => void }): JSX.Element {
  const [held, hold] = useState(false);
  useLayoutEffect(() => { // before the next event, so that the timer of the last message does not remove this one
    if (said.text === "") hold(false);
    if (said.text === "" || held) return;
    const t = setTimeout(quiet, 12_000);
    return () => clearTimeout(t);
  }, [said.turn, said.text, held]);
  return (
    <div class={`toast ${said.text === "" ? "" : "shown"}`} onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
      <p role="status" aria-live="polite">{said.text}</p>
      {said.text !== "" && said.undo && <button type="button" onClick={() => void said.undo?.()}>Undo</button>}
      {said.text !== "" && <button type="button" class="quiet" aria-label="Dismiss" onClick={quiet}>✕</button>}
    </div>
  );
}

function useKeys(go: (to: Address) => void, flip: () => void, help: () => void, store: () => void): void {
  const since = useRef(0); // when g was pressed
  useKey((e) => {
    const places: Record<string, Address> = { s: search(), g: graph(), o: overview(), r: review() };
    const deeds: Record<string, () => void> = { "/": () => focusSearch(go), "?": help, d: flip, n: store, g: () => void (since.current = Date.now()) };
    const place = Date.now() - since.current < 1500 ? places[e.key] : undefined;
    since.current = 0;
    if (place || deeds[e.key]) e.preventDefault();
    if (place) go(place);
    else deeds[e.key]?.();
  }, true);
  useEvent<KeyboardEvent>("keydown", (e) => { // these work in a field too
    if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k" && !document.querySelector("dialog[open]")) {
      e.preventDefault();
      focusSearch(go);
    } else if (e.key === "Escape" && typing(e) && !e.defaultPrevented && !document.querySelector("dialog[open]")) (e.target as HTMLElement).blur();
  });
}

function focusSearch(go: (to: Address) => void): void {
  const field = (): HTMLInputElement | null => document.querySelector<HTMLInputElement>("#search-field");
  if (!field()) go(search());
  requestAnimationFrame(() => {
    field()?.focus();
    field()?.select();
  });
}
