// The search view: results as the user types; with an empty field, the start page and the latest
// memories.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { memory, mostListed, mostResults, pageOfResults, search, type SearchAddress } from "./address.ts";
import { useMemories } from "./apart.tsx";
import { call, describe, post } from "./api.ts";
import { Drawn } from "./drawn.tsx";
import { Empty } from "./empty.tsx";
import { Filters, timeOf, useOpen, without } from "./filters.tsx";
import { Home } from "./home.tsx";
import { Answer, Link, Place, States, Tag } from "./parts.tsx";
import { useEnter, useSlow } from "./picker.tsx";
import { holds, questionOf } from "./question.ts";
import { plainTitle, tidy, type Piece } from "./snippet.ts";
import { useAsk, useShared, useTitle } from "./state.ts";
import { plainHeading } from "./text/pieces.ts";
import type { Hit, ListResult, OverviewResult, Row, SearchResult } from "./types.ts";
import { timesOf } from "./times.tsx";
import { count, day, digits, pathQuery, why } from "./words.ts";

const halfWord = 380; // milliseconds without a key, after which the last word counts as whole

/** Found holds a page of search results, or of the list of memories, in the same form. */
export interface Found {
  rows: (Hit | Row)[];
  pieces: ReadonlyMap<string, Piece[]>; // the pieces of each result's snippet, by id
  changed: ReadonlyMap<string, string>; // when each result was last changed, by id
  total: number;
  exact: boolean; // false: total is a lower bound
  all: number; // number of rows before those of other origins were removed
  warnings: string[];
}

export function SearchView({ address }: { address: SearchAddress }): JSX.Element {
  const { go } = useShared();
  const [text, setText] = useState(address.q);
  const own = useRef(address.q); // the query that this field last put into the address
  useLayoutEffect(() => { // before the next event, so that text typed in the meantime is kept
    if (address.q !== own.current) { // changed by back, forward or a link
      own.current = address.q;
      setText(address.q);
    }
  }, [address.q]);
  const slow = useSlow(text, /[\p{L}\p{N}]$/u.test(text) ? halfWord : undefined);
  const put = (q: string): void => {
    if (q === own.current) return;
    const first = own.current === "" || q === "";
    own.current = q;
    go({ ...address, q, limit: pageOfResults }, !first); // one history entry for a whole query
  };
  useLayoutEffect(() => put(slow), [slow]);
  useTitle(address.q === "" ? "Search" : address.q);

  const overview = useAsk<OverviewResult>("overview for filters", (signal) => call("graph_overview", {}, signal), { canWait: true });
  const onlyCode = overview.data !== undefined && overview.data.memories > 0 && overview.data.by_origin.every((o) => o.name === "code");
  const found = useAsk<Found>(`find ${onlyCode} ${JSON.stringify(address)}`, (signal) => find(address, onlyCode, signal));
  const question = questionOf(address.q, (overview.data?.by_kind ?? []).map((c) => c.name));
  const [open, setOpen] = useOpen();
  const all = without(address);
  const facets = useAsk<Found>(open ? `facets ${onlyCode} ${JSON.stringify(all)}` : null, (signal) => find({ ...all, limit: mostListed }, onlyCode, signal), { canWait: true }).data;
  const list = useRef<HTMLOListElement>(null);
  const enter = useEnter(text, text === address.q && !found.loading, () => list.current?.querySelector<HTMLAnchorElement>("a.title")?.click());
  const empty = overview.data !== undefined && (overview.data.by_status ?? []).every((c) => c.count === 0) && overview.data.memories === 0;
  const unfiltered = address.q.trim() + address.kind + address.tag + address.origin + address.status + address.since + address.until + address.under + address.asOf + address.knownAt === "";
  const nothingYet = empty && found.data?.rows.length === 0 && unfiltered;
  const atStart = unfiltered && !nothingYet && (overview.data?.memories ?? 0) > 0;

  const step = (e: KeyboardEvent): void => {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a.title") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const next = at + (e.key === "ArrowDown" ? 1 : -1);
    e.preventDefault();
    if (next < 0) document.getElementById("search-field")?.focus();
    else links[Math.min(next, links.length - 1)]?.focus();
  };

  return (
    <div class={`search ${atStart ? "at-start" : ""}`} onKeyDown={step}>
      <h1 class="hush">Search</h1>
      <form role="search" class="ask" onSubmit={(e) => { e.preventDefault(); put(text); enter(); }}>
        <label for="search-field" class="hush">Search memories</label>
        <input
          id="search-field"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="What is remembered about…"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Escape" && text !== "") {
              e.preventDefault();
              setText("");
            }
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
      <p class="hint search-hint">“A quoted phrase”, <code>tag:x</code>, <code>path:folder</code>, <code>kind:x</code>, <code>-word</code> and “decisions that depend on …” are understood.</p>
      {atStart && <Home overview={overview.data!} onlyCode={onlyCode} />}
      {nothingYet ? <Empty /> : (
        <div class={`search-room ${open ? "with-filters" : ""}`}>
          <Filters address={address} overview={overview.data} facets={facets} open={open} setOpen={setOpen} />
          <section aria-label="Results" class="results" aria-busy={found.loading || text !== address.q}>
            {question && <Drawn of={question} />}
            <Answer of={found}>{(f) => <Results found={f} address={address} list={list} onlyCode={onlyCode} />}</Answer>
          </section>
        </div>
      )}
    </div>
  );
}

