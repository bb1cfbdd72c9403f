// A choice of how two memories relate: the kinds of edges that people make, each with an
// explanation. Other kinds come from importing notes and source code.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { useShared } from "./state.ts";

const meanings: Record<string, string> = {
  supersedes: "The first takes the place of the second, which leaves search and stays readable.",
  causes: "The first brings the second about. If it falls, the second is in doubt.",
  "depends-on": "The first rests on the second, and is in doubt if that falls.",
  contradicts: "They cannot both be true. Review lists them until one gives way.",
  supports: "The first is evidence for the second, which is in doubt if it falls.",
  "derived-from": "The first was made from the second, as a summary is, and is in doubt if that falls.",
  "part-of": "The first belongs to the second.",
  follows: "The first came after the second.",
  "relates-to": "They have to do with each other, and nothing follows from that.",
};

/** Relation shows a select field for the kind of an edge from a first memory to a second. */
export function Relation({ label, kind, pick }: { label: string; kind: string; pick: (kind: string) => void }): JSX.Element {
  const { about } = useShared();
  const id = useId();
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <select id={id} aria-describedby={id + "-means"} value={kind} onChange={(e) => pick(e.currentTarget.value)}>
        {about.kinds.filter((k) => k.name in meanings).map((k) => <option key={k.name} value={k.name}>{k.symmetric ? k.name : `${k.name}: ${k.reads}`}</option>)}
      </select>
      <p id={id + "-means"} class="hint">{meanings[kind]}</p>
    </div>
  );
}
