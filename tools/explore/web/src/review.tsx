// The desk: everything that waits for a person as one list of cards, the most consequential first, each
// settled by a key or a button, and undone in its place; and the latest changes.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Actions, LinkDialog, useTakeBack } from "./actions.tsx";
import { memory, review, type ReviewAddress } from "./address.ts";
import { post, type Fault } from "./api.ts";
import { dismiss, parts, settle, useDesk, useLooked, type Card, type Deed, type Desk, type Part } from "./desk.tsx";
import { Answer, Link, Trouble } from "./parts.tsx";
import { asFault, useAsk, useKey, useShared, useTitle } from "./state.ts";
import type { Change, JournalResult } from "./types.ts";
import { count, did, digits, minute } from "./words.ts";

const atOnce = 30; // cards that are shown before one asks for more

/** Settled is a card that was settled here: it stays in its place, with a way back. */
interface Settled {
  card: Card;
  said: string;
  undo: (() => Promise<void>) | undefined;
}

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
  const { changed, canWrite } = useShared();
  const [settled, setSettled] = useState<ReadonlyMap<string, Settled>>(new Map());
  const [order, setOrder] = useState<string[]>([]); // keys as they were first shown, so that nothing moves under the hand
  const [at, setAt] = useState("");
  const [fault, setFault] = useState<{ key: string; of: Fault }>();
  const [limit, setLimit] = useState(atOnce);
  const busy = useRef(false);
  const list = useRef<HTMLOListElement>(null);
  const open = new Map(desk.cards.filter((c) => (!part || c.part === part.name) && !settled.has(c.key)).map((c) => [c.key, c]));
  const loading = desk.asked.some((a) => a.data === undefined && a.loading);
  useEffect(() => {
    if (!loading) setOrder((was) => [...was, ...[...open.keys()].filter((k) => !was.includes(k))]);
  }, [desk.cards, loading]);
  const shown = order.filter((k) => open.has(k) || settled.has(k));
  const keys = shown.slice(0, limit + settled.size);
  const waiting = keys.filter((k) => open.has(k));
  const marked = open.has(at) ? at : (waiting[0] ?? "");

  const next = (key: string): string => {
    const i = keys.indexOf(key);
    return [...keys.slice(i + 1), ...keys.slice(0, i).reverse()].find((k) => open.has(k)) ?? "";
  };
  const show = (key: string): void => {
    setAt(key);
    requestAnimationFrame(() => {
      const card = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
      card?.focus({ preventScroll: true });
      card?.scrollIntoView({ block: "nearest" });
    });
  };
  const carryOut = async (cards: Card[], deed: Deed): Promise<void> => {
    if (busy.current || cards.length === 0) return;
    busy.current = true;
    setFault(undefined);
    const first = cards[0]!;
    try {
      const undo = await deed.run();
      const group = cards.map((c) => c.key);
      const back = undo && (async (): Promise<void> => {
        await undo();
        setSettled((s) => new Map([...s].filter(([k]) => !group.includes(k))));
        show(first.key);
        changed(`Taken back: ${deed.said}`);
      });
      setSettled((s) => new Map([...s, ...cards.map((c): [string, Settled] => [c.key, { card: c, said: deed.said, undo: back }])]));
      show(cards.length > 1 ? (waiting.find((k) => !group.includes(k)) ?? "") : next(first.key));
      changed(deed.said, back);
    } catch (e) {
      setFault({ key: first.key, of: asFault(e) });
    } finally {
      busy.current = false;
    }
  };
  const takeBack = async (of: Settled | undefined): Promise<void> => {
    if (!of?.undo || busy.current) return;
    busy.current = true;
    setFault(undefined);
    await of.undo().catch((e: unknown) => setFault({ key: of.card.key, of: asFault(e) }));
    busy.current = false;
  };
  const act = (key: string): boolean => {
    const card = open.get(marked);
    const step = (by: number): string => waiting[Math.max(0, Math.min(waiting.length - 1, waiting.indexOf(marked) + by))] ?? "";
    switch (key) {
      case "j": show(step(1)); return true;
      case "k": show(step(-1)); return true;
      case "u": void takeBack([...settled.values()].reverse().find((s) => s.undo)); return true;
      case "a": case "r": case "o": {
        const deed = card && { a: card.accept, r: card.reject, o: card.other }[key];
        if (deed) void carryOut([card], deed);
        return deed !== undefined;
      }
      default: return false;
    }
  };
  useKey((e) => {
    if (act(e.key)) e.preventDefault();
  });

  const left = [...desk.totals.values()].reduce((a, b) => a + b, 0);
  return (
    <section aria-labelledby="desk-title">
      <div class="changes-head">
        <h2 id="desk-title">{part ? part.title : "What waits"} <small class="faint">{loading ? "" : digits(part ? (desk.totals.get(part.name) ?? 0) : left)}</small></h2>
        {canWrite && <p class="hint desk-keys"><kbd>a</kbd> accept <kbd>r</kbd> reject <kbd>o</kbd> the other <kbd>u</kbd> undo <kbd>j</kbd> <kbd>k</kbd> next, before</p>}
      </div>
      <nav class="review-jumps" aria-label="Kinds of what waits">
        <Link to={review()} here={!part}>All</Link>
        {parts.filter((p) => (desk.totals.get(p.name) ?? 0) > 0 || p === part).map((p) => <Link key={p.name} to={review(p.name)} here={p === part}>{p.title} <small class="faint">{digits(desk.totals.get(p.name) ?? 0)}</small></Link>)}
      </nav>
      {part && <p class="hint">{part.says}</p>}
      {part && canWrite && <All part={part} cards={waiting.map((k) => open.get(k)!)} total={desk.totals.get(part.name) ?? 0} carryOut={carryOut} />}
      {desk.asked.map((a, i) => a.error && <Trouble key={i} of={a.error} again={a.again} />)}
      {loading && <p class="waiting" role="status">Looking for what waits…</p>}
      {!loading && shown.length === 0 && <p class="calm">Nothing waits.</p>}
      <ol class="cards" ref={list}>
        {keys.map((k) => {
          const done = settled.get(k);
          return done ? <Done key={k} of={done} back={() => void takeBack(done)} fault={fault?.key === k ? fault.of : undefined} /> : (
            <CardView key={k} of={open.get(k)!} marked={k === marked} titled={part ? "no" : keys.find((other) => open.get(other)?.part === open.get(k)!.part) === k ? "fully" : "yes"} mark={() => setAt(k)} carryOut={carryOut} fault={fault?.key === k ? fault.of : undefined} />
          );
        })}
      </ol>
      {shown.length > keys.length && <button type="button" onClick={() => setLimit(limit * 2)}>Show {digits(shown.length - keys.length)} more</button>}
    </section>
  );
}