/** find asks for the results of an address. In a store of code alone, code is what is searched. */
async function find(a: SearchAddress, onlyCode: boolean, signal: AbortSignal): Promise<Found> {
  const query = a.q.trim() === "" && a.under !== "" ? pathQuery(a.under) : a.q.trim().replace(/^-+$/, ""); // a hyphen alone excludes nothing; memory_list has no filter by folder
  const wide = a.origin !== ""; // the tools have no filter by origin, so the largest page is filtered here
  const tags = a.tag === "" ? [] : [a.tag];
  const period = { ...(a.since !== "" && { since: a.since }), ...(a.until !== "" && { until: a.until }) };
  let rows: (Hit | Row)[], total: number, exact = true, warnings: string[] = [];
  const pieces = new Map<string, Piece[]>(), changed = new Map<string, string>();
  if (query === "" || a.status === "forgotten") { // what is forgotten is in no search
    const r = await call<ListResult>("memory_list", { limit: wide || query !== "" ? mostListed : a.limit, status: a.status === "" ? "current" : a.status, ...(a.kind !== "" && { kind: a.kind }), tags, ...period, ...timesOf(a) }, signal);
    const texts = query === "" ? [] : await describe(r.memories.map((m) => m.id), signal);
    rows = query === "" ? r.memories : r.memories.filter((m) => holds(`${m.title} ${texts.find((t) => t.id === m.id)?.content ?? ""}`, query));
    total = query === "" ? (r.total_count ?? rows.length) : rows.length;
    if (query !== "" && r.next) warnings = [`Only the ${mostListed} that were forgotten or changed last are looked through.`];
  } else {
    const narrow = wide || a.status === "superseded" || a.sort !== "";
    const r = await post<SearchResult>("search", {
      query, tags, kinds: a.kind !== "" ? [a.kind] : onlyCode ? ["code"] : [], status: a.status === "" ? "current" : "all", limit: narrow ? mostResults : Math.min(a.limit, mostResults), ...(a.under !== "" && { path_prefix: [a.under] }), ...period, ...timesOf(a),
    }, signal);
    [rows, total, exact, warnings] = [r.results, r.total_count ?? r.results.length, r.total_is_exact, r.warnings ?? []];
    r.results.forEach((h, i) => {
      pieces.set(h.id, r.pieces[i] ?? []);
      changed.set(h.id, r.changed[i] ?? "");
    });
    if (a.sort !== "") rows = rows.toSorted((x, y) => (a.sort === "new" ? -1 : 1) * (Date.parse(timeOf(x, changed)) - Date.parse(timeOf(y, changed))));
    if (narrow && a.status !== "all" && a.status !== "") rows = rows.filter((h) => h.status === a.status);
  }
  const all = rows.length;
  if (wide) rows = rows.filter((r) => r.origin === a.origin);
  if (all === total) total = rows.length;
  return { rows, pieces, changed, total, exact, all, warnings };
}

