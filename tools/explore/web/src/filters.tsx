// The filters of a search, folded until somebody opens them, each choice with the number of results
// that have it.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { pageOfResults, type SearchAddress } from "./address.ts";
import { Brush } from "./brush.tsx";
import { tally } from "./graph/model.ts";
import { keep, kept } from "./kept.ts";
import type { Found } from "./search.tsx";
import { useShared } from "./state.ts";
import type { Hit, OverviewResult, Row } from "./types.ts";
import { Time, Times } from "./times.tsx";
import { digits, folderOf } from "./words.ts";

const none: Partial<SearchAddress> = { kind: "", tag: "", origin: "", status: "", since: "", until: "", under: "", asOf: "", knownAt: "" };
const mostTags = 14, mostFolders = 24;

type Facet = "kind" | "origin" | "tag" | "under" | "time";

/** without returns the address whose results choices are counted among. */
export function without(a: SearchAddress): SearchAddress {
  return { ...a, kind: "", tag: "", origin: "", under: "", sort: "", ...(isDate(a.since) && { since: "" }), ...(isDate(a.until) && { until: "" }) };
}

export const isDate = (text: string): boolean => /^\d{4}(-\d{2}){0,2}$/.test(text);

export function timeOf(row: Hit | Row, changed: ReadonlyMap<string, string>): string {
  return changed.get(row.id) ?? (row as Row).updated_at ?? "";
}

/** fits reports whether a row passes all filters of an address but one. */
function fits(row: Hit | Row, at: string, a: SearchAddress, but: Facet): boolean {
  const isIn = (f: Facet, value: string, test: () => boolean): boolean => f === but || value === "" || test();
  return isIn("kind", a.kind, () => row.kind === a.kind)
    && isIn("origin", a.origin, () => row.origin === a.origin)
    && isIn("tag", a.tag, () => row.tags.includes(a.tag))
    && isIn("under", a.under, () => folderOf(row).startsWith(a.under))
    && isIn("time", isDate(a.since) ? a.since : "", () => at >= a.since)
    && isIn("time", isDate(a.until) ? a.until : "", () => at.slice(0, a.until.length) <= a.until);
}

export function Filters({ address, overview, facets, open, setOpen }: { address: SearchAddress; overview: OverviewResult | undefined; facets: Found | undefined; open: boolean; setOpen: (open: boolean) => void }): JSX.Element {
  const { go } = useShared();
  const set = (fields: Partial<SearchAddress>): void => go({ ...address, ...fields, limit: pageOfResults });
  const among = (but: Facet): (Hit | Row)[] => (facets?.rows ?? []).filter((r) => fits(r, timeOf(r, facets!.changed), address, but));
  const counts = (but: Facet, of: (r: Hit | Row) => string[], chosen: string): [string, number][] => {
    const n = tally(among(but).flatMap(of));
    if (chosen !== "" && !n.has(chosen)) n.set(chosen, 0);
    return [...n].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  };
  const [kinds, origins, tags, folders, times] = useMemo(() => [
    counts("kind", (r) => [r.kind], address.kind),
    counts("origin", (r) => [r.origin], address.origin),
    counts("tag", (r) => r.tags, address.tag).slice(0, mostTags),
    foldersOf(among("under"), address.under),
    among("time").map((r) => timeOf(r, facets!.changed)),
  ] as const, [facets, JSON.stringify(address)]);
  const choice = (name: string, label: string, value: string, counted: [string, number][], all: string[], put: (v: string) => void, any = "any"): JSX.Element => (
    <div class="filter">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} value={value} onChange={(e) => put(e.currentTarget.value)}>
        <option value="">{any}</option>
        {counted.map(([name, n]) => <option key={name} value={name}>{name} ({digits(n)})</option>)}
        {all.filter((name) => !counted.some(([c]) => c === name)).map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </div>
  );
  const on = [address.kind, address.origin, address.status, address.since && `since ${address.since}`, address.until && `until ${address.until}`, address.asOf && `held on ${address.asOf}`, address.knownAt && `known on ${address.knownAt}`, address.under, address.tag && `#${address.tag}`].filter(Boolean);
  return (
    <aside class="filters" aria-label="Filters">
      <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>Filters{on.length > 0 && <span class="faint"> {on.join(", ")}</span>}</summary>
        <div class="folded">
          {choice("kind", "Kind", address.kind, kinds, (overview?.by_kind ?? []).map((c) => c.name), (kind) => set({ kind }))}
          {choice("origin", "Origin", address.origin, origins, (overview?.by_origin ?? []).map((c) => c.name), (origin) => set({ origin }))}
          {choice("status", "Status", address.status, [], ["all", "superseded", "forgotten"], (status) => set({ status }), "current")}
          <Brush times={times} since={address.since} until={address.until} set={set} />
          <Time name="since" label="Changed since" value={address.since} put={(since) => set({ since })} />
          <Time name="until" label="and until" value={address.until} put={(until) => set({ until })} />
          <Times of={address} set={set} />
          {folders.length > 0 && (
            <div class="filter filter-folders">
              <span id="filter-folders">Folder</span>
              <ul aria-labelledby="filter-folders" class="folders">
                {folders.map((f) => (
                  <li key={f.path} style={{ paddingLeft: `${0.7 * Math.min(4, f.depth)}rem` }}>
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
                  <button key={t} type="button" class="tag" aria-pressed={t === address.tag} onClick={() => set({ tag: t === address.tag ? "" : t })}>#{t} <small>{n}</small></button>
                ))}
              </div>
            </div>
          )}
          {facets && facets.total > facets.rows.length && <p class="hint">Counted among the first {digits(facets.rows.length)} results.</p>}
          {on.length > 0 && <button type="button" class="quiet" onClick={() => set(none)}>No filters</button>}
        </div>
      </details>
    </aside>
  );
}

/** useOpen returns whether the filters are open, as they were left in this browser; at first they are not. */
export function useOpen(): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(() => kept("filters") === "open");
  return [open, (is) => {
    setOpen(is);
    keep("filters", is ? "open" : "");
  }];
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
    .slice(0, mostFolders);
}
