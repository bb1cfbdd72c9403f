// Renders the text of memories as HTML. The text is untrusted: raw HTML in it is shown as text, the
// output of marked is sanitized, and the page's policy forbids inline scripts in any case.

import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";
import { calloutsOf } from "./callouts.ts";
import type { Notes } from "./footnotes.ts";
import { numbered, ranked, slug } from "./pieces.ts";
import type { LinkTarget, Resolve } from "./resolve.ts";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c]!);

interface WikiToken extends Tokens.Generic {
  target: string;
  shown: string;
  embed: boolean;
  size: string;
}

const wiki = /^(!?)\[\[([^\[\]\n]+)\]\]/;

export const isPicture = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg)$/i;
const isSize = /^\d{1,4}(?:x\d{1,4})?$/;

function linkTo(found: LinkTarget | undefined, shown: string, embed: boolean, size = ""): string {
  const label = (embed ? '<span class="embed-sign" aria-hidden="true">▤ </span>' : "") + escape(shown);
  if (!found) return `<span class="dangling" title="Nothing of this name is linked here">${label}</span>`;
  const was = found.status === "current" ? "" : `was-${escape(found.status)}`;
  const image = embed && found.kind === "file" && isPicture.test(found.title);
  const name = [was, embed ? "embedded" : "", image ? "image" : "", image && size !== "" ? "w" + size : ""].filter(Boolean).join(" ");
  return `<a href="${escape(found.href)}"${name === "" ? "" : ` class="${name}"`}${was === "" ? "" : ` title="${escape(found.status)}"`}>${label}</a>`;
}

