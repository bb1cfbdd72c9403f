// The view of one memory: its text, its properties, its edges and its history.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Actions } from "./actions.tsx";
import { Apart } from "./apart.tsx";
import { Code } from "./code.tsx";
import { graph, type MemoryAddress } from "./address.ts";
import { post, read } from "./api.ts";
import { Edges } from "./edges.tsx";
import { Outline } from "./outline.tsx";
import { Answer, Chip, Jump, Link, MemoryLink, Place, States, Tag, Unfold } from "./parts.tsx";
import { Lineage } from "./lineage.tsx";
import { History } from "./past.tsx";
import { Succession, Trace, useTraces } from "./reasons.tsx";
import { plainTitle } from "./snippet.ts";
import { useAsk, useShared, useTitle } from "./state.ts";
import { StaleNote } from "./stale.tsx";
import { bodyOf, headingsOf } from "./text/pieces.ts";
import { Text, shownOf } from "./text/view.tsx";
import type { EdgesResult, Memory, TraceResult, Written } from "./types.ts";
import { Answers } from "./weeks.tsx";
import { Wordless } from "./wordless.tsx";
import { count, minute } from "./words.ts";

const firstEdges = 60; // edges of one direction
const nothingTraced: TraceResult["results"] = [];

interface Shown {
  m: Memory;
  links: Written[];
}

export function MemoryView({ address }: { address: MemoryAddress }): JSX.Element {
  const id = address.id;
  const { can } = useShared();
  const asked = useAsk<Shown>(`memory ${id}`, async (signal) => {
    const [m, links] = await Promise.all([read(id, signal), can("links") ? post<{ links: Written[] }>("links", { id }, signal) : { links: [] }]);
    return { m, links: links.links };
  });
  useTitle(plainTitle(asked.data?.m.title ?? "Memory"));
  return <Answer of={asked}>{(s) => <Whole m={s.m} links={s.links} anchor={address.anchor} />}</Answer>;
}

function Whole({ m, links: written, anchor }: { m: Memory; links: Written[]; anchor: string }): JSX.Element {
  const { can, canWrite } = useShared();
  const session = m.kind === "session" && m.properties?.["session_id"];
  const links = useMemo(() => written, [JSON.stringify(written)]); // the same value, or else the text would be rendered again
  const body = useMemo(() => (m.kind === "code" ? "" : shownOf(m.content, m.title)), [m.content, m.title, m.kind]);
  const headings = useMemo(() => headingsOf(body), [body]);
  const traces = useTraces(m.id);
  const rests = traces.downstream.data?.results.length ?? 0;
  const ask = (direction: "in" | "out") => (signal: AbortSignal) => post<EdgesResult>("edges", { id: m.id, direction, limit: firstEdges }, signal);
  const out = useAsk<EdgesResult>(`edges out ${m.id}`, ask("out"));
  const incoming = useAsk<EdgesResult>(`edges in ${m.id}`, ask("in"));
  const linked = incoming.data?.total_count ?? 0, leads = out.data?.total_count ?? 0;
  const linkedWith = useMemo(() => [...[out, incoming].flatMap((r) => r.data?.edges ?? []).map((e) => e.other), ...[traces.upstream, traces.downstream].flatMap((r) => r.data?.results ?? [])], [out.data, incoming.data, traces.upstream.data, traces.downstream.data]);
  const nothing = out.data !== undefined && incoming.data !== undefined && linked + leads === 0;
  return (
    <Apart of={linkedWith}>
    <article class="memory">
      <header class="memory-head">
        <p class="faint eyebrow"><Place of={m} /></p>
        <h1 class={m.status === "current" ? "" : "was"}>{plainTitle(m.title)}</h1>
        <p class="chips">
          <States of={m} />
          {m.pinned && <Chip>pinned</Chip>}
          {m.tags.map((t) => <Tag key={t} name={t} />)}
        </p>
        <div class="bar">
          <Link to={graph({ seed: m.id })} class="button">See it in the graph</Link>
          {inObsidian(m.uri) !== "" && <a class="button" href={inObsidian(m.uri)}>Open in Obsidian</a>}
          {canWrite && <Actions of={m} />}
        </div>
      </header>
      {m.superseded_by && <p class="note">Superseded by <MemoryLink of={m.superseded_by} />. It is kept because others refer to it.</p>}
      {m.status === "forgotten" && <p class="note">Forgotten{m.forget_reason ? `: ${m.forget_reason}` : ""}. It is out of every search.</p>}
      {m.stale && m.stale.length > 0 && <StaleNote of={m} doubts={m.stale} />}
      <nav class="jumps" aria-label="On this page">
        {headings.length > 2 && <Jump to="outline-title">Headings</Jump>}
        {rests > 0 && <Jump to="trace-downstream">{count(rests, "rests", "rest")} on it</Jump>}
        {linked > 0 && <Jump to="edges-in-title">{count(linked, "edge", "edges")} to it</Jump>}
        {leads > 0 && <Jump to="edges-out-title">{count(leads, "edge", "edges")} from it</Jump>}
        <Jump to="around">Around it</Jump>
        <Jump to="about-title">About it</Jump>
      </nav>
      <div class="memory-room">
        <div class="memory-main">
          {m.kind !== "code" && bodyOf(m.content).trim() === "" && <Wordless of={m} />}
          {m.kind === "code" ? <Code of={m} /> : <Text id={m.id} body={body} title={m.title} links={links} anchor={anchor} vault={m.origin === "vault"} />}
          {nothing && <p class="hint alone-hint">It hangs together with nothing yet.</p>}
          {typeof session === "string" && can("replay") && <Unfold line="What this conversation was shown">{() => <Answers session={session} />}</Unfold>}
          <Lineage of={m} upstream={traces.upstream.data?.results ?? nothingTraced} downstream={traces.downstream.data?.results ?? nothingTraced} />
          <Answer of={out} waiting="Reading the edges…">{(r) => <Edges of={m} direction="out" result={r} />}</Answer>
        </div>
        <aside id="around" class="memory-side" aria-label="Around this memory">
          <Outline id={m.id} headings={headings} />
          <Trace id={m.id} direction="upstream" asked={traces.upstream} />
          <Trace id={m.id} direction="downstream" asked={traces.downstream} />
          <Succession id={m.id} />
          <Answer of={incoming} waiting="">{(r) => <Edges of={m} direction="in" result={r} />}</Answer>
          <Properties m={m} />
          <History id={m.id} />
        </aside>
      </div>
    </article>
    </Apart>
  );
}

