// What was shown to agents, used and corrected, week by week. It says what was used, not that it helped.

import type { JSX } from "preact";
import { post } from "./api.ts";
import { useAsk, useShared } from "./state.ts";
import type { Uses } from "./types.ts";
import { count, day, digits } from "./words.ts";

const height = 72;

export function Weeks(): JSX.Element | null {
  const { can } = useShared();
  const u = useAsk<Uses>(can("use") ? "use" : null, (signal) => post("use", { limit: 5 }, signal), { canWait: true, still: true }).data;
  if (!u || u.shown === 0) return null;
  const most = Math.max(1, ...u.weeks.map((w) => w.shown)), wide = 100 / Math.max(12, u.weeks.length); // so that one week alone is a bar too
  const said = `${digits(u.shown)} shown, ${digits(u.used)} used, ${digits(u.corrected)} corrected, in ${count(u.sessions, "conversation")}`;
  const bar = (n: number, i: number, look: string): JSX.Element => <rect class={look} x={i * wide + wide * 0.12} width={wide * 0.76} y={height - (n / most) * (height - 2)} height={(n / most) * (height - 2)} />;
  return (
    <section class="panel" aria-labelledby="use-title">
      <h2 id="use-title">Shown and used <small class="faint">{said}</small></h2>
      <svg class="day-bars use-bars" role="img" aria-label={`By week: ${said}`} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
        <path class="base" d={`M0 ${height - 0.5}H100`} vector-effect="non-scaling-stroke" />
        {u.weeks.map((w, i) => <g key={w.week}><title>{`Week of ${day(w.week)}: ${digits(w.shown)} shown, ${digits(w.used)} used, ${digits(w.corrected)} corrected`}</title>{bar(w.shown, i, "use-shown")}{bar(w.used, i, "")}{bar(w.corrected, i, "use-corrected")}</g>)}
      </svg>
      <p class="day-ends faint"><span>{u.weeks[0] && day(u.weeks[0].week)}</span><span>pale: shown; green: used; red: corrected</span><span>{u.weeks.at(-1) && day(u.weeks.at(-1)!.week)}</span></p>
      {u.not_found.length > 0 && <p class="hint">Looked for and not found: {u.not_found.map((m) => `“${m.words}”`).join(", ")}.</p>}
    </section>
  );
}
