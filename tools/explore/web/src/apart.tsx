// Distinguishes memories that have the same title, by their folder or date.

import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { describe } from "./api.ts";
import { useAsk } from "./state.ts";
import type { GetResult, Named, Row } from "./types.ts";
import { day, folderOf } from "./words.ts";

const none: GetResult["memories"] = [];

/** useMemories returns the first memories of some ids, without their texts and edges. */
export function useMemories(ids: readonly string[], canWait = false): GetResult["memories"] {
  return useAsk(ids.length === 0 ? null : `memories ${ids.join()}`, (signal) => describe(ids.slice(0, 100), signal), { canWait }).data ?? none;
}

const ApartContext = createContext<ReadonlyMap<string, string>>(new Map());

/**
 * Apart makes the links inside it show a folder or date for each memory of a list that shares its
 * title with another one.
 */
export function Apart({ of, children }: { of: readonly Named[]; children: ComponentChildren }): JSX.Element {
  const shared = useMemo(() => twins(of), [of]);
  const memories = useMemories(shared, true);
  const places = useMemo(() => new Map(memories.map((m) => [m.id, apartBy(m)])), [memories]);
  return <ApartContext.Provider value={places}>{children}</ApartContext.Provider>;
}

/**
 * Stands shows the folder or date of a memory that shares its title with another one; see Apart.
 */
export function Stands({ id }: { id: string }): JSX.Element | null {
  const at = useContext(ApartContext).get(id);
  return at ? <span class="faint apart"> {at}</span> : null;
}

/** apartBy returns the folder of a note; for other memories, the day on which they were stored. */
export function apartBy(m: Pick<Row, "uri" | "created_at">): string {
  return folderOf(m) || day(m.created_at);
}

/** twins returns the ids of the memories that share their title with another, ignoring case. */
function twins(of: readonly Named[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const m of of) ids.set(m.title.toLowerCase(), (ids.get(m.title.toLowerCase()) ?? new Set()).add(m.id));
  return [...ids.values()].filter((s) => s.size > 1).flatMap((s) => [...s]).sort();
}
