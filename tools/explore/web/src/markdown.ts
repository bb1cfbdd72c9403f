// Text of memories as HTML. It is untrusted: raw HTML in it is shown as text,
// what marked makes is cleaned once more, and the page's policy lets no inline
// script run whatever happens here.

import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";

export interface LinkTarget {
  href: string;
  status: string;
}

export type Resolve = (target: string, written: string) => LinkTarget | undefined;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c]!);

interface WikiToken extends Tokens.Generic {
  target: string;
  shown: string;
  embed: boolean;
}

const wiki = /^(!?)\[\[([^\[\]\n]+)\]\]/;

function reader(resolve: Resolve): Marked {
  const link = (target: string, written: string, shown: string, embed: boolean): string => {
    const found = resolve(target, written);
    const label = (embed ? '<span class="embed-sign" aria-hidden="true">▤ </span>' : "") + escape(shown);
    if (!found) return `<span class="dangling" title="Nothing of this name is linked here">${label}</span>`;
    const mark = found.status === "current" ? "" : ` class="was-${escape(found.status)}" title="${escape(found.status)}"`;
    return `<a href="${escape(found.href)}"${mark}>${label}</a>`;
  };
  const m = new Marked({ gfm: true, breaks: false, async: false });
  m.use({
    tokenizer: {
      html: () => undefined, // no block of raw HTML
      tag: () => undefined, // and none within a line
    },
    extensions: [
      {
        name: "wikilink",
        level: "inline",
        start: (src) => src.match(/!?\[\[/)?.index,
        tokenizer(src) {
          const found = wiki.exec(src);
          if (!found) return undefined;
          const [raw, bang, inner] = found as unknown as [string, string, string];
          const parts = inner.split(/\\?\|/);
          const target = parts[0]!;
          const alias = parts.length > 1 && bang === "" ? parts.at(-1)! : target.replace(/^.*\//, "").replace(/#\^?/, " › ").replace(/^ › /, "");
          return { type: "wikilink", raw, target, shown: alias, embed: bang === "!" } satisfies WikiToken;
        },
        renderer: (token) => {
          const t = token as WikiToken;
          return link(t.target, t.raw, t.shown, t.embed);
        },
      },
      {
        name: "blockid",
        level: "inline",
        start: (src) => src.match(/ \^[\w-]+$/m)?.index,
        tokenizer(src) {
          const found = /^ \^[\w-]+(?=\n|$)/.exec(src);
          return found ? { type: "blockid", raw: found[0] } : undefined;
        },
        renderer: () => "",
      },
      {
        name: "highlight",
        level: "inline",
        start: (src) => src.indexOf("=="),
        tokenizer(src) {
          const found = /^==([^=\n]+)==/.exec(src);
          return found ? { type: "highlight", raw: found[0], text: found[1] } : undefined;
        },
        renderer: (token) => `<mark>${escape(String(token["text"]))}</mark>`,
      },
    ],
    renderer: {
      link(token) {
        const label = this.parser.parseInline(token.tokens);
        if (/^(https?|mailto):/i.test(token.href)) return `<a class="outside" href="${escape(token.href)}" target="_blank" rel="noopener noreferrer">${label}</a>`;
        const target = plainPath(token.href);
        return target === undefined ? `<span class="dangling">${label}</span>` : link(target, token.raw, token.text, false);
      },
      image(token) {
        const target = plainPath(token.href);
        const shown = token.text || token.href;
        if (target !== undefined) return link(target, token.raw, shown, true);
        return /^https?:/i.test(token.href)
          ? `<a class="outside" href="${escape(token.href)}" target="_blank" rel="noopener noreferrer">▤ ${escape(shown)}</a>`
          : `<span class="dangling">▤ ${escape(shown)}</span>`;
      },
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
      heading(token) { // below the page's own headings
        const level = Math.min(6, token.depth + 2);
        return `<h${level}>${this.parser.parseInline(token.tokens)}</h${level}>`;
      },
    },
  });
  return m;
}

/** plainPath is the path in a vault that a markdown link names, undefined for an address with a scheme. */
function plainPath(href: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//")) return undefined;
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

const allowed = {
  ALLOWED_TAGS: ["p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del", "mark", "a", "span", "table", "thead", "tbody", "tr", "th", "td"],
  ALLOWED_ATTR: ["href", "title", "class", "target", "rel", "start", "align", "aria-hidden"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/explore\/)/i,
  ADD_URI_SAFE_ATTR: ["align", "target", "rel", "start", "aria-hidden"], // all others must look like an allowed address
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: true,
};

/** render makes safe nodes of a memory's text. */
export function render(text: string, resolve: Resolve): DocumentFragment {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, "").replace(/%%[\s\S]*?%%/g, "");
  const clean = DOMPurify.sanitize(reader(resolve).parse(body, { async: false }), { ...allowed, RETURN_DOM_FRAGMENT: true });
  for (const wide of clean.querySelectorAll("table, pre")) { // what may be wider than a phone scrolls by itself
    const room = document.createElement("div");
    room.className = "wide-room";
    room.tabIndex = 0;
    room.setAttribute("role", "region");
    room.setAttribute("aria-label", wide.tagName === "PRE" ? "Code" : "Table");
    wide.replaceWith(room);
    room.append(wide);
  }
  return clean;
}
