// Shows why a memory is stale: what happened to which memory, and the path of edges from there.

import type { JSX } from "preact";
import { useMemories } from "./apart.tsx";
import { MemoryLink } from "./parts.tsx";
import type { Doubt, Named } from "./types.ts";
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
  const titles = new Map([[of.id, of.title], ...doubts.map((d): [string, string] => [d.id, d.title]), ...useMemories(between).map((m): [string, string] => [m.id, m.title])]);
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
