// The address (URL) of every view, so that a view can be shared and reloaded. parse reads an
// address and format writes it; each is the inverse of the other.

/** AtTimes holds the two times that a request is about, as the user wrote them; "" means now. */
export interface AtTimes {
  asOf: string; // valid time: show what was valid then
  knownAt: string; // known time: show what the store contained then
}

export interface SearchAddress extends AtTimes {
  view: "search";
  q: string;
  kind: string;
  tag: string;
  origin: string;
  status: string; // "", all, superseded, forgotten
  since: string; // only memories stored or changed since then
  until: string;
  under: string; // a folder, prefixed with the name of its vault
  sort: string; // "": best match first; "new" or "old": by the time of the last change
  limit: number;
}

export interface MemoryAddress {
  view: "memory";
  id: string;
  anchor: string; // id of a heading, block or footnote in its text; "" for the beginning
}

export interface GraphAddress extends AtTimes {
  view: "graph";
  seed: string;
  depth: number;
  off: string[]; // kinds of edges that are hidden
  superseded: boolean; // whether superseded memories are shown
  open: string[]; // ids of memories whose neighbours were added
  from: string;
  to: string;
  of: string; // what to draw without a seed: "memories", "code" or "packages"
  by: string; // colour scheme: "area", "folder", "tag", "kind", "status", or "tag:topic" for the tags below topic/
  area: number; // index of the selected area; -1 for all areas
}

export interface OverviewAddress extends AtTimes {
  view: "overview";
  days: number;
}

export interface ReviewAddress {
  view: "review";
  part?: string; // the only kind of cards that is shown
}

export interface LostAddress {
  view: "lost";
  path: string;
}

export type Address = SearchAddress | MemoryAddress | GraphAddress | OverviewAddress | ReviewAddress | LostAddress;

const root = "/explore/";

export const pageOfResults = 20;
export const mostResults = 100; // largest limit of memory_search
export const mostListed = 200; // largest limit of memory_list
const defaultOff = ["mentions"]; // mentions are guesses, so they are hidden by default
const defaultDays = 30;

export function search(fields: Partial<SearchAddress> = {}): SearchAddress {
  return { view: "search", q: "", kind: "", tag: "", origin: "", status: "", since: "", until: "", under: "", sort: "", asOf: "", knownAt: "", limit: pageOfResults, ...fields };
}

export function memory(id: string, anchor = ""): MemoryAddress {
  return { view: "memory", id, anchor };
}

export function graph(fields: Partial<GraphAddress> = {}): GraphAddress {
  return { view: "graph", seed: "", depth: 1, off: defaultOff, superseded: true, open: [], from: "", to: "", of: "memories", by: "area", area: -1, asOf: "", knownAt: "", ...fields };
}

export function overview(fields: Partial<OverviewAddress> = {}): OverviewAddress {
  return { view: "overview", days: defaultDays, asOf: "", knownAt: "", ...fields };
}

export function review(part?: string): ReviewAddress {
  return part ? { view: "review", part } : { view: "review" };
}

/** Part is how a field of an address stands in its URL: its name, and the value of a text; undefined for the usual value. */
type Part = [name: string, read: (text: string) => unknown];

const asIs = (text: string): string => text;
const trimmed = (text: string): string => text.trim();
const list = (text: string): string[] => text.split(",").filter(Boolean);
const among = (allowed: RegExp) => (text: string): string | undefined => (allowed.test(text) ? text : undefined);
const number = (min: number, max: number) => (text: string): number | undefined => {
  const n = Number.parseInt(text, 10);
  return Number.isNaN(n) ? undefined : Math.min(max, Math.max(min, n));
};

const times: Record<string, Part> = { asOf: ["as_of", trimmed], knownAt: ["known_at", trimmed] };
const parts: Record<string, Record<string, Part>> = {
  search: {
    q: ["q", asIs], kind: ["kind", asIs], tag: ["tag", asIs], origin: ["origin", asIs], status: ["status", among(/^(?:all|superseded|forgotten)$/)],
    since: ["since", trimmed], until: ["until", trimmed], under: ["under", asIs], sort: ["sort", among(/^(?:new|old)$/)], limit: ["limit", number(1, mostListed)], ...times,
  },
  graph: {
    seed: ["seed", asIs], depth: ["depth", number(1, 3)], off: ["off", list], superseded: ["superseded", (text) => text !== "hide"], open: ["open", list], from: ["from", asIs], to: ["to", asIs],
    of: ["of", among(/^(?:code|packages)$/)], by: ["by", among(/^(?:folder|tag|tag:.+|kind|status)$/)], area: ["area", number(-1, 1e9)], ...times,
  },
  overview: { days: ["days", number(7, 366)], ...times },
};
const usual: Record<string, () => object> = { search, graph, overview };

/** written returns a value as it stands in a URL. */
function written(value: unknown): string {
  return typeof value === "boolean" ? (value ? "" : "hide") : String(value); // a list is joined by commas
}

export function parse(pathname: string, query: string, hash = ""): Address {
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname.replace(/^\/explore$/, "");
  const [name = "", ...rest] = path.split("/");
  const view = name === "" ? "search" : name, id = decode(rest.join("/"));
  if (view === "memory" && id !== "") return memory(id, /^#(?:[hb]|f[nr])-/.test(hash) ? hash.slice(1) : "");
  if (view === "review" && rest.length === 0) return review(/^#([a-z]+)$/.exec(hash)?.[1]);
  if (rest.length > 0 || !Object.hasOwn(usual, view)) return { view: "lost", path: pathname };
  const q = new URLSearchParams(query), address = usual[view]!() as Record<string, unknown>;
  for (const [field, [key, read]] of Object.entries(parts[view]!)) if (q.has(key)) address[field] = read(q.get(key)!) ?? address[field];
  return address as unknown as Address;
}

/** format returns the shortest URL of an address: parameters with usual values are omitted. */
export function format(a: Address): string {
  if (a.view === "lost") return a.path;
  if (a.view === "memory") return root + "memory/" + encodeURIComponent(a.id) + (a.anchor === "" ? "" : "#" + a.anchor);
  if (a.view === "review") return root + "review" + (a.part ? "#" + a.part : "");
  const q = new URLSearchParams(), values = a as unknown as Record<string, unknown>, plain = usual[a.view]!() as Record<string, unknown>;
  for (const [field, [key]] of Object.entries(parts[a.view]!)) if (written(values[field]) !== written(plain[field])) q.set(key, written(values[field]));
  return root + (a.view === "search" && q.size > 0 ? "" : a.view) + (q.size > 0 ? "?" + q.toString() : ""); // the bare address leads to Review if something waits
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % that the user typed
  }
}
