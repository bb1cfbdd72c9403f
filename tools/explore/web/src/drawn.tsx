// The answer to a question of what rests on what, as a drawing over the results of a search.

import type { JSX } from "preact";
import { graph } from "./address.ts";
import { call, describe, Fault, post, read } from "./api.ts";
import { Lineage } from "./lineage.tsx";
import { Answer, Link, MemoryLink } from "./parts.tsx";
import { holds, isNoun, type Question } from "./question.ts";
import { plainTitle } from "./snippet.ts";
import { useAsk } from "./state.ts";
import type { GetResult, Memory, SearchResult, TraceResult } from "./types.ts";
import { count, digits, folderOf } from "./words.ts";

interface Found {
  m: Memory;
  guessed: boolean; // it has another name
  traced: TraceResult;
  described: GetResult["memories"];
}

/** Drawn draws the answer: the memory, and what rests on it or what it rests on, with those of the noun marked. */
export function Drawn({ of: q }: { of: Question }): JSX.Element {
  const asked = useAsk<Found | null>(`question ${q.direction} ${q.name}`, async (signal) => {
    const named = await read(q.name, signal).catch((e: unknown) => {
      if (!(e instanceof Fault) || e.code !== "not_found") throw e;
    });
    const near = named ? undefined : (await post<SearchResult>("search", { query: q.name, status: "current", limit: 5 }, signal)).results.find((r) => holds(r.title, q.name));
    const m = named ?? (near && await read(near.id, signal));
    if (!m) return null;
    const traced = await call<TraceResult>("memory_trace", { id: m.id, direction: q.direction, max_hops: 5, limit: 100 }, signal);
    return { m, guessed: near !== undefined, traced, described: await describe(traced.results.map((r) => r.id), signal) };
  });
  return <Answer of={asked} waiting="">{(found) => (found ? <Picture of={q} found={found} /> : <p class="hint">Nothing is called “{q.name}”.</p>)}</Answer>;
}

function Picture({ of: q, found: { m, guessed, traced, described } }: { of: Question; found: Found }): JSX.Element {
  const isDown = q.direction === "downstream", all = traced.results.length;
  const answers = described.filter((r) => q.noun === "" || [r.kind, ...r.tags, ...[...r.tags, folderOf(r)].flatMap((path) => path.split("/"))].some((word) => isNoun(q.noun, word)));
  const one = q.noun.replace(/ies$/i, "y").replace(/([^s])s$/i, "$1") || "memory";
  const number = answers.length === 0 ? `no ${one}` : count(answers.length, one, one === q.noun ? undefined : q.noun || "memories");
  const said = number.charAt(0).toUpperCase() + number.slice(1);
  return (
    <section class="asked" aria-labelledby="asked-title">
      {guessed && <p class="hint">Nothing is called “{q.name}”. The nearest is “{plainTitle(m.title)}”:</p>}
      <h2 id="asked-title">{isDown ? <>{said} {answers.length > 1 ? "rest" : "rests"} on <MemoryLink of={m} status={m.status} /></> : <><MemoryLink of={m} status={m.status} /> rests on {number}</>}</h2>
      {answers.length === 0 && all > 0 && <p class="hint">{all === 1 ? "The one" : `None of the ${digits(all)}`} {isDown ? `that ${all === 1 ? "does" : "do"}` : "that it rests on"} has {all === 1 ? "not " : ""}“{one}” as its kind, tag or folder.</p>}
      <Lineage of={m} upstream={isDown ? [] : traced.results} downstream={isDown ? traced.results : []} marked={new Set(answers.map((r) => r.id))} />
      <p class="row">{traced.truncated && <span class="hint">There are more.</span>}<Link to={graph({ seed: m.id, depth: 2 })}>See it in the graph</Link></p>
    </section>
  );
}
