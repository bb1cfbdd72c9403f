// The search view: results as the user types; with an empty field, the start page and the latest
// memories.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { memory, mostResults, pageOfResults, search, type SearchAddress } from "./address.ts";
import { call, post } from "./api.ts";
import { Empty } from "./empty.tsx";
import { Home } from "./home.tsx";
import { Answer, Chip, Link, StatusChip, Tag } from "./parts.tsx";
import { useSlow } from "./picker.tsx";
import { plainTitle, tidy, type Piece } from "./snippet.ts";
import { useAsk, useShared, useTitle } from "./state.ts";
import { plainHeading } from "./text/pieces.ts";
import type { Count, GetResult, Hit, ListResult, MarkedResult, OverviewResult, Row } from "./types.ts";
import { Period, Times, timesOf } from "./times.tsx";
import { because, count, day, digits, folderOf, pathQuery, place, why } from "./words.ts";

const halfWord = 380; // milliseconds without a key, after which the last word counts as whole

/** Found holds a page of search results, or of the list of memories, in the same form. */
interface Found {
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
  useEffect(() => {
    if (address.q !== own.current) { // changed by back, forward or a link
      own.current = address.q;
      setText(address.q);
    }
  }, [address.q]);
  const slow = useSlow(text, /[\p{L}\p{N}]$/u.test(text) ? halfWord : undefined);
  useEffect(() => {
    if (slow === own.current) return;
    const first = own.current === "" || slow === "";
    own.current = slow;
    go({ ...address, q: slow, limit: pageOfResults }, !first); // one history entry for a whole query
  }, [slow]);
  useTitle(address.q === "" ? "Search" : address.q);

  const overview = useAsk<OverviewResult>("overview for filters", (signal) => call("graph_overview", {}, signal), { canWait: true });
  const found = useFound(address);
  const list = useRef<HTMLOListElement>(null);
  const empty = overview.data !== undefined && (overview.data.by_status ?? []).every((c) => c.count === 0) && overview.data.memories === 0;
  const unfiltered = address.q.trim() + address.kind + address.tag + address.origin + address.status + address.since + address.until + address.under + address.asOf + address.knownAt === "";
  const nothingYet = empty && found.data?.rows.length === 0 && unfiltered;

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
    <div class="search" onKeyDown={step}>
      <h1 class="hush">Search</h1>
      <form role="search" class="ask" onSubmit={(e) => { e.preventDefault(); list.current?.querySelector<HTMLAnchorElement>("a.title")?.click(); }}>
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
      <p class="hint search-hint">“A quoted phrase”, <code>tag:x</code>, <code>path:folder</code>, <code>kind:x</code> and <code>-word</code> are understood.</p>
      {unfiltered && !nothingYet && <Home overview={overview.data} />}
      {nothingYet ? <Empty /> : (
        <div class="search-room">
          <Filters address={address} overview={overview.data} rows={found.data?.rows ?? []} />
          <section aria-label="Results" class="results" aria-busy={found.loading || text !== address.q}>
            <Answer of={found}>{(f) => <Results found={f} address={address} list={list} />}</Answer>
          </section>
        </div>
      )}
    </div>
  );
}

