// Changes to the store while the page is open: useNews listens for them and refreshes the page, and
// NowLine describes them.

import { createContext } from "preact";
import type { JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { memory } from "./address.ts";
import { Fault, Refused, listen } from "./api.ts";
import { Link } from "./parts.tsx";
import { calm, useEvent } from "./state.ts";
import type { News } from "./types.ts";
import { count, did } from "./words.ts";

const least = 2000; // minimum milliseconds between two refreshes
const share = 4; // after a refresh, wait at least so many times as long as it took
const ownTime = 5000; // milliseconds after a change made on this page, during which the line ignores the user's own changes
const settle = 400; // milliseconds by which news is delayed, so that the answer to a change made here arrives first
const first = 1000, longest = 30_000; // milliseconds before reconnecting: at first, and at most
const crowded = 60_000; // the same if too many clients listen (status 503)
const patience = 6000; // milliseconds without a connection before the user is told

export interface Following {
  news: News | undefined; // changes since the line was last dismissed
  latest: News | undefined; // the latest news, whoever made the changes
  lost: boolean;
  dismiss: () => void;
  own: () => void; // to be called after a change made on this page
}

/** NewsContext provides the latest news to components that need it, such as the edit dialog. */
export const NewsContext = createContext<News | undefined>(undefined);

/**
 * useNews listens for changes while the page is visible. It calls refresh some time after each
 * change, but not while a dialog is open, so that text being typed there stays.
 */
export function useNews(on: boolean, refresh: () => void, refused: (e: Refused) => void): Following {
  const [news, setNews] = useState<News>();
  const [latest, setLatest] = useState<News>();
  const [lost, setLost] = useState(false);
  const [seen, setSeen] = useState(!document.hidden);
  const act = useRef({ refresh, refused, changedAt: 0, last: "", came: false });
  Object.assign(act.current, { refresh, refused });

  useEvent("visibilitychange", () => setSeen(!document.hidden), false, document);

  useEffect(() => {
    if (!on || !seen) return;
    const stop = new AbortController();
    const a = act.current;
    const soon = paced(() => a.refresh());
    const tell = (n: News): void => {
      setLatest(n);
      if (!(n.mine && Date.now() - a.changedAt < ownTime)) setNews((before) => sum(before, n));
      soon();
    };
    void follow(stop.signal, {
      last: () => a.last,
      lost: setLost,
      refused: (e) => a.refused(e),
      heard: (event, id, data) => {
        if (id !== "") a.last = id;
        document.documentElement.dataset["listens"] = "";
        if (event === "changed") setTimeout(() => tell(data as News), settle);
        else if (event === "open") {
          if (a.came && !(data as { resumed: boolean }).resumed) soon(); // changes may have been missed
          a.came = true;
        }
      },
    });
    return () => stop.abort();
  }, [on, seen]);

  return { news, latest, lost, dismiss: () => setNews(undefined), own: () => void (act.current.changedAt = Date.now()) };
}

/** sum merges new news into the news that the line shows already. */
export function sum(before: News | undefined, n: News): News {
  if (!before) return n;
  return { ...n, changes: before.changes + n.changes, more: before.more || n.more || false, replaced: before.replaced || n.replaced || false, ids: [...new Set([...before.ids, ...n.ids])] };
}

interface Ears {
  last: () => string;
  heard: (event: string, id: string, data: unknown) => void;
  lost: (is: boolean) => void;
  refused: (e: Refused) => void;
}

/**
 * follow listens for events, and reconnects when the stream ends, until signal aborts or the token
 * is refused.
 */
async function follow(signal: AbortSignal, ears: Ears): Promise<void> {
  let wait = first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer));
  while (!signal.aborted) {
    try {
      await listen(ears.last(), (e) => {
        clearTimeout(timer);
        timer = undefined;
        wait = first;
        ears.lost(false);
        ears.heard(e.event, e.id, JSON.parse(e.data));
      }, signal);
    } catch (e) {
      if (signal.aborted) return;
      if (e instanceof Refused) return ears.refused(e);
      if (e instanceof Fault && e.status === 503) wait = crowded;
    }
    timer ??= setTimeout(() => ears.lost(true), patience);
    await new Promise((done) => setTimeout(done, wait * (0.75 + Math.random() / 2))); // random, so that many pages do not reconnect at once
    wait = Math.min(longest, 2 * wait);
  }
}

/**
 * paced returns a function that calls f soon, but not too often, and not while a dialog is open.
 */
function paced(f: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined, next = 0;
  const run = (): void => {
    timer = undefined;
    if (document.querySelector("dialog[open]")) {
      timer = setTimeout(run, 500);
      return;
    }
    const start = Date.now();
    next = start + least;
    f();
    setTimeout(() => void calm().then(() => (next = Math.max(next, Date.now() + share * (Date.now() - start)))), 50);
  };
  return () => {
    timer ??= setTimeout(run, Math.max(0, next - Date.now()));
  };
}

/**
 * NowLine shows a line about what changed. If the view does not refresh by itself (still), it adds
 * a button to redraw it.
 */
export function NowLine({ of, still, again }: { of: Following; still: boolean; again: () => void }): JSX.Element {
  const { news, lost, dismiss } = of;
  useLayoutEffect(() => { // before the next event, so that the timer of earlier news does not dismiss these
    if (!news || still) return;
    const t = setTimeout(dismiss, 15_000);
    return () => clearTimeout(t);
  }, [news, still]);
  const shown = lost || news !== undefined;
  return (
    <div class={`now-line ${shown ? "shown" : ""}`}>
      <p role="status" aria-live="polite">{lost ? "hence does not answer. What is shown may be old." : news && <Said of={news} />}</p>
      {!lost && news && still && <button type="button" onClick={() => { dismiss(); again(); }}>Draw it again</button>}
      {!lost && news && <button type="button" class="quiet" aria-label="Dismiss what changed" onClick={dismiss}>✕</button>}
    </div>
  );
}

function Said({ of: n }: { of: News }): JSX.Element {
  if (n.replaced) return <>The store is another one now.</>;
  const t = n.told;
  if (!t) return <>{count(n.changes, "change")}.</>;
  const others = n.changes - 1;
  return (
    <>
      {t.actor || "Somebody"} {did(t.action)}{" "}
      {t.title === "" ? "a memory" : t.action === "purge" ? `“${t.title}”` : <Link to={memory(t.id)}>“{t.title}”</Link>}
      {/link$/.test(t.action) && t.what ? ` (${t.what})` : ""}
      {others > 0 ? `, and ${n.more ? "more than " : ""}${count(others, "more change")}` : ""}.
    </>
  );
}

/** Meanwhile shows in a dialog that its memory has changed since the dialog was opened. */
export function Meanwhile({ id }: { id: string }): JSX.Element {
  const news = useContext(NewsContext);
  const [heard, setHeard] = useState<News>();
  const came = useRef(news); // the news from before the dialog was opened
  useEffect(() => {
    if (news && news !== came.current && news.ids.includes(id)) setHeard(news);
  }, [news, id]);
  return <p role="status" class={heard ? "note meanwhile" : "hush"}>{heard && <>This has changed meanwhile: <Said of={heard} /></>}</p>;
}
