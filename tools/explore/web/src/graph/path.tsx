// A form to find a path from one memory to another, and the steps of the path.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { GraphAddress } from "../address.ts";
import { EdgeSign, MemoryLink } from "../parts.tsx";
import { Picker } from "../picker.tsx";
import type { Named, PathResult } from "../types.ts";
import { count } from "../words.ts";
import type { Model } from "./model.ts";

export function PathFinder({ address, model, path, set }: { address: GraphAddress; model: Model; path: PathResult | null; set: (fields: Partial<GraphAddress>) => void }): JSX.Element {
  const [picked, setPicked] = useState<Record<string, string>>({}); // titles, by id, of ends that are not drawn yet
  const end = (id: string): Named | null => (id === "" ? null : { id, title: model.nodes.get(id)?.title ?? picked[id] ?? id });
  const put = (which: "from" | "to") => (m: Named | null): void => {
    if (m) setPicked((p) => ({ ...p, [m.id]: m.title }));
    set({ [which]: m?.id ?? "" });
  };
  return (
    <details class="gp path-finder" open={address.from !== "" || address.to !== ""}>
      <summary>A path between two</summary>
      <Picker label="From" picked={end(address.from)} pick={put("from")} status="all" />
      <Picker label="To" picked={end(address.to)} pick={put("to")} status="all" />
      <div role="status">
        {path && address.from !== "" && address.to !== "" && (
          path.found ? (
            <>
              <p class="count">{path.hops === 0 ? "They are one and the same." : `${count(path.hops, "step")}:`}</p>
              <ol class="path-steps">
                {path.path.map((s) => (
                  <li key={s.id}>
                    <MemoryLink of={s} status={s.status} />
                    {s.edge_type_to_next && (
                      <span class="path-edge faint">
                        <EdgeSign kind={s.edge_type_to_next} against={s.direction_to_next === "in"} />
                        {s.direction_to_next === "in" ? `←${s.edge_type_to_next}—` : `—${s.edge_type_to_next}→`}
                      </span>
                    )}
                  </li>
                ))}
              </ol>
            </>
          ) : <p class="hint">{path.message ?? "No path of at most ten steps joins them."}</p>
        )}
      </div>
      {(address.from !== "" || address.to !== "") && <button type="button" class="link" onClick={() => set({ from: "", to: "" })}>Clear the path</button>}
    </details>
  );
}
