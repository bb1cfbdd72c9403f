// Where a drawing may begin.

import type { JSX } from "preact";
import { graph } from "../address.ts";
import { call } from "../api.ts";
import { Empty } from "../empty.tsx";
import { Answer, Link } from "../parts.tsx";
import { Picker } from "../picker.tsx";
import { useAsk } from "../state.ts";
import type { OverviewResult } from "../types.ts";
import { count } from "../words.ts";

export function Start({ pick }: { pick: (id: string) => void }): JSX.Element {
  const asked = useAsk<OverviewResult>("where to start", (signal) => call("graph_overview", { limit: 12 }, signal));
  return (
    <section class="start">
      <h1>Graph</h1>
      <Answer of={asked}>
        {(o) => o.memories === 0 ? <Empty /> : (
          <>
            <p>Choose a memory, and see what hangs together with it.</p>
            <Picker label="Around" picked={null} pick={(m) => m && pick(m.id)} status="all" />
            <h2>Most linked</h2>
            <ul class="plain start-list">
              {o.most_linked.map((m) => <li key={m.id}><Link to={graph({ seed: m.id })} class="title">{m.title}</Link> <span class="faint">{count(m.edges, "edge")}</span></li>)}
            </ul>
          </>
        )}
      </Answer>
    </section>
  );
}
