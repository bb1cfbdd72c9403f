// The lineage of a memory as a diagram: causes on the left, consequences on the right, and
// superseded memories folded into their successors.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { memory } from "./address.ts";
import { describe } from "./api.ts";
import { dashes } from "./graph/shapes.ts";
import { inkOf, lookOf } from "./kinds.ts";
import { gapX, high, layers, wide, type Box } from "./layers.ts";
import { Link } from "./parts.tsx";
import { useAsk } from "./state.ts";
import type { Doubt, End, TraceResult } from "./types.ts";
import { count } from "./words.ts";

const rounds = 6; // largest number of requests to follow chains of successors

/**
 * useSuccessors returns, by id of each superseded memory, the end of its chain of successors;
 * undefined while loading.
 */
function useSuccessors(traced: TraceResult["results"]): ReadonlyMap<string, End> | undefined {
  const old = [...new Set(traced.filter((r) => r.status === "superseded").map((r) => r.id))].sort();
  const asked = useAsk<[string, End][]>(old.length === 0 ? null : `successors ${old.join()}`, async (signal) => {
    const known = new Map<string, End>(), next = new Map<string, string>();
    for (let round = 0, ids = old; round < rounds && ids.length > 0; round++) {
      for (const m of await describe(ids.slice(0, 100), signal)) {
        known.set(m.id, { id: m.id, title: m.title, status: m.status });
        if (m.superseded_by) next.set(m.id, m.superseded_by.id);
      }
      ids = [...new Set(next.values())].filter((id) => !known.has(id));
    }
    return old.flatMap((id): [string, End][] => {
      let at = id;
      for (let steps = 0; next.has(at) && known.has(next.get(at)!) && steps < 100; steps++) at = next.get(at)!;
      return at === id ? [] : [[id, known.get(at)!]];
    });
  });
  return useMemo(() => (old.length === 0 || asked.error ? new Map() : asked.data && new Map(asked.data)), [old.length === 0, asked.data, asked.error]);
}

const nothing: ReadonlySet<string> = new Set();

export function Lineage({ of, upstream, downstream, marked = nothing }: { of: End & { stale?: Doubt[] }; upstream: TraceResult["results"]; downstream: TraceResult["results"]; marked?: ReadonlySet<string> }): JSX.Element | null {
  const [apart, setApart] = useState(false);
  const [isCut, setCut] = useState(false);
  const room = useRef<HTMLDivElement>(null);
  const now = useSuccessors([...upstream, ...downstream]);
  const drawing = useMemo(() => now && layers(of, upstream, downstream, apart ? undefined : now), [of, upstream, downstream, now, apart]);
  useEffect(() => {
    const r = room.current, here = drawing?.boxes[0];
    if (!r || !here) return;
    r.scrollLeft = here.x + wide / 2 - r.clientWidth / 2; // centres the memory itself
    setCut(r.scrollWidth > r.clientWidth);
  }, [drawing]);
  if (upstream.length + downstream.length === 0 || !drawing) return null;
  const { boxes, lines, left } = drawing;
  const at = new Map(boxes.map((b) => [b.key, b]));
  const width = Math.max(...boxes.map((b) => b.x)) + wide + 4, height = Math.max(...boxes.map((b) => b.y)) + high + 4;
  return (
    <section class="lineage" aria-labelledby="lineage-title">
      <h2 id="lineage-title">How it came about, and what follows</h2>
      {now!.size > 0 && <label class="check"><input type="checkbox" checked={apart} onChange={(e) => setApart(e.currentTarget.checked)} /> show superseded ones separately</label>}
      <div ref={room} class="wide-room lineage-room" tabIndex={0} role="region" aria-label="Lineage as a picture; the lists beside the text say the same">
        <svg viewBox={`-2 -6 ${width + 4} ${height + 6}`} width={width + 4} height={height + 6} role="group" aria-label={`${boxes.length} memories, causes on the left`}>
          {lines.map((l) => {
            const a = at.get(l.from)!, b = at.get(l.to)!;
            const [x1, y1, x2, y2] = [a.x + wide, a.y + high / 2, b.x, b.y + high / 2];
            return (
              <g key={`${l.from} ${l.to} ${l.type}`} style={{ color: inkOf(l.type) }}>
                <path class="lineage-line" d={`M${x1} ${y1} C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2 - 7} ${y2}`} stroke-dasharray={dashOf(l.type)}><title>{saysOf(l.type)}</title></path>
                <path class="lineage-head" d={`M${x2} ${y2} l-9 -4.5 v9 z`} />
              </g>
            );
          })}
          {boxes.map((b) => <Place key={b.key} of={b} here={b.key === of.id} marked={marked.has(b.id)} />)}
        </svg>
      </div>
      <ul class="lineage-key hint">
        {[...new Set(lines.map((l) => l.type))].map((type) => (
          <li key={type}>
            <svg style={{ color: inkOf(type) }} viewBox="0 0 34 10" width="34" height="10" aria-hidden="true"><path class="lineage-line" d="M1 5H26" stroke-dasharray={dashOf(type)} /><path class="lineage-head" d="M33 5 l-9 -4.5 v9 z" /></svg>
            {saysOf(type)}
          </li>
        ))}
      </ul>
      {isCut && <p class="hint">There is more to the left or to the right: scroll it, or use the arrow keys in it.</p>}
      {left > 0 && <p class="hint">{left} more are in the lists only.</p>}
    </section>
  );
}

