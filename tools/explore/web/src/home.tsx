// What do I have here? The briefing, what changed in these days, what needs somebody,
// and the largest topics.

import type { ComponentChildren, JSX } from "preact";
import { graph } from "./address.ts";
import { call, post } from "./api.ts";
import { EdgeSign, Link, MemoryLink } from "./parts.tsx";
import { plainText } from "./snippet.ts";
import { useAsk, useShared } from "./state.ts";
import type { Brief, Day, OverviewResult } from "./types.ts";
import { count, digits } from "./words.ts";

const recent = 7; // days
const most = 6; // entries of a list

export function Home({ overview }: { overview: OverviewResult | undefined }): JSX.Element | null {
  const { can } = useShared();
  const brief = useAsk<Brief>(can("memory_brief") ? "brief" : null, (signal) => call("memory_brief", {}, signal), { canWait: true });
  const days = useAsk<Day[]>(can("days") ? "days of home" : null, (signal) => post("days", { days: recent }, signal), { canWait: true });
  if (!overview || overview.memories === 0) return null;
  const b = brief.data;
  const told = [...(b?.rules ?? []), ...(b?.holds ?? [])];
  return (
    <section class="home" aria-label="What is here">
      <Panel title="This week" show={days.data !== undefined}>
        <Week days={days.data ?? []} />
      </Panel>
      <Panel title="Needs somebody" show>
        {overview.stale_count + overview.conflict_count === 0 ? <p class="calm">Nothing is stale or contradicted.</p> : (
          <ul class="plain">
            {overview.stale_count > 0 && <li><Link to={{ view: "review" }}>{count(overview.stale_count, "memory is", "memories are")} stale</Link></li>}
            {overview.conflict_count > 0 && <li><Link to={{ view: "review" }}>{count(overview.conflict_count, "contradiction")}</Link></li>}
            {(b?.to_settle ?? []).slice(0, 3).map((u) => <li key={u.id + u.other.id}><MemoryLink of={u} /> {u.reason === "contradicts" ? <><EdgeSign kind="contradicts" /><span class="hush"> contradicts </span></> : <span class="faint">is stale by</span>} <MemoryLink of={u.other} /></li>)}
          </ul>
        )}
      </Panel>
      <Panel title="Largest topics" show={overview.most_linked.length > 0}>
        <ul class="plain">
          {overview.most_linked.slice(0, most).map((m) => <li key={m.id}><Link to={graph({ seed: m.id })}>{m.title}</Link> <span class="faint">{digits(m.edges)}</span></li>)}
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

function Week({ days }: { days: Day[] }): JSX.Element {
  const sum = (of: (d: Day) => number): number => days.reduce((n, d) => n + of(d), 0);
  const said: [number, string][] = [[sum((d) => d.stored), "stored"], [sum((d) => d.revised), "edited"], [sum((d) => d.linked), "linked"], [sum((d) => d.forgotten), "forgotten"]];
  const some = said.filter(([n]) => n > 0);
  return some.length === 0 ? <p class="calm">Nothing has changed.</p> : <p>{some.map(([n, what]) => `${digits(n)} ${what}`).join(", ")}</p>;
}
