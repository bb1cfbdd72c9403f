// The start page: a briefing, the changes of the last days, what needs attention, and the largest
// topics.

import type { ComponentChildren, JSX } from "preact";
import { graph, overview, review, search, type Address } from "./address.ts";
import { call, post } from "./api.ts";
import { EdgeSign, Link, MemoryLink } from "./parts.tsx";
import { plainText, plainTitle } from "./snippet.ts";
import { useAsk, useShared } from "./state.ts";
import type { Brief, Day, OverviewResult, Topic } from "./types.ts";
import { count, digits } from "./words.ts";

const recent = 7; // days
const most = 6; // most entries of a list

export function Home({ overview: o }: { overview: OverviewResult | undefined }): JSX.Element | null {
  const { can } = useShared();
  const brief = useAsk<Brief>(can("memory_brief") ? "brief" : null, (signal) => call("memory_brief", {}, signal), { canWait: true });
  const days = useAsk<Day[]>(can("days") ? "days of home" : null, (signal) => post("days", { days: recent }, signal), { canWait: true });
  const topics = useAsk<Topic[]>(can("topics") ? "topics" : null, (signal) => post("topics", { limit: most }, signal), { canWait: true, still: true });
  if (!o || o.memories === 0) return null;
  const b = brief.data;
  const told = [...(b?.rules ?? []), ...(b?.holds ?? [])];
  return (
    <section class="home" aria-label="What is here">
      <Panel title="This week" show={days.data !== undefined}>
        <Week days={days.data ?? []} />
      </Panel>
      <Panel title="To review" show>
        {o.stale_count + o.conflict_count === 0 ? <p class="calm">Nothing is stale or contradicted.</p> : (
          <ul class="plain">
            {o.stale_count > 0 && <li><Link to={review("stale")}>{count(o.stale_count, "memory is", "memories are")} stale</Link></li>}
            {o.conflict_count > 0 && <li><Link to={review("conflicts")}>{count(o.conflict_count, "contradiction")}</Link></li>}
            {(b?.to_settle ?? []).slice(0, 3).map((u) => <li key={u.id + u.other.id}><MemoryLink of={u} /> {u.reason === "contradicts" ? <><EdgeSign kind="contradicts" /><span class="hush"> contradicts </span></> : <span class="faint">is stale by</span>} <MemoryLink of={u.other} /></li>)}
          </ul>
        )}
      </Panel>
      <Panel title="Largest topics" show={topics.data !== undefined && topics.data.length > 0}>
        <ul class="plain">
          {(topics.data ?? []).map((t) => <TopicLine key={t.area} of={t} />)}
          <li><Link to={graph()}>See all of it as a picture</Link></li>
        </ul>
      </Panel>
      <Panel title="What holds" show={told.length > 0}>
        <ul class="plain">{told.slice(0, most).map((e) => <li key={e.id}><MemoryLink of={e} />{e.doubt && <span class="chip chip-stale">{e.doubt}</span>}</li>)}</ul>
      </Panel>
      <Panel title="Where it was left off" show={b?.left_off !== undefined}>
        {b?.left_off && <><p><MemoryLink of={b.left_off} /></p><p class="hint">{plainText(b.left_off.next || b.left_off.done || b.left_off.text || "")}</p></>}
      </Panel>
    </section>
  );
}

function Panel({ title, show, children }: { title: string; show: boolean; children: ComponentChildren }): JSX.Element | null {
  return show ? <section class="home-panel"><h2>{title}</h2>{children}</section> : null;
}

/** TopicLine shows a link to an area of the map, with the titles of its most linked memories. */
function TopicLine({ of }: { of: Topic }): JSX.Element {
  return (
    <li>
      <Link to={graph({ area: of.area })}>{of.name}</Link> <span class="faint whole">{count(of.count, "memory", "memories")}</span>
      <p class="hint one-line">{of.names.map(plainTitle).join(", ")}</p>
    </li>
  );
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