/**
 * says holds the meaning of a line from left to right, by kind of edge; the cause is at the left.
 */
const says: Record<string, string> = {
  causes: "the left one causes the right one",
  supports: "the left one supports the right one",
  "depends-on": "the right one depends on the left one",
  "derived-from": "the right one is derived from the left one",
  calls: "the right one calls the left one",
  imports: "the right one imports the left one",
  implements: "the right one implements the left one",
};
const saysOf = (type: string): string => says[type] ?? type;

const dashOf = (type: string): string => dashes[lookOf(type).dash];

/** Place shows a memory in the diagram, as a link to its page. */
function Place({ of: b, here, marked }: { of: Box; here: boolean; marked: boolean }): JSX.Element {
  const instead = b.instead.length === 0 ? "" : `instead of ${count(b.instead.length, "older one")}`;
  const aside = [b.stale ? "stale" : "", b.status === "current" ? "" : b.status, instead].filter(Boolean).join(", ");
  const lines = halves(b.title, aside === "" ? 2 : 1);
  const middle = b.y + high / 2;
  return (
    <Link to={memory(b.id)} class={`lineage-box ${b.status === "current" ? "" : "lineage-was"} ${b.stale ? "lineage-stale" : ""} ${here ? "lineage-here" : ""} ${marked ? "lineage-marked" : ""}`} here={here}>
      <title>{[b.title, b.status === "current" ? "" : b.status, b.stale ? "stale" : "", b.instead.length > 0 ? `instead of ${b.instead.map((t) => `“${t}”`).join(", ")}` : ""].filter(Boolean).join(", ")}</title>
      {instead !== "" && <rect x={b.x + 5} y={b.y - 4} width={wide - 4} height={high} rx="6" class="lineage-under" />}
      <rect x={b.x} y={b.y} width={wide} height={high} rx="6" />
      {lines.map((line, i, all) => <text key={i} x={b.x + 10} y={middle + (all.length === 1 && aside === "" ? 4 : i === 0 ? -4 : 13)}>{line}</text>)}
      {aside !== "" && <text x={b.x + 10} y={middle + 13} class="lineage-aside">{aside}</text>}
    </Link>
  );
}

/** halves returns a title on at most two lines, or on one, shortened if needed. */
function halves(title: string, lines: 1 | 2): string[] {
  const letters = [...title];
  const most = 25;
  if (letters.length <= most) return [title];
  if (lines === 1) return [letters.slice(0, most - 1).join("").trimEnd() + "…"];
  const space = letters.slice(0, most + 1).lastIndexOf(" ");
  const cut = space > 8 ? space : most;
  const rest = letters.slice(cut).join("").trim();
  return [letters.slice(0, cut).join(""), [...rest].length > most ? [...rest].slice(0, most - 1).join("") + "…" : rest];
}