function reader(resolve: Resolve, number: (label: string, text?: string) => number): Marked {
  const m = new Marked({ gfm: true, breaks: false, async: false });
  m.use({
    tokenizer: {
      html: () => undefined, // no blocks of raw HTML
      tag: () => undefined, // and no raw HTML within a line
    },
    extensions: [
      {
        name: "wikilink",
        level: "inline",
        start: (src) => firstOf(src, "[[", "!"),
        tokenizer(src) {
          const found = wiki.exec(src);
          if (!found) return undefined;
          const [raw, bang, inner] = found as unknown as [string, string, string];
          const parts = inner.split(/\\?\|/);
          const target = parts[0]!;
          const alias = parts.length > 1 && bang === "" ? parts.at(-1)! : target.replace(/^[^#]*\//, "").replace(/#\^?/g, " › ").replace(/^ › /, "");
          const size = parts.length > 1 && isSize.test(parts.at(-1)!.trim()) ? parts.at(-1)!.trim() : "";
          return { type: "wikilink", raw, target, shown: alias, embed: bang === "!", size } satisfies WikiToken;
        },
        renderer: (token) => {
          const t = token as WikiToken;
          return linkTo(resolve(t.target), t.shown, t.embed, t.size);
        },
      },
      {
        name: "footnote",
        level: "inline",
        start: (src) => {
          const [named, own] = [firstOf(src, "[^"), firstOf(src, "^[")];
          return named === undefined || own === undefined ? (named ?? own) : Math.min(named, own);
        },
        tokenizer(src) {
          const named = /^\[\^([^\]\s]{1,80})\]/.exec(src);
          const own = named ? null : /^\^\[((?:[^\[\]\n]|\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\])+)\]/.exec(src);
          const n = named ? number(named[1]!) : own ? number("", own[1]!) : 0;
          return n > 0 ? { type: "footnote", raw: (named ?? own)![0], n } : undefined;
        },
        renderer: (token) => `<sup><a class="footnote" title="${Number(token["n"])}">${Number(token["n"])}</a></sup>`,
      },
      {
        name: "blockid",
        level: "inline",
        start: (src) => firstOf(src, " ^"),
        tokenizer(src) {
          const found = /^ \^([\w-]+)(?=\n|$)/.exec(src);
          return found ? { type: "blockid", raw: found[0], text: found[1] } : undefined;
        },
        renderer: (token) => `<span class="block-id" title="${escape(String(token["text"]))}"></span>`,
      },
      {
        name: "highlight",
        level: "inline",
        start: (src) => firstOf(src, "=="),
        tokenizer(src) {
          const found = /^==([^=\n]+)==/.exec(src);
          return found ? { type: "highlight", raw: found[0], text: found[1] } : undefined;
        },
        renderer: (token) => `<mark>${escape(String(token["text"]))}</mark>`,
      },
      {
        name: "mathblock",
        level: "block",
        start: (src) => firstOf(src, "$$"),
        tokenizer(src) {
          const found = /^\$\$([^$]+?)\$\$(?:\n|$)/.exec(src);
          return found ? { type: "mathblock", raw: found[0], text: found[1]!.trim() } : undefined;
        },
        renderer: (token) => `<p><code class="math math-block">${escape(String(token["text"]))}</code></p>`,
      },
      {
        name: "math",
        level: "inline",
        start: (src) => firstOf(src, "$"),
        tokenizer(src) {
          const found = /^\$\$([^$\n]+)\$\$|^\$((?! )(?:[^$\n\\]|\\.)+?)(?<![ \t])\$(?!\d)/.exec(src);
          return found ? { type: "math", raw: found[0], text: found[1] ?? found[2], block: found[1] !== undefined } : undefined;
        },
        renderer: (token) => `<code class="math${token["block"] ? " math-block" : ""}">${escape(String(token["text"]))}</code>`,
      },
    ],
    renderer: {
      link(token) {
        const label = this.parser.parseInline(token.tokens);
        if (/^(https?|mailto):/i.test(token.href)) return `<a class="outside" href="${escape(token.href)}" target="_blank" rel="noopener noreferrer">${label}</a>`;
        const target = plainPath(token.href);
        return target === undefined ? `<span class="dangling">${label}</span>` : linkTo(resolve(target), token.text, false);
      },
      image(token) {
        const target = plainPath(token.href);
        const said = token.text.split("|");
        const size = isSize.test(said.at(-1)!.trim()) ? said.pop()!.trim() : "";
        const shown = said.join("|") || token.href;
        if (target !== undefined) return linkTo(resolve(target), shown, true, size);
        return /^https?:/i.test(token.href)
          ? `<a class="outside" href="${escape(token.href)}" target="_blank" rel="noopener noreferrer">▤ ${escape(shown)}</a>`
          : `<span class="dangling">▤ ${escape(shown)}</span>`;
      },
      code({ text, lang }) {
        const name = /^[\w-]+/.exec(lang ?? "")?.[0] ?? "";
        return `<pre><code${name === "" ? "" : ` class="language-${name}"`}>${escape(text)}\n</code></pre>`;
      },
      checkbox: ({ checked }) => `<span class="task${checked ? " task-done" : ""}">${checked ? "☑" : "☐"}</span> `,
      heading(token) { // two levels below the page's own headings
        const level = Math.min(6, token.depth + 2);
        return `<h${level}>${this.parser.parseInline(token.tokens)}</h${level}>`;
      },
    },
  });
  return m;
}

/**
 * firstOf returns the index of a sign, or of the character before it if that is before; undefined
 * if there is none. It uses no regular expression, because it is called at every position.
 */
function firstOf(src: string, sign: string, before = ""): number | undefined {
  const at = src.indexOf(sign);
  if (at < 0) return undefined;
  return before !== "" && src[at - 1] === before ? at - 1 : at;
}

/**
 * plainPath returns the path in a vault that a markdown link names; undefined for a URL with a
 * scheme or host.
 */
