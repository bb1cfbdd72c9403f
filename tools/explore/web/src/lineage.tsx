// Why, and what follows, as a picture: causes on the left, consequences on the right,
// and what was superseded within what took its place.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { format, memory } from "./address.ts";
import { call } from "./api.ts";
import { colourOf, lookOf } from "./kinds.ts";
import { gapX, high, layers, wide, type Box, type Standing } from "./layers.ts";
import { useAsk, useShared } from "./state.ts";
import type { Doubt, GetResult, TraceResult } from "./types.ts";
import { count } from "./words.ts";

const rounds = 6; // of questions what took the place of what

/** useSuccessors finds the memory that stands now for each of those that are superseded. */
function useSuccessors(traced: TraceResult["results"]): ReadonlyMap<string, Standing> | undefined {
  const old = [...new Set(traced.filter((r) => r.status === "superseded").map((r) => r.id))].sort();
  const asked = useAsk<[string, Standing][]>(old.length === 0 ? null : `successors ${old.join()}`, async (signal) => {
    const known = new Map<string, Standing>(), next = new Map<string, string>();
    for (let round = 0, ids = old; round < rounds && ids.length > 0; round++) {
      const r = await call<GetResult>("memory_get", { ids: ids.slice(0, 100), detail: "summary", include_edges: false }, signal);
      for (const m of r.memories) {
        known.set(m.id, { id: m.id, title: m.title, status: m.status });
        if (m.superseded_by) next.set(m.id, m.superseded_by.id);
      }
      ids = [...new Set(next.values())].filter((id) => !known.has(id));
    }
    return old.flatMap((id): [string, Standing][] => {
      let at = id;
      for (let steps = 0; next.has(at) && known.has(next.get(at)!) && steps < 100; steps++) at = next.get(at)!;
      return at === id ? [] : [[id, known.get(at)!]];
    });
  });
  return useMemo(() => (old.length === 0 || asked.error ? new Map() : asked.data && new Map(asked.data)), [old.length === 0, asked.data, asked.error]);
}

export function Lineage({ of, upstream, downstream }: { of: Standing & { stale?: Doubt[] }; upstream: TraceResult["results"]; downstream: TraceResult["results"] }): JSX.Element | null {
  const [apart, setApart] = useState(false);
  const room = useRef<HTMLDivElement>(null);
  const now = useSuccessors([...upstream, ...downstream]);
  const drawing = useMemo(() => now && layers(of, upstream, downstream, apart ? undefined : now), [of, upstream, downstream, now, apart]);
  useEffect(() => { // the memory itself is in view, whatever stands at its left
    const here = room.current?.querySelector(".lineage-here rect");
    if (room.current && here) room.current.scrollLeft = Math.max(0, Number(here.getAttribute("x")) + wide + gapX / 2 - room.current.clientWidth);
  }, [drawing]);
  if (upstream.length + downstream.length === 0 || !drawing) return null;
  const { boxes, lines, left } = drawing;
  const at = new Map(boxes.map((b) => [b.id, b]));
  const width = Math.max(...boxes.map((b) => b.x)) + wide + 4, height = Math.max(...boxes.map((b) => b.y)) + high + 4;
  return (
    <section class="lineage" aria-labelledby="lineage-title">
      <h2 id="lineage-title">How it came about, and what follows</h2>
      {now!.size > 0 && <label class="check"><input type="checkbox" checked={apart} onChange={(e) => setApart(e.currentTarget.checked)} /> what was superseded by itself</label>}
      <div ref={room} class="wide-room" tabIndex={0} role="region" aria-label="Lineage as a picture; the lists beside the text say the same">
        <svg viewBox={`-2 -6 ${width + 4} ${height + 6}`} width={width + 4} height={height + 6} role="group" aria-label={`${boxes.length} memories, causes on the left`}>
          {lines.map((l) => {
            const a = at.get(l.from)!, b = at.get(l.to)!;
            const [x1, y1, x2, y2] = [a.x + wide, a.y + high / 2, b.x, b.y + high / 2];
            const dash = lookOf(l.type).dash;
            return <path key={`${l.from} ${l.to} ${l.type}`} class={`lineage-line ink-${colourOf(l.type).slice(4)}`} d={`M${x1} ${y1} C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}`} stroke-dasharray={dash === "solid" ? undefined : dash === "dashed" ? "6 4" : "2 4"}><title>{l.type}</title></path>;
          })}
          {boxes.map((b) => <Place key={b.id} of={b} here={b.id === of.id} />)}
        </svg>
      </div>
      {left > 0 && <p class="hint">{left} more are in the lists only.</p>}
    </section>
  );
}

/** Place is a memory in the picture, as a link to its page. */
function Place({ of: b, here }: { of: Box; here: boolean }): JSX.Element {
  const { go } = useShared();
  const lines = halves(b.title, b.instead.length > 0 ? 1 : 2);
  const instead = b.instead.length === 0 ? "" : `instead of ${count(b.instead.length, "older one")}`;
  const middle = b.y + high / 2;
  return (
    <a href={format(memory(b.id))} class={`lineage-box ${b.status === "current" ? "" : "lineage-was"} ${b.stale ? "lineage-stale" : ""} ${here ? "lineage-here" : ""}`} aria-current={here ? "true" : undefined} onClick={(e: MouseEvent) => {
      if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
      e.preventDefault();
      go(memory(b.id));
    }}>
      <title>{[b.title, b.status === "current" ? "" : b.status, b.stale ? "stale" : "", b.instead.length > 0 ? `instead of ${b.instead.map((t) => `“${t}”`).join(", ")}` : ""].filter(Boolean).join(", ")}</title>
      {instead !== "" && <rect x={b.x + 5} y={b.y - 4} width={wide - 4} height={high} rx="6" class="lineage-under" />}
      <rect x={b.x} y={b.y} width={wide} height={high} rx="6" />
      {lines.map((line, i, all) => <text key={i} x={b.x + 10} y={middle + (all.length === 1 && instead === "" ? 4 : i === 0 ? -4 : 13)}>{line}</text>)}
      {instead !== "" && <text x={b.x + 10} y={middle + 13} class="lineage-instead">{instead}</text>}
    </a>
  );
}

/** halves is a title in at most two lines, or in one. */
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
