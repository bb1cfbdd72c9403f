// The desk: everything that waits for a person as one list of cards, the most consequential first, each
// settled by a key or a button, and undone in its place; and the latest changes.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Actions, LinkDialog, undo, useDeed, useTakeBack } from "./actions.tsx";
import { memory, review, type ReviewAddress } from "./address.ts";
import { call, post, type Fault } from "./api.ts";
import { dismiss, parts, settle, useDesk, useLooked, type Card, type Deed, type Desk, type Part } from "./desk.tsx";
import { Answer, EdgeSign, Link, Trouble } from "./parts.tsx";
import { asFault, useAsk, useKey, useShared, useTitle } from "./state.ts";
import type { Change, Inherited, JournalResult } from "./types.ts";
import { count, did, digits, minute } from "./words.ts";

const atOnce = 30; // cards that are shown before one asks for more

/** Act is what was settled here at once. */
interface Act {
  part: string;
  keys: string[];
  said: string;
  undo: (() => Promise<void>) | undefined;
  offers: Inherited[];
}

/** held is what stays of the desk while one reads a memory, or another part of the desk. */
const held = {
  desk: undefined as Pick<Desk, "cards" | "totals"> | undefined, // as it was when all of it had been read: cards do not grow under the hand
  acts: [] as Act[],
  hidden: new Set<string>(), // keys that were settled, until the program says what waits now
  order: [] as string[], // keys as they were first shown, so that nothing moves under the hand
  at: "", // the marked card
};

export function ReviewView({ address }: { address: ReviewAddress }): JSX.Element {
  const { canWrite, can } = useShared();
  useTitle("Review");
  const desk = useDesk();
  return (
    <div class="review">
      <h1>Review</h1>
      {!canWrite && <p class="note">This store is shown for reading only: you can look, and nothing can be changed here.</p>}
      <div class="review-room">
        <Cards key={address.part ?? ""} desk={desk} part={parts.find((p) => p.name === address.part)} />
        {can("journal") && <Changes />}
      </div>
    </div>
  );
}

