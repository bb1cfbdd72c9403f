// Dialogs to store a memory and to edit one. An edit is refused if somebody else has changed the
// memory since it was read.

import type { JSX } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { DeedForm, Field, useDeed } from "./actions.tsx";
import { memory } from "./address.ts";
import { call, post, read } from "./api.ts";
import { Difference } from "./difference.tsx";
import { NewsContext } from "./now.tsx";
import { Answer } from "./parts.tsx";
import { Picker } from "./picker.tsx";
import { Relation } from "./relation.tsx";
import { useAsk, useShared } from "./state.ts";
import type { Named, Past } from "./types.ts";

const usualKinds = ["fact", "decision", "finding", "preference", "rule", "event", "task"];

export function StoreDialog({ close }: { close: () => void }): JSX.Element {
  const { go } = useShared();
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [kind, setKind] = useState("fact");
  const [tags, setTags] = useState("");
  const [other, setOther] = useState<Named | null>(null);
  const [type, setType] = useState("relates-to");
  const { run, fault, busy } = useDeed(close);
  const store = async (): Promise<unknown> => {
    const words = tags.split(/[\s,]+/).map((t) => t.replace(/^#/, "")).filter(Boolean);
    const r = await call<{ memory: Named }>("memory_store", {
      content, kind: kind.trim() || "fact", ...(title.trim() !== "" && { title: title.trim() }), ...(words.length > 0 && { tags: words }),
      ...(other && { links: [{ to: other.id, type }] }),
    });
    go(memory(r.memory.id));
    return r;
  };
  return (
    <DeedForm title="Store a memory" close={close} fault={fault} busy={busy} ready={content.trim() !== ""} label="Store" go={() => void run(store, "Stored.")}>
      <Field label="What is to be remembered" rows={6} value={content} set={setContent} />
      <Field label="Title" hint="else its first line" value={title} set={setTitle} />
      <Field label="Kind" list="store-kinds" value={kind} set={setKind} />
      <datalist id="store-kinds">{usualKinds.map((k) => <option key={k} value={k} />)}</datalist>
      <Field label="Tags" hint="may be left out" value={tags} set={setTags} />
      <Picker label="Linked to (may be left out)" picked={other} pick={setOther} />
      {other && <Relation label="How the new one relates to it" kind={type} pick={setType} />}
    </DeedForm>
  );
}

/**
 * Draft holds the text to edit, and the revision or hash that must be unchanged when it is saved.
 */
interface Draft {
  title: string;
  content: string;
  as: "memory" | "note";
  revision: number;
  path: string;
  hash: string;
}

/**
 * EditDialog shows a form to edit a memory, or the file of a note if writing to the vault is on.
 */
export function EditDialog({ of, close }: { of: Named; close: () => void }): JSX.Element {
  const asked = useAsk<Draft>(`draft ${of.id}`, (signal) => readDraft(of.id, signal));
  const [kept, setKept] = useState<Draft>();
  if (asked.data && !kept) setKept(asked.data); // keep the first draft: a later change must not discard what the user types
  return kept ? <Edit of={of} draft={kept} close={close} /> : <Answer of={asked}>{() => <></>}</Answer>;
}

async function readDraft(id: string, signal?: AbortSignal): Promise<Draft> {
  const m = await read(id, signal);
  if (m.origin !== "vault") return { title: m.title, content: m.content, as: "memory", revision: m.revision, path: "", hash: "" };
  const n = await call<{ path: string; content: string; content_hash: string }>("read_note", { path: m.uri }, signal);
  return { title: m.title, content: n.content, as: "note", revision: m.revision, path: m.uri!, hash: n.content_hash };
}

/** differ reports whether two drafts are based on different versions. */
const differ = (a: Draft, b: Draft): boolean => (a.as === "note" ? a.hash !== b.hash : a.revision !== b.revision);

function Edit({ of, draft, close }: { of: Named; draft: Draft; close: () => void }): JSX.Element {
  const { can } = useShared();
  const news = useContext(NewsContext);
  const [base, setBase] = useState(draft); // the version being edited; the program compares it when saving
  const [theirs, setTheirs] = useState<Draft>();
  const [by, setBy] = useState("");
  const [title, setTitle] = useState(draft.title);
  const [content, setContent] = useState(draft.content);
  const [mine, setMine] = useState<{ title: string; content: string }>(); // the user's own text, put aside to edit theirs
  const { run, fault, busy } = useDeed(close);

  useLayoutEffect(() => { // before the next event, so that an answer from before a conflict was settled is dropped; somebody else has changed it, or the program has refused to save because of that
    if (fault?.code !== "conflict" && !news?.ids.includes(of.id)) return;
    const stop = new AbortController();
    void readDraft(of.id, stop.signal).then(async (d) => {
      if (stop.signal.aborted || !differ(d, base)) return;
      setTheirs(d);
      const past = can("past") ? await post<Past>("past", { id: of.id, limit: 5 }, stop.signal) : undefined;
      setBy(past?.steps.find((s) => s.number !== undefined)?.actor ?? "");
    }).catch(() => undefined); // a refusal to save is shown as an error anyway
    return () => stop.abort();
  }, [fault, news, base]);

  const save = (): Promise<unknown> => base.as === "note"
    ? call("update_note", { path: base.path, mode: "replace", content, expected_content_hash: base.hash })
    : call("memory_update", { id: of.id, expected_revision: base.revision, ...(title.trim() !== base.title && title.trim() !== "" && { title: title.trim() }), ...(content !== base.content && { content }) });
  const settle = (put: "mine" | "theirs"): void => {
    if (put === "theirs") {
      setMine({ title, content });
      setTitle(theirs!.title);
      setContent(theirs!.content);
    }
    setBase(theirs!);
    setTheirs(undefined);
  };
  const edited = content !== base.content || title.trim() !== base.title;
  return (
    <DeedForm title="Edit" close={close} fault={theirs ? undefined : fault} busy={busy} ready={edited && !theirs} label="Save" go={() => void run(save, `“${base.title}” is edited.`)}>
      {base.as === "memory" ? <Field label="Title" value={title} set={setTitle} /> : <p class="hint">This changes the file in the vault. What rests on it becomes stale until somebody has looked.</p>}
      <Field label="Text" rows={14} value={content} set={setContent} />
      {mine && <p><button type="button" class="link" onClick={() => { setTitle(mine.title); setContent(mine.content); setMine(undefined); }}>Bring back what I wrote</button></p>}
      {theirs ? <Conflict base={base} theirs={theirs} by={by} settle={settle} /> : <p class="hint">{base.as === "note" ? "The file as it was read is compared when you save." : `You edit revision ${base.revision}.`} Nothing is overwritten if somebody else changes it meanwhile.</p>}
    </DeedForm>
  );
}

/**
 * Conflict shows an edit that somebody else made meanwhile. The user must choose a version before
 * saving.
 */
function Conflict({ base, theirs, by, settle }: { base: Draft; theirs: Draft; by: string; settle: (put: "mine" | "theirs") => void }): JSX.Element {
  const what = base.as === "note" ? "the file" : `revision ${base.revision}`;
  return (
    <section class="trouble conflict" role="alert" aria-label="Changed meanwhile">
      <p><strong>{by || "Somebody"} has changed it meanwhile.</strong> You edit {what}{base.as === "memory" && `, and it is revision ${theirs.revision} now`}. Nothing of yours or theirs is lost.</p>
      {theirs.title !== base.title && <p>Its title is “{theirs.title}” now.</p>}
      {theirs.content !== base.content && <Difference before={base.content} after={theirs.content} label="What they changed" />}
      <div class="actions">
        <button type="button" onClick={() => settle("theirs")}>Edit theirs</button>
        <button type="button" onClick={() => settle("mine")}>Go on with mine</button>
      </div>
      <p class="hint">If you go on with yours and save, it takes the place of theirs, which stays in the history.</p>
    </section>
  );
}