function useFound(a: SearchAddress) {
  const query = a.q.trim() === "" && a.under !== "" ? pathQuery(a.under) : a.q.trim(); // memory_list has no filter by folder
  return useAsk<Found>(`find ${JSON.stringify(a)}`, async (signal) => {
    const wide = a.origin !== ""; // the tools have no filter by origin, so the largest page is filtered here
    const tags = a.tag === "" ? [] : [a.tag];
    const period = { ...(a.since !== "" && { since: a.since }), ...(a.until !== "" && { until: a.until }) };
    let rows: (Hit | Row)[], total: number, exact = true, warnings: string[] = [];
    const pieces = new Map<string, Piece[]>(), changed = new Map<string, string>();
    if (query === "") {
      const r = await call<ListResult>("memory_list", { limit: wide ? 200 : a.limit, status: a.status === "" ? "current" : a.status, ...(a.kind !== "" && { kind: a.kind }), tags, ...period, ...timesOf(a) }, signal);
      [rows, total] = [r.memories, r.total_count ?? r.memories.length];
    } else {
      const narrow = wide || a.status === "superseded" || a.status === "forgotten" || a.sort !== "";
      const r = await post<MarkedResult>("search", {
        query, tags, kinds: a.kind === "" ? [] : [a.kind], status: a.status === "" ? "current" : "all", limit: narrow ? mostResults : Math.min(a.limit, mostResults), ...(a.under !== "" && { path_prefix: [a.under] }), ...period, ...timesOf(a),
      }, signal);
      [rows, total, exact, warnings] = [r.results, r.total_count ?? r.results.length, r.total_is_exact, r.warnings ?? []];
      r.results.forEach((h, i) => {
        pieces.set(h.id, r.pieces[i] ?? []);
        changed.set(h.id, r.changed[i] ?? "");
      });
      if (a.sort !== "") rows = byTime(rows, changed, a.sort === "new");
      if (narrow && a.status !== "all" && a.status !== "") rows = rows.filter((h) => h.status === a.status);
    }
    const all = rows.length;
    if (wide) rows = rows.filter((r) => r.origin === a.origin);
    if (all === total) total = rows.length;
    return { rows, pieces, changed, total, exact, all, warnings };
  });
}