/**
 * inObsidian returns the URL that opens a note or canvas in Obsidian; "" if the page is not on this
 * machine.
 */
function inObsidian(uri: string | undefined): string {
  const here = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
  const found = /^obsidian-fs:\/\/([^/]+)\/(.+\.(?:md|canvas))$/.exec(uri ?? "");
  return here && found ? `obsidian://open?vault=${encodeURIComponent(found[1]!)}&file=${encodeURIComponent(found[2]!)}` : "";
}

/** drawn are the fields of a memory that have a place of their own in its view, or none. */
const drawn = new Set([
  "id", "namespace", "kind", "title", "content", "aliases", "tags", "properties", "status", "importance", "pinned", "origin", "actor",
  "source", "source_url", "trust", "uri", "content_hash", "revision", "created_at", "updated_at", "valid_from", "valid_to",
  "verified_at", "verify_note", "forget_reason", "edges", "cut", "ended", "superseded_by", "contradicted_by", "stale",
]);

function Properties({ m }: { m: Memory }): JSX.Element {
  const rows: [string, JSX.Element | string][] = [
    ["Written by", m.actor === "" ? m.origin : `${m.actor} (${m.origin})`],
    ["Stored", <time dateTime={m.created_at}>{minute(m.created_at)}</time>],
  ];
  if (m.updated_at !== m.created_at) rows.push(["Changed", <time dateTime={m.updated_at}>{minute(m.updated_at)}</time>]);
  if (m.verified_at) rows.push(["Verified", <><time dateTime={m.verified_at}>{minute(m.verified_at)}</time>{m.verify_note ? ` — ${m.verify_note}` : ""}</>]);
  if (m.valid_from || m.valid_to) rows.push(["Valid", `${m.valid_from ? minute(m.valid_from) : "always"} → ${m.valid_to ? minute(m.valid_to) : "on"}`]);
  if (m.importance !== 0.5) rows.push(["Importance", String(m.importance)]);
  for (const [name, value] of Object.entries(m)) {
    if (!drawn.has(name)) rows.push([name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "), plain(value)]);
  }
  if (m.aliases?.length) rows.push(["Also called", m.aliases.join(", ")]);
  if (m.uri) rows.push(["File", <code class="path">{m.uri.replace(/^[a-z-]+:\/\//, "")}</code>]);
  rows.push(["Id", <code class="path">{m.id}</code>], ["Revision", String(m.revision)]);
  const properties = Object.entries(m.properties ?? {}).filter(([name]) => name !== "tags" && name !== "aliases").map(([name, value]): [string, string] => [name, plain(value)]);
  return (
    <section aria-labelledby="about-title">
      <h2 id="about-title">About it</h2>
      <Facts of={rows} />
      {properties.length > 0 && <><h2>Properties</h2><Facts of={properties} /></>}
    </section>
  );
}

function Facts({ of }: { of: [string, JSX.Element | string][] }): JSX.Element {
  return <dl class="facts">{of.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (typeof value === "string") return value.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
