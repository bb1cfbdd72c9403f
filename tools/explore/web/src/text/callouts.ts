// Obsidian callouts: a blockquote that begins with [!kind], followed by + or - if it can be folded,
// and by a title.

const marks: Record<string, string> = {
  note: "✎", abstract: "≡", summary: "≡", tldr: "≡", info: "ⓘ", todo: "☐", tip: "✦", hint: "✦", important: "✦", success: "✓", check: "✓", done: "✓",
  question: "?", help: "?", faq: "?", warning: "⚠", caution: "⚠", attention: "⚠", failure: "✗", fail: "✗", missing: "✗", danger: "⚡", error: "⚡", bug: "⚠", example: "☰", quote: "❝", cite: "❝",
};

/** tone returns the tone in which a kind of callout is shown: warn, bad, good or calm. */
function tone(kind: string): string {
  if (/^(warning|caution|attention|question|help|faq|bug)$/.test(kind)) return "warn";
  if (/^(failure|fail|missing|danger|error)$/.test(kind)) return "bad";
  return /^(tip|hint|important|success|check|done)$/.test(kind) ? "good" : "calm";
}

export function calloutsOf(text: DocumentFragment): void {
  for (const quote of [...text.querySelectorAll("blockquote")]) {
    const first = quote.firstElementChild;
    const start = first?.firstChild;
    if (first?.tagName !== "P" || start?.nodeType !== Node.TEXT_NODE) continue;
    const found = /^\[!([\w-]{1,40})\]([+-]?)[ \t]*/.exec(start.textContent ?? "");
    if (!found) continue;
    start.textContent = start.textContent!.slice(found[0].length);
    const kind = found[1]!.toLowerCase();
    const title = titleOf(first);
    if (title.textContent!.trim() === "") title.textContent = kind.charAt(0).toUpperCase() + kind.slice(1);
    if (first.textContent!.trim() === "" && first.childElementCount === 0) first.remove();
    quote.replaceWith(box(kind, title, [...quote.childNodes], found[2]!));
  }
}

/** titleOf moves the first line of a paragraph into a new element. */
function titleOf(p: Element): HTMLElement {
  const title = document.createElement("span");
  while (p.firstChild) {
    const node = p.firstChild;
    const end = node.nodeType === Node.TEXT_NODE ? node.textContent!.indexOf("\n") : -1;
    if (end >= 0) {
      title.append(node.textContent!.slice(0, end));
      node.textContent = node.textContent!.slice(end + 1);
      break;
    }
    title.append(node);
  }
  return title;
}

function box(kind: string, title: HTMLElement, inside: Node[], fold: string): HTMLElement {
  const room = document.createElement(fold === "" ? "div" : "details");
  const head = document.createElement(fold === "" ? "p" : "summary");
  if (room instanceof HTMLDetailsElement) room.open = fold === "+";
  room.className = `callout callout-${tone(kind)}`;
  head.className = "callout-title";
  const mark = document.createElement("span");
  mark.setAttribute("aria-hidden", "true");
  mark.textContent = (marks[kind] ?? marks["note"]!) + " ";
  head.append(mark, title);
  room.append(head, ...inside);
  return room;
}
