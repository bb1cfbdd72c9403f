// The actions on a memory and their dialogs: verify, edit, supersede, link, forget, restore.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call, post } from "./api.ts";
import type { Fault } from "./api.ts";
import { Meanwhile } from "./now.tsx";
import { Dialog, EdgeSign, Trouble } from "./parts.tsx";
import { Picker } from "./picker.tsx";
import { Relation } from "./relation.tsx";
import { EditDialog } from "./write.tsx";
import { asFault, useAsk, useShared } from "./state.ts";
import type { Consequences, Doubt, Inherited, Named, Resting, Status, UndoResult } from "./types.ts";
import { consequences, count, did, holding, leaving } from "./words.ts";

export interface Subject extends Named {
  status: Status;
  origin?: string; // if it is missing, there is no Edit button
  uri?: string; // of a file in a vault; only notes (.md) can be edited
  stale?: Doubt[];
}

type Deed = "verify" | "edit" | "supersede" | "link" | "forget";

/** Actions shows the buttons for one memory, but for some, and the dialog of the button that was pressed. */
export function Actions({ of, small = false, but = [] }: { of: Subject; small?: boolean; but?: Deed[] }): JSX.Element {
  const { can } = useShared();
  const [deed, setDeed] = useState<Deed>();
  const { run, fault, busy } = useDeed();
  const close = (): void => setDeed(undefined);
  const button = (name: Deed, label: string, tool: string): JSX.Element | false => can(tool) && !but.includes(name) && (
    <button type="button" class={`${small ? "small" : ""} ${name === "verify" ? "main" : ""}`} onClick={() => setDeed(name)} aria-label={small ? `${label}${name === "verify" ? ":" : ""} ${of.title}` : undefined}>{label}</button>
  );
  if (of.status === "forgotten") {
    return (
      <>
        {can("memory_restore") && <button type="button" disabled={busy} onClick={() => void run(() => call("memory_restore", { id: of.id }), `Restored “${of.title}”.`)}>Restore</button>}
        {fault && <Trouble of={fault} />}
      </>
    );
  }
  return (
    <div class="actions" role="group" aria-label={`What to do with ${of.title}`}>
      {of.stale && of.stale.length > 0 && button("verify", reasoned.verify.label, "memory_verify")}
      {of.origin === "vault" ? /\.md$/i.test(of.uri ?? "") && button("edit", "Edit", "update_note") : of.origin !== undefined && of.origin !== "code" && button("edit", "Edit", "memory_update")}
      {of.status === "current" && button("supersede", "Supersede", "memory_store")}
      {button("link", "Link", "memory_link")}
      {button("forget", "Forget", "memory_forget")}
      {deed === "edit" && <EditDialog of={of} close={close} />}
      {deed === "supersede" && <Supersede of={of} close={close} />}
      {deed === "link" && <LinkDialog from={of} close={close} />}
      {(deed === "verify" || deed === "forget") && <Reasoned of={of} how={deed} close={close} />}
    </div>
  );
}

/** useTakeBack returns a function that takes something back, and reports what, as its answer says it. */
export function useTakeBack(): (what: () => Promise<string>) => Promise<void> {
  const { changed } = useShared();
  return (what) => what().then((said) => changed(`Taken back: ${said}`), (e: unknown) => changed(`Not taken back: ${asFault(e).message}.`));
}

/** undo undoes a change, or the whole command that it is part of, and returns what was undone. */
export async function undo(seq: number, whole: boolean): Promise<string> {
  const r = await post<UndoResult>("undo", { seq, whole });
  if (r.files) return [`${did(r.files.operation)} ${r.files.notes.map((n) => `“${n.path}”`).join(", ")}.`, ...r.files.warnings].join(" ");
  const first = r.undone[0];
  const what = first ? `${did(first.action)} ${first.thing === "edge" ? `${first.title} ${first.what}` : `“${first.title}”`}` : "nothing";
  return r.undone.length > 1 ? `${count(r.undone.length, "change")}, ${what} among them.` : `${what}.`;
}

/**
 * useTold returns a function that reports what was done and its consequences, and offers to undo
 * exactly that change, even if others follow it.
 */
export function useTold(): (said: string, result: unknown) => void {
  const { changed, can } = useShared();
  const takeBack = useTakeBack();
  return (said, result) => {
    const r = result as Consequences | undefined, change = r?.change;
    changed(said + consequences(r), change && can("undo") ? () => takeBack(() => undo(change, true)) : undefined);
  };
}

/**
 * useDeed returns a function that makes a change to the store, reports it and offers to undo it.
 */
