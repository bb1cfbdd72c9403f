// The answer to a question of what rests on what, as a drawing over the results of a search.

import type { JSX } from "preact";
import { graph } from "./address.ts";
import { call, Fault, post, read } from "./api.ts";
import { Lineage } from "./lineage.tsx";
import { Answer, Link, MemoryLink } from "./parts.tsx";
import type { Question } from "./question.ts";
import { useAsk } from "./state.ts";
import type { Memory, SearchResult, TraceResult } from "./types.ts";
import { count } from "./words.ts";

interface Found {
  m: Memory;
  traced: TraceResult;
}

/** Drawn draws the answer: the memory, and what rests on it or what it rests on, with those of the kind marked. */
export function Drawn({ of: q }: { of: Question }): JSX.Element {
  const asked = useAsk<Found | null>(`question ${q.direction} ${q.name}`, async (signal) => {
    const m = await read(q.name, signal).catch(async (e: unknown) => { // no memory has the name: the best match of its words
      if (!(e instanceof Fault) || e.code !== "not_found") throw e;
      const best = (await post<SearchResult>("search", { query: q.name, status: "current", limit: 1 }, signal)).results[0];
      return best && read(best.id, signal);
    });
    return m ? { m, traced: await call<TraceResult>("memory_trace", { id: m.id, direction: q.direction, max_hops: 5, limit: 100 }, signal) } : null;
  });
  return <Answer of={asked} waiting="">{(found) => (found ? <Picture of={q} found={found} /> : <p class="hint">No memory is called “{q.name}”.</p>)}</Answer>;
}

function Picture({ of: q, found: { m, traced } }: { of: Question; found: Found }): JSX.Element {
  const isDown = q.direction === "downstream";
  const answers = traced.results.filter((r) => q.kind === "" || r.kind === q.kind);
  const number = answers.length === 0 ? `no ${q.kind || "memory"}` : q.kind === "" ? count(answers.length, "memory", "memories") : count(answers.length, q.kind);
  const said = number.charAt(0).toUpperCase() + number.slice(1);
  return (
    <section class="asked" aria-labelledby="asked-title">
      <h2 id="asked-title">{isDown ? <>{said} {answers.length > 1 ? "rest" : "rests"} on <MemoryLink of={m} status={m.status} /></> : <><MemoryLink of={m} status={m.status} /> rests on {number}</>}</h2>
      <Lineage of={m} upstream={isDown ? [] : traced.results} downstream={isDown ? traced.results : []} marked={new Set(answers.map((r) => r.id))} />
      <p class="row">{traced.truncated && <span class="hint">There are more.</span>}<Link to={graph({ seed: m.id, depth: 2 })}>See it in the graph</Link></p>
    </section>
  );
}
