// Storing a memory, and editing one: nothing that somebody else wrote meanwhile is
// overwritten.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { DeedForm, useDeed } from "./actions.tsx";
import { memory } from "./address.ts";
import { call } from "./api.ts";
import { Answer } from "./parts.tsx";
import { Picker } from "./picker.tsx";
import { useAsk, useShared } from "./state.ts";
import type { GetResult, Memory, Named } from "./types.ts";

const usualKinds = ["fact", "decision", "finding", "preference", "rule", "event", "task"];

export function StoreDialog({ close }: { close: () => void }): JSX.Element {
  const { about, go } = useShared();
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
      <label>What is to be remembered
        <textarea rows={6} value={content} onInput={(e) => setContent(e.currentTarget.value)} />
      </label>
      <label>Title <span class="faint">else its first line</span>
        <input type="text" value={title} onInput={(e) => setTitle(e.currentTarget.value)} />
      </label>
      <label>Kind
        <input type="text" list="store-kinds" value={kind} onInput={(e) => setKind(e.currentTarget.value)} />
      </label>
      <datalist id="store-kinds">{usualKinds.map((k) => <option key={k} value={k} />)}</datalist>
      <label>Tags <span class="faint">may be left out</span>
        <input type="text" value={tags} onInput={(e) => setTags(e.currentTarget.value)} />
      </label>
      <Picker label="Linked to (may be left out)" picked={other} pick={setOther} />
      {other && (
        <div class="labelled">
          <label for="store-type">How the new one relates to it</label>
          <select id="store-type" value={type} onChange={(e) => setType(e.currentTarget.value)}>
            {about.kinds.filter((k) => k.declared).map((k) => <option key={k.name} value={k.name}>{k.name}: {k.reads}</option>)}
          </select>
        </div>
      )}
    </DeedForm>
  );
}

/** What is edited: the text, and what it must still be when it is written back. */
interface Draft {
  title: string;
  content: string;
  as: "memory" | "note";
  revision: number;
  path: string;
  hash: string;
}

/** EditDialog edits a memory, or the file of a note where writing into the vault is on. */
export function EditDialog({ of, close }: { of: Named; close: () => void }): JSX.Element {
  const asked = useAsk<Draft>(`edit ${of.id}`, async (signal) => {
    const m = (await call<GetResult>("memory_get", { id: of.id, include_edges: false }, signal)).memories[0] as Memory;
    if (m.origin !== "vault") return { title: m.title, content: m.content, as: "memory", revision: m.revision, path: "", hash: "" };
    const n = await call<{ path: string; content: string; content_hash: string }>("read_note", { path: m.uri }, signal);
    return { title: m.title, content: n.content, as: "note", revision: 0, path: m.uri!, hash: n.content_hash };
  });
  const [kept, setKept] = useState<Draft>();
  if (asked.data && !kept) setKept(asked.data); // what one types stays, whatever changes meanwhile
  return kept ? <Edit of={of} draft={kept} close={close} /> : <Answer of={asked}>{() => <></>}</Answer>;
}

function Edit({ of, draft, close }: { of: Named; draft: Draft; close: () => void }): JSX.Element {
  const [title, setTitle] = useState(draft.title);
  const [content, setContent] = useState(draft.content);
  const { run, fault, busy } = useDeed(close);
  const save = (): Promise<unknown> => draft.as === "note"
    ? call("update_note", { path: draft.path, mode: "replace", content, expected_content_hash: draft.hash })
    : call("memory_update", { id: of.id, expected_revision: draft.revision, ...(title.trim() !== draft.title && title.trim() !== "" && { title: title.trim() }), ...(content !== draft.content && { content }) });
  const edited = content !== draft.content || title.trim() !== draft.title;
  return (
    <DeedForm title="Edit" close={close} fault={fault} busy={busy} ready={edited} label="Save" go={() => void run(save, `“${draft.title}” is edited.`)}>
      {draft.as === "memory" ? (
        <label>Title
          <input type="text" value={title} onInput={(e) => setTitle(e.currentTarget.value)} />
        </label>
      ) : <p class="hint">This changes the file in the vault. What rests on it becomes stale until somebody has looked.</p>}
      <label>Text
        <textarea rows={14} value={content} onInput={(e) => setContent(e.currentTarget.value)} />
      </label>
    </DeedForm>
  );
}
