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

export function parse(pathname: string, query: string, hash = ""): Address {
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname.replace(/^\/explore$/, "");
  const [name = "", ...rest] = path.split("/");
  const q = new URLSearchParams(query);
  const text = (key: string): string => q.get(key) ?? "";
  const list = (key: string): string[] => text(key).split(",").filter(Boolean);
  const number = (key: string, fallback: number, min: number, max: number): number => {
    const n = Number.parseInt(text(key), 10);
    return Number.isNaN(n) ? fallback : Math.min(max, Math.max(min, n));
  };
  const times: AtTimes = { asOf: text("as_of").trim(), knownAt: text("known_at").trim() };
  if (rest.length > 0 && name !== "memory") return { view: "lost", path: pathname };
  switch (name) {
    case "":
    case "search":
      return search({
        q: text("q"),
        kind: text("kind"),
        tag: text("tag"),
        origin: text("origin"),
        status: ["all", "superseded", "forgotten"].includes(text("status")) ? text("status") : "",
        since: text("since").trim(),
        until: text("until").trim(),
        under: text("under"),
        sort: ["new", "old"].includes(text("sort")) ? text("sort") : "",
        limit: number("limit", pageOfResults, 1, mostListed),
        ...times,
      });
    case "memory": {
      const id = decode(rest.join("/"));
      return id === "" ? { view: "lost", path: pathname } : memory(id, /^#(?:[hb]|f[nr])-/.test(hash) ? hash.slice(1) : "");
    }
    case "graph":
      return graph({
        seed: text("seed"),
        depth: number("depth", 1, 1, 3),
        off: q.has("off") ? list("off") : defaultOff,
        superseded: text("superseded") !== "hide",
        open: list("open"),
        from: text("from"),
        to: text("to"),
        of: ["code", "packages"].includes(text("of")) ? text("of") : "memories",
        by: /^(?:folder|tag|tag:.+|kind|status)$/.test(text("by")) ? text("by") : "area",
        area: number("area", -1, -1, 1e9),
        ...times,
      });
    case "overview":
      return overview({ days: number("days", defaultDays, 7, 366), ...times });
    case "review":
      return review(/^#([a-z]+)$/.exec(hash)?.[1]);
    default:
      return { view: "lost", path: pathname };
  }
}

/** format returns the shortest URL of an address: parameters with default values are omitted. */
export function format(a: Address): string {
  const q = new URLSearchParams();
  const put = (key: string, value: string | number, fallback: string | number = ""): void => {
    if (value !== fallback) q.set(key, String(value));
  };
  const putTimes = (of: AtTimes): void => {
    put("as_of", of.asOf);
    put("known_at", of.knownAt);
  };
  let path = root;
  switch (a.view) {
    case "search":
      put("q", a.q);
      put("kind", a.kind);
      put("tag", a.tag);
      put("origin", a.origin);
      put("status", a.status);
      put("since", a.since);
      put("until", a.until);
      put("under", a.under);
      put("sort", a.sort);
      put("limit", a.limit, pageOfResults);
      putTimes(a);
      if (q.size === 0) path += "search"; // the bare address leads to Review if something waits
      break;
    case "memory":
      return path + "memory/" + encodeURIComponent(a.id) + (a.anchor === "" ? "" : "#" + a.anchor);
    case "graph":
      path += "graph";
      put("seed", a.seed);
      put("depth", a.depth, 1);
      put("off", a.off.join(","), defaultOff.join(","));
      put("superseded", a.superseded ? "" : "hide");
      put("open", a.open.join(","));
      put("from", a.from);
      put("to", a.to);
      put("of", a.of, "memories");
      put("by", a.by, "area");
      put("area", a.area, -1);
      putTimes(a);
      break;
    case "overview":
      path += "overview";
      put("days", a.days, defaultDays);
      putTimes(a);
      break;
    case "review":
      return path + "review" + (a.part ? "#" + a.part : "");
    case "lost":
      return a.path;
  }
  const query = q.toString();
  return query === "" ? path : path + "?" + query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % that the user typed
  }
}
