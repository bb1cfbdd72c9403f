// One memory: its text, who wrote it, what it hangs together with.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Actions } from "./actions.tsx";
import { Code } from "./code.tsx";
import { format, graph, memory } from "./address.ts";
import { Fault, call, post } from "./api.ts";
import { Edges } from "./edges.tsx";
import { grouped, resolver } from "./grouping.ts";
import { render } from "./markdown.ts";
import { Answer, Chip, Link, MemoryLink, StatusChip, Tag } from "./parts.tsx";
import { Succession, Trace } from "./reasons.tsx";
import { useAsk, useShared, useTitle } from "./state.ts";
import { StaleNote } from "./stale.tsx";
import type { EdgeRow, EdgesResult, GetResult, Memory } from "./types.ts";
import { minute, place } from "./words.ts";

const firstEdges = 500; // on one page of api/edges

export function MemoryView({ id }: { id: string }): JSX.Element {
  const asked = useAsk<Memory>(`memory ${id}`, async (signal) => {
    const m = (await call<GetResult>("memory_get", { id, include_edges: false }, signal)).memories[0];
    if (!m) throw new Fault("not_found", `there is no memory ${id}`, 404);
    return m;
  });
  const edges = useAsk<EdgesResult>(`edges ${id}`, (signal) => post("edges", { id, limit: firstEdges }, signal));
  useTitle(asked.data?.title ?? "Memory");
  return <Answer of={asked}>{(m) => <Whole m={m} edges={edges} />}</Answer>;
}

function Whole({ m, edges }: { m: Memory; edges: ReturnType<typeof useAsk<EdgesResult>> }): JSX.Element {
  const { canWrite, about } = useShared();
  const rows = edges.data?.edges ?? [];
  const groups = useMemo(() => grouped(rows, about.kinds), [rows, about.kinds]);
  return (
    <article class="memory">
      <header class="memory-head">
        <p class="faint eyebrow">{place(m)}</p>
        <h1 class={m.status === "current" ? "" : "was"}>{m.title}</h1>
        <p class="chips">
          <Chip>{m.kind}</Chip>
          <StatusChip status={m.status} />
          {m.stale && m.stale.length > 0 && <span class="chip chip-stale">stale</span>}
          {m.pinned && <Chip>pinned</Chip>}
          {m.tags.map((t) => <Tag key={t} name={t} />)}
        </p>
        <div class="bar">
          <Link to={graph({ seed: m.id })} class="button">See it in the graph</Link>
          {canWrite && <Actions of={m} />}
        </div>
      </header>
      {m.superseded_by && <p class="note">Superseded by <MemoryLink of={m.superseded_by} />. It is kept because others refer to it.</p>}
      {m.status === "forgotten" && <p class="note">Forgotten{m.forget_reason ? `: ${m.forget_reason}` : ""}. It is out of every search.</p>}
      {m.stale && m.stale.length > 0 && <StaleNote of={m} doubts={m.stale} />}
      <div class="memory-room">
        <div class="memory-main">
          {m.kind === "code" ? <Code of={m} /> : <Text content={m.content} edges={rows} title={m.title} />}
          <Answer of={edges} waiting="Reading the edges…">{(r) => <Edges of={m} groups={groups} result={r} />}</Answer>
        </div>
        <aside class="memory-side" aria-label="About this memory">
          <Succession id={m.id} />
          <Trace id={m.id} direction="upstream" />
          <Trace id={m.id} direction="downstream" />
          <Properties m={m} />
        </aside>
      </div>
    </article>
  );
}

/** Text shows a memory's words. Links in it lead to memories where its edges say so. */
function Text({ content, edges, title }: { content: string; edges: EdgeRow[]; title: string }): JSX.Element {
  const { go } = useShared();
  const room = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const find = resolver(edges);
    room.current?.replaceChildren(render(withoutTitle(content, title), (target, written) => {
      const other = find(target, written);
      return other && { href: format(memory(other.id)), status: other.status };
    }));
  }, [content, edges, title]);
  return (
    <div
      ref={room}
      class="text"
      onClick={(e) => {
        const a = e.target instanceof Element ? e.target.closest("a") : null;
        const href = a?.getAttribute("href") ?? "";
        if (!href.startsWith("/explore/memory/") || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        go(memory(decodeURIComponent(href.slice("/explore/memory/".length))));
      }}
    />
  );
}

/** withoutTitle leaves out a first heading, or a whole text, that says the title again. */
function withoutTitle(content: string, title: string): string {
  const body = content.replace(/^---\n[\s\S]*?\n---\n/, "").trimStart();
  const first = /^#\s+(.*)(?:\n|$)/.exec(body);
  return first && first[1]?.trim() === title ? body.slice(first[0].length) : body;
}

function Properties({ m }: { m: Memory }): JSX.Element {
  const rows: [string, JSX.Element | string][] = [
    ["Written by", m.actor === "" ? m.origin : `${m.actor} (${m.origin})`],
    ["Stored", <time dateTime={m.created_at}>{minute(m.created_at)}</time>],
  ];
  if (m.updated_at !== m.created_at) rows.push(["Changed", <time dateTime={m.updated_at}>{minute(m.updated_at)}</time>]);
  if (m.verified_at) rows.push(["Verified", <><time dateTime={m.verified_at}>{minute(m.verified_at)}</time>{m.verify_note ? ` — ${m.verify_note}` : ""}</>]);
  if (m.valid_from || m.valid_to) rows.push(["Valid", `${m.valid_from ? minute(m.valid_from) : "always"} → ${m.valid_to ? minute(m.valid_to) : "on"}`]);
  if (m.importance !== 0.5) rows.push(["Importance", String(m.importance)]);
  if (m.confidence !== undefined) rows.push(["Confidence", String(m.confidence)]);
  if (m.aliases?.length) rows.push(["Also called", m.aliases.join(", ")]);
  if (m.uri) rows.push(["File", <code class="path">{m.uri.replace(/^[a-z-]+:\/\//, "")}</code>]);
  rows.push(["Id", <code class="path">{m.id}</code>], ["Revision", String(m.revision)]);
  const properties = Object.entries(m.properties ?? {}).filter(([name]) => name !== "tags" && name !== "aliases");
  return (
    <section aria-labelledby="about-title">
      <h2 id="about-title">About it</h2>
      <dl class="facts">
        {rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
      </dl>
      {properties.length > 0 && (
        <>
          <h2>Properties</h2>
          <dl class="facts">
            {properties.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{plain(value)}</dd></div>)}
          </dl>
        </>
      )}
    </section>
  );
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (typeof value === "string") return value.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