function Cards({ desk, part }: { desk: Desk; part: Part | undefined }): JSX.Element {
  const { changed, canWrite, go } = useShared();
  const [, draw] = useState(0);
  const [fault, setFault] = useState<{ key: string; of: Fault }>();
  const [limit, setLimit] = useState(atOnce);
  const busy = useRef(false);
  const list = useRef<HTMLOListElement>(null);
  const { cards, totals } = held.desk ?? { cards: [], totals: new Map<string, number>() };
  const open = new Map(cards.filter((c) => (!part || c.part === part.name) && !held.hidden.has(c.key)).map((c) => [c.key, c]));
  const loading = held.desk === undefined, asking = desk.asked.some((a) => a.loading);
  const redraw = (): void => draw((n) => n + 1);
  useLayoutEffect(() => { // before the next event: a card that is settled meanwhile is not in these answers
    if (asking) return;
    held.desk = desk;
    const there = new Set(desk.cards.map((c) => c.key));
    held.hidden.clear();
    held.acts = held.acts.filter((a) => !a.keys.some((k) => there.has(k))); // what waits again was taken back elsewhere
    held.order.push(...[...there].filter((k) => !held.order.includes(k)));
    redraw();
  }, [desk.cards, asking]);
  useEffect(() => {
    if (!loading && held.at !== "") show(held.at);
  }, [loading]);
  const last = held.acts.at(-1), place = last && (!part || last.part === part.name) ? last.keys[0] : undefined; // where the last act is shown
  const shown = held.order.filter((k) => open.has(k) || k === place);
  const keys = shown.slice(0, limit);
  const waiting = keys.filter((k) => open.has(k));
  const marked = open.has(held.at) ? held.at : (waiting[0] ?? "");

  const mark = (key: string): void => {
    if (held.at === key) return;
    held.at = key;
    redraw();
  };
  const show = (key: string): void => {
    mark(key);
    requestAnimationFrame(() => {
      const card = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
      card?.focus({ preventScroll: true });
      card?.scrollIntoView({ block: "nearest" });
    });
  };
  const alone = async (key: string, what: () => Promise<void>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setFault(undefined);
    await what().catch((e: unknown) => setFault({ key, of: asFault(e) }));
    busy.current = false;
  };
  const carryOut = (cards: Card[], deed: Deed): Promise<void> => alone(cards[0]?.key ?? "", async () => {
    const first = cards[0]!, group = cards.map((c) => c.key), i = keys.indexOf(first.key);
    const { undo, offers = [] } = await deed.run();
    const done: Act = { part: first.part, keys: group, said: deed.said, offers, undo: undo && (async () => {
      await undo();
      held.acts = held.acts.filter((a) => a !== done);
      show(first.key);
      changed(`Taken back: ${deed.said}`);
    }) };
    held.acts.push(done);
    group.forEach((k) => held.hidden.add(k));
    show([...keys.slice(i + 1), ...keys.slice(0, i).reverse()].find((k) => open.has(k) && !group.includes(k)) ?? "");
    changed(deed.said, done.undo);
  });
  const takeBack = (of: Act | undefined): void => {
    if (of?.undo) return void alone(of.keys[0]!, of.undo);
    if (held.acts.pop()) changed(`This cannot be taken back: ${of!.said}`);
  };
  const act = (key: string): boolean => {
    const card = open.get(marked);
    const step = (by: number): string => waiting[Math.max(0, Math.min(waiting.length - 1, waiting.indexOf(marked) + by))] ?? "";
    switch (key) {
      case "j": show(step(1)); return true;
      case "k": show(step(-1)); return true;
      case "u": takeBack(last); return true;
      case "a": case "r": case "o": {
        const deed = card && { a: card.accept, r: card.reject, o: card.other }[key];
        if (deed) void carryOut([card], deed);
        return deed !== undefined;
      }
      case "Enter":
        if (card?.opens) go(memory(card.opens));
        return card?.opens !== undefined;
      default: return false;
    }
  };
  useKey((e) => {
    const pressed = e.key === "Enter" && e.target instanceof Element && e.target.closest("a, button, summary"); // which has a meaning of its own
    if (!pressed && act(e.key)) e.preventDefault();
  });

  const totalOf = (p: Part): number => totals.get(p.name) ?? 0;
  const sum = (of: Part[]): number => of.reduce((n, p) => n + totalOf(p), 0);
  const [waits, offers] = [parts.filter((p) => p.waits), parts.filter((p) => !p.waits)];
  const jumps = (of: Part[]): JSX.Element[] => of.filter((p) => totalOf(p) > 0 || p === part).map((p) => <Link key={p.name} to={review(p.name)} here={p === part}>{p.title} <small class="faint">{digits(totalOf(p))}</small></Link>);
  return (
    <section aria-labelledby="desk-title">
      <div class="changes-head">
        <h2 id="desk-title">{part ? part.title : "What waits"} <small class="faint">{!loading && (part ? digits(totalOf(part)) : `${digits(sum(waits))}${sum(offers) > 0 ? ` and ${count(sum(offers), "suggestion")}` : ""}`)}</small></h2>
        {canWrite && <p class="hint desk-keys"><kbd>a</kbd> accept <kbd>r</kbd> reject <kbd>o</kbd> the other <kbd>u</kbd> undo <kbd>j</kbd> <kbd>k</kbd> next, before <kbd>Enter</kbd> open</p>}
      </div>
      <nav class="review-jumps" aria-label="Kinds of what waits">
        <Link to={review()} here={!part}>All</Link>
        {jumps(waits)}
        {sum(offers) > 0 && <span class="faint">Suggestions:</span>}
        {jumps(offers)}
      </nav>
      {part && <p class="hint">{part.says}</p>}
      {part && canWrite && <All part={part} cards={waiting.map((k) => open.get(k)!)} total={totalOf(part)} carryOut={carryOut} />}
      {desk.asked.map((a, i) => a.error && <Trouble key={i} of={a.error} again={a.again} />)}
      {loading && <p class="waiting" role="status">Looking for what waits…</p>}
      {!loading && shown.length === 0 && <p class="calm">Nothing waits.</p>}
      <ol class="cards" ref={list}>
        {keys.map((k) => {
          const card = open.get(k), own = fault?.key === k ? fault.of : undefined;
          if (!card) return <Done key={k} of={last!} back={() => takeBack(last)} fault={own} />;
          return <CardView key={k} of={card} marked={k === marked} titled={part ? "no" : keys.find((other) => open.get(other)?.part === card.part) === k ? "fully" : "yes"} mark={() => mark(k)} carryOut={carryOut} fault={own} />;
        })}
      </ol>
      {shown.length > keys.length && <button type="button" onClick={() => setLimit(limit * 2)}>Show {digits(shown.length - keys.length)} more</button>}
    </section>
  );
}

