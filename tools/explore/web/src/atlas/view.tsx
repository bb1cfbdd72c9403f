// The view of the whole store: a map of named areas, down to memories, and the same as a list.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { LinkDialog } from "../actions.tsx";
import { graph, memory, type GraphAddress } from "../address.ts";
import { Fault, post } from "../api.ts";
import { Empty } from "../empty.tsx";
import { KindChoice } from "../graph/legend.tsx";
import { MarkedMemory } from "../graph/marked.tsx";
import { Link, Trouble, Zoom } from "../parts.tsx";
import { peekAt } from "../peek.tsx";
import { Picker } from "../picker.tsx";
import { asFault, useAsk, useEvent, useKey, useShared, useTitle } from "../state.ts";
import type { AtlasEdgesAnswer, AtlasNames, End } from "../types.ts";
import { count, digits } from "../words.ts";
import { colouring, schemesOf } from "./colouring.ts";
import { around, counted, nameOf, planeOf, visible, type Atlas, type Shown } from "./data.ts";
import { palette } from "./palette.ts";
import { savePNG, saveSVG, svg, whole } from "./picture.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { Still, useAtlas } from "./still.tsx";
import { decodeEdges, holding, kindsOf, kindsWithin, tiesNow, tiesOf, type AtlasEdges } from "./ties.ts";
import { Growth, minutesOf } from "./times.tsx";

type Found = End & { kind: string };

const perPage = 40; // memories that a list shows at first

export function AtlasView({ address }: { address: GraphAddress }): JSX.Element {
  useTitle("Graph");
  const asked = useAtlas(address.of);
  const { about, go } = useShared();
  const onlyCode = about.code && address.of === "memories" && asked.data?.dots === 0;
  useLayoutEffect(() => { // without memories, show the code
    if (onlyCode) go({ ...address, of: "code" }, true);
  }, [onlyCode]);
  if (asked.error) return <Trouble of={asked.error} again={asked.again} />;
  if (!asked.data) return <div class="graph"><section class="drawing" aria-label="Drawing"><p class="drawing-said" role="status">Reading the whole store…</p></section></div>;
  if (asked.data.dots === 0 && address.of === "memories") return about.code ? <></> : <><h1>Graph</h1><Empty /></>;
  return <Whole key={asked.data.version} atlas={asked.data} address={address} />;
}

