// The legend of the graph: the kinds of edges, with checkboxes to hide them, the colours of kinds of
// memories, and the shapes of their states.

import type { JSX } from "preact";
import { tintOf } from "../kinds.ts";
import { EdgeSign } from "../parts.tsx";
import type { KindOfEdge } from "../types.ts";
import { digits } from "../words.ts";
import { tally, type Node } from "./model.ts";
import { outline, type State } from "./shapes.ts";

const states: [State, string][] = [["current", "current"], ["superseded", "superseded"], ["stale", "stale"]];

export function Legend({ kinds, counts, memories, off, set }: { kinds: KindOfEdge[]; counts: Map<string, number>; memories: readonly Node[]; off: string[]; set: (off: string[]) => void }): JSX.Element {
  const here = kinds.filter((k) => (counts.get(k.name) ?? 0) > 0 || off.includes(k.name));
  const ofKind = tally(memories.map((m) => m.kind));
  return (
    <details class="gp legend" open>
      <summary>Kinds of edges</summary>
      <ul>{here.map((k) => <KindChoice key={k.name} kind={k.name} reads={k.reads} n={counts.get(k.name) ?? 0} off={off} set={set} />)}</ul>
      <p class="row">
        <button type="button" class="link" onClick={() => set([])}>all</button>
        <button type="button" class="link" onClick={() => set(kinds.map((k) => k.name))}>none</button>
        <button type="button" class="link" onClick={() => set(["mentions"])}>as usual</button>
      </p>
      <p class="shapes faint">
        {[...ofKind].filter(([kind]) => kind !== "").sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([kind, n]) => <span key={kind}><Sign of="current" kind={kind} />{kind} {digits(n)}</span>)}
      </p>
      <p class="shapes faint">{states.map(([state, word]) => <span key={state}><Sign of={state} kind="" />{word}</span>)}</p>
    </details>
  );
}

/** KindChoice shows a kind of edges, how many there are, and a checkbox that hides them. */
export function KindChoice({ kind, reads = "", n, off, set }: { kind: string; reads?: string; n: number; off: string[]; set: (off: string[]) => void }): JSX.Element {
  return (
    <li>
      <label class="check">
        <input type="checkbox" checked={!off.includes(kind)} onChange={(e) => set(e.currentTarget.checked ? off.filter((k) => k !== kind) : [...off, kind])} />
        <EdgeSign kind={kind} />
        <span class="legend-name">{kind}</span>
        <span class="faint legend-reads">{reads}</span>
        <span class="faint legend-count">{n > 0 ? digits(n) : ""}</span>
      </label>
    </li>
  );
}

/** Sign shows a small memory, as the graph draws those of its kind in a state. */
function Sign({ of, kind }: { of: State; kind: string }): JSX.Element {
  return <svg viewBox="-8 -8 16 16" width="13" height="13" aria-hidden="true" class={`shape-${of}`} style={{ "--tint": tintOf(kind) }}><path d={outline(of, 5.5)} /></svg>;
}
