// Adds to a rendered text what has to be loaded: pictures of the vault, embedded notes, maths and
// diagrams. Each appears at its link or source once it is ready.

import { file, post, read } from "../api.ts";
import type { Written } from "../types.ts";
import { colour } from "./colour.ts";
import { footnotesOf } from "./footnotes.ts";
import { renderer } from "./markdown.ts";
import { partOf } from "./part.ts";
import { bodyOf, definitions, withoutTitle } from "./pieces.ts";
import { press } from "./press.ts";
import { resolver, type Resolve } from "./resolve.ts";

interface Around {
  resolve: Resolve;
  files: boolean; // whether the program serves files of a vault
  signal: AbortSignal;
  outer: string[]; // ids of the memories that contain this text, the outermost first
}

let embeds = 0; // number of embeds on this page so far
const deepest = 2; // levels of embeds within embeds
const mostEmbedded = 12_000; // most characters of an embedded note
const mostSaid = 300; // most characters of the reason why a source is not drawn

export function enrich(text: DocumentFragment, a: Around): void {
  for (const link of text.querySelectorAll<HTMLAnchorElement>("a.embedded")) {
    const href = link.getAttribute("href") ?? "";
    const id = decodeURIComponent(/^\/explore\/memory\/([^#?]*)/.exec(href)?.[1] ?? "");
    if (id === "") continue;
    if (link.classList.contains("image")) {
      if (a.files) void showPicture(link, id, a.signal).catch(() => undefined); // the link stays, with its text
    } else if (a.outer.length <= deepest && !a.outer.includes(id)) showEmbed(link, id, href.split("#")[1] ?? "", a);
  }
  for (const code of text.querySelectorAll<HTMLElement>("pre > code")) colour(code, /language-([\w-]+)/.exec(code.className)?.[1] ?? "");
  for (const code of text.querySelectorAll<HTMLElement>("code.math")) showMath(code, a.signal);
  for (const code of text.querySelectorAll<HTMLElement>("code.language-mermaid")) showDiagram(code, a.signal);
}

/**
 * showPicture shows a picture in place of the text of a link. It fetches the file itself, because an
 * img element cannot send the token.
 */
export async function showPicture(link: HTMLElement, id: string, signal: AbortSignal): Promise<void> {
  const blob = await file(id, signal);
  if (signal.aborted) return;
  const address = URL.createObjectURL(blob);
  signal.addEventListener("abort", () => URL.revokeObjectURL(address));
  const img = document.createElement("img");
  img.alt = (link.textContent ?? "").replace(/^▤ /, "");
  const size = /\bw(\d+)(?:x(\d+))?\b/.exec(link.className);
  if (size) img.width = Number(size[1]);
  if (size?.[2]) img.height = Number(size[2]);
  img.src = address;
  img.onerror = () => img.replaceWith(img.alt);
  link.replaceChildren(img);
  link.classList.add("picture");
}

/**
 * showEmbed shows another memory, or the section or block that anchor names, below the link to it.
 */
function showEmbed(link: HTMLAnchorElement, id: string, anchor: string, a: Around): void {
  void Promise.all([
    read(id, a.signal),
    post<{ links: Written[] }>("links", { id }, a.signal),
  ]).then(([m, links]) => {
    if (a.signal.aborted || m.content === "") return;
    const body = partOf(withoutTitle(bodyOf(m.content), m.title), anchor);
    if (body === "") return; // there is no such block; only the link is shown
    const short = body.length > mostEmbedded ? body.slice(0, body.lastIndexOf("\n", mostEmbedded)) + "\n\n…" : body;
    const resolve = resolver(links.links, m);
    const { text, notes } = footnotesOf(short);
    const render = renderer(resolve, { definitions: definitions(body), notes, within: `${++embeds}-`, above: levelAbove(link) });
    const shown = render(text);
    shown.append(...render.notes());
    for (const heading of shown.querySelectorAll("h3, h4, h5, h6, .block-id")) heading.removeAttribute("id"); // the ids could clash with those of the outer text
    enrich(shown, { ...a, resolve, outer: [...a.outer, id] });
    const room = document.createElement("div");
    room.className = "embed";
    room.setAttribute("role", "group");
    room.setAttribute("aria-label", `Embedded: ${m.title}`);
    const head = document.createElement("p");
    head.className = "embed-head";
    const place = link.closest("p") ?? link;
    const alone = place.textContent?.trim() === link.textContent?.trim();
    head.append(alone ? link : link.cloneNode(true));
    room.append(head, shown);
    if (alone && place !== link) place.replaceWith(room);
    else place.after(room);
  }).catch(() => undefined); // the link stays
}

/**
 * levelAbove returns the level of the last heading before an element, ignoring headings of other
 * embedded texts.
 */
function levelAbove(place: Element): number {
  const before = [...(place.closest(".text")?.querySelectorAll("h3, h4, h5, h6") ?? [])]
    .filter((h) => h.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING && (h.closest(".embed")?.contains(place) ?? true));
  return Number(before.at(-1)?.getAttribute("aria-level") ?? 1);
}

function showMath(code: HTMLElement, signal: AbortSignal): void {
  const block = code.classList.contains("math-block");
  void press({ kind: "maths", text: code.textContent ?? "", block }, signal).then((maths) => {
    if (!signal.aborted) code.replaceChildren(maths);
  }).catch((e: unknown) => {
    if (!signal.aborted) code.title = failed("formula", e); // the source stays visible
  });
}

/** failed returns a message on why a source is not drawn. */
function failed(what: string, e: unknown): string {
  const why = e instanceof Error ? e.message.trim() : String(e);
  return `The ${what} is not drawn: ${why.length > mostSaid ? why.slice(0, mostSaid) + "…" : why}`;
}

function showDiagram(code: HTMLElement, signal: AbortSignal): void {
  const source = (code.textContent ?? "").trim();
  const dark = document.documentElement.dataset["theme"] === "dark";
  void press({ kind: "diagram", text: source, dark }, signal).then((image) => {
    if (signal.aborted) return;
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "As text";
    const figure = document.createElement("figure");
    figure.className = "diagram";
    const room = code.closest(".wide-room") ?? code;
    room.replaceWith(figure);
    details.append(summary, room);
    figure.append(image, details);
  }).catch((e: unknown) => {
    if (signal.aborted) return;
    const why = document.createElement("p");
    why.className = "hint why-not";
    why.textContent = failed("diagram", e);
    (code.closest(".wide-room") ?? code).before(why); // the source stays visible
  });
}