/** Done shows what was settled last, where it stood, takes it back, and offers what a successor takes over. */
function Done({ of, back, fault }: { of: Act; back: () => void; fault: Fault | undefined }): JSX.Element {
  return (
    <li class="card done">
      <div>
        <p><span aria-hidden="true">✓ </span>{of.said}</p>
        {of.offers.length > 0 && <p class="row">Takes over? {of.offers.map((e) => <TakeOver key={`${e.from!.id} ${e.type} ${e.to.id}`} of={e} done={() => of.offers = of.offers.filter((o) => o !== e)} />)}</p>}
      </div>
      {of.undo && <button type="button" class="small quiet" onClick={back} aria-label={`Undo: ${of.said}`}>Undo</button>}
      {fault && <Trouble of={fault} />}
    </li>
  );
}

/** TakeOver links a successor as what it replaced was linked. */
function TakeOver({ of: e, done }: { of: Inherited; done: () => void }): JSX.Element {
  const { run, fault, busy } = useDeed(done), said = `${e.from!.title} —${e.type}→ ${e.to.title}`;
  return <>{fault && <Trouble of={fault} />}<button type="button" class="small" disabled={busy} aria-label={`Link: ${said}`} onClick={() => void run(() => call("memory_link", { from: e.from!.id, to: e.to.id, type: e.type, ...(e.rel !== "" && { rel: e.rel }) }), `Linked: ${said}.`)}><EdgeSign kind={e.type} /> {e.type} {e.to.title}</button></>;
}

function CardView({ of, marked, titled, mark, carryOut, fault }: { of: Card; marked: boolean; titled: "no" | "yes" | "fully"; mark: () => void; carryOut: (cards: Card[], deed: Deed) => Promise<void>; fault: Fault | undefined }): JSX.Element {
  const { canWrite } = useShared();
  const [linking, setLinking] = useState(false);
  const part = parts.find((p) => p.name === of.part);
  const deeds = ([["a", of.accept], ["o", of.other], ["r", of.reject]] as const).flatMap(([key, deed]) => (deed ? [{ key, deed }] : []));
  return (
    <li class={`card ${marked ? "marked-card" : ""}`} data-key={of.key} tabIndex={-1} aria-current={marked ? "true" : undefined} onPointerDown={mark} onFocusIn={mark}>
      {titled !== "no" && <p class="card-kind">{part?.title ?? of.part}{titled === "fully" && <span class="faint"> {part?.says}</span>}</p>}
      {of.body}
      {deeds.some(({ deed }) => deed.does !== "") && (
        <ul class="does">
          {deeds.filter(({ deed }) => deed.does !== "").map(({ key, deed }) => <li key={key}><strong>{deed.label}:</strong> {deed.does}</li>)}
        </ul>
      )}
      {canWrite && (
        <div class="card-deeds">
          {deeds.map(({ key, deed }) => <button key={key} type="button" class={`small ${key === "a" ? "main" : ""}`} data-by={key} onClick={() => void carryOut([of], deed)} aria-label={`${deed.label}: ${of.name}`}>{deed.label}</button>)}
          {of.subject && <Actions of={of.subject} small but={["verify", "forget"]} />}
          {of.pair && <button type="button" class="small" onClick={() => setLinking(true)} aria-label={`Link as… ${of.pair[0].title} to ${of.pair[1].title}`}>Link as…</button>}
        </div>
      )}
      {linking && of.pair && <LinkDialog from={of.pair[0]} to={of.pair[1]} close={() => setLinking(false)} />}
      {fault && <Trouble of={fault} />}
    </li>
  );
}

/** All settles all cards of a kind that are shown. */
function All({ part, cards, total, carryOut }: { part: Part; cards: Card[]; total: number; carryOut: (cards: Card[], deed: Deed) => Promise<void> }): JSX.Element | null {
  const looked = useLooked();
  if (cards.length < 2 || !part.key) return null;
  const keys = cards.flatMap((c) => c.proposal ?? []), these = (cards.length === total ? "all " : "these ") + digits(cards.length);
  const of = (label: string, said: string, run: Deed["run"], which = cards): JSX.Element => (
    <button type="button" class="small" onClick={() => void carryOut(which, { label, does: "", said, run })}>{label}</button>
  );
  return (
    <div class="actions">
      {part.key === "tidy" && of(`Accept ${these}`, `Accepted ${count(cards.length, "proposal")}.`, settle("accept", keys))}
      {part.key === "tidy" && of(`Reject ${these}`, `Rejected ${count(cards.length, "proposal")}.`, settle("reject", keys))}
      {part.key === "candidates" && of(`Dismiss all ${digits(total)}`, `Dismissed ${count(total, "candidate")}.`, dismiss({ all: true }))}
      {part.key === "recent" && of(`Seen, all ${digits(cards.length)}`, `Seen: ${count(cards.length, "memory", "memories")}.`, looked.mark(cards.flatMap((c) => c.opens ?? [])))}
    </div>
  );
}