function plainPath(href: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//")) return undefined;
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

const allowed = {
  ALLOWED_TAGS: ["p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del", "mark", "a", "span", "table", "thead", "tbody", "tr", "th", "td", "sup"],
  ALLOWED_ATTR: ["href", "title", "class", "target", "rel", "start", "align", "aria-hidden"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/explore\/|#)/i,
  ADD_URI_SAFE_ATTR: ["align", "target", "rel", "start", "aria-hidden"], // values of all other attributes must match ALLOWED_URI_REGEXP
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: true,
};

/** Common holds data that all pieces of one text share. */
export interface Common {
  definitions?: string; // the lines that define reference links
  notes?: Notes; // footnotes by label
  within?: string; // prefix of the ids of footnotes, if the text is embedded in another
  above?: number; // the level of the heading above the text
}

export interface Renderer {
  (piece: string): DocumentFragment;
  /**
   * notes returns a list of the footnotes that the rendered pieces refer to, in the order of the
   * references.
   */
  notes(): HTMLElement[];
}

/**
 * renderer returns a function that renders the pieces of one text, one after the other, as
 * sanitized nodes.
 */
export function renderer(resolve: Resolve, { definitions: shared = "", notes = new Map(), within = "", above = 1 }: Common = {}): Renderer {
  const texts: string[] = []; // texts of the footnotes, in the order of their numbers
  const numbers = new Map<string, number>(), referred = new Set<string>();
  const read = reader(resolve, (label, text) => {
    const there = label === "" ? undefined : numbers.get(label);
    const said = text ?? notes.get(label);
    if (there !== undefined || said === undefined) return there ?? 0;
    const n = texts.push(said);
    if (label !== "") numbers.set(label, n);
    return n;
  });
  const number = numbered(), rank = ranked(above);
  const render = (piece: string): DocumentFragment => {
    const clean = DOMPurify.sanitize(read.parse(shared === "" ? piece : piece + "\n\n" + shared, { async: false }), { ...allowed, RETURN_DOM_FRAGMENT: true });
    for (const heading of clean.querySelectorAll("h3, h4, h5, h6")) {
      heading.id = number(slug(heading.textContent ?? ""));
      heading.setAttribute("aria-level", String(rank(Number(heading.tagName.slice(1)))));
    }
    for (const mark of clean.querySelectorAll<HTMLElement>(".block-id")) {
      mark.id = "b-" + mark.title;
      mark.removeAttribute("title");
    }
    for (const a of clean.querySelectorAll<HTMLAnchorElement>("a.footnote")) {
      const n = a.title;
      a.removeAttribute("title");
      a.href = `#fn-${within}${n}`;
      if (!referred.has(n)) a.id = `fr-${within}${n}`; // the link back leads to the first reference
      referred.add(n);
      a.setAttribute("aria-label", `Footnote ${n}`);
    }
    calloutsOf(clean);
    for (const wide of clean.querySelectorAll("table, pre")) { // elements that may be wider than a phone scroll on their own
      const room = document.createElement("div");
      room.className = "wide-room";
      room.tabIndex = 0;
      room.setAttribute("role", "group"); // not "region": regions are landmarks, whose names must be unique
      room.setAttribute("aria-label", wide.tagName === "PRE" ? "Code" : "Table");
      wide.replaceWith(room);
      room.append(wide);
    }
    return clean;
  };
  return Object.assign(render, { notes: () => footnotes(render, texts, within) });
}

/**
 * footnotes returns a list of the footnotes, each with a link back to its reference; an empty array
 * if there are none.
 */
function footnotes(render: (piece: string) => DocumentFragment, texts: readonly string[], within: string): HTMLElement[] {
  const list = document.createElement("ol");
  for (let n = 1; n <= texts.length; n++) { // rendering a footnote may add further ones to texts
    const item = document.createElement("li");
    item.id = `fn-${within}${n}`;
    item.append(render(texts[n - 1]!));
    const back = document.createElement("a");
    back.href = `#fr-${within}${n}`;
    back.textContent = "↩";
    back.setAttribute("aria-label", `Back to footnote ${n} in the text`);
    (item.lastElementChild ?? item).append(" ", back);
    list.append(item);
  }
  if (texts.length === 0) return [];
  const room = document.createElement("div");
  room.className = "footnotes";
  room.setAttribute("role", "group");
  room.setAttribute("aria-label", "Footnotes");
  room.append(list);
  return [room];
}
