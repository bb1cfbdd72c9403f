// The history of a memory, the latest change first, with the difference that each edit made.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "./api.ts";
import { Difference } from "./difference.tsx";
import { Answer, EdgeSign, MemoryLink, Unfold } from "./parts.tsx";
import { useAsk, useShared } from "./state.ts";
import type { EditOf, Past, PastStep } from "./types.ts";
import { did, digits, minute } from "./words.ts";

const fewer = 30, more = 200; // steps

export function History({ id }: { id: string }): JSX.Element | null {
  const { can } = useShared();
  const [most, setMost] = useState(fewer);
  const asked = useAsk<Past>(can("past") ? `past ${id} ${most}` : null, (signal) => post("past", { id, limit: most }, signal), { canWait: true });
  const steps = asked.data?.steps ?? [];
  if (steps.length === 0) return null;
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">History <small class="faint">{digits(steps.length)}{asked.data?.truncated && "+"}</small></h2>
      <ol class="line-of history">{steps.map((s) => <Step key={`${s.at} ${s.number ?? ""} ${s.action} ${s.edge?.type ?? ""} ${s.edge?.other.id ?? ""}`} id={id} of={s} />)}</ol>
      {asked.data?.truncated && most < more && <button type="button" class="quiet" onClick={() => setMost(more)}>Further back</button>}
    </section>
  );
}

function Step({ id, of: s }: { id: string; of: PastStep }): JSX.Element {
  const fields = s.fields ?? [];
  return (
    <li class={s.undone ? "undone" : ""}>
      <time class="faint" dateTime={s.at}>{minute(s.at)}</time>
      <div>
        {did(s.action)}{s.actor !== "" && <span class="faint"> by {s.actor}</span>}
        {s.edge && <> <EdgeSign kind={s.edge.type} against={!s.edge.out} /> <span class="faint">{s.edge.out ? s.edge.type : `by ${s.edge.type} from`}</span> <MemoryLink of={s.edge.other} /></>}
        {s.undone && <> <span class="chip">taken back</span></>}
      </div>
      {fields.length > 0 && s.number !== undefined && s.action === "update" && (
        <Unfold line={<>What changed: {fields.join(", ").replace("content", "text")}</>}>{() => <Changed id={id} number={s.number!} />}</Unfold>
      )}
    </li>
  );
}

function Changed({ id, number }: { id: string; number: number }): JSX.Element {
  const asked = useAsk<EditOf>(`edit ${id} ${number}`, (signal) => post("edit", { id, number }, signal));
  return <Answer of={asked}>{(e) => <Fields of={e.fields} />}</Answer>;
}

/** Fields shows what fields of a memory were before a change and are after it. */
export function Fields({ of }: { of: EditOf["fields"] }): JSX.Element {
  return (
    <>
      {of.map((f) => (
        <div key={f.name} class="changed-field">
          {f.name !== "content" && <p class="faint">{f.name}</p>}
          <Difference before={shown(f.before)} after={shown(f.after)} label={`${f.name === "content" ? "text" : f.name} before and after`} />
        </div>
      ))}
    </>
  );
}

/** shown returns the value of a field as lines of text. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(String).join("\n");
  if (typeof value === "object") return Object.entries(value).map(([name, v]) => `${name}: ${typeof v === "string" ? v : JSON.stringify(v)}`).join("\n");
  return String(value);
}
