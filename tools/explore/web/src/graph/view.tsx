// The graph view: the whole store, or a memory and the memories around it, as a drawing with a list
// beside it.

import type { JSX } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { graph, memory, type GraphAddress } from "../address.ts";
import { AtlasView } from "../atlas/view.tsx";
import { Link, Trouble, Zoom } from "../parts.tsx";
import { Picker } from "../picker.tsx";
import { WaitsContext, useAsk, useKey, useShared, useTitle } from "../state.ts";
import { Times } from "../times.tsx";
import { count, digits } from "../words.ts";
import type { Canvas } from "./canvas.ts";
import { LinkDialog } from "../actions.tsx";
import { Legend } from "./legend.tsx";
import { Loader, mostAdded, type Loaded } from "./load.ts";
import { Marked } from "./marked.tsx";
import { emptyModel, tally, visible, type Model } from "./model.ts";
import { NodeList } from "./nodes.tsx";
import { PathFinder } from "./path.tsx";

const nothing: Model = emptyModel();

export function GraphView({ address }: { address: GraphAddress }): JSX.Element {
  return isEmpty(address) ? <AtlasView address={address} /> : <Around address={address} />;
}

/**
 * Around shows a memory and the memories around it, the path between two memories, or the packages.
 */
function Around({ address }: { address: GraphAddress }): JSX.Element {
  const { about, canWrite, turn, go } = useShared();
  const kinds = useMemo(() => about.kinds.map((k) => k.name), [about]);
  const loader = useMemo(() => new Loader(kinds), [kinds, turn]);
  const staleIds = useContext(WaitsContext).stale;
  const packages = address.of === "packages" && address.seed === "";
  const read = [address.of, address.seed, address.depth, address.superseded, address.off.includes("mentions"), address.from, address.to, address.asOf, address.knownAt, ...address.open].join("\n");
  const asked = useAsk<Loaded>(`graph ${read}`, () => loader.load(address), { still: true });
  const loaded = asked.data;
  const model = loaded?.model ?? nothing;
  const shown = useMemo(() => visible(model, new Set(address.off), address.superseded), [model, address.off.join(), address.superseded]);
  const [marked, setMarked] = useState("");
  const [linking, setLinking] = useState(""), [choosing, setChoosing] = useState(false);
  const canLink = canWrite && !packages;
  const seedTitle = loaded ? (model.nodes.get(loaded.seed)?.title ?? "") : "";
  const title = packages ? "Packages" : seedTitle === "" ? "Graph" : `Around ${seedTitle}`;
  useTitle(title);

  const set = (fields: Partial<GraphAddress>, replace = false): void => go({ ...address, ...fields }, replace);
  const open = (id: string): void => {
    setMarked(id);
    if (!address.open.includes(id)) set({ open: [...address.open, id] });
  };
  const link = (from: string): void => void (canLink && setLinking(from));
  const act = useRef({ open });
  act.current = { open };

  const room = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas | undefined>(undefined);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let gone = false;
    void import("./canvas.ts").then((c) => {
      if (gone || !room.current) return;
      canvas.current = new c.Canvas(room.current, { mark: setMarked, open: (id) => act.current.open(id) });
      setReady(true);
    });
    return () => {
      gone = true;
      canvas.current?.destroy();
      canvas.current = undefined;
      setReady(false);
    };
  }, []);
  useEffect(() => {
    if (ready && loaded) canvas.current?.show({ model, visible: shown, seed: loaded.seed, stale: staleIds, rows: packages });
  }, [ready, loaded, shown, staleIds]);
  useEffect(() => canvas.current?.mark(marked), [marked, ready, loaded]);
  useKey((e) => {
    if (e.key === "+" || e.key === "=") canvas.current?.zoom(1.25);
    else if (e.key === "-") canvas.current?.zoom(0.8);
    else if (e.key === "0") canvas.current?.fit();
    else if (e.key === "Escape") setMarked("");
    else if (marked !== "" && e.key === "e") open(marked);
    else if (marked !== "" && e.key === "a") set({ from: marked });
    else if (marked !== "" && e.key === "b") set({ to: marked });
    else if (marked !== "" && e.key === "l") {
      e.preventDefault(); // keeps the key from being typed into the dialog
      link(marked);
    }
  });

  const node = model.nodes.get(marked);
  return (
    <div class="graph">
      <h1 class="hush">{title}</h1>
      <section class="drawing" aria-label="Drawing">
        <div ref={room} class="canvas" role="img" aria-label={`${said(shown.nodes.size, shown.edges.size, packages)}. The same as a list stands beside it.`} />
        <Zoom by={(n) => canvas.current?.zoom(n)} all={() => canvas.current?.fit()} />
        {asked.loading && <p class="drawing-said">Reading…</p>}
      </section>
      <aside class="panel-room" aria-label="About the drawing">
        {asked.error && <Trouble of={asked.error} again={asked.again} />}
        <section class="gp">
          <p class="count" role="status">{loaded ? said(shown.nodes.size, shown.edges.size, packages) : "Reading…"}</p>
          {loaded && loaded.rest > 0 && <p class="hint">{count(loaded.rest, "package")} with fewer edges {loaded.rest === 1 ? "is" : "are"} not drawn.</p>}
          {packages && loaded && shown.nodes.size === 0 && <p class="hint">There is no source code here.</p>}
          {packages && shown.edges.size > 0 && <p class="hint">{loaded && loaded.prefix !== "" && <>Names are below {loaded.prefix}. </>}Each stands above those that it uses. An edge that a longer way implies is drawn at the marked package only.</p>}
          {loaded?.truncated && !address.open.includes(loaded.seed) && (
            <p class="hint">There is more around it. <button type="button" class="link" onClick={() => open(loaded.seed)}>Add all neighbours</button></p>
          )}
          {loaded && loaded.partial.length > 0 && <p class="hint">Of {loaded.partial.join(", ")} only the first {digits(mostAdded)} edges are here.</p>}
          <p class="row"><Link to={graph()}>The whole store</Link>{packages && <Link to={graph({ of: "code" })}>The code, symbol by symbol</Link>}</p>
          <Picker label="Around" picked={loaded && seedTitle !== "" && !choosing ? { id: loaded.seed, title: seedTitle } : null} pick={(m) => { setChoosing(!m); if (m) go(graph({ seed: m.id, depth: address.depth, off: address.off, superseded: address.superseded, asOf: address.asOf, knownAt: address.knownAt })); }} status="all" />
          <div class="row">
            <span id="depth-label">Steps</span>
            <div role="group" aria-labelledby="depth-label" class="switch">
              {[1, 2, 3].map((n) => <button key={n} type="button" aria-pressed={n === address.depth} onClick={() => set({ depth: n })}>{n}</button>)}
            </div>
            <label class="check"><input type="checkbox" checked={address.superseded} onChange={(e) => set({ superseded: e.currentTarget.checked })} /> superseded ones</label>
          </div>
          <div class="times"><Times of={address} set={set} /></div>
        </section>
        {node && <Marked of={node} model={model} visible={shown} stale={staleIds.has(node.id)} opened={address.open.includes(node.id)} open={() => open(node.id)} centre={() => go(graph({ seed: node.id }))} from={() => set({ from: node.id })} to={() => set({ to: node.id })} mark={setMarked} link={canLink ? () => link(node.id) : undefined} />}
        {linking !== "" && <LinkDialog from={{ id: linking, title: model.nodes.get(linking)?.title ?? linking }} close={() => setLinking("")} />}
        <PathFinder address={address} model={model} path={loaded?.path ?? null} set={set} />
        <Legend kinds={about.kinds} counts={tally([...model.edges.values()].map((e) => e.type))} memories={[...shown.nodes].map((id) => model.nodes.get(id)!)} off={address.off} set={(off) => set({ off }, true)} />
        <NodeList model={model} visible={shown} marked={marked} mark={setMarked} read={(id) => go(memory(id))} stale={staleIds} />
      </aside>
    </div>
  );
}

function isEmpty(a: GraphAddress): boolean {
  return a.of !== "packages" && a.seed === "" && a.open.length === 0 && (a.from === "" || a.to === "");
}

function said(nodes: number, edges: number, packages: boolean): string {
  return `${packages ? count(nodes, "package") : count(nodes, "memory", "memories")}, ${count(edges, "edge")}`;
}
