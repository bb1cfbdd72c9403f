// How a memory came about: its chain of successors, what it rests on, and what rests on it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "./api.ts";
import { Answer, EdgeSign, MemoryLink } from "./parts.tsx";
import { useAsk, type Asked } from "./state.ts";
import type { HistoryResult, TraceResult } from "./types.ts";
import { because, day, digits } from "./words.ts";

export function Succession({ id }: { id: string }): JSX.Element {
  const asked = useAsk<HistoryResult>(`history ${id}`, (signal) => call("memory_history", { id }, signal));
  return (
    <Answer of={asked} waiting="">
      {(h) => h.chain.length < 2 ? <></> : (
        <section aria-labelledby="succession-title">
          <h2 id="succession-title">Succession</h2>
          <ol class="line-of succession">
            {h.chain.map((m) => (
              <li key={m.id} class={`${m.status} ${m.id === id ? "here" : ""}`} aria-current={m.id === id ? "true" : undefined}>
                {m.id === id ? <strong>{m.title}</strong> : <MemoryLink of={m} />}
                <span class="faint"> {day(m.created_at)}</span>
                {m.reason && <p class="edge-note">{m.reason}</p>}
              </li>
            ))}
          </ol>
          {(h.merged_from ?? []).length > 0 && (
            <p class="hint">Also taken in: {h.merged_from!.map((m, i) => <>{i > 0 && ", "}<MemoryLink of={m} /></>)}</p>
          )}
        </section>
      )}
    </Answer>
  );
}

const most = 100;
const shownFirst = 8; // the nearest ones; the parent of each comes before it

/** useTraces requests what a memory rests on and what rests on it, up to five hops away. */
export function useTraces(id: string): { upstream: Asked<TraceResult>; downstream: Asked<TraceResult> } {
  const ask = (direction: "upstream" | "downstream") => (signal: AbortSignal) => call<TraceResult>("memory_trace", { id, direction, max_hops: 5, limit: most }, signal);
  return { upstream: useAsk(`trace upstream ${id}`, ask("upstream")), downstream: useAsk(`trace downstream ${id}`, ask("downstream")) };
}

/** Trace shows what a memory rests on, or what rests on it; nothing if the list is empty. */
export function Trace({ id, direction, asked }: { id: string; direction: "upstream" | "downstream"; asked: Asked<TraceResult> }): JSX.Element {
  const title = direction === "upstream" ? "What it rests on" : "What rests on it";
  const label = `trace-${direction}`;
  const [all, setAll] = useState(false);
  return (
    <Answer of={asked} waiting="">
      {(t) => t.results.length === 0 ? <></> : (
        <section aria-labelledby={label}>
          <h2 id={label}>{title}<small class="faint"> {digits(t.results.length)}{t.truncated && "+"}</small></h2>
          <Branch under={id} rows={all ? t.results : t.results.slice(0, shownFirst)} />
          {!all && t.results.length > shownFirst && <button type="button" class="small" onClick={() => setAll(true)}>Show all {digits(t.results.length)}</button>}
          {all && t.truncated && <p class="hint">The first {digits(t.results.length)} within five steps.</p>}
        </section>
      )}
    </Answer>
  );
}

function Branch({ under, rows }: { under: string; rows: TraceResult["results"] }): JSX.Element | null {
  const here = rows.filter((r) => r.via.from === under && r.id !== under);
  if (here.length === 0) return null;
  return (
    <ul class="tree">
      {here.map((r) => (
        <li key={r.id}>
          <span class="tree-line">
            <span class="tree-kind">
              <EdgeSign kind={r.via.edge_type} against={r.via.direction === "in"} />
              <span class="hush">{r.via.direction === "in" ? `comes by ${r.via.edge_type} from` : `by ${r.via.edge_type} to`} </span>
              <span class="faint" aria-hidden="true">{r.via.edge_type}</span>
            </span>
            <MemoryLink of={r} status={r.status} />
            {r.stale && r.stale.length > 0 && <span class="chip chip-stale" title={r.stale.map((d) => `“${d.title}” ${because(d)}`).join("; ")}>stale</span>}
          </span>
          <Branch under={r.id} rows={rows} />
        </li>
      ))}
    </ul>
  );
}
