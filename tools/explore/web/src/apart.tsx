// Memories of one title are told apart by where they stand.

import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { call } from "./api.ts";
import { useAsk } from "./state.ts";
import type { GetResult, Named, Row } from "./types.ts";
import { day, folderOf } from "./words.ts";

const most = 100; // that memory_get takes at once

const ApartContext = createContext<ReadonlyMap<string, string>>(new Map());

/** Apart says in the links inside it where those stand that share their title with another of some memories. */
export function Apart({ of, children }: { of: readonly Named[]; children: ComponentChildren }): JSX.Element {
  const shared = useMemo(() => twins(of).slice(0, most), [of]);
  const asked = useAsk<GetResult>(shared.length === 0 ? null : `apart ${shared.join()}`, (signal) =>
    call("memory_get", { ids: shared, detail: "summary", include_edges: false }, signal), { canWait: true });
  const places = useMemo(() => new Map((asked.data?.memories ?? []).map((m) => [m.id, apartBy(m)])), [asked.data]);
  return <ApartContext.Provider value={places}>{children}</ApartContext.Provider>;
}

/** Stands says where a memory is whose title does not tell it from another. */
export function Stands({ id }: { id: string }): JSX.Element | null {
  const at = useContext(ApartContext).get(id);
  return at ? <span class="faint apart"> {at}</span> : null;
}

/** apartBy is the folder of a note, and the day of other memories. */
export function apartBy(m: Pick<Row, "uri" | "created_at">): string {
  return folderOf(m) || day(m.created_at);
}

/** twins are the ids of those whose title another has. */
function twins(of: readonly Named[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const m of of) ids.set(m.title.toLowerCase(), (ids.get(m.title.toLowerCase()) ?? new Set()).add(m.id));
  return [...ids.values()].filter((s) => s.size > 1).flatMap((s) => [...s]).sort();
}
