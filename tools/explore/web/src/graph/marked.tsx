// The marked memory of the drawing, and its edges in their stored direction.

import type { ComponentChildren, JSX } from "preact";
import { memory } from "../address.ts";
import { Chip, EdgeSign, Link, States } from "../parts.tsx";
import { useShared } from "../state.ts";
import type { PlainEdge } from "../types.ts";
import { count } from "../words.ts";
import type { Model, Node, Visible } from "./model.ts";

const most = 30;

interface Props {
  of: Node;
  model: Model;
  visible: Visible;
  stale: boolean;
  opened: boolean;
  open: () => void;
  centre: () => void;
  from: () => void;
  to: () => void;
  mark: (id: string) => void;
  link: (() => void) | undefined; // undefined if linking is not possible here
}

export function Marked({ of, model, visible, stale, opened, open, centre, from, to, mark, link }: Props): JSX.Element {
  const { about } = useShared();
  const order = new Map(about.kinds.map((k, i) => [k.name, i]));
  const edges: PlainEdge[] = [];
  for (const key of visible.edges) {
    const e = model.edges.get(key)!;
    if (e.from === of.id || e.to === of.id) edges.push(e);
  }
  edges.sort((a, b) => (order.get(a.type) ?? 99) - (order.get(b.type) ?? 99));
  return (
    <MarkedMemory of={of} stale={stale}>
      <div class="actions">
        <button type="button" class="small" onClick={open} disabled={opened}>{opened ? "Neighbours added" : "Add neighbours"}</button>
        <button type="button" class="small" onClick={centre}>Centre here</button>
        <button type="button" class="small" onClick={from}>Path from</button>
        <button type="button" class="small" onClick={to}>Path to</button>
        {link && <button type="button" class="small" onClick={link} title="Link it (l)">Link</button>}
      </div>
      <ul class="marked-edges">
        {edges.slice(0, most).map((e) => {
          const other = model.nodes.get(e.from === of.id ? e.to : e.from)!;
          const comesIn = e.from !== of.id;
          return (
            <li key={`${e.from}${e.type}${e.rel}${e.to}`}>
              <EdgeSign kind={e.type} against={comesIn} />
              <span class="faint">{comesIn ? "←" : ""}{e.type}{comesIn ? "" : "→"}</span>{" "}
              <button type="button" class="link" onClick={() => mark(other.id)}>{other.title}</button>
            </li>
          );
        })}
      </ul>
      {edges.length > most && <p class="hint">and {count(edges.length - most, "more edge")}</p>}
    </MarkedMemory>
  );
}

/** MarkedMemory shows the memory that is marked in a drawing, and what can be done with it. */
export function MarkedMemory({ of, stale = false, children }: { of: Node; stale?: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <section class="gp marked" aria-labelledby="marked-title">
      <h2 id="marked-title"><Link to={memory(of.id)}>{of.title}</Link></h2>
      <p class="chips"><States of={of} />{stale && <Chip class="chip-stale">stale</Chip>}</p>
      {children}
    </section>
  );
}
