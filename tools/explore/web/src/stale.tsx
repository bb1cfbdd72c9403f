// Shows why a memory is stale: what happened to which memory, and the path of edges from there.

import type { JSX } from "preact";
import { call } from "./api.ts";
import { MemoryLink } from "./parts.tsx";
import { useAsk } from "./state.ts";
import type { Doubt, GetResult, Named } from "./types.ts";
import { because } from "./words.ts";

export function StaleNote({ of, doubts }: { of: Named; doubts: Doubt[] }): JSX.Element {
  return (
    <section class="note stale-note" aria-label="Why it is stale">
      <p>Something that this rests on is not what it was. It may still be true; somebody should look.</p>
      <Doubts of={of} doubts={doubts} />
    </section>
  );
}

export function Doubts({ of, doubts }: { of: Named; doubts: Doubt[] }): JSX.Element {
  const between = [...new Set(doubts.flatMap((d) => d.route.slice(1, -1)))].filter((id) => id !== of.id).sort();
  const asked = useAsk<GetResult>(between.length === 0 ? null : `route ${between.join()}`, (signal) =>
    call("memory_get", { ids: between.slice(0, 100), detail: "summary", include_edges: false }, signal));
  const titles = new Map([[of.id, of.title], ...doubts.map((d): [string, string] => [d.id, d.title]), ...(asked.data?.memories ?? []).map((m): [string, string] => [m.id, m.title])]);
  return (
    <ul class="doubts">
      {doubts.map((d) => (
        <li key={d.id + d.reason}>
          <MemoryLink of={d} /> {because(d)}{d.successor && <> by <MemoryLink of={d.successor} /></>}
          {d.route.length > 2 && (
            <span class="route">
              {" — by way of "}
              {d.route.slice(1, -1).map((id, i) => <span key={id}>{i > 0 && " → "}<MemoryLink of={{ id, title: titles.get(id) ?? "…" }} /></span>)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
