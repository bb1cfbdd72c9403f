// Shown for an empty store: ways to fill it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Command } from "./parts.tsx";
import { useShared } from "./state.ts";
import { StoreDialog } from "./write.tsx";

export function Empty(): JSX.Element {
  const { about, can } = useShared();
  const [storing, setStoring] = useState(false);
  const hence = about.path === "" ? "hence" : `hence --db ${quoted(about.path)}`;
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">Nothing is remembered yet</h2>
      <p>The store <code>{about.database}</code> is empty{about.namespace !== "" && ` as far as ${about.namespace} goes`}. Any of these fills it, and this page shows it then.</p>
      <h3>Take in a folder of notes</h3>
      <Command text={`${hence} import ~/notes`} />
      <h3>Remember something</h3>
      {can("memory_store") && <p><button type="button" class="main" onClick={() => setStoring(true)}>Store a memory</button></p>}
      <Command text={`${hence} store "The queue drains in an hour." --title "Drain time"`} />
      <h3>Connect the agents of a project</h3>
      <Command text={`${hence} init`} />
      {about.path === "" && <p class="hint">Where the store is not your usual one, put <code>--db FILE</code> after <code>hence</code>.</p>}
      {storing && <StoreDialog close={() => setStoring(false)} />}
    </section>
  );
}

/** quoted returns a path quoted so that a shell reads it as one word. */
function quoted(path: string): string {
  return /^[\w./:\\~-]+$/.test(path) ? path : /^[A-Z]:/i.test(path) ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
