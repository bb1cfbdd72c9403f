// What to do with a store that holds nothing yet.

import type { JSX } from "preact";
import { Command } from "./parts.tsx";
import { useShared } from "./state.ts";

export function Empty(): JSX.Element {
  const { about } = useShared();
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">Nothing is remembered yet</h2>
      <p>The store <code>{about.database}</code> is empty{about.namespace !== "" && ` as far as ${about.namespace} goes`}. Any of these fills it, and this page shows it then.</p>
      <h3>Take in a folder of notes</h3>
      <Command text="hence import ~/notes" />
      <h3>Remember something</h3>
      <Command text={'hence store "The queue drains in an hour." --title "Drain time"'} />
      <h3>Connect an agent</h3>
      <Command text="claude mcp add hence -- hence serve" />
      <p class="hint">Where this store is not your usual one, name it as you did here: <code>--db FILE</code> before the word.</p>
    </section>
  );
}
