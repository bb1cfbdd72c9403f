// A plain script that runs in a frame without an origin. It renders formulas as MathML and diagrams
// as SVG. Each library is loaded when it is first needed. src/text/press.ts uses the frame, and
// vite.config.ts builds it.

interface Wanted {
  turn: number;
  kind: "maths" | "diagram";
  text: string;
  block: boolean;
  dark: boolean;
}

interface Libraries {
  katex: { renderToString: (text: string, options: object) => string };
  mermaid: { initialize: (options: object) => void; render: (id: string, text: string) => Promise<{ svg: string }> };
}

const own = document.currentScript as HTMLScriptElement;
const loading = new Map<string, Promise<void>>();

/** library loads a library, once. This script's element has the paths of their files. */
async function library<Name extends keyof Libraries>(name: Name): Promise<Libraries[Name]> {
  let there = loading.get(name);
  if (!there) {
    there = new Promise<void>((done, failed) => {
      const script = document.createElement("script");
      script.src = own.dataset[name]!;
      script.onload = () => done();
      script.onerror = () => failed(new Error(name + " cannot be loaded"));
      document.head.append(script);
    });
    loading.set(name, there);
  }
  await there;
  return (window as unknown as Libraries)[name];
}

async function maths(w: Wanted): Promise<string> {
  const katex = await library("katex");
  return katex.renderToString(w.text, { displayMode: w.block, output: "mathml", throwOnError: true, trust: false, strict: "ignore", maxExpand: 200, maxSize: 20 });
}

let drawings = 0;

async function diagram(w: Wanted): Promise<string> {
  const mermaid = await library("mermaid");
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: w.dark ? "dark" : "default", htmlLabels: false, flowchart: { htmlLabels: false }, maxTextSize: 20_000, maxEdges: 500 });
  const { svg } = await mermaid.render(`drawing-${++drawings}`, w.text);
  return sized(svg);
}

/** sized sets the size of an SVG to that of its view box, without which an image has none. */
function sized(svg: string): string {
  const drawn = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  const box = drawn?.viewBox.baseVal;
  if (!drawn || !box || box.width === 0) return svg;
  drawn.setAttribute("width", String(Math.ceil(box.width)));
  drawn.setAttribute("height", String(Math.ceil(box.height)));
  return new XMLSerializer().serializeToString(drawn);
}

let last: Promise<unknown> = Promise.resolve(); // jobs run one after another

addEventListener("message", (e: MessageEvent<Wanted>) => {
  if (e.source !== parent) return;
  const wanted = e.data;
  const answer = (made: string, why = ""): void => parent.postMessage({ turn: wanted.turn, made, why }, "*");
  last = last.then(() => (wanted.kind === "maths" ? maths(wanted) : diagram(wanted))).then(answer, (e: unknown) => answer("", e instanceof Error ? e.message : ""));
});
parent.postMessage("ready", "*");