export function useDeed(done?: () => void) {
  const told = useTold();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState(false);
  const run = async (what: () => Promise<unknown>, said: string): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const result = await what();
      done?.();
      told(said, result);
    } catch (e) {
      setFault(asFault(e));
    } finally {
      setBusy(false);
    }
  };
  return { run, fault, busy };
}

/** Field is a line of text with its name, or with rows a larger text. */
export function Field({ label, hint, rows, list, value, set }: { label: string; hint?: string; rows?: number; list?: string; value: string; set: (text: string) => void }): JSX.Element {
  const field = { value, onInput: (e: { currentTarget: { value: string } }) => set(e.currentTarget.value) };
  return <label>{label}{hint && <> <span class="faint">{hint}</span></>}{rows ? <textarea rows={rows} {...field} /> : <input type="text" list={list} {...field} />}</label>;
}

export function DeedForm({ title, close, fault, busy, ready, label, danger = false, go, children }: {
  title: string; close: () => void; fault: Fault | undefined; busy: boolean; ready: boolean; label: string; danger?: boolean; go: () => void; children: ComponentChildren;
}): JSX.Element {
  const [typed, setTyped] = useState(false);
  const [asking, ask] = useState(false); // whether to ask before discarding the typed text
  const leave = (): void => (typed ? ask((was) => !was) : close());
  return (
    <Dialog title={title} close={leave}>
      <form
        class="deed"
        onInput={(e) => { if (e.target instanceof Element && e.target.matches("textarea, input[type=text]:not([role=combobox])")) setTyped(true); }}
        onSubmit={(e) => { e.preventDefault(); if (ready && !busy) go(); }}
      >
        {children}
        {fault && <Trouble of={fault} />}
        {asking ? <Loss stay={() => ask(false)} close={close} /> : (
          <footer class="dialog-foot">
            <button type="button" class="quiet" onClick={leave}>Cancel</button>
            <button type="submit" class={danger ? "danger" : "main"} disabled={!ready || busy}>{label}</button>
          </footer>
        )}
      </form>
    </Dialog>
  );
}

/**
 * Loss asks for confirmation before typed text is lost. Afterwards the keyboard focus returns to
 * where it was.
 */
function Loss({ stay, close }: { stay: () => void; close: () => void }): JSX.Element {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => { // before the next key press
    const came = document.activeElement;
    first.current?.focus();
    return () => void (came instanceof HTMLElement && came.isConnected && came.focus());
  }, []);
  return (
    <footer class="dialog-foot">
      <p role="alert">Throw away what you wrote?</p>
      <button ref={first} type="button" onClick={stay}>Go on writing</button>
      <button type="button" class="danger" onClick={close}>Throw away</button>
    </footer>
  );
}

const reasoned = {
  verify: { label: "It still holds", field: "note", asks: "Note", done: "verified", before: "You have looked at what ", after: " rests on, and it is true all the same. " },
  forget: { label: "Forget", field: "reason", asks: "Why", done: "forgotten", before: "", after: " leaves search and walks, and can be restored. " },
};

/** Reasoned verifies or forgets a memory, with a reason that may be left out. */
function Reasoned({ of, how, close }: { of: Subject; how: keyof typeof reasoned; close: () => void }): JSX.Element {
  const w = reasoned[how];
  const [reason, setReason] = useState("");
  const { run, fault, busy } = useDeed(close);
  const fate = useAsk<{ memories: Resting[] }>(`resting ${of.id}`, (signal) => post("resting", { ids: [of.id] }, signal)).data?.memories ?? [];
  return (
    <DeedForm title={w.label} close={close} fault={fault} busy={busy} ready danger={how === "forget"} label={w.label} go={() => void run(() => call(`memory_${how}`, { id: of.id, ...(reason.trim() !== "" && { [w.field]: reason.trim() }) }), `“${of.title}” is ${w.done}.`)}>
      <Meanwhile id={of.id} />
      <p>{w.before}<strong>{of.title}</strong>{w.after}{how === "verify" ? holding(fate[0]) : leaving("forgets", fate)}</p>
      <Field label={w.asks} hint="may be left out" value={reason} set={setReason} />
    </DeedForm>
  );
}