/** Done shows a card that was settled, and takes it back. */
function Done({ of, back, fault }: { of: Settled; back: () => void; fault: Fault | undefined }): JSX.Element {
  return (
    <li class="card done">
      <p><span aria-hidden="true">✓ </span>{of.said}</p>
      {of.undo && <button type="button" class="small quiet" onClick={back} aria-label={`Undo: ${of.said}`}>Undo</button>}
      {fault && <Trouble of={fault} />}
    </li>
  );
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
  const keys = cards.map((c) => c.key), these = (cards.length === total ? "all " : "these ") + digits(cards.length);
  const of = (label: string, said: string, run: Deed["run"], which = cards): JSX.Element => (
    <button type="button" class="small" onClick={() => void carryOut(which, { label, does: "", said, run })}>{label}</button>
  );
  return (
    <div class="actions">
      {part.key === "tidy" && of(`Accept ${these}`, `Accepted ${count(cards.length, "proposal")}.`, settle("accept", keys))}
      {part.key === "tidy" && of(`Reject ${these}`, `Rejected ${count(cards.length, "proposal")}.`, settle("reject", keys))}
      {part.key === "candidates" && of(`Dismiss all ${digits(total)}`, `Dismissed ${count(total, "candidate")}.`, dismiss({ all: true }))}
      {part.key === "recent" && of(`Seen, all ${digits(cards.length)}`, `Seen: ${count(cards.length, "memory", "memories")}.`, looked.mark(keys.map((k) => k.split(" ")[1]!)))}
    </div>
  );
}

function Changes(): JSX.Element {
  const { can } = useShared();
  const [limit, setLimit] = useState(15);
  const takeBack = useTakeBack();
  const asked = useAsk<JournalResult>(`journal ${limit}`, (signal) => post("journal", { limit, batches: true }, signal));
  const undoable = (c: Change): boolean => can("undo") && !c.undone_by && c.action !== "purge" && (c.thing !== "batch" || c.id === "" || can(c.action === "undo" ? "update_note" : c.action));
  const last = asked.data?.changes.find((c) => c.seq === asked.data?.last); // the change to undo next, as this list shows it, even if newer ones have come since
  return (
    <section class="changes" aria-labelledby="changes-title">
      <div class="changes-head">
        <h2 id="changes-title">Last changes</h2>
        {last && undoable(last) && <button type="button" class="small" onClick={() => void takeBack(last.seq, true)} title={`${did(last.action)} ${last.title}`}>Undo the last</button>}
      </div>
      <Answer of={asked}>
        {(r) => (
          <>
            {r.changes.length === 0 && <p class="calm">Nothing has happened here.</p>}
            <ol class="journal">
              {r.changes.map((c) => (
                <li key={c.seq} class={c.undone_by ? "undone" : ""}>
                  <span class="journal-what">
                    <span class="faint">{c.actor}</span> {did(c.action)}{" "}
                    {c.thing === "memory" && c.title !== "" ? <Link to={memory(c.id)} class="title">{c.title}</Link> : <strong>{c.title || c.id}</strong>}
                    {c.what !== "" && <span class="faint"> {c.what}</span>}
                  </span>
                  <span class="journal-foot">
                    <time class="faint" dateTime={c.at}>{minute(c.at)}</time>
                    {c.undone_by && <span class="chip">taken back</span>}
                    {undoable(c) && (
                      <button type="button" class="quiet small" onClick={() => void takeBack(c.seq, c.thing === "batch")} aria-label={`Undo change ${c.seq}: ${did(c.action)} ${c.title}`}>undo</button>
                    )}
                  </span>
                </li>
              ))}
            </ol>
            {r.truncated && limit < 240 && <button type="button" class="quiet" onClick={() => setLimit(limit * 2)}>Show earlier ones</button>}
            <p class="hint">{count(r.changes.length, "change")} shown. Undoing is a change too, and can be undone.</p>
          </>
        )}
      </Answer>
    </section>
  );
}
