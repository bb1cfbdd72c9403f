// Maths and diagrams are rendered in a sandboxed frame, which is loaded when a text needs it. The
// frame may run its own scripts, but can neither send requests nor reach this page. Its output is
// made safe here: maths is sanitized as MathML, and a diagram is shown as an image.

import DOMPurify from "dompurify";

export type Job = { kind: "maths"; text: string; block: boolean } | { kind: "diagram"; text: string; dark: boolean };

const patience = 20_000; // milliseconds before a job fails

let frame: Promise<HTMLIFrameElement> | undefined;
let turn = 0;

function load(): Promise<HTMLIFrameElement> {
  return (frame ??= new Promise((ready) => {
    const made = document.createElement("iframe");
    made.setAttribute("sandbox", "allow-scripts");
    made.setAttribute("aria-hidden", "true");
    made.tabIndex = -1;
    made.title = "Draws maths and diagrams";
    made.className = "press";
    made.src = "/explore/press.html";
    addEventListener("message", function heard(e: MessageEvent) {
      if (e.source !== made.contentWindow || e.data !== "ready") return;
      removeEventListener("message", heard);
      ready(made);
    });
    document.body.append(made);
  }));
}

/**
 * press renders a source as an element. It throws if the source cannot be rendered, if that takes
 * too long, or if signal aborts.
 */
export async function press(job: Job, signal: AbortSignal): Promise<Element> {
  const made = await load();
  const n = ++turn;
  const said = await new Promise<string>((done, failed) => {
    const stop = (): void => {
      removeEventListener("message", heard);
      clearTimeout(timer);
    };
    const heard = (e: MessageEvent): void => {
      if (e.source !== made.contentWindow || (e.data as { turn?: number } | null)?.turn !== n) return;
      stop();
      const { made: text, why } = e.data as { made?: unknown; why?: unknown };
      if (typeof text === "string" && text !== "") done(text);
      else failed(new Error(typeof why === "string" && why !== "" ? why : "it cannot be drawn"));
    };
    const timer = setTimeout(() => {
      stop();
      failed(new Error("it takes too long"));
    }, patience);
    addEventListener("message", heard);
    signal.addEventListener("abort", () => {
      stop();
      failed(new Error("it is not wanted any more"));
    });
    made.contentWindow!.postMessage({ ...job, turn: n }, "*");
  });
  return job.kind === "maths" ? maths(said) : picture(said, job.text);
}

function maths(text: string): Element {
  const clean = DOMPurify.sanitize(text, { USE_PROFILES: { mathMl: true }, FORBID_ATTR: ["style", "href", "id", "class"], RETURN_DOM_FRAGMENT: true });
  const found = clean.querySelector("math");
  if (!found) throw new Error("it is no formula");
  return found;
}

/** picture returns a drawing as an img element: nothing inside an image can run, link or load. */
function picture(svg: string, source: string): Element {
  const img = document.createElement("img");
  img.alt = "Diagram: " + source.replace(/\s+/g, " ").slice(0, 400);
  img.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  return img;
}
