// The number of changes on each day, as bars and as a table.

import type { JSX } from "preact";
import type { Day } from "./types.ts";
import { count, day, digits } from "./words.ts";

const height = 72;
const spans = [7, 14, 30, 90, 365];

export function Days({ days, span, pick }: { days: Day[]; span: number; pick: (span: number) => void }): JSX.Element {
  const most = Math.max(1, ...days.map((d) => d.changes));
  const total = days.reduce((n, d) => n + d.changes, 0);
  const wide = 100 / Math.max(1, days.length);
  const said = `${count(total, "change")} in ${count(days.length, "day")}`;
  const busy = days.filter((d) => d.changes > 0);
  return (
    <section class="panel days" aria-labelledby="days-title">
      <div class="days-head">
        <h2 id="days-title">Changes by day <small class="faint">{said}</small></h2>
        <div role="group" aria-label="How many days" class="switch">
          {spans.map((n) => <button key={n} type="button" aria-pressed={n === span} onClick={() => pick(n)}>{n}</button>)}
        </div>
      </div>
      <svg class="day-bars" role="img" aria-label={`${said}; the most on one day: ${digits(most)}`} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
        <path class="base" d={`M0 ${height - 0.5}H100`} vector-effect="non-scaling-stroke" />
        {days.map((d, i) => {
          const h = d.changes === 0 ? 0 : Math.max(2, (Math.log1p(d.changes) / Math.log1p(most)) * (height - 4));
          return <rect key={d.day} x={i * wide + wide * 0.12} width={wide * 0.76} y={height - h} height={h}><title>{`${day(d.day)}: ${count(d.changes, "change")}`}</title></rect>;
        })}
      </svg>
      <p class="day-ends faint"><span>{days[0] && day(days[0].day)}</span><span>taller is more, by orders of magnitude</span><span>{days.at(-1) && day(days.at(-1)!.day)}</span></p>
      <details>
        <summary>As a table</summary>
        <div class="wide-room" tabIndex={0} role="region" aria-label="Changes by day, as a table">
          <table>
            <thead><tr><th scope="col">Day</th><th scope="col">Changes</th><th scope="col">Stored</th><th scope="col">Edited</th><th scope="col">Linked</th><th scope="col">Forgotten</th></tr></thead>
            <tbody>
              {busy.toReversed().map((d) => <tr key={d.day}><th scope="row">{day(d.day)}</th><td>{digits(d.changes)}</td><td>{digits(d.stored)}</td><td>{digits(d.revised)}</td><td>{digits(d.linked)}</td><td>{digits(d.forgotten)}</td></tr>)}
              {busy.length === 0 && <tr><td colSpan={6}>Nothing has changed in these days.</td></tr>}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
