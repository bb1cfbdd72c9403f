// The legend of the graph: the kinds of edges, with checkboxes to hide them, and the shapes.

import type { JSX } from "preact";
import { EdgeSign } from "../parts.tsx";
import type { KindOfEdge } from "../types.ts";
import { digits } from "../words.ts";

export function Legend({ kinds, counts, off, set }: { kinds: KindOfEdge[]; counts: Map<string, number>; off: string[]; set: (off: string[]) => void }): JSX.Element {
  const flip = (kind: string, on: boolean): void => set(on ? off.filter((k) => k !== kind) : [...off, kind]);
  const here = kinds.filter((k) => (counts.get(k.name) ?? 0) > 0 || off.includes(k.name));
  return (
    <details class="gp legend" open>
      <summary>Kinds of edges</summary>
      <ul>
        {here.map((k) => {
          const n = counts.get(k.name) ?? 0;
          return (
            <li key={k.name}>
              <label class="check">
                <input type="checkbox" checked={!off.includes(k.name)} onChange={(e) => flip(k.name, e.currentTarget.checked)} />
                <EdgeSign kind={k.name} />
                <span class="legend-name">{k.name}</span>
                <span class="faint legend-reads">{k.reads}</span>
                <span class="faint legend-count">{n > 0 ? digits(n) : ""}</span>
              </label>
            </li>
          );
        })}
      </ul>
      <p class="row">
        <button type="button" class="link" onClick={() => set([])}>all</button>
        <button type="button" class="link" onClick={() => set(kinds.map((k) => k.name))}>none</button>
        <button type="button" class="link" onClick={() => set(["mentions"])}>as usual</button>
      </p>
      <p class="shapes faint">
        <span><svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true"><circle cx="7" cy="7" r="5.5" /></svg>note</span>
        <span><svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true"><path d="M4 1.6h6L13 7l-3 5.4H4L1 7Z" /></svg>other memory</span>
        <span><svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true"><rect x="1.8" y="1.8" width="10.4" height="10.4" rx="2" /></svg>file</span>
        <span><svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true" class="shape-old"><circle cx="7" cy="7" r="5.5" /></svg>superseded</span>
        <span><svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true" class="shape-stale"><circle cx="7" cy="7" r="5" /></svg>stale</span>
      </p>
    </details>
  );
}
