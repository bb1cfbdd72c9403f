// Small components that several views share.

import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { format, memory, search, type Address } from "./address.ts";
import type { Fault } from "./api.ts";
import { Stands, apartBy } from "./apart.tsx";
import { dashes, heads } from "./graph/shapes.ts";
import { inkOf, lookOf } from "./kinds.ts";
import { plainText, plainTitle } from "./snippet.ts";
import { useShared, type Asked } from "./state.ts";
import type { Named, Row, Status } from "./types.ts";
import { because, day, folderOf, pathQuery, place } from "./words.ts";

/**
 * Link shows a link to a view, which opens without reloading the page; with a modifier key it works
 * like any link.
 */
export function Link({ to, class: name, here = false, children }: { to: Address; class?: string; here?: boolean; children: ComponentChildren }): JSX.Element {
  const { go } = useShared();
  return (
    <a
      class={name}
      aria-current={here ? "page" : undefined}
      href={format(to)}
      onClick={(e) => {
        if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

export function MemoryLink({ of, status = "current", class: name = "" }: { of: Named; status?: Status; class?: string }): JSX.Element {
  return (
    <>
      <Link to={memory(of.id)} class={`title ${status === "current" ? "" : "was"} ${name}`}>
        {plainTitle(of.title) || of.id}
      </Link>
      <Stands id={of.id} />
      {status !== "current" && <StatusChip status={status} />}
    </>
  );
}

export function StatusChip({ status }: { status: Status }): JSX.Element | null {
  return status === "current" ? null : <span class={`chip chip-${status}`}>{status}</span>;
}

export function Chip({ children, class: name = "" }: { children: ComponentChildren; class?: string }): JSX.Element {
  return <span class={`chip ${name}`}>{children}</span>;
}

/** States shows the kind of a memory, and what is to be known of its state. */
export function States({ of: m }: { of: { kind: string; status: Status } & Partial<Pick<Row, "ended" | "begins" | "edited_since" | "stale" | "contradicted_by">> }): JSX.Element {
  const doubts = m.stale ?? [];
  return (
    <>
      {m.kind !== "" && <Chip>{m.kind}</Chip>}
      <StatusChip status={m.status} />
      {m.ended && <Chip class="chip-stale">over since {day(m.ended)}</Chip>}
      {m.begins && <Chip class="chip-stale">not yet: from {day(m.begins)}</Chip>}
      {m.edited_since && <Chip>edited since, on {day(m.edited_since)}</Chip>}
      {doubts.length > 0 && <span class="chip chip-stale" title={doubts.map((d) => `“${d.title}” ${because(d)}`).join("; ")}>stale</span>}
      {(m.contradicted_by ?? []).length > 0 && <Chip class="chip-stale">contradicted</Chip>}
    </>
  );
}

/** EdgeSign shows a small edge, drawn as the graph draws edges of its kind. */
export function EdgeSign({ kind, against = false }: { kind: string; against?: boolean }): JSX.Element {
  const look = lookOf(kind), { path, long } = heads[look.head];
  const head = (at: string): JSX.Element => <path d={path} transform={at} fill={look.hollow ? "var(--ground)" : look.head === "chevron" ? "none" : "currentColor"} stroke="currentColor" stroke-width={look.head === "tee" ? 2.4 : 1.3} />;
  return (
    <svg class="edge-sign" style={{ color: inkOf(kind) }} viewBox="0 0 34 14" width="34" height="14" aria-hidden="true" transform={against ? "scale(-1 1)" : undefined}>
      <path d={`M2 7H${32 - long}`} stroke="currentColor" stroke-width={Math.min(2.2, look.width)} stroke-dasharray={dashes[look.dash]} fill="none" />
      {look.both && head("translate(2 7) scale(-1 1)")}
      {head("translate(32 7)")}
    </svg>
  );
}

/** Trouble shows an error, and what the user can do about it. */
export function Trouble({ of, again }: { of: Fault; again?: () => void }): JSX.Element {
  const candidates = listOf(of.details["candidates"], (x): x is Candidate => typeof x === "object" && x !== null && "id" in x && "title" in x);
  const near = listOf(of.details["near"], (x) => typeof x === "string");
  const message = candidates.length + near.length > 0 ? of.message.replace(/; (?:name one by its id|near titles): .*$/s, "") : of.message; // without the list that is shown below
  return (
    <div class="trouble" role="alert">
      <p><strong>{sentence(message)}</strong></p>
      {of.mend !== "" && <p>{of.mend}</p>}
      {candidates.length + near.length > 0 && (
        <ul>
          {candidates.map((c) => <li key={c.id}><MemoryLink of={c} status={c.status} /> <span class="faint apart">{c.kind}, {apartBy(c)}</span>{c.first_words && <p class="hint">{plainText(c.first_words)}</p>}</li>)}
          {near.map((title) => <li key={title}><MemoryLink of={{ id: title, title }} /></li>)}
        </ul>
      )}
      {again && <button type="button" onClick={again}>Try again</button>}
    </div>
  );
}

/** Candidate is a memory that an ambiguous name may refer to. */
type Candidate = Pick<Row, "id" | "title" | "status" | "kind" | "uri" | "created_at"> & { first_words?: string };

function listOf<T>(x: unknown, is: (one: unknown) => one is T): T[] {
  return Array.isArray(x) ? x.filter(is) : [];
}

export function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(full) ? full : full + ".";
}

/** Answer shows the state of a request: a waiting text, its data, or its error. */
export function Answer<T>({ of, children, waiting = "Reading…" }: { of: Asked<T>; children: (data: T) => ComponentChildren; waiting?: string }): JSX.Element {
  if (of.error) return <Trouble of={of.error} again={of.again} />;
  if (of.data === undefined) return of.loading ? <p class="waiting" role="status">{waiting}</p> : <></>;
  return <>{children(of.data)}</>;
}

/** Unfold shows what is below a line once it is opened. */
export function Unfold({ line, children }: { line: ComponentChildren; children: () => ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{line}</summary>
      {open && children()}
    </details>
  );
}

/** Command shows a shell command, with a button that copies it. */
export function Command({ text }: { text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false));
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy: ${text}`}>{copied ? "Copied" : "Copy"}</button>
    </div>
  );
}

/** Dialog shows a modal dialog; Escape and its button close it. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const label = useId();
  useLayoutEffect(() => { // before the next key press
    const came = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    return () => {
      shown?.close();
      if (came instanceof HTMLElement && came.isConnected) came.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={label}
      onCancel={(e) => { e.preventDefault(); close(); }}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || e.defaultPrevented) return;
        e.preventDefault(); // a browser may close the dialog at a second Escape without a cancel event
        close();
      }}
    >
      <header class="dialog-head">
        <h2 id={label}>{title}</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close">✕</button>
      </header>
      {children}
    </dialog>
  );
}

/** Zoom shows the buttons that change the size of a drawing. */
export function Zoom({ by, all }: { by: (factor: number) => void; all: () => void }): JSX.Element {
  return (
    <div class="zoom" role="group" aria-label="Size">
      <button type="button" class="sign" aria-label="Nearer" title="Nearer (+)" onClick={() => by(1.25)}>+</button>
      <button type="button" class="sign" aria-label="Further" title="Further (−)" onClick={() => by(0.8)}>−</button>
      <button type="button" class="sign" aria-label="Everything" title="Everything (0)" onClick={all}>⤢</button>
    </div>
  );
}

/** Jump shows a link to a part of the page. */
export function Jump({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
  return (
    <a
      href={"#" + to}
      onClick={(e) => {
        e.preventDefault();
        jumpTo(to);
      }}
    >
      {children}
    </a>
  );
}

/** jumpTo scrolls a part of the page into view and moves the keyboard focus to it. */
export function jumpTo(id: string): void {
  const part = document.getElementById(id);
  if (!part) return;
  part.tabIndex = -1;
  part.scrollIntoView({ block: "start" });
  part.focus({ preventScroll: true });
}

/** Tag shows a tag as a link to the memories that have it. */
export function Tag({ name }: { name: string }): JSX.Element {
  return <Link class="tag" to={search({ tag: name })}>#{name}</Link>;
}

/**
 * Place shows the vault and folders of a note, as a link to the memories in that folder; for other
 * memories, their origin.
 */
export function Place({ of }: { of: Pick<Row, "uri" | "origin" | "actor"> }): JSX.Element {
  const folder = folderOf(of);
  return folder === "" ? <>{place(of)}</> : <Link to={search({ q: pathQuery(folder) })} class="folder">{place(of)}</Link>;
}
