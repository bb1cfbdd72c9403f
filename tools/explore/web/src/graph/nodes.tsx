// The memories of the drawing as a list, for the keyboard and for screen readers.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { digits } from "../words.ts";
import type { Model, Node, Visible } from "./model.ts";

const most = 250; // most entries of the list

interface Props {
  model: Model;
  visible: Visible;
  marked: string;
  stale: ReadonlySet<string>;
  mark: (id: string) => void;
  read: (id: string) => void;
}

export function NodeList({ model, visible, marked, stale, mark, read }: Props): JSX.Element {
  const [text, setText] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const nodes = [...visible.nodes].map((id) => model.nodes.get(id)!);
    return (wanted === "" ? nodes : nodes.filter((n) => n.title.toLowerCase().includes(wanted))).sort((a, b) => a.title.localeCompare(b.title));
  }, [model, visible, text]);
  const shown = all.slice(0, most);
  const at = Math.max(0, shown.findIndex((n) => n.id === marked));
  useEffect(() => {
    if (list.current?.contains(document.activeElement)) list.current.querySelectorAll("button")[at]?.focus();
  }, [marked]);

  const step = (e: KeyboardEvent): void => {
    const by: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 };
    if (e.key in by) {
      e.preventDefault();
      e.stopPropagation();
      const next = shown[Math.min(shown.length - 1, Math.max(0, by[e.key]!))];
      if (next) mark(next.id);
    } else if (e.key === "Enter" && shown[at]) {
      e.preventDefault();
      read(shown[at].id);
    }
  };
  return (
    <section class="gp" aria-labelledby="nodes-title">
      <h2 id="nodes-title">Memories in it</h2>
      {visible.nodes.size > 12 && (
        <label class="hush-label"><span class="hush">Only those whose title has</span>
          <input type="search" placeholder="Title has…" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
      )}
      <p class="hush" id="nodes-keys">Arrows move, e adds neighbours, a and b choose the ends of a path, enter opens.</p>
      <ul class="nodes" ref={list} aria-describedby="nodes-keys" onKeyDown={step}>
        {shown.map((n, i) => (
          <li key={n.id}>
            <button
              type="button"
              data-id={n.id}
              tabIndex={i === at ? 0 : -1}
              class={n.id === marked ? "marked-node" : ""}
              aria-current={n.id === marked ? "true" : undefined}
              onClick={() => mark(n.id)}
              onFocus={() => n.id !== marked && list.current?.matches(":focus-within") && mark(n.id)}
            >
              <span class={n.status === "current" ? "" : "was"}>{n.title}</span> <small class="faint">{aside(n, stale)}</small>
            </button>
          </li>
        ))}
      </ul>
      {all.length > most && <p class="hint">The first {digits(most)} of {digits(all.length)}; type a part of a title to find others.</p>}
    </section>
  );
}

function aside(n: Node, stale: ReadonlySet<string>): string {
  return [n.kind, n.status === "current" ? "" : n.status, stale.has(n.id) ? "stale" : ""].filter(Boolean).join(", ");
}