/** Trace is a line of what happened, with a way back where there is one. */
interface Trace {
  key: string;
  at: string;
  what: JSX.Element;
  undone?: boolean;
  back?: { label: string; run: () => Promise<unknown> } | undefined;
}

function Changes(): JSX.Element {
  const { can } = useShared();
  const [limit, setLimit] = useState(15);
  const takeBack = useTakeBack(), looked = useLooked();
  const asked = useAsk<JournalResult>(`journal ${limit}`, (signal) => post("journal", { limit, batches: true }, signal));
  const undoable = (c: Change): boolean => can("undo") && !c.undone_by && c.action !== "purge" && (c.thing !== "batch" || c.id === "" || can(c.action === "undo" ? "update_note" : c.action));
  const ofChange = (c: Change): Trace => ({
    key: String(c.seq), at: c.at, undone: c.undone_by !== undefined,
    back: undoable(c) ? { label: `Undo change ${c.seq}: ${did(c.action)} ${c.title}`, run: () => takeBack(() => undo(c.seq, c.thing === "batch")) } : undefined,
    what: (
      <>
        <span class="faint">{c.actor}</span> {did(c.action)}{" "}
        {c.thing === "memory" && c.title !== "" ? <Link to={memory(c.id)} class="title">{c.title}</Link> : <strong>{c.title || c.id}</strong>}
        {c.what !== "" && !/^(verify|forget|restore)$/.test(c.action) && <span class="faint"> {c.what}</span>}
      </>
    ),
  });
  const own = (at: string, what: string, run: () => Promise<unknown>, by = "you"): Trace => ({
    key: `${at} ${what}`, at, what: <><span class="faint">{by}</span> {what}</>,
    back: { label: `Undo: ${what}`, run: () => takeBack(() => run().then(() => `${what}.`)) },
  });
  // What changes no memory is not in the journal: what was rejected or dismissed, and what was seen in this browser.
  const tracesOf = (r: JournalResult): Trace[] => {
    const since = r.truncated ? (r.changes.at(-1)?.at ?? "") : "";
    const seen = new Map<number, number>(); // how many, by time
    for (const at of looked.seen.values()) if (at > 0) seen.set(at, (seen.get(at) ?? 0) + 1);
    return [
      ...r.changes.filter((c) => !/^(supersede|reinstate)$/.test(c.action)).map(ofChange), // which follow from an edge, whose line tells it
      ...r.rejections.map((j) => own(j.at, `${j.what === "mentions" ? "dismissed" : "rejected"} ${j.count > 1 ? `${digits(j.count)}, “${j.title}” among them` : `“${j.title}”`}`, () => post("dismiss", { back: j.at, by: j.by }), j.by)),
      ...[...seen].map(([at, n]) => own(new Date(at).toISOString(), `saw ${count(n, "new memory", "new memories")}`, async () => looked.unmark(at))).filter((t) => t.at >= since),
    ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  };
  return (
    <section class="changes" aria-labelledby="changes-title">
      <div class="changes-head"><h2 id="changes-title">Last changes</h2></div>
      <Answer of={asked}>
        {(r) => (
          <>
            {r.changes.length === 0 && <p class="calm">Nothing has happened here.</p>}
            <ol class="journal">
              {tracesOf(r).map((t) => (
                <li key={t.key} class={t.undone ? "undone" : ""}>
                  <span class="journal-what">{t.what}</span>
                  <span class="journal-foot">
                    <time class="faint" dateTime={t.at}>{minute(t.at)}</time>
                    {t.undone && <span class="chip">taken back</span>}
                    {t.back && <button type="button" class="quiet small" onClick={() => void t.back!.run()} aria-label={t.back.label}>undo</button>}
                  </span>
                </li>
              ))}
            </ol>
            {r.truncated && limit < 240 && <button type="button" class="quiet" onClick={() => setLimit(limit * 2)}>Show earlier ones</button>}
            <p class="hint">{count(tracesOf(r).length, "change")} shown. Undoing is a change too, and can be undone.</p>
          </>
        )}
      </Answer>
    </section>
  );
}
