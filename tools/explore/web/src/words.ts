// Formats numbers, times and reasons as English text.

import type { Consequences, Doubt, Hit, Reason, Resting, Row } from "./types.ts";

const number = new Intl.NumberFormat("en-GB");

export function digits(n: number): string {
  return number.format(n);
}

export function count(n: number, one: string, many = one + "s"): string {
  return `${digits(n)} ${n === 1 ? one : many}`;
}

export function ordinal(n: number): string {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return digits(n) + tail;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const minuteFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** day returns the date of a time in UTC; the store keeps all times in UTC. */
export function day(at: string): string {
  const t = new Date(at);
  return Number.isNaN(t.getTime()) ? at : dayFormat.format(t);
}

/** dateOf returns the date of a time in milliseconds since 1970, as addresses have it. */
export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function minute(at: string): string {
  const t = new Date(at);
  return Number.isNaN(t.getTime()) ? at : minuteFormat.format(t) + " UTC";
}

const reasons: Record<Reason, string> = {
  superseded: "was superseded",
  forgotten: "was forgotten",
  contradicted: "is contradicted",
  changed: "reads otherwise than it did",
};

/** because returns what happened to a memory that a stale memory rests on. */
export function because(d: Doubt): string {
  return reasons[d.reason] ?? d.reason;
}

/** titles returns the titles of at most three of some memories, and how many more there are. */
export function titles(of: readonly { title: string }[], n = of.length): string {
  const shown = of.slice(0, 3).map((m) => `“${m.title}”`), more = n - shown.length;
  return shown.length > 1 && more <= 0 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown.join(", ") + (more > 0 ? ` and ${digits(more)} more` : "");
}

/** leaving returns what happens when memories leave: "It supersedes X, and leaves Y stale": some may be so already. */
export function leaving(verb: string, of: readonly Resting[]): string {
  const n = of.reduce((sum, m) => sum + m.count, 0);
  return of.length === 0 ? "" : `It ${verb} ${titles(of)}${n === 0 ? "" : `, and leaves ${titles(of.flatMap((m) => m.resting), n)} stale`}.`;
}

/** holding returns what happens when somebody says that a stale memory still holds. */
export function holding(of: Resting | undefined): string {
  const n = of?.clears.length ?? 0;
  return `It is verified, and stale no more.${n === 0 ? "" : ` So ${n === 1 ? "is" : "are"} ${titles(of!.clears)}, stale by it alone.`}`;
}

/** consequences returns sentences on what a change made stale or contradictory; "" if nothing. */
export function consequences(r: Consequences | undefined): string {
  const stale = r?.now_stale ?? [], number = r?.now_stale_count ?? stale.length;
  const said = (r?.conflicts ?? []).slice(0, 2).map((c) => `“${c.a.title}” and “${c.b.title}” contradict each other.`);
  if (number > 0) said.unshift(`${count(number, "memory is", "memories are")} stale now: ${titles(stale, number)}.`);
  return said.map((s) => " " + s).join("");
}

/** why returns the reasons why a search found this hit. titles maps ids of memories to titles. */
export function why(hit: Hit, titles: ReadonlyMap<string, string>): string[] {
  const said: string[] = [];
  if (hit.why.title) said.push("it has this name");
  if (hit.why.keyword_rank) said.push(hit.why.keyword_rank === 1 ? "best match of the words" : `${ordinal(hit.why.keyword_rank)} by its words`);
  if (hit.why.vector_rank) {
    const near = (hit.why.meaning ?? []).join(", ");
    said.push((hit.why.vector_rank === 1 ? "nearest in meaning" : `${ordinal(hit.why.vector_rank)} by its meaning`) + (near === "" ? "" : ` (${near})`));
  }
  if (hit.why.time) said.push(`of ${hit.why.time}`);
  const lenders = hit.why.graph ?? [];
  for (const g of lenders.slice(0, 2)) {
    const title = titles.get(g.from);
    said.push(title ? `${percent(g.share)} lent by “${title}” (${g.type})` : `${percent(g.share)} lent by a neighbour (${g.type})`);
  }
  if (lenders.length > 2) said.push(`and by ${count(lenders.length - 2, "more neighbour")}`);
  return said;
}

/** percent formats a share of a search score. */
function percent(share: number): string {
  const n = Math.round(share * 100);
  return n < 1 ? "under 1%" : `${n}%`;
}

/**
 * folderOf returns the folder of a note, prefixed with the name of its vault, as search takes it;
 * "" for other memories.
 */
export function folderOf(m: Pick<Row, "uri">): string {
  return /^[a-z-]+:\/\/(.*\/)[^/]*$/.exec(m.uri ?? "")?.[1] ?? "";
}

/** pathQuery returns the query that finds the memories in a folder. */
export function pathQuery(folder: string): string {
  return /\s/.test(folder) ? `path:"${folder}"` : "path:" + folder;
}

/** place returns the vault and folders of a note; for other memories, their origin and author. */
export function place(m: Pick<Row, "uri" | "origin" | "actor">): string {
  if (m.uri) {
    const path = m.uri.replace(/^[a-z-]+:\/\//, "");
    return path.replace(/\/[^/]*$/, "/");
  }
  return m.actor === "" ? m.origin : `${m.origin} · ${m.actor}`;
}

const actions: Record<string, string> = {
  store: "stored",
  update: "edited",
  supersede: "superseded",
  reinstate: "made current again",
  forget: "forgot",
  restore: "restored",
  verify: "verified",
  purge: "purged",
  link: "linked",
  relink: "changed a link of",
  unlink: "unlinked",
  // commands: the log shows all changes of one command in one line
  import: "imported",
  merge: "merged",
  tidy: "tidied",
  undo: "took back",
  review: "accepted",
  create_note: "made the note",
  update_note: "edited the note",
  set_frontmatter: "edited the properties of",
  move_note: "moved a note to",
  code_patch: "changed the code of",
};

export function did(action: string): string {
  return actions[action] ?? action;
}