/** byTime returns the results sorted by the time of their last change. */
function byTime(rows: (Hit | Row)[], changed: ReadonlyMap<string, string>, latestFirst: boolean): (Hit | Row)[] {
  const at = (r: Hit | Row): string => changed.get(r.id) ?? "";
  return rows.toSorted((a, b) => (latestFirst ? -1 : 1) * (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
}

function Results({ found, address, list }: { found: Found; address: SearchAddress; list: { current: HTMLOListElement | null } }): JSX.Element {
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
      <ol class="hits" ref={list}>
        {found.rows.map((r) => <Result key={r.id} row={r} pieces={found.pieces.get(r.id)} at={address.sort === "" ? "" : (found.changed.get(r.id) ?? "")} titles={titles} />)}
      </ol>
      {more && <button type="button" onClick={() => go({ ...address, limit: Math.min(most, address.limit + pageOfResults) }, true)}>Show more</button>}
      {about.code && asking && address.kind === "" && !/(?:^|\s)kind:/.test(address.q) && <p class="hint">Source code is not among these: <Link to={{ ...address, kind: "code" }}>look in code</Link>.</p>}
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
        <Chip>{row.kind}</Chip>
        <StatusChip status={row.status} />
        {row.ended && <span class="chip chip-stale">over since {day(row.ended)}</span>}
        {row.edited_since && <span class="chip">edited since, on {day(row.edited_since)}</span>}
        {row.stale && row.stale.length > 0 && <span class="chip chip-stale" title={row.stale.map((d) => `“${d.title}” ${because(d)}`).join("; ")}>stale</span>}
        {row.contradicted_by && row.contradicted_by.length > 0 && <span class="chip chip-stale">contradicted</span>}
        <span class="faint place-of">{folderOf(row) === "" ? place(row) : <Link to={search({ q: pathQuery(folderOf(row)) })} class="folder">{place(row)}</Link>}{section !== "" && section !== row.title && ` › ${section}`}</span>
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
  const asked = useAsk<GetResult>(missing.length === 0 ? null : `titles ${missing.join()}`, (signal) =>
    call("memory_get", { ids: missing.slice(0, 100), detail: "summary", include_edges: false }, signal));
  return useMemo(() => new Map([...known, ...(asked.data?.memories ?? []).map((m): [string, string] => [m.id, m.title])]), [known, asked.data]);
}

function Filters({ address, overview, rows }: { address: SearchAddress; overview: OverviewResult | undefined; rows: (Hit | Row)[] }): JSX.Element {
  const { go } = useShared();
  const set = (fields: Partial<SearchAddress>): void => go({ ...address, ...fields, limit: pageOfResults });
  const tags = useMemo(() => {
    const n = new Map<string, number>();
    for (const r of rows) for (const t of r.tags) n.set(t, (n.get(t) ?? 0) + 1);
    if (address.tag !== "" && !n.has(address.tag)) n.set(address.tag, 0);
    return [...n].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).slice(0, 14);
  }, [rows, address.tag]);
  const choice = (name: string, label: string, value: string, counts: Count[], put: (v: string) => void, any = "any"): JSX.Element => (
    <div class="filter">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} value={value} onChange={(e) => put(e.currentTarget.value)}>
        <option value="">{any}</option>
        {counts.map((c) => <option key={c.name} value={c.name}>{c.name}{c.count > 0 ? ` (${digits(c.count)})` : ""}</option>)}
        {value !== "" && !counts.some((c) => c.name === value) && <option value={value}>{value}</option>}
      </select>
    </div>
  );
  const folders = useMemo(() => foldersOf(rows, address.under), [rows, address.under]);
  const narrow = useNarrow();
  const on = [address.kind, address.origin, address.status, address.since && `since ${address.since}`, address.until && `until ${address.until}`, address.asOf && `held on ${address.asOf}`, address.knownAt && `known on ${address.knownAt}`, address.under, address.tag && `#${address.tag}`].filter(Boolean);
  const fields = (
    <>
      {choice("kind", "Kind", address.kind, overview?.by_kind ?? [], (kind) => set({ kind }))}
      {choice("origin", "Origin", address.origin, overview?.by_origin ?? [], (origin) => set({ origin }))}
      {choice("status", "Status", address.status, [{ name: "all", count: 0 }, { name: "superseded", count: 0 }, { name: "forgotten", count: 0 }], (status) => set({ status }), "current")}
      <Period since={address.since} until={address.until} set={set} />
      <Times of={address} set={set} />
      {folders.length > 0 && (
        <div class="filter filter-folders">
          <span id="filter-folders">Folder</span>
          <ul aria-labelledby="filter-folders" class="folders">
            {folders.map((f) => (
              <li key={f.path} class={`folder-${Math.min(4, f.depth)}`}>
                <button type="button" class="link" aria-pressed={f.path === address.under} onClick={() => set({ under: f.path === address.under ? "" : f.path })}>{f.name}</button>{f.count > 0 && <small class="faint"> {f.count}</small>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {tags.length > 0 && (
        <div class="filter filter-tags">
          <span id="filter-tags">Tag</span>
          <div role="group" aria-labelledby="filter-tags" class="tags">
            {tags.map(([t, n]) => (
              <button key={t} type="button" class="tag" aria-pressed={t === address.tag} onClick={() => set({ tag: t === address.tag ? "" : t })}>#{t}{n > 0 && <small> {n}</small>}</button>
            ))}
          </div>
        </div>
      )}
      {on.length > 0 && <button type="button" class="quiet" onClick={() => set({ kind: "", tag: "", origin: "", status: "", since: "", until: "", under: "", asOf: "", knownAt: "" })}>No filters</button>}
    </>
  );
  return (
    <aside class="filters" aria-label="Filters">
      {narrow ? (
        <details>
          <summary>Filters{on.length > 0 && <span class="faint"> {on.join(", ")}</span>}</summary>
          <div class="folded">{fields}</div>
        </details>
      ) : fields}
    </aside>
  );
}

/**
 * useNarrow reports whether the screen is too narrow to show filters beside the results; views.css
 * has the same limit.
 */
function useNarrow(): boolean {
  const query = useMemo(() => matchMedia("(max-width: 46rem)"), []);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const turned = (): void => setNarrow(query.matches);
    query.addEventListener("change", turned);
    return () => query.removeEventListener("change", turned);
  }, []);
  return narrow;
}


interface Folder {
  path: string; // prefixed with its vault, with a slash at the end
  name: string;
  depth: number;
  count: number;
}

/**
 * foldersOf returns the folders of some rows as a tree in a flat list, with the chosen folder and
 * its parents.
 */
function foldersOf(rows: (Hit | Row)[], chosen: string): Folder[] {
  const counts = new Map<string, number>();
  const add = (path: string, n: number): void => {
    const parts = path.split("/").filter(Boolean);
    for (let i = 1; i <= parts.length; i++) {
      const part = parts.slice(0, i).join("/") + "/";
      counts.set(part, (counts.get(part) ?? 0) + n);
    }
  };
  for (const r of rows) if (folderOf(r) !== "") add(folderOf(r), 1);
  if (chosen !== "") add(chosen, 0);
  return [...counts]
    .map(([path, n]) => ({ path, name: path.split("/").at(-2)!, depth: path.split("/").length - 2, count: n }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, 24);
}
