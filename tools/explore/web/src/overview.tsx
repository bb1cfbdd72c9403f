// The overview of the whole store: counts, and lists of memories that stand out.

import type { JSX } from "preact";
import { graph, overview, search, type OverviewAddress } from "./address.ts";
import { call, post } from "./api.ts";
import { Apart, Stands } from "./apart.tsx";
import { Days } from "./days.tsx";
import { Conversations, Weeks } from "./weeks.tsx";
import { Empty } from "./empty.tsx";
import { Answer, EdgeSign, Link, MemoryLink } from "./parts.tsx";
import { plainTitle } from "./snippet.ts";
import { useAsk, useShared, useTitle } from "./state.ts";
import type { Count, Day, OverviewResult } from "./types.ts";
import { Times, timesOf } from "./times.tsx";
import { because, digits } from "./words.ts";

export function OverviewView({ address }: { address: OverviewAddress }): JSX.Element {
  const { can, go } = useShared();
  const days = address.days;
  useTitle("Overview");
  const asked = useAsk<OverviewResult>(`overview ${address.asOf} ${address.knownAt}`, (signal) => call("graph_overview", { limit: 12, ...timesOf(address) }, signal));
  const counted = useAsk<Day[]>(can("days") ? `days ${days}` : null, (signal) => post("days", { days }, signal));
  return (
    <div class="overview">
      <h1>Overview</h1>
      <div class="times">
        <Times of={address} set={(fields) => go(overview({ ...address, ...fields }))} />
      </div>
      <Answer of={asked}>
        {(o) => o.memories === 0 && o.by_status.every((c) => c.count === 0) && address.asOf + address.knownAt === "" ? <Empty /> : (
          <Apart of={[...o.most_linked, ...o.stale, ...o.orphans]}>
            <Totals o={o} />
            {o.memories_among && <p class="hint">Counted among the {digits(o.memories_among)} memories changed last.</p>}
            {o.edges_among && <p class="hint">Counted among {digits(o.edges_among)} edges.</p>}
            {can("days") && <Answer of={counted} waiting="Counting…">{(d) => <Days days={d} span={days} pick={(n) => go(overview({ ...address, days: n }), true)} />}</Answer>}
            <Weeks />
            <Conversations />
            <div class="overview-room">
              <Bars title="Memories by kind" counts={o.by_kind} row={(c) => <Link to={search({ kind: c.name })}>{c.name}</Link>} />
              <Bars title="Memories by origin" counts={o.by_origin} row={(c) => <Link to={search({ origin: c.name })}>{c.name}</Link>} />
              <Bars title="Edges by kind" counts={o.edges_by_kind} row={(c) => <span class="with-sign"><EdgeSign kind={c.name} />{c.name}</span>} />
              <Bars title="Most linked" counts={o.most_linked.map((m) => ({ ...m, name: m.id, count: m.edges }))} unit="edges" row={(c) => <><Link to={graph({ seed: c.name })}>{plainTitle(c.title)}</Link><Stands id={c.name} /></>} />
              <List title="Stale" total={o.stale_count} of={o.stale} none="Nothing is stale." row={(m) => <><MemoryLink of={m} /><p class="hint">{m.stale.map((d) => `“${d.title}” ${because(d)}`).join("; ")}</p></>} />
              <List title="Contradictions" total={o.conflict_count} of={o.conflicts} none="Nothing contradicts anything." row={(c) => <><MemoryLink of={c.a} status={c.a.status} /> <EdgeSign kind="contradicts" /><span class="hush"> contradicts </span> <MemoryLink of={c.b} status={c.b.status} /></>} />
              <List title="Causal loops" total={o.causal_loop_count} of={o.causal_loops} none="Nothing causes itself." row={({ size, memories }) => <>{memories.map((m, i) => <>{i > 0 && " → "}<MemoryLink of={m} /></>)}{size > memories.length && ` and ${digits(size - memories.length)} more`}</>} />
              <List title="Orphans" total={o.orphan_count} of={o.orphans} none="Everything hangs together with something." row={(m) => <MemoryLink of={m} />} />
            </div>
          </Apart>
        )}
      </Answer>
    </div>
  );
}

function Totals({ o }: { o: OverviewResult }): JSX.Element {
  const edges = o.edges_by_kind.reduce((n, c) => n + c.count, 0);
  const status = (name: string): number => o.by_status.find((c) => c.name === name)?.count ?? 0;
  const tiles: [string, number, string][] = [
    ["current memories", status("current"), ""],
    ["edges", edges, ""],
    ["superseded", status("superseded"), ""],
    ["stale", o.stale_count, o.stale_count > 0 ? "warn" : ""],
    ["contradictions", o.conflict_count, o.conflict_count > 0 ? "warn" : ""],
    ["orphans", o.orphan_count, ""],
    [o.components === 1 ? "component" : "components", o.components, ""],
  ];
  return (
    <dl class="totals">
      {tiles.map(([name, n, mood]) => <div key={name} class={mood}><dt>{name}</dt><dd>{digits(n)}</dd></div>)}
    </dl>
  );
}

function Bars<T extends Count>({ title, counts, row, unit = "" }: { title: string; counts: T[]; row: (c: T) => JSX.Element; unit?: string }): JSX.Element {
  const most = Math.max(1, ...counts.map((c) => c.count));
  return (
    <section class="panel">
      <h2>{title}</h2>
      {counts.length === 0 && <p class="hint">None yet.</p>}
      <ul class="bars">
        {counts.map((c) => (
          <li key={c.name}>
            <span class="bar-name">{row(c)}</span>
            <svg class="bar-line" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width={Math.max(1, (100 * c.count) / most)} height="8" /></svg>
            <span class="bar-count">{digits(c.count)}{unit !== "" && <span class="hush"> {unit}</span>}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function List<T>({ title, total, of, none, row }: { title: string; total: number; of: T[]; none: string; row: (one: T) => JSX.Element }): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title} <small class="faint">{digits(total)}</small></h2>
      {total === 0 ? <p class="calm">{none}</p> : <ul class="plain">{of.map((one, i) => <li key={i}>{row(one)}</li>)}</ul>}
      {total > of.length && <p class="hint">The first {digits(of.length)} of {digits(total)}.</p>}
    </section>
  );
}
