// Pairs of memories that contradict each other, side by side, with buttons to decide which one
// holds.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Actions, useDeed } from "./actions.tsx";
import { call, post } from "./api.ts";
import { Answer, EdgeSign, MemoryLink, Trouble } from "./parts.tsx";
import { useAsk, useCount, useShared, type Told } from "./state.ts";
import { lineOf } from "./text/pieces.ts";
import type { Conflict, ConflictsResult, End, GetResult } from "./types.ts";
import { day, digits } from "./words.ts";

const page = 10;
const atOnce = 50; // pairs whose texts one call reads

export function Conflicts({ told }: { told: Told }): JSX.Element {
  const [limit, setLimit] = useState(page);
  const asked = useAsk<ConflictsResult>(`conflicts ${limit}`, (signal) => post("conflicts", { limit }, signal));
  const total = asked.data && (asked.data.total_count ?? asked.data.conflicts.length);
  useCount(told, total);
  return (
    <section aria-labelledby="conflicts-title">
      <h2 id="conflicts-title">Contradictions <small class="faint">{total !== undefined && digits(total)}</small></h2>
      <p class="hint">Both are said to hold, and they cannot both be true. The one that holds supersedes the other; or they do not contradict.</p>
      <Answer of={asked}>
        {(r) => (
          <>
            {r.conflicts.length === 0 && <p class="calm">Nothing contradicts anything.</p>}
            {r.conflicts.map((_, i) => i % atOnce === 0 && <Pairs key={i} of={r.conflicts.slice(i, i + atOnce)} />)}
            {r.truncated && limit < 500 && <button type="button" onClick={() => setLimit(Math.min(500, limit * 2))}>Show more</button>}
            {r.truncated && limit >= 500 && <p class="hint">These are the first 500; the rest shows as these are dealt with.</p>}
          </>
        )}
      </Answer>
    </section>
  );
}

type Texts = ReadonlyMap<string, GetResult["memories"][number]>;

function Pairs({ of }: { of: Conflict[] }): JSX.Element {
  const ids = [...new Set(of.flatMap((c) => [c.a.id, c.b.id]))];
  const asked = useAsk<GetResult>(`said by ${ids.join()}`, (signal) => call("memory_get", { ids, detail: "summary", include_edges: false }, signal));
  const texts: Texts = new Map((asked.data?.memories ?? []).map((m) => [m.id, m]));
  return <ul class="cards">{of.map((c) => <Pair key={`${c.a.id} ${c.b.id}`} of={c} texts={texts} />)}</ul>;
}

function Pair({ of: c, texts }: { of: Conflict; texts: Texts }): JSX.Element {
  const { can, canWrite } = useShared();
  const { run, fault, busy } = useDeed();
  const hold = (one: End, other: End): Promise<void> =>
    run(() => call("memory_link", { from: one.id, to: other.id, type: "supersedes", ...(c.note && { note: c.note }) }), `“${one.title}” holds, and “${other.title}” is superseded.`);
  const side = (one: End, other: End): JSX.Element => {
    const m = texts.get(one.id);
    return (
      <div class="side">
        <p class="card-head"><MemoryLink of={one} status={one.status} />{m && <time class="faint" dateTime={m.created_at}>{day(m.created_at)}</time>}</p>
        {m && <p class="hint side-text">{lineOf(m.content ?? "", m.title)}</p>}
        {canWrite && (
          <div class="pair">
            <button type="button" class="small" disabled={busy} onClick={() => void hold(one, other)} aria-label={`This one holds: ${one.title}`}>This one holds</button>
            <Actions of={one} small />
          </div>
        )}
      </div>
    );
  };
  return (
    <li class="card">
      <div class="sides">
        {side(c.a, c.b)}
        <p class="between"><EdgeSign kind="contradicts" /><span class="hush"> contradicts </span></p>
        {side(c.b, c.a)}
      </div>
      {c.note && <p class="hint">{c.note}</p>}
      {can("memory_unlink") && (
        <button type="button" class="small quiet" disabled={busy} onClick={() => void run(() => call("memory_unlink", { from: c.a.id, to: c.b.id, type: "contradicts" }), `“${c.a.title}” and “${c.b.title}” do not contradict.`)} aria-label={`They do not contradict: ${c.a.title} and ${c.b.title}`}>They do not contradict</button>
      )}
      {fault && <Trouble of={fault} />}
    </li>
  );
}
