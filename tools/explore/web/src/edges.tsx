// The edges of one memory, by kind and direction, with the places in notes that declare them.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useDeed } from "./actions.tsx";
import { call, post } from "./api.ts";
import { grouped, type Group } from "./grouping.ts";
import { Answer, EdgeSign, MemoryLink, Trouble } from "./parts.tsx";
import { plainText } from "./snippet.ts";
import { useAsk, useShared } from "./state.ts";
import type { Direction, EdgeRow, EdgesResult, Named, Site } from "./types.ts";
import { count, day, digits } from "./words.ts";

const shownFirst = 12; // edges of a group
const perPage = 500;

/** Edges shows the edges that lead from a memory, or those that lead to it. */
export function Edges({ of, direction, result }: { of: Named; direction: Direction; result: EdgesResult }): JSX.Element | null {
  const { about } = useShared();
  const groups = useMemo(() => grouped(result.edges, about.kinds), [result, about.kinds]);
  if (groups.length === 0) return null;
  const title = `edges-${direction}-title`;
  return (
    <section class="edges" aria-labelledby={title}>
      <h2 id={title}>{direction === "in" ? "Edges to it" : "Edges from it"} <small class="faint">{digits(result.total_count ?? result.edges.length)}</small></h2>
      {groups.map((g) => <GroupOfEdges key={g.key} of={of} group={g} total={totalOf(result, g)} />)}
      {result.next && <Rest of={of} direction={direction} cursor={result.next} />}
    </section>
  );
}

/**
 * Rest shows a button that loads the next page of edges, and then a button for the page after it.
 */
function Rest({ of, direction, cursor }: { of: Named; direction: Direction; cursor: string }): JSX.Element {
  const { about } = useShared();
  const [wanted, setWanted] = useState(false);
  const asked = useAsk<EdgesResult>(wanted ? `edges ${of.id} ${direction} ${cursor}` : null, (signal) => post("edges", { id: of.id, direction, limit: perPage, cursor }, signal));
  if (!wanted) return <button type="button" onClick={() => setWanted(true)}>Show the rest</button>;
  return (
    <Answer of={asked}>
      {(r) => (
        <>
          {grouped(r.edges, about.kinds).map((g) => <GroupOfEdges key={g.key} of={of} group={g} total={g.edges.length} />)}
          {r.next && <Rest of={of} direction={direction} cursor={r.next} />}
        </>
      )}
    </Answer>
  );
}

function totalOf(r: EdgesResult, g: Group): number {
  return r.counts.filter((c) => c.type === g.kind && c.direction === g.edges[0]!.direction).reduce((n, c) => n + c.count, 0);
}

function GroupOfEdges({ of, group, total }: { of: Named; group: Group; total: number }): JSX.Element {
  const [all, setAll] = useState(false);
  const shown = all ? group.edges : group.edges.slice(0, shownFirst);
  return (
    <section class="edge-group">
      <h3><EdgeSign kind={group.kind} against={group.direction === "in"} /> {group.heading} <small class="faint">{digits(total)}</small></h3>
      <ul>{shown.map((e) => <EdgeLine key={e.id} of={of} edge={e} />)}</ul>
      {group.edges.length > shown.length && <button type="button" class="quiet" onClick={() => setAll(true)}>{count(group.edges.length - shown.length, "more", "more")}</button>}
    </section>
  );
}

function EdgeLine({ of, edge }: { of: Named; edge: EdgeRow }): JSX.Element {
  const { canWrite } = useShared();
  const { run, fault, busy } = useDeed();
  const said = edge.sites.length === 0 && edge.type !== "mentions"; // not declared by a note, which would declare it again
  const [from, to] = edge.direction === "out" ? [of.id, edge.other.id] : [edge.other.id, of.id];
  const unlink = (): Promise<void> => run(() => call("memory_unlink", { from, to, type: edge.type, ...(edge.rel !== "" && { rel: edge.rel }) }), `Unlinked “${edge.other.title}”.`);
  return (
    <li class="edge-line">
      <div>
        <MemoryLink of={edge.other} status={edge.other.status} />
        {edge.rel !== "" && <span class="rel">{edge.rel}</span>}
        {edge.weight !== 1 && <span class="faint">weight {edge.weight}</span>}
        {said && <span class="faint">{[edge.actor, day(edge.created_at)].filter(Boolean).join(", ")}</span>}
        {said && canWrite && <button type="button" class="quiet small" aria-label={`Unlink ${edge.other.title}`} disabled={busy} onClick={() => void unlink()}>unlink</button>}
      </div>
      {edge.note !== "" && <p class="edge-note">{edge.note}</p>}
      <Sites of={edge.sites} more={edge.more_sites ?? 0} />
      {fault && <Trouble of={fault} />}
    </li>
  );
}

/** Sites shows the places in notes that declare an edge. */
export function Sites({ of, more = 0 }: { of: Site[]; more?: number }): JSX.Element | null {
  if (of.length === 0) return null;
  const line = (s: Site): JSX.Element => (
    <li key={`${s.uri}:${s.line}:${s.context}`}>
      <span class="site-place" title={s.path}><span class="site-file">{s.path.replace(/^.*\//, "")}</span>:{s.line}</span>{s.context.trim() !== "" && <> <q>{plainText(s.context)}</q></>}
    </li>
  );
  return (
    <div class="sites">
      <ul>{of.slice(0, 2).map(line)}</ul>
      {of.length > 2 && (
        <details>
          <summary>{count(of.length - 2 + more, "more place")}</summary>
          <ul>{of.slice(2).map(line)}</ul>
        </details>
      )}
    </div>
  );
}