/** useTakes offers the edges of a memory that another one supersedes, and returns those that are taken over as links. */
function useTakes(of: Named | null | undefined, by: Named | null | undefined): [JSX.Element | false, { to: string; type: string; rel?: string }[]] {
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const old = useAsk<{ memories: Resting[] }>(of ? `resting ${of.id}` : null, (signal) => post("resting", { ids: [of!.id] }, signal));
  const keyOf = (e: Inherited): string => `${e.type} ${e.to.id}`;
  const offered = (old.data?.memories[0]?.takes_over ?? []).filter((e) => e.to.id !== by?.id);
  const offers = offered.length > 0 && (
    <fieldset class="takes">
      <legend>Takes over</legend>
      {offered.map((e) => (
        <label key={keyOf(e)} class="check">
          <input type="checkbox" checked={taken.has(keyOf(e))} onChange={(c) => setTaken(new Set(c.currentTarget.checked ? [...taken, keyOf(e)] : [...taken].filter((k) => k !== keyOf(e))))} />
          <EdgeSign kind={e.type} /> {e.type} {e.to.title}
        </label>
      ))}
    </fieldset>
  );
  return [offers, offered.filter((e) => taken.has(keyOf(e))).map((e) => ({ to: e.to.id, type: e.type, ...(e.rel !== "" && { rel: e.rel }) }))];
}

export function Supersede({ of, close }: { of: Subject; close: () => void }): JSX.Element {
  const [mode, setMode] = useState<"new" | "there">("new");
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [reason, setReason] = useState("");
  const [picked, setPicked] = useState<Named | null>(null);
  const { run, fault, busy } = useDeed(close);
  const why = reason.trim();
  const [offers, takes] = useTakes(of, picked);
  const go = (): void => void run(
    () => mode === "new"
      ? call("memory_store", { content, ...(title.trim() !== "" && { title: title.trim() }), supersedes: [of.id], ...(why !== "" && { reason: why }), ...(takes.length > 0 && { links: takes }) })
      : call("memory_link", { links: [{ from: picked!.id, to: of.id, type: "supersedes", ...(why !== "" && { note: why }) }, ...takes.map((t) => ({ from: picked!.id, ...t }))] }),
    `“${of.title}” is superseded.`,
  );
  return (
    <DeedForm title="Supersede" close={close} fault={fault} busy={busy} ready={mode === "new" ? content.trim() !== "" : picked !== null} label="Supersede" go={go}>
      <Meanwhile id={of.id} />
      <p><strong>{of.title}</strong> leaves search and stays readable. What rests on it becomes stale until somebody has looked.</p>
      <div role="radiogroup" aria-label="By what" class="choice">
        <label><input type="radio" name="by" checked={mode === "new"} onChange={() => setMode("new")} /> By something new</label>
        <label><input type="radio" name="by" checked={mode === "there"} onChange={() => setMode("there")} /> By what is there already</label>
      </div>
      {mode === "new" ? (
        <>
          <Field label="Title" hint="else its first line" value={title} set={setTitle} />
          <Field label="What holds now" rows={5} value={content} set={setContent} />
        </>
      ) : <Picker label="The new one" picked={picked} pick={setPicked} not={[of.id]} />}
      {offers}
      <Field label="Why" hint="may be left out" value={reason} set={setReason} />
    </DeedForm>
  );
}

export function LinkDialog({ from, to, type = "relates-to", close }: { from: Named; to?: Named; type?: string; close: () => void }): JSX.Element {
  const { about } = useShared();
  const [kind, setKind] = useState(type);
  const [picked, setPicked] = useState<Named | null>(to ?? null);
  const [turned, setTurned] = useState(false);
  const [note, setNote] = useState("");
  const { run, fault, busy } = useDeed(close);
  const [a, b] = turned ? [picked, from] : [from, picked];
  const chosen = about.kinds.find((k) => k.name === kind);
  const [offers, takes] = useTakes(kind === "supersedes" ? b : null, a);
  const go = (): void => void run(
    () => call("memory_link", { links: [{ from: a!.id, to: b!.id, type: kind, ...(note.trim() !== "" && { note: note.trim() }) }, ...takes.map((t) => ({ from: a!.id, ...t }))] }),
    `Linked: ${a?.title} —${kind}→ ${b?.title}.`,
  );
  return (
    <DeedForm title="Link" close={close} fault={fault} busy={busy} ready={picked !== null} label="Link" go={go}>
      <Picker label="The other memory" picked={picked} pick={setPicked} not={[from.id]} status="all" />
      <Relation label="Kind" kind={kind} pick={setKind} />
      {!chosen?.symmetric && <label class="check"><input type="checkbox" checked={turned} onChange={(e) => setTurned(e.currentTarget.checked)} /> The other way round</label>}
      <p class="preview" aria-live="polite">
        <span>{a?.title ?? "…"}</span> <EdgeSign kind={kind} /> <span class="faint">{kind}</span> <span>{b?.title ?? "…"}</span>
      </p>
      {offers}
      <Field label="Note" hint="may be left out" value={note} set={setNote} />
    </DeedForm>
  );
}