function Whole({ atlas, address }: { atlas: Atlas; address: GraphAddress }): JSX.Element {
  const { about, go } = useShared();
  const set = (fields: Partial<GraphAddress>, replace = false): void => go({ ...address, ...fields }, replace);
  const within = address.area < atlas.areas.length ? address.area : -1;
  const times: Shown = { superseded: address.superseded, asOf: minutesOf(address.asOf), knownAt: minutesOf(address.knownAt) };
  const isUsual = times.superseded && times.asOf === 0 && times.knownAt === 0;
  const shown = useMemo(() => visible(atlas, times), [atlas, times.superseded, times.asOf, times.knownAt]);
  const plane = useMemo(() => planeOf(atlas, shown), [atlas, shown]);
  const colours = useMemo(() => colouring(atlas, address.by, shown), [atlas, address.by, shown]);
  const off = useMemo(() => new Set(address.off), [address.off.join()]);
  const first = useMemo(() => atlas.stored.reduce((a, b) => (b > 0 && b < a ? b : a), Math.floor(Date.now() / 60_000)), [atlas]);
  const [isNear, setNear] = useState(false), [isJoined, setJoined] = useState(false);
  const edges = useAsk<AtlasEdges>(isUsual && !isNear ? null : `atlas edges ${address.of} ${atlas.version}`, async (signal) =>
    decodeEdges(await post<AtlasEdgesAnswer>("atlas_edges", { of: address.of, version: atlas.version }, signal)), { still: true }).data;
  const holds = useMemo(() => (edges ? holding(edges, times, shown) : () => false), [edges, shown]);
  const ties = useMemo(() => (edges ? tiesOf(atlas, within, edges, holds) : tiesNow(atlas, within)), [atlas, within, edges, holds]);
  const scene = useMemo((): Scene => ({ atlas, shown, plane, colours, within, ties, off, edges, holds }), [atlas, shown, plane, colours, within, ties, off, edges, holds]);
  const [marked, setMarked] = useState(-1);
  const [fault, setFault] = useState<Fault>();
  const known = useRef(new Map<number, Found>());
  const over = useRef(-1); // the dot under the mouse
  const stage = useRef<Stage | undefined>(undefined);
  const room = useRef<HTMLDivElement>(null);
  const [titles, setTitles] = useState<ReadonlyMap<number, string>>(new Map()); // for a still picture; the stage requests its own
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
  const act = useRef({ set, names });
  act.current = { set, names };

  useEffect(() => {
    let gone = false;
    void import("./stage.ts").then((s) => {
      if (gone || !room.current) return;
      try {
        stage.current = new s.Stage(room.current, scene, {
          mark: setMarked,
          over: (dot, box) => {
            over.current = dot;
            if (dot < 0) peekAt("", box);
            else void act.current.names([dot]).then((all) => over.current === dot && peekAt(all.get(dot)?.id ?? "", box)).catch(() => undefined);
          },
          enter: (area) => act.current.set({ area }),
          names: (dots) => act.current.names(dots),
          near: () => setNear(true),
          joined: setJoined,
        });
        setReady("yes");
      } catch {
        setReady("without"); // no WebGL: show the picture as it would be saved
        setNear(true);
        setJoined(true);
        void act.current.names(Array.from({ length: Math.min(atlas.dots, 500) }, (_, i) => i)).then((all) => setTitles(new Map([...all].map(([dot, m]) => [dot, m.title])))).catch(() => undefined);
      }
    });
    return () => {
      gone = true;
      stage.current?.destroy();
      stage.current = undefined;
    };
  }, [atlas]);
  useEvent("themechange", () => stage.current?.restyle());
  useEffect(() => stage.current?.show(scene), [scene]);
  useEffect(() => stage.current?.look(within), [within, ready]);
  useEffect(() => stage.current?.mark(marked, true), [marked, ready]);
  useKey((e) => {
    if (e.key === "+" || e.key === "=") stage.current?.zoom(1.25);
    else if (e.key === "-") stage.current?.zoom(0.8);
    else if (e.key === "0") stage.current?.look(within);
    else if (e.key === "Escape" && within >= 0) set({ area: atlas.areas[within]!.parent });
  });

  const before = useMemo(() => counted(shown), [shown]);
  const total = before.at(-1)!;
  const said = `${count(total, "memory", "memories")} in ${count(atlas.top.filter((i) => plane.reach[i]! > 0).length, "area")}`;
  const file = `hence-${about.database.replace(/\W+/g, "-")}`;
  const draw = (): string => svg(scene, stage.current?.view() ?? whole(scene, titles, room.current?.clientWidth || 1200, room.current?.clientHeight || 900));
  return (
    <div class="graph atlas">
      <h1 class="hush">Graph of the whole store</h1>
      <section class="drawing" aria-label="Drawing">
        <div ref={room} class="stage" role="img" aria-label={`${said}. The same as a list stands beside it.`} />
        {ready === "without" && <Still class="still" alt={`${said}, as a still picture`} draw={draw} />}
        {ready === "without" && <p class="drawing-said">A still picture: this browser has no WebGL. The list beside it leads everywhere.</p>}
        {ready !== "without" && <Zoom by={(n) => stage.current?.zoom(n)} all={() => { set({ area: -1 }); stage.current?.look(-1); }} />}
        {total === 0 && <p class="drawing-said">Nothing is known of that day.</p>}
      </section>
      <aside class="panel-room" aria-label="About the drawing">
        {fault && <Trouble of={fault} again={() => location.reload()} />}
        <section class="gp">
          <p class="count" role="status">{said}</p>
          {atlas.rest > 0 && <p class="hint">{digits(atlas.rest)} more are not drawn.</p>}
          <Picker label="Around" picked={null} pick={(m) => m && go(graph({ seed: m.id }))} status="all" />
        </section>
        {marked >= 0 && <MarkedDot key={marked} dot={marked} names={names} />}
        <Inside atlas={atlas} within={within} shown={shown} before={before} enter={(area) => set({ area })} names={names} marked={marked} mark={setMarked} />
        <Look address={address} atlas={atlas} colours={colours} set={set} first={first} hasCode={about.code} />
        <Kinds scene={scene} isJoined={isJoined} off={address.off} set={(kinds) => set({ off: kinds }, true)} />
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
    <MarkedMemory of={m}>
      <div class="actions">
        <Link to={graph({ seed: m.id })} class="button">What lies around it</Link>
        {canWrite && <button type="button" class="small" onClick={() => setLinking(true)}>Link</button>}
      </div>
      {linking && <LinkDialog from={m} close={() => setLinking(false)} />}
    </MarkedMemory>
  );
}

