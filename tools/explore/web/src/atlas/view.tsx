// The whole store: areas with names, down to memories, and the same as a list.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LinkDialog } from "../actions.tsx";
import { graph, memory, type GraphAddress } from "../address.ts";
import { Fault, post } from "../api.ts";
import { Empty } from "../empty.tsx";
import { typing } from "../frame.tsx";
import { colourOf } from "../kinds.ts";
import { Chip, EdgeSign, Link, StatusChip, Trouble } from "../parts.tsx";
import { Picker } from "../picker.tsx";
import { asFault, useAsk, useShared, useTitle } from "../state.ts";
import type { AtlasAnswer, AtlasNames, End, PlainEdge } from "../types.ts";
import { count, digits } from "../words.ts";
import { colouring, decode, nameOf, schemes, visible, type Atlas, type Scheme } from "./data.ts";
import { palette } from "./palette.ts";
import { savePNG, saveSVG, svg } from "./picture.ts";
import type { Stage } from "./stage.ts";
import { Growth, minutesOf } from "./times.tsx";

type Found = End & { kind: string };

const perPage = 40; // memories of a list

export function AtlasView({ address }: { address: GraphAddress }): JSX.Element {
  useTitle("Graph");
  const asked = useAsk<Atlas>(`atlas ${address.of}`, async (signal) => decode(await post<AtlasAnswer>("atlas", { of: address.of }, signal)), { still: true });
  if (asked.error) return <Trouble of={asked.error} again={asked.again} />;
  if (!asked.data) return <div class="graph"><section class="drawing" aria-label="Drawing"><p class="drawing-said" role="status">Reading the whole store…</p></section></div>;
  if (asked.data.dots === 0 && address.of === "memories") return <><h1>Graph</h1><Empty /></>;
  return <Whole key={asked.data.version} atlas={asked.data} address={address} />;
}

