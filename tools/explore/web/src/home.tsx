// The start page: the whole store as a small picture, the changes of the last days, a briefing, and
// what waits for a person as cards.

import type { ComponentChildren, JSX } from "preact";
import { useContext } from "preact/hooks";
import { overview, review, search, type Address } from "./address.ts";
import { call, post } from "./api.ts";
import { Actions } from "./actions.tsx";
import { Small } from "./atlas/still.tsx";
import { EdgeSign, Link, MemoryLink } from "./parts.tsx";
import { plainText } from "./snippet.ts";
import { Doubts } from "./stale.tsx";
import { WaitsContext, useAsk, useShared } from "./state.ts";
import type { Brief, Day, OverviewResult } from "./types.ts";
import { digits } from "./words.ts";

const recent = 7; // days
const most = 6; // most entries of a list
const mostCards = 4;

export function Home({ overview: o, onlyCode }: { overview: OverviewResult; onlyCode: boolean }): JSX.Element {
  const { can } = useShared();
  const brief = useAsk<Brief>(can("memory_brief") ? "brief" : null, (signal) => call("memory_brief", {}, signal), { canWait: true });
  const days = useAsk<Day[]>(can("days") ? "days of home" : null, (signal) => post("days", { days: recent }, signal), { canWait: true });
  const b = brief.data;
  const told = [...(b?.rules ?? []), ...(b?.holds ?? [])];
  return (
    <>
      <section class="home" aria-label="What is here">
        <Panel title="This week" show={days.data !== undefined}>
          <Week days={days.data ?? []} />
        </Panel>
        <Panel title="What holds" show={told.length > 0}>
          <ul class="plain">{told.slice(0, most).map((e) => <li key={e.id}><MemoryLink of={e} />{e.doubt && <span class="chip chip-stale">{e.doubt}</span>}</li>)}</ul>
        </Panel>
        <Panel title="Where it was left off" show={b?.left_off !== undefined}>
          {b?.left_off && <><p><MemoryLink of={b.left_off} /></p><p class="hint">{plainText(b.left_off.next || b.left_off.done || b.left_off.text || "")}</p></>}
        </Panel>
      </section>
      <ToReview of={o} />
      <Small of={onlyCode ? "code" : "memories"} />
    </>
  );
}

/** ToReview shows the first of what is stale and of what contradicts, a card each. */
function ToReview({ of: o }: { of: OverviewResult }): JSX.Element {
  const waits = useContext(WaitsContext);
  return (
    <section class="home-waits" aria-labelledby="home-waits">
      <div class="changes-head">
        <h2 id="home-waits">To review</h2>
        <p class="row">
          {waits.parts.map((w) => <Link key={w.part} to={review(w.part)}>{w.said}</Link>)}
        </p>
      </div>
      {waits.all === 0 && <p class="calm">Nothing waits.</p>}
      <ul class="home-cards">
        {o.stale.slice(0, mostCards).map((m) => (
          <li key={m.id} class="home-card">
            <p class="card-head"><MemoryLink of={m} /><span class="chip chip-stale">stale</span></p>
            <Doubts of={m} doubts={m.stale} />
            <Actions of={{ ...m, status: "current" }} small but={["supersede", "link", "forget"]} />
          </li>
        ))}
        {o.conflicts.slice(0, Math.max(0, mostCards - o.stale.length)).map((c) => (
          <li key={c.a.id + c.b.id} class="home-card">
            <p class="card-head"><MemoryLink of={c.a} status={c.a.status} /></p>
            <p><EdgeSign kind="contradicts" /> contradicts <MemoryLink of={c.b} status={c.b.status} /></p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Panel({ title, show, children }: { title: string; show: boolean; children: ComponentChildren }): JSX.Element | null {
  return show ? <section class="home-panel"><h2>{title}</h2>{children}</section> : null;
}

/**
 * Week shows how much was stored, edited, linked and forgotten, each number as a link to those
 * changes.
 */
function Week({ days }: { days: Day[] }): JSX.Element {
  const since = days[0]?.day ?? "";
  const sum = (of: (d: Day) => number): number => days.reduce((n, d) => n + of(d), 0);
  const said: [number, string, Address][] = [
    [sum((d) => d.stored), "stored", search({ since })],
    [sum((d) => d.revised), "edited", search({ since })],
    [sum((d) => d.linked), "linked", overview({ days: recent })],
    [sum((d) => d.forgotten), "forgotten", search({ since, status: "forgotten" })],
  ];
  const some = said.filter(([n]) => n > 0);
  if (some.length === 0) return <p class="calm">Nothing has changed.</p>;
  return <p>{some.map(([n, what, to], i) => <span key={what}>{i > 0 && ", "}<Link to={to}>{digits(n)} {what}</Link></span>)}</p>;
}