/** Inside shows the areas in an area, or its memories, and links back to the areas around it. */
function Inside({ atlas: a, within, shown, before, enter, names, marked, mark }: {
  atlas: Atlas; within: number; shown: Uint8Array; before: Uint32Array; enter: (area: number) => void; names: (dots: number[]) => Promise<ReadonlyMap<number, Found>>; marked: number; mark: (dot: number) => void;
}): JSX.Element {
  const parts = within < 0 ? a.top : a.children[within]!;
  const inside = useMemo(() => parts.map((i) => ({ i, n: before[a.areas[i]!.end]! - before[a.areas[i]!.start]! })).filter((p) => p.n > 0).sort((x, y) => y.n - x.n), [a, within, before]);
  return (
    <section class="gp" aria-labelledby="inside-title">
      <h2 id="inside-title">{within < 0 ? "Areas" : nameOf(a, within)}</h2>
      {within >= 0 && (
        <nav class="way" aria-label="Where you are">
          <button type="button" class="link" onClick={() => enter(-1)}>Everything</button>
          {around(a, within).map((i) => <span key={i}> › {i === within ? <span aria-current="true">{nameOf(a, i)}</span> : <button type="button" class="link" onClick={() => enter(i)}>{nameOf(a, i)}</button>}</span>)}
        </nav>
      )}
      {parts.length > 0 ? (
        <ul class="areas">
          {inside.map(({ i, n }) => <li key={i} class="area-row"><button type="button" class="link" onClick={() => enter(i)}>{nameOf(a, i)}</button> <span class="faint">{digits(n)}</span></li>)}
        </ul>
      ) : within >= 0 && <Members key={within} atlas={a} within={within} shown={shown} names={names} marked={marked} mark={mark} />}
    </section>
  );
}

function Members({ atlas: a, within, shown, names, marked, mark }: { atlas: Atlas; within: number; shown: Uint8Array; names: (dots: number[]) => Promise<ReadonlyMap<number, Found>>; marked: number; mark: (dot: number) => void }): JSX.Element {
  const [most, setMost] = useState(perPage);
  const [found, setFound] = useState<ReadonlyMap<number, Found>>(new Map());
  const { start, end } = a.areas[within]!;
  const dots = useMemo(() => Array.from({ length: end - start }, (_, i) => start + i).filter((d) => shown[d]), [a, within, shown]);
  const first = dots.slice(0, most);
  useEffect(() => void names(first).then((more) => setFound((was) => new Map([...was, ...more]))).catch(() => undefined), [first.join()]);
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

function Look({ address, atlas, colours, set, first, hasCode }: { address: GraphAddress; atlas: Atlas; colours: ReturnType<typeof colouring>; set: (fields: Partial<GraphAddress>, replace?: boolean) => void; first: number; hasCode: boolean }): JSX.Element {
  const inks = palette().dots;
  const schemes = useMemo(() => schemesOf(atlas), [atlas]);
  return (
    <section class="gp" aria-labelledby="look-title">
      <h2 id="look-title">Colours and times</h2>
      <div class="row">
        <label for="colour-by">Colour by</label>
        <select id="colour-by" value={address.by} onChange={(e) => set({ by: e.currentTarget.value }, true)}>
          {schemes.map((s) => <option key={s} value={s}>{s.startsWith("tag:") ? `tag ${s.slice("tag:".length)}/…` : s}</option>)}
        </select>
        {hasCode && (
          <div role="group" aria-label="What is drawn" class="switch">
            {["memories", "code", "packages"].map((of) => <button key={of} type="button" aria-pressed={address.of === of} onClick={() => set({ of, area: -1 })}>{of}</button>)}
          </div>
        )}
      </div>
      {colours.legend.length > 0 && (
        <ul class="colours">
          {colours.legend.map((l, i) => <li key={l.name}><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill={inks[l.rest ? inks.length - 1 : i]} /></svg> {l.name} <span class="faint">{digits(l.count)}</span></li>)}
        </ul>
      )}
      <label class="check"><input type="checkbox" checked={address.superseded} onChange={(e) => set({ superseded: e.currentTarget.checked }, true)} /> superseded ones</label>
      <Growth of={address} first={first} set={set} />
    </section>
  );
}

/**
 * Kinds shows the kinds of the edges that are drawn, between memories or between areas, with
 * checkboxes to hide them.
 */
function Kinds({ scene: s, isJoined, off, set }: { scene: Scene; isJoined: boolean; off: string[]; set: (off: string[]) => void }): JSX.Element {
  const among = isJoined && s.edges;
  const counts = useMemo(() => (among ? kindsWithin(s.atlas, s.within, among, s.holds) : kindsOf(s.atlas, s.ties)), [s.atlas, s.within, s.ties, s.holds, among]);
  const here = s.atlas.types.filter((t) => counts.has(t));
  if (here.length === 0) return <></>;
  return (
    <details class="gp legend" open>
      <summary>{among ? "Edges" : "Edges between the areas"}</summary>
      <ul>
        {here.map((t) => <KindChoice key={t} kind={t} n={counts.get(t)!} off={off} set={set} />)}
      </ul>
    </details>
  );
}