function Whole({ atlas, address }: { atlas: Atlas; address: GraphAddress }): JSX.Element {
  const { about, go } = useShared();
  const set = (fields: Partial<GraphAddress>, replace = false): void => go({ ...address, ...fields }, replace);
  const within = address.area < atlas.areas.length ? address.area : -1;
  const shown = useMemo(() => visible(atlas, { superseded: address.superseded, asOf: minutesOf(address.asOf), knownAt: minutesOf(address.knownAt) }), [atlas, address.superseded, address.asOf, address.knownAt]);
  const colours = useMemo(() => colouring(atlas, address.by as Scheme, shown), [atlas, address.by, shown]);
  const off = useMemo(() => new Set(address.off), [address.off.join()]);
  const first = useMemo(() => atlas.stored.reduce((a, b) => (b > 0 && b < a ? b : a), Math.floor(Date.now() / 60_000)), [atlas]);
  const [marked, setMarked] = useState(-1);
  const [fault, setFault] = useState<Fault>();
  const known = useRef(new Map<number, Found>());
  const stage = useRef<Stage | undefined>(undefined);
  const room = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState<"no" | "yes" | "without">("no");

  const names = async (dots: number[]): Promise<ReadonlyMap<number, Found>> => {
    const missing = dots.filter((d) => !known.current.has(d)).slice(0, 500);
    if (missing.length > 0) {
      try {
        const r = await post<AtlasNames>("atlas_names", { of: address.of, version: atlas.version, dots: missing });
        r.memories.forEach((m, i) => known.current.set(missing[i]!, m));
      } catch (e) {
        setFault(asFault(e));
        throw e;
      }
    }
    return new Map(dots.flatMap((d) => (known.current.has(d) ? [[d, known.current.get(d)!]] : [])));
  };
  const among = async (dots: number[]): Promise<{ from: number; to: number; colour: string }[]> => {
    const found = await names(dots);
    const at = new Map([...found].map(([dot, m]) => [m.id, dot]));
    if (at.size < 2) return [];
    const r = await post<{ edges: PlainEdge[] }>("among", { ids: [...at.keys()] });
    const css = getComputedStyle(document.documentElement);
    return r.edges.filter((e) => !off.has(e.type)).map((e) => ({ from: at.get(e.from)!, to: at.get(e.to)!, colour: css.getPropertyValue(colourOf(e.type)).trim() }));
  };
  const act = useRef({ set, names, among, within });
  act.current = { set, names, among, within };

  useEffect(() => {
    let gone = false;
    void import("./stage.ts").then((s) => {
      if (gone || !room.current) return;
      try {
        stage.current = new s.Stage(room.current, { atlas, visible: shown, colours, off }, {
          mark: setMarked,
          enter: (area) => act.current.set({ area: area === act.current.within ? atlas.areas[area]!.parent : area }),
          names: (dots) => act.current.names(dots),
          among: (dots) => act.current.among(dots),
        });
        setReady("yes");
      } catch {
        setReady("without"); // no WebGL: the picture as it would be saved
      }
    });
    const restyle = (): void => stage.current?.restyle();
    addEventListener("themechange", restyle);
    return () => {
      gone = true;
      removeEventListener("themechange", restyle);
      stage.current?.destroy();
      stage.current = undefined;
    };
  }, [atlas]);
  useEffect(() => stage.current?.show({ atlas, visible: shown, colours, off }), [shown, colours, off]);
  useEffect(() => stage.current?.within(within), [within, ready]);
  useEffect(() => stage.current?.mark(marked, true), [marked, ready]);
  useEffect(() => {
    const pressed = (e: KeyboardEvent): void => {
      if (typing(e) || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
      if (e.key === "+" || e.key === "=") stage.current?.zoom(1.25);
      else if (e.key === "-") stage.current?.zoom(0.8);
      else if (e.key === "0") stage.current?.within(act.current.within);
      else if (e.key === "Escape" && act.current.within >= 0) act.current.set({ area: atlas.areas[act.current.within]!.parent });
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [atlas]);

  const total = useMemo(() => shown.reduce((n, v) => n + v, 0), [shown]);
  const said = `${count(total, "memory", "memories")} in ${count(atlas.top.length, "area")}`;
  const file = `hence-${about.database.replace(/\W+/g, "-")}`;
  const draw = (): string => svg(atlas, shown, colours, off, within);
  return (
    <div class="graph atlas">
      <h1 class="hush">Graph of the whole store</h1>
      <section class="drawing" aria-label="Drawing">
        <div ref={room} class="stage" role="img" aria-label={`${said}. The same as a list stands beside it.`} />
        {ready === "without" && <img class="still" alt={`${said}, as a still picture`} src={"data:image/svg+xml;charset=utf-8," + encodeURIComponent(draw())} />}
        <div class="zoom" role="group" aria-label="Size">
          <button type="button" class="sign" aria-label="Nearer" title="Nearer (+)" onClick={() => stage.current?.zoom(1.25)}>+</button>
          <button type="button" class="sign" aria-label="Further" title="Further (−)" onClick={() => stage.current?.zoom(0.8)}>−</button>
          <button type="button" class="sign" aria-label="Everything" title="Everything" onClick={() => { set({ area: -1 }); stage.current?.within(-1); }}>⤢</button>
        </div>
      </section>
      <aside class="panel-room" aria-label="About the drawing">
        {fault && <Trouble of={fault} again={() => location.reload()} />}
        <section class="gp">
          <p class="count" role="status">{said}</p>
          {atlas.rest > 0 && <p class="hint">{digits(atlas.rest)} more are not drawn.</p>}
          <Picker label="Around" picked={null} pick={(m) => m && go(graph({ seed: m.id }))} status="all" />
        </section>
        {marked >= 0 && <MarkedDot key={marked} dot={marked} names={names} />}
        <Inside atlas={atlas} within={within} shown={shown} enter={(area) => set({ area })} names={names} marked={marked} mark={setMarked} />
        <Look address={address} colours={colours} set={set} first={first} hasCode={about.tools.includes("code_outline")} />
        <Kinds atlas={atlas} within={within} off={address.off} set={(kinds) => set({ off: kinds }, true)} />
        <section class="gp">
          <h2>Keep the picture</h2>
          <p class="row">
            <button type="button" class="small" onClick={() => saveSVG(draw(), file)}>As SVG</button>
            <button type="button" class="small" onClick={() => void savePNG(draw(), file).catch((e: unknown) => setFault(asFault(e)))}>As PNG</button>
          </p>
        </section>
      </aside>
    </div>
  );
}

function MarkedDot({ dot, names }: { dot: number; names: (dots: number[]) => Promise<ReadonlyMap<number, Found>> }): JSX.Element | null {
  const { canWrite } = useShared();
  const [m, setM] = useState<Found>();
  const [linking, setLinking] = useState(false);
  useEffect(() => void names([dot]).then((found) => setM(found.get(dot))).catch(() => undefined), [dot]);
  if (!m) return null;
  return (
    <section class="gp marked" aria-labelledby="marked-title">
      <h2 id="marked-title"><Link to={memory(m.id)}>{m.title}</Link></h2>
      <p class="chips"><Chip>{m.kind}</Chip><StatusChip status={m.status} /></p>
      <div class="actions">
        <Link to={graph({ seed: m.id })} class="button">What lies around it</Link>
        {canWrite && <button type="button" class="small" onClick={() => setLinking(true)}>Link</button>}
      </div>
      {linking && <LinkDialog from={m} close={() => setLinking(false)} />}
    </section>
  );
}

/** Inside is what an area holds: the areas in it, or its memories; and the way back. */
function Inside({ atlas: a, within, shown, enter, names, marked, mark }: {
  atlas: Atlas; within: number; shown: Uint8Array; enter: (area: number) => void; names: (dots: number[]) => Promise<ReadonlyMap<number, Found>>; marked: number; mark: (dot: number) => void;
}): JSX.Element {
  const way: number[] = [];
  for (let i = within; i >= 0; i = a.areas[i]!.parent) way.unshift(i);
  const parts = within < 0 ? a.top : a.children[within]!;
  const inside = useMemo(() => parts.map((i) => {
    let n = 0;
    for (let d = a.areas[i]!.start; d < a.areas[i]!.end; d++) n += shown[d]!;
    return { i, n };
  }).filter((p) => p.n > 0).sort((x, y) => y.n - x.n), [a, within, shown]);
  return (
    <section class="gp" aria-labelledby="inside-title">
      <h2 id="inside-title">{within < 0 ? "Areas" : nameOf(a, within)}</h2>
      {within >= 0 && (
        <nav class="way" aria-label="Where you are">
          <button type="button" class="link" onClick={() => enter(-1)}>Everything</button>
          {way.map((i) => <span key={i}> › {i === within ? <span aria-current="true">{nameOf(a, i, 1)}</span> : <button type="button" class="link" onClick={() => enter(i)}>{nameOf(a, i, 1)}</button>}</span>)}
        </nav>
      )}
      {parts.length > 0 ? (
        <ul class="areas">
          {inside.map(({ i, n }) => <li key={i}><button type="button" class="link" onClick={() => enter(i)}>{nameOf(a, i)}</button> <span class="faint">{digits(n)}</span></li>)}
        </ul>
      ) : within >= 0 && <Members key={within} atlas={a} within={within} shown={shown} names={names} marked={marked} mark={mark} />}
    </section>
  );
}

function Members({ atlas: a, within, shown, names, marked, mark }: { atlas: Atlas; within: number; shown: Uint8Array; names: (dots: number[]) => Promise<ReadonlyMap<number, Found>>; marked: number; mark: (dot: number) => void }): JSX.Element {
  const [most, setMost] = useState(perPage);
  const [found, setFound] = useState<ReadonlyMap<number, Found>>(new Map());
  const dots = useMemo(() => {
    const all: number[] = [];
    for (let d = a.areas[within]!.start; d < a.areas[within]!.end; d++) if (shown[d]) all.push(d);
    return all;
  }, [a, within, shown]);
  const first = dots.slice(0, most);
  useEffect(() => void names(first).then(setFound).catch(() => undefined), [first.join()]);
  return (
    <>
      <ul class="areas">
        {first.map((d) => {
          const m = found.get(d);
          return m && <li key={d} class={d === marked ? "marked-node" : ""}><Link to={memory(m.id)} class="title">{m.title}</Link> <small class="faint">{m.kind}</small> <button type="button" class="link small-link" onClick={() => mark(d)} aria-label={`Show ${m.title} in the drawing`}>show</button></li>;
        })}
      </ul>
      {dots.length > most && <button type="button" class="quiet" onClick={() => setMost(most + 200)}>{count(dots.length - most, "more", "more")}</button>}
    </>
  );
}

function Look({ address, colours, set, first, hasCode }: { address: GraphAddress; colours: ReturnType<typeof colouring>; set: (fields: Partial<GraphAddress>, replace?: boolean) => void; first: number; hasCode: boolean }): JSX.Element {
  const inks = palette().dots;
  return (
    <section class="gp" aria-labelledby="look-title">
      <h2 id="look-title">Colours and times</h2>
      <div class="row">
        <label for="colour-by">Colour by</label>
        <select id="colour-by" value={address.by} onChange={(e) => set({ by: e.currentTarget.value }, true)}>
          {schemes.map((s) => <option key={s} value={s}>{s}</option>)}
        </select>
        {hasCode && (
          <div role="group" aria-label="What is drawn" class="switch">
            {["memories", "code", "packages"].map((of) => <button key={of} type="button" aria-pressed={address.of === of} onClick={() => set({ of, area: -1 })}>{of}</button>)}
          </div>
        )}
      </div>
      {colours.legend.length > 0 && (
        <ul class="colours">
          {colours.legend.map((l, i) => <li key={l.name}><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill={inks[i === colours.legend.length - 1 && /^(all others|none|no )/.test(l.name) ? inks.length - 1 : i]} /></svg> {l.name} <span class="faint">{digits(l.count)}</span></li>)}
        </ul>
      )}
      <label class="check"><input type="checkbox" checked={address.superseded} onChange={(e) => set({ superseded: e.currentTarget.checked }, true)} /> superseded ones</label>
      <Growth of={address} first={first} set={set} />
    </section>
  );
}

function Kinds({ atlas, within, off, set }: { atlas: Atlas; within: number; off: string[]; set: (off: string[]) => void }): JSX.Element {
  const counts = useMemo(() => {
    const n = new Map<string, number>();
    for (const [from, , type, c] of atlas.ties) if (atlas.areas[from]!.parent === within) n.set(atlas.types[type]!, (n.get(atlas.types[type]!) ?? 0) + c);
    return n;
  }, [atlas, within]);
  const here = atlas.types.filter((t) => counts.has(t));
  if (here.length === 0) return <></>;
  return (
    <details class="gp legend" open>
      <summary>Edges between the areas</summary>
      <ul>
        {here.map((t) => (
          <li key={t}>
            <label class="check">
              <input type="checkbox" checked={!off.includes(t)} onChange={(e) => set(e.currentTarget.checked ? off.filter((k) => k !== t) : [...off, t])} />
              <EdgeSign kind={t} />
              <span class="legend-name">{t}</span>
              <span />
              <span class="faint legend-count">{digits(counts.get(t)!)}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
