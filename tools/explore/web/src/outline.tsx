// The headings of a text, as links that jump to them.

import type { JSX } from "preact";
import { memory } from "./address.ts";
import { Link } from "./parts.tsx";
import type { Heading } from "./text/pieces.ts";
import { digits } from "./words.ts";

const most = 200;

export function Outline({ id, headings }: { id: string; headings: readonly Heading[] }): JSX.Element | null {
  if (headings.length < 3) return null;
  const top = Math.min(...headings.map((h) => h.level));
  return (
    <section aria-labelledby="outline-title">
      <h2 id="outline-title">Headings <small class="faint">{digits(headings.length)}</small></h2>
      <ol class="headings">
        {headings.slice(0, most).map((h) => <li key={h.id} style={{ paddingLeft: `${0.9 * Math.min(3, h.level - top)}rem` }}><Link to={memory(id, encodeURIComponent(h.id))}>{h.title}</Link></li>)}
      </ol>
    </section>
  );
}
