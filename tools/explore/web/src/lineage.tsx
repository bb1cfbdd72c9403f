// Why, and what follows, as a picture: causes on the left, consequences on the right.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { format, memory } from "./address.ts";
import { colourOf, lookOf } from "./kinds.ts";
import { useShared } from "./state.ts";
import type { TraceResult } from "./types.ts";

const wide = 190, high = 46, gapX = 70, gapY = 14;
const mostRows = 12; // of a column

interface Box {
  id: string;
  title: string;
  status: string;
  stale: boolean;
  x: number;
  y: number;
}

interface Line {
  from: string;
  to: string;
  type: string;
}

/** layers puts what was traced into columns by its steps: what it rests on at the left. */
export function layers(of: { id: string; title: string; status: string }, upstream: TraceResult["results"], downstream: TraceResult["results"]): { boxes: Box[]; lines: Line[]; left: number } {
  const columns = new Map<number, { id: string; title: string; status: string; stale: boolean }[]>([[0, [{ ...of, stale: false }]]]);
  const lines: Line[] = [];
  const seen = new Set([of.id]);
  let left = 0;
  for (const [sign, rows] of [[-1, upstream], [1, downstream]] as const) {
    for (const r of rows) {
      const column = columns.get(sign * r.via.hop) ?? [];
      if (!seen.has(r.id)) {
        if (column.length >= mostRows) {
          left++;
          continue;
        }
        seen.add(r.id);
        column.push({ id: r.id, title: r.title, status: r.status, stale: (r.stale ?? []).length > 0 });
        columns.set(sign * r.via.hop, column);
      }
      lines.push(sign < 0 ? { from: r.id, to: r.via.from, type: r.via.edge_type } : { from: r.via.from, to: r.id, type: r.via.edge_type });
    }
  }
  const first = Math.min(...columns.keys());
  const tall = Math.max(...[...columns.values()].map((c) => c.length));
  const boxes = [...columns].flatMap(([column, rows]) => rows.map((r, i) => ({
    ...r, x: (column - first) * (wide + gapX), y: (i + (tall - rows.length) / 2) * (high + gapY),
  })));
  return { boxes, lines: lines.filter((l) => seen.has(l.from) && seen.has(l.to)), left };
}

export function Lineage({ of, upstream, downstream }: { of: { id: string; title: string; status: string }; upstream: TraceResult["results"]; downstream: TraceResult["results"] }): JSX.Element | null {
  const { go } = useShared();
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => { // the memory itself is in view, whatever stands at its left
    const here = room.current?.querySelector(".lineage-here rect");
    if (room.current && here) room.current.scrollLeft = Math.max(0, Number(here.getAttribute("x")) + wide + gapX / 2 - room.current.clientWidth);
  }, [of.id, upstream, downstream]);
  if (upstream.length + downstream.length === 0) return null;
  const { boxes, lines, left } = layers(of, upstream, downstream);
  const at = new Map(boxes.map((b) => [b.id, b]));
  const width = Math.max(...boxes.map((b) => b.x)) + wide + 4, height = Math.max(...boxes.map((b) => b.y)) + high + 4;
  return (
    <section class="lineage" aria-labelledby="lineage-title">
      <h2 id="lineage-title">How it came about, and what follows</h2>
      <div ref={room} class="wide-room" tabIndex={0} role="region" aria-label="Lineage as a picture; the lists beside the text say the same">
        <svg viewBox={`-2 -2 ${width} ${height}`} width={width} height={height} role="group" aria-label={`${boxes.length} memories, causes on the left`}>
          {lines.map((l) => {
            const a = at.get(l.from)!, b = at.get(l.to)!;
            const [x1, y1, x2, y2] = [a.x + wide, a.y + high / 2, b.x, b.y + high / 2];
            const dash = lookOf(l.type).dash;
            return <path key={`${l.from} ${l.to} ${l.type}`} class={`lineage-line ink-${colourOf(l.type).slice(4)}`} d={`M${x1} ${y1} C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}`} stroke-dasharray={dash === "solid" ? undefined : dash === "dashed" ? "6 4" : "2 4"}><title>{l.type}</title></path>;
          })}
          {boxes.map((b) => (
            <a key={b.id} href={format(memory(b.id))} class={`lineage-box ${b.status === "current" ? "" : "lineage-was"} ${b.stale ? "lineage-stale" : ""} ${b.id === of.id ? "lineage-here" : ""}`} aria-current={b.id === of.id ? "true" : undefined} onClick={(e: MouseEvent) => {
              if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
              e.preventDefault();
              go(memory(b.id));
            }}>
              <title>{[b.title, b.status === "current" ? "" : b.status, b.stale ? "stale" : ""].filter(Boolean).join(", ")}</title>
              <rect x={b.x} y={b.y} width={wide} height={high} rx="6" />
              {halves(b.title).map((line, i, all) => <text key={i} x={b.x + 10} y={b.y + high / 2 + (all.length === 1 ? 4 : i === 0 ? -4 : 13)}>{line}</text>)}
            </a>
          ))}
        </svg>
      </div>
      {left > 0 && <p class="hint">{left} more are in the lists only.</p>}
    </section>
  );
}

/** halves is a title in at most two lines. */
function halves(title: string): string[] {
  const letters = [...title];
  const most = 25;
  if (letters.length <= most) return [title];
  const space = letters.slice(0, most + 1).lastIndexOf(" ");
  const cut = space > 8 ? space : most;
  const rest = letters.slice(cut).join("").trim();
  return [letters.slice(0, cut).join(""), [...rest].length > most ? [...rest].slice(0, most - 1).join("") + "…" : rest];
}
