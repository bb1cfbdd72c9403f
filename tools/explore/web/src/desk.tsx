// What waits for a person, as cards: what each is about, what accepting and rejecting it does, and how.
// The cards are built here of what the program says; review.tsx shows them.

import type { JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { undo } from "./actions.tsx";
import { Fault, call, describe, post, read } from "./api.ts";
import { Sites } from "./edges.tsx";
import { keep, kept } from "./kept.ts";
import { Chip, EdgeSign, MemoryLink, sentence } from "./parts.tsx";
import { Fields } from "./past.tsx";
import { plainText } from "./snippet.ts";
import { Doubts } from "./stale.tsx";
import { WaitsContext, useAsk, useShared, type Asked } from "./state.ts";
import { lineOf } from "./text/pieces.ts";
import type { CandidatesResult, Conflict, ConflictsResult, Consequences, Effect, End, GetResult, Inherited, ListResult, Memory, Named, Proposal, Resting, Row, StaleResult, TidyResult } from "./types.ts";
import { day, holding, leaving, titles } from "./words.ts";

/** Deed is a way to settle a card. run returns how to undo it, if that is possible. */
export interface Deed {
  label: string;
  does: string; // "" if it changes nothing else
  said: string;
  run: () => Promise<Outcome>;
}

/** Outcome is how something that was settled is undone, if that is possible, and which edges a successor may take over. */
export interface Outcome {
  undo?: (() => Promise<void>) | undefined;
  offers?: Inherited[] | undefined;
}

export interface Card {
  key: string; // the same when it comes back
  part: string;
  name: string; // for screen readers
  weight: number; // the memories that settling it concerns
  subject?: End & { stale?: StaleResult["memories"][number]["stale"] }; // what else can be done is done to it
  pair?: [Named, Named]; // a guess that may be linked by another kind
  opens?: string; // the id of the memory that Enter opens
  proposal?: string; // its key, which is another one after each change of its memories
  body: JSX.Element;
  accept?: Deed;
  other?: Deed;
  reject?: Deed;
}

export interface Part {
  name: string;
  title: string;
  says: string;
  waits?: boolean; // for a person; the others are suggestions
  key?: "tidy" | "candidates" | "recent"; // how all of it are settled at once
}

/** parts are the kinds of cards; of two that concern as many memories, the earlier kind comes first. */
export const parts: Part[] = [
  { name: "pending", title: "Waiting", says: "An agent asks to store or change it, and nothing of that holds until you accept it.", waits: true },
  { name: "asked", title: "Asked for", says: "An agent asked to change what is trusted more than its word.", waits: true, key: "tidy" },
  { name: "secret", title: "Secrets", says: "It looks as if it held a key or a password.", waits: true, key: "tidy" },
  { name: "same", title: "The same twice", says: "Two memories say the same.", key: "tidy" },
  { name: "replaced", title: "Replaced", says: "A newer memory has another number, date, version or negation.", key: "tidy" },
  { name: "conflict", title: "To settle", says: "They contradict, and one side is supported by more, or is newer.", key: "tidy" },
  { name: "stale", title: "Stale", says: "Something that it rests on is not what it was.", waits: true },
  { name: "conflicts", title: "Contradictions", says: "Both are said to hold, and they cannot both be true.", waits: true },
  { name: "broken", title: "Broken citations", says: "It cites a file of the project, or a line, that is not there.", key: "tidy" },
  { name: "expired", title: "Expired", says: "It says itself that it holds no longer.", key: "tidy" },
  { name: "summarise", title: "Without a summary", says: "Several memories about one thing.", key: "tidy" },
  { name: "fading", title: "Fading", says: "Of little importance, and untouched for 90 days.", key: "tidy" },
  { name: "link", title: "Links", says: "A text names a title, or two memories share neighbours and words.", key: "tidy" },
  { name: "candidates", title: "Candidates", says: "One names the other in plain text, and no edge joins them.", key: "candidates" },
  { name: "recent", title: "New", says: "An agent stored it since you looked last.", waits: true, key: "recent" },
];

const rank = new Map(parts.map((p, i) => [p.name, i]));
const most = 100; // cards of a kind that are asked for
const mostProposals = 200; // largest number of proposals that memory_tidy returns or takes
const pageOfRecent = 200, mostPages = 10; // memories that are looked through for new ones

export interface Desk {
  cards: Card[];
  totals: ReadonlyMap<string, number>; // by part
  asked: Asked<unknown>[]; // what the cards are built of
}

/** numberOf returns how many proposals of a kind there are. */
export function numberOf(r: TidyResult | undefined, what: string): number {
  return (r?.proposals ?? []).filter((p) => p.what === what).length + ((r?.not_shown ?? []).find((c) => c.name === what)?.count ?? 0);
}

/** useRecent asks for what agents stored since one looked last. What is stale or contradicted is a card of that. */
export function useRecent(canWait: boolean): Asked<Row[]> {
  const looked = useLooked();
  const asked = useAsk<Row[]>("recent", async (signal) => {
    const found: Row[] = [];
    for (let n = 0, cursor: string | undefined = ""; cursor !== undefined && found.length < most && n < mostPages; n++) {
      const r: ListResult = await call("memory_list", { order: "created", since: firstLook, limit: pageOfRecent, ...(cursor && { cursor }) }, signal);
      found.push(...r.memories.filter((m) => isNew(m, looked)));
      cursor = r.next;
    }
    return found;
  }, { canWait });
  return { ...asked, data: useMemo(() => asked.data?.filter((m) => isNew(m, looked)), [asked.data, looked.seen.size]) };
}

/** useDesk asks for everything that waits. */
export function useDesk(): Desk {
  const { can, canWrite } = useShared(), { recent } = useContext(WaitsContext);
  const looked = useLooked();
  const stale = useAsk<StaleResult>(can("stale") ? "desk stale" : null, (signal) => post("stale", { limit: most }, signal));
  const conflicts = useAsk<ConflictsResult>(can("conflicts") ? "desk conflicts" : null, (signal) => post("conflicts", { limit: most }, signal));
  const tidy = useAsk<TidyResult>(can("memory_tidy") ? "desk tidy" : null, (signal) => call("memory_tidy", { limit: mostProposals }, signal));
  const candidates = useAsk<CandidatesResult>(can("candidates") ? "desk candidates" : null, (signal) => post("candidates", { limit: most }, signal));
  const pairs = conflicts.data?.conflicts ?? [];
  const doubted = [...pairs.flatMap((c) => [c.a.id, c.b.id]), ...(stale.data?.memories ?? []).map((m) => m.id)];
  const ids = [...new Set([...doubted, ...(recent.data ?? []).map((m) => m.id), ...(stale.data?.memories ?? []).flatMap(successors)])];
  const texts = useAsk(ids.length === 0 ? null : `desk texts ${ids.join()}`, (signal) => describe(ids, signal));
  const fates = [...new Set([...ids, ...(tidy.data?.proposals ?? []).flatMap(gone)])].sort();
  const resting = useAsk<{ memories: Resting[] }>(fates.length === 0 ? null : `desk resting ${fates.join()}`, (signal) => post("resting", { ids: fates }, signal));
  const built = useMemo(() => {
    const told: Told = new Map((resting.data?.memories ?? []).map((m) => [m.asked, m]));
    const said: Said = new Map((texts.data ?? []).map((m) => [m.id, m]));
    const both = new Set(pairs.map((c) => pairKey(c.a.id, c.b.id)));
    const settles = new Map<string, Proposal>(); // what the rules would do of a contradiction
    const proposals: Card[] = [], named = new Map((tidy.data?.proposals ?? []).flatMap((p) => p.memories.map((m) => [m.id, m.title])));
    for (const p of tidy.data?.proposals ?? []) {
      const pair = pairKey(p.memories[0]?.id ?? "", p.memories[1]?.id ?? "");
      if (p.what === "conflict" && both.has(pair)) settles.set(pair, p);
      else proposals.push(ofProposal(p, told, named, looked));
    }
    const cards = [
      ...proposals,
      ...(stale.data?.memories ?? []).map((m) => ofMemory(m, told, said, looked)),
      ...pairs.map((c) => ofConflict(c, settles.get(pairKey(c.a.id, c.b.id)), said, told)),
      ...(candidates.data?.candidates ?? []).map((c) => ofCandidate(c)),
      ...(recent.data ?? []).map((m) => ofMemory(m, told, said, looked)),
    ].map((c) => (canWrite ? c : { ...c, accept: undefined, other: undefined, reject: undefined } as Card));
    cards.sort((a, b) => b.weight - a.weight || (rank.get(a.part) ?? 99) - (rank.get(b.part) ?? 99));
    const totals = new Map<string, number>();
    for (const c of cards) totals.set(c.part, (totals.get(c.part) ?? 0) + 1);
    for (const c of tidy.data?.not_shown ?? []) totals.set(c.name, (totals.get(c.name) ?? 0) + c.count);
    for (const [name, r] of [["stale", stale.data], ["conflicts", conflicts.data], ["candidates", candidates.data]] as const) if (r?.total_count) totals.set(name, r.total_count);
    return { cards, totals };
  }, [stale.data, conflicts.data, tidy.data, candidates.data, recent.data, texts.data, resting.data, canWrite]);
  return { ...built, asked: [stale, conflicts, tidy, candidates, recent, texts, resting] };
}

type Told = ReadonlyMap<string, Resting>;
type Said = ReadonlyMap<string, GetResult["memories"][number]>;

const isNew = (m: Row, looked: Looked): boolean => m.origin === "agent" && !m.stale && !m.contradicted_by && !looked.seen.has(m.id.slice(-12));

const text = (of: GetResult["memories"][number] | undefined, before = ""): JSX.Element | undefined => of && <p class="hint side-text">{before}{lineOf(of.content ?? "", of.title)}</p>;

/** successors returns the ids of what took the place of what a stale memory rests on. */
const successors = (m: StaleResult["memories"][number]): string[] => [...new Set(m.stale.flatMap((d) => d.successor?.id ?? []))];

const pairKey = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** gone returns the names of the memories that accepting a proposal supersedes or forgets. */
function gone(p: Proposal): string[] {
  const a = p.call.arguments, text = (x: unknown): string[] => (typeof x === "string" ? [x] : Array.isArray(x) ? x.flatMap(text) : []);
  switch (p.call.tool) {
    case "memory_link": return a["type"] === "supersedes" ? text(a["to"]) : [];
    case "memory_forget": return text(a["id"]);
    case "memory_store": return text(a["supersedes"]);
    default: return [];
  }
}

/** effect returns what the program foretells of a call that waits. */
function effect(e: Effect): string {
  if (e.refused) return `It cannot be accepted now: ${e.refused}.`;
  const parts = [
    e.supersedes.length > 0 && `supersedes ${titles(e.supersedes)}`,
    e.now_stale?.length && `makes ${titles(e.now_stale, e.now_stale_count)} stale`,
    ...(e.conflicts ?? []).map((c) => `lets “${c.a.title}” contradict “${c.b.title}”`),
  ].filter(Boolean);
  return parts.length === 0 ? "Nothing else changes." : `It ${parts.join(", and ")}.`;
}

/** outcomeOf returns how to take back a change that an answer has the number of, and what the answer offers. */
function outcomeOf(r: unknown): Outcome {
  const { change, takes_over } = (r ?? {}) as Consequences;
  return { undo: change ? async () => void (await undo(change, true)) : undefined, offers: takes_over };
}

const deed = (label: string, does: string, said: string, what: () => Promise<unknown>): Deed => ({ label, does, said, run: async () => outcomeOf(await what()) });

/** settle accepts or rejects proposals. */
export function settle(how: "accept" | "reject", keys: string[]): () => Promise<Outcome> {
  return async () => {
    const done = outcomeOf(await call<TidyResult>("memory_tidy", { [how]: keys }));
    return done.undo || how === "accept" || keys.some((k) => k.startsWith("pending-")) ? done : { undo: async () => void (await post("reconsider", { keys })) };
  };
}

/** dismiss dismisses guesses. */
export function dismiss(which: { ids: string[] } | { all: true }): () => Promise<Outcome> {
  return async () => {
    const done = await post<{ at: string }>("dismiss", which);
    return { undo: async () => void (await post("dismiss", { back: done.at })) };
  };
}

/** doing returns what accepting a proposal does; leave are the memories that it supersedes or forgets. */
function doing(p: Proposal, leave: Resting[]): string {
  if (p.does) return effect(p.does);
  if (p.what === "secret") return "A word that names its kind takes the place of the secret, also in properties. The log keeps the text before until it is purged.";
  if (p.what === "summarise") return "It stores a summary that is derived from these. They stay.";
  if (p.call.tool === "memory_unlink") return "The edge stays out for good.";
  if (leave.length === 0 && p.call.arguments["type"]) return `It links the first to the second by ${p.call.arguments["type"]}.`;
  return leaving(p.call.tool === "memory_forget" ? "forgets" : "supersedes", leave);
}

/** Wish shows what a call that waits asks for: of an update the fields that change, of links their kinds, ends and notes. */
function Wish({ of: p, named }: { of: Proposal; named: ReadonlyMap<string, string> }): JSX.Element | null {
  const { tool, arguments: a } = p.call;
  const was = useAsk<Memory>(tool === "memory_update" ? `before ${a["id"]}` : null, (signal) => read(String(a["id"]), signal));
  const end = (id: string): JSX.Element => {
    const there = p.memories.find((m) => m.id === id);
    return there ? <MemoryLink of={there} /> : <strong>{named.get(id) ?? id}</strong>;
  };
  if (linking.test(tool)) return <>{((a["links"] ?? [a]) as Record<string, string>[]).map((l, i) => <p key={i} class="card-head">{end(l["from"]!)} <EdgeSign kind={l["type"] ?? ""} /> <span class="faint">{l["type"]}</span> {end(l["to"]!)} {l["note"] && <span class="hint">{l["note"]}</span>}</p>)}</>;
  const before = was.data as unknown as Record<string, unknown> | undefined;
  return tool !== "memory_update" || was.loading ? null : <Fields of={Object.entries(a).filter(([name]) => !/^(id|source|expected_revision|wording_only)$/.test(name)).map(([name, after]) => ({ name, before: before?.[name], after }))} />;
}

const linking = /^memory_(un)?link$/;

function ofProposal(p: Proposal, told: Told, named: ReadonlyMap<string, string>, looked: Looked): Card {
  const leave = gone(p).flatMap((id) => told.get(id) ?? []);
  const name = p.memories[0]?.title ?? p.what, waits = p.what === "pending";
  const accept = async (): Promise<Outcome> => {
    const done = await settle("accept", [p.key])();
    if (waits) await looked.mark(p.memories.map((m) => m.id), 0)(); // it is not new to who has just accepted it
    return done;
  };
  const there = !waits || !p.does?.refused && !/_(store|checkpoint)$/.test(p.call.tool); // what it is about is in the store
  const weight = p.does ? 2 + (p.does.supersedes ?? []).length + (p.does.now_stale_count ?? p.does.now_stale?.length ?? 0) : (p.what === "secret" ? 2 : 0) + leave.reduce((n, m) => n + 1 + m.count, 0);
  return {
    key: waits || p.what === "asked" ? p.key : `${p.what} ${p.memories.map((m) => m.id).join(" ")}`, part: p.what, name, weight, proposal: p.key,
    ...(there && p.memories[0] && { opens: p.memories[0].id }),
    body: (
      <>
        {!(waits && linking.test(p.call.tool)) && (
          <ul class="plain">
            {p.memories.map((m) => (
              <li key={m.id}>
                {there ? <MemoryLink of={m} /> : <strong class="title">{m.title}</strong>} <time class="faint" dateTime={m.at}>{day(m.at)}</time>
                {m.text && !(waits && p.call.arguments["content"] && there) && <p class="hint">{plainText(m.text)}</p>}
              </li>
            ))}
          </ul>
        )}
        {waits && <Wish of={p} named={named} />}
        <p class="hint">{sentence(p.does ? p.why.replace(/; (?:that (?:supersedes|makes|brings) |nothing else changes by that|it cannot be accepted now).*$/s, "") : p.why)}</p>
      </>
    ),
    accept: { label: "Accept", does: doing(p, leave), said: `Accepted: ${name}.`, run: accept },
    reject: { label: "Reject", does: waits ? "It is thrown away for good." : "Nothing changes, and it is not proposed again.", said: `Rejected: ${name}.`, run: settle("reject", [p.key]) },
  };
}

/** ofMemory returns the card of one memory: one that is stale, or a new one. */
function ofMemory(m: StaleResult["memories"][number] | Row, told: Told, said: Said, looked: Looked): Card {
  const fate = told.get(m.id), isFresh = "origin" in m;
  const part = isFresh ? "recent" : "stale";
  return {
    key: `${part} ${m.id}`, part, name: m.title, weight: isFresh ? 0 : 1 + (fate?.count ?? 0), subject: m, opens: m.id,
    body: (
      <>
        <div class="card-head"><MemoryLink of={m} status={m.status} /><Chip>{m.kind}</Chip>{isFresh && <><span class="faint">{m.actor}</span> <time class="faint" dateTime={m.created_at}>{day(m.created_at)}</time></>}</div>
        {text(said.get(m.id))}
        {!isFresh && <><Doubts of={m} doubts={m.stale} />{successors(m).map((id) => text(said.get(id), "Now: "))}</>}
      </>
    ),
    accept: isFresh ? { label: "Seen", does: "", said: `Seen: ${m.title}.`, run: looked.mark([m.id]) } : deed("It still holds", holding(fate), `“${m.title}” is verified.`, () => call("memory_verify", { id: m.id })),
    reject: deed("Forget", leaving("forgets", fate ? [fate] : []), `“${m.title}” is forgotten.`, () => call("memory_forget", { id: m.id })),
  };
}

function ofConflict(c: Conflict, rule: Proposal | undefined, said: Said, told: Told): Card {
  const at = (e: End): string => said.get(e.id)?.created_at ?? "";
  const first = rule?.memories[0]?.id ?? (at(c.b) > at(c.a) ? c.b.id : c.a.id); // as the rules would settle it, else the newer
  const [one, other] = first === c.b.id ? [c.b, c.a] : [c.a, c.b];
  const side = (e: End): JSX.Element => {
    const m = said.get(e.id);
    return (
      <div class="side">
        <p class="card-head"><MemoryLink of={e} status={e.status} />{m && <time class="faint" dateTime={m.created_at}>{day(m.created_at)}</time>}</p>
        {text(m)}
      </div>
    );
  };
  const holds = (which: string, winner: End, loser: End): Deed => {
    const fate = told.get(loser.id);
    return deed(`The ${which} holds`, leaving("supersedes", fate ? [fate] : []), `“${winner.title}” holds, and “${loser.title}” is superseded.`,
      () => call("memory_link", { from: winner.id, to: loser.id, type: "supersedes", ...(c.note && { note: c.note }) }));
  };
  return {
    key: `conflict ${pairKey(c.a.id, c.b.id)}`, part: "conflicts", name: `${one.title} and ${other.title}`, weight: 2 + (told.get(other.id)?.count ?? 0), opens: one.id,
    body: (
      <>
        <div class="sides">{side(one)}<p class="between"><EdgeSign kind="contradicts" /><span class="hush"> contradicts </span></p>{side(other)}</div>
        {(c.note || rule) && <p class="hint">{sentence(c.note ?? rule!.why)}</p>}
      </>
    ),
    accept: holds("first", one, other),
    other: holds("second", other, one),
    reject: deed("They do not contradict", "Both stay.", `“${one.title}” and “${other.title}” do not contradict.`, async () => {
      const r = await call<{ removed: number; warnings: string[] }>("memory_unlink", { from: c.a.id, to: c.b.id, type: "contradicts" });
      if (r.removed === 0) throw new Fault("conflict", r.warnings[0] ?? "the edge is declared elsewhere, and stays", 0);
      return r;
    }),
  };
}

function ofCandidate(c: CandidatesResult["candidates"][number]): Card {
  const name = `${c.from.title} names ${c.to.title}`;
  return {
    key: `candidate ${c.id}`, part: "candidates", name, weight: 0, pair: [c.from, c.to], opens: c.from.id,
    body: <><div class="card-head"><MemoryLink of={c.from} /> <span class="faint">names</span> <MemoryLink of={c.to} /></div><Sites of={c.sites} /></>,
    accept: deed("Relate them", "It links the two by relates-to.", `Linked: ${c.from.title} —relates-to→ ${c.to.title}.`, () => call("memory_link", { from: c.from.id, to: c.to.id, type: "relates-to" })),
    reject: { label: "Dismiss", does: "", said: "Dismissed 1 candidate.", run: dismiss({ ids: [c.id] }) },
  };
}

/** Looked says what of the agents' memories was seen in this browser. */
interface Looked {
  seen: ReadonlyMap<string, number>; // when, by the end of the id
  mark: (ids: string[], fixed?: number) => () => Promise<Outcome>; // fixed 0: it stands in no list of changes
  unmark: (at: number) => void;
}

const mostSeen = 2000; // ids that are kept; what is older than firstLook is not asked for
const firstLook = "30d";

export function useLooked(): Looked {
  const { about } = useShared();
  const name = `seen ${about.path || about.database}`;
  const read = (): Map<string, number> => new Map(kept(name).split(" ").filter(Boolean).map((word) => [word.split("@")[0]!, Number(word.split("@")[1] ?? 0)]));
  const put = (seen: Map<string, number>): void => keep(name, [...seen].slice(-mostSeen).map(([id, at]) => `${id}@${at}`).join(" "));
  const seen = read();
  const unmark = (at: number): void => put(new Map([...read()].filter((s) => s[1] !== at)));
  return {
    seen,
    mark: (ids, fixed) => async () => {
      const at = fixed ?? Date.now();
      put(new Map([...read(), ...ids.map((id): [string, number] => [id.slice(-12), at])]));
      return { undo: async () => unmark(at) };
    },
    unmark,
  };
}
