// When the results were last changed, as bars; dragging over them limits the results to that period.

import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { dateOf, day, digits } from "./words.ts";

const bars = 24;
const aDay = 86_400_000; // milliseconds
const height = 34;

export interface Histogram {
  from: number; // the first day, in milliseconds since 1970
  span: number; // milliseconds that a bar stands for: whole days
  counts: number[];
}

/** histogram counts times by spans of days; undefined if all are of one day. */
export function histogram(times: readonly string[]): Histogram | undefined {
  const days = times.map((t) => Math.floor(Date.parse(t) / aDay)).filter((d) => !Number.isNaN(d));
  if (days.length === 0) return undefined;
  const first = Math.min(...days), last = Math.max(...days);
  if (first === last) return undefined;
  const each = Math.ceil((last - first + 1) / bars);
  const counts = new Array<number>(Math.ceil((last - first + 1) / each)).fill(0);
  for (const d of days) counts[Math.floor((d - first) / each)]!++;
  return { from: first * aDay, span: each * aDay, counts };
}

export function Brush({ times, since, until, set }: { times: readonly string[]; since: string; until: string; set: (fields: { since: string; until: string }) => void }): JSX.Element | null {
  const h = useMemo(() => histogram(times), [times]);
  const [drag, setDrag] = useState<[number, number]>();
  const room = useRef<SVGSVGElement>(null);
  if (!h) return null;
  const n = h.counts.length, most = Math.max(...h.counts);
  const at = (e: PointerEvent): number => {
    const box = room.current!.getBoundingClientRect();
    return Math.max(0, Math.min(n - 1, Math.floor(((e.clientX - box.left) / box.width) * n)));
  };
  const place = (text: string, fallback: number): number => (text === "" || Number.isNaN(Date.parse(text)) ? fallback : (Date.parse(text) - h.from) / h.span);
  const [a, b] = drag ? [Math.min(...drag), Math.max(...drag) + 1] : [Math.max(0, place(since, 0)), Math.min(n, until === "" ? n : place(until, n) + aDay / h.span)];
  const start = (i: number): number => h.from + i * h.span;
  return (
    <div class="filter">
      <span id="filter-brush">When changed</span>
      <svg
        ref={room}
        class="brush"
        role="img"
        aria-label={`${digits(times.length)} results from ${day(dateOf(h.from))} to ${day(dateOf(start(n) - aDay))}`}
        viewBox={`0 0 ${n} ${height}`}
        preserveAspectRatio="none"
        onPointerDown={(e) => { room.current!.setPointerCapture(e.pointerId); setDrag([at(e), at(e)]); }}
        onPointerMove={(e) => drag && setDrag([drag[0], at(e)])}
        onPointerUp={() => {
          if (drag) set(a === 0 && b === n ? { since: "", until: "" } : { since: dateOf(start(a)), until: dateOf(start(b) - aDay) });
          setDrag(undefined);
        }}
        onPointerCancel={() => setDrag(undefined)}
      >
        <rect class="brushed" x={a} width={Math.max(0, b - a)} height={height} />
        {h.counts.map((c, i) => <rect key={i} class="bar" x={i + 0.1} width={0.8} y={height - (c === 0 ? 0 : 3 + (c / most) * (height - 3))} height={c === 0 ? 0 : 3 + (c / most) * (height - 3)} />)}
      </svg>
      <p class="hint brush-hint">{drag ? `${day(dateOf(start(a)))} – ${day(dateOf(start(b) - aDay))}` : "Drag over it to choose a time."}</p>
    </div>
  );
}