function Results({ found, address, list, onlyCode }: { found: Found; address: SearchAddress; list: { current: HTMLOListElement | null }; onlyCode: boolean }): JSX.Element {
  const { about, go } = useShared();
  const asking = address.q.trim() !== "";
  const titles = useTitles(found.rows);
  const most = asking ? mostResults : 200;
  const more = found.total > found.rows.length && address.origin === "" && address.sort === "" && address.limit < most;
  return (
    <>
      <div class="found-head">
        <p class="count" role="status">{said(found, asking, address)}</p>
        {asking && (
          <div class="row">
            <label for="sort">Sort</label>
            <select id="sort" value={address.sort} onChange={(e) => go({ ...address, sort: e.currentTarget.value, limit: pageOfResults })}>
              <option value="">the best first</option>
              <option value="new">the latest first</option>
              <option value="old">the oldest first</option>
            </select>
          </div>
        )}
      </div>
      {found.warnings.map((w) => <p key={w} class="hint">{w}</p>)}
      {found.rows.length === 0 && asking && <p class="hint">Fewer words, other words, or <Link to={search({ q: address.q, status: "all" })}>look among what was superseded too</Link>.</p>}
      <ol class="hits" ref={list}>{found.rows.map((r) => <Result key={r.id} row={r} pieces={found.pieces.get(r.id)} at={address.sort === "" ? "" : (found.changed.get(r.id) ?? "")} titles={titles} />)}</ol>
      {more && <button type="button" onClick={() => go({ ...address, limit: Math.min(most, address.limit + pageOfResults) }, true)}>Show more</button>}
      {about.code && !onlyCode && asking && address.kind === "" && !/(?:^|\s)kind:/.test(address.q) && <p class="hint">Source code is not among these: <Link to={{ ...address, kind: "code" }}>look in code</Link>.</p>}
    </>
  );
}

function said(f: Found, asking: boolean, a: SearchAddress): string {
  const shown = digits(f.rows.length), total = (f.exact ? "" : "at least ") + digits(f.total);
  if (a.origin !== "" && f.total > f.all) return `${shown} of origin ${a.origin} among the first ${digits(f.all)} of ${total}`;
  if (f.rows.length === 0) return asking ? "Nothing found." : "Nothing here with these filters.";
  if (a.sort !== "" && f.total > f.all) return `The best ${shown} of ${total} found, ${a.sort === "new" ? "the latest" : "the oldest"} first`;
  if (!asking) return f.total > f.rows.length ? `The latest ${shown} of ${count(f.total, "memory", "memories")}` : count(f.rows.length, "memory", "memories") + ", the latest first";
  return f.total > f.rows.length && a.origin === "" ? `The best ${shown} of ${total} found` : `${count(f.rows.length, "memory", "memories")} found`;
}

function Result({ row, pieces, at, titles }: { row: Hit | Row; pieces: Piece[] | undefined; at: string; titles: ReadonlyMap<string, string> }): JSX.Element {
  const hit = "why" in row ? row : null;
  const reasons = hit ? why(hit, titles) : [];
  const section = plainHeading(hit?.section ?? "");
  return (
    <li class="hit">
      <div class="hit-head">
        <Link to={memory(row.id)} class={`title ${row.status === "current" ? "" : "was"}`}>{plainTitle(row.title)}</Link>
        <States of={row} />
        <span class="faint place-of"><Place of={row} />{section !== "" && section !== row.title && ` › ${section}`}</span>
        {!hit && <time class="faint when" dateTime={(row as Row).updated_at}>{day((row as Row).updated_at)}</time>}
        {at !== "" && <time class="faint when" dateTime={at}>{day(at)}</time>}
      </div>
      {pieces && <p class="snippet">{tidy(pieces).map((p, i) => (p.hit ? <mark key={i}>{p.text}</mark> : p.text))}</p>}
      {(row.tags.length > 0 || reasons.length > 0) && (
        <p class="hit-foot">
          {reasons.length > 0 && <span class="why">{reasons.join(" · ")}</span>}
          {row.tags.slice(0, 6).map((t) => <Tag key={t} name={t} />)}
        </p>
      )}
      {row.contradicted_by && row.contradicted_by.length > 0 && (
        <p class="hint">Contradicted by {row.contradicted_by.map((e, i) => <span key={e.id}>{i > 0 && ", "}<Link to={memory(e.id)}>{plainTitle(e.title)}</Link></span>)}</p>
      )}
      {hit?.superseded_by && <p class="hint">Superseded by <Link to={memory(hit.superseded_by.id)}>{plainTitle(hit.superseded_by.title)}</Link></p>}
    </li>
  );
}

/**
 * useTitles returns titles by id: of the results, and of the memories that lent them part of their
 * score.
 */
function useTitles(rows: (Hit | Row)[]): ReadonlyMap<string, string> {
  const known = useMemo(() => new Map(rows.map((r) => [r.id, r.title])), [rows]);
  const missing = useMemo(() => {
    const ids = rows.flatMap((r) => ("why" in r ? (r.why.graph ?? []).slice(0, 2).map((g) => g.from) : []));
    return [...new Set(ids)].filter((id) => !known.has(id)).sort();
  }, [rows]);
  const lenders = useMemories(missing);
  return useMemo(() => new Map([...known, ...lenders.map((m): [string, string] => [m.id, m.title])]), [known, lenders]);
}
