// Fields for the times that a request is about: what was valid then, and what the store knew then.

import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { AtTimes } from "./address.ts";

/** timesOf returns the times of an address as arguments of the tools, without empty ones. */
export function timesOf(a: AtTimes): { as_of?: string; known_at?: string } {
  return { ...(a.asOf !== "" && { as_of: a.asOf }), ...(a.knownAt !== "" && { known_at: a.knownAt }) };
}

export function Times({ of, set }: { of: AtTimes; set: (fields: Partial<AtTimes>) => void }): JSX.Element {
  return (
    <>
      <Time name="as-of" label="What held on" value={of.asOf} put={(asOf) => set({ asOf })} />
      <Time name="known-at" label="As known on" value={of.knownAt} put={(knownAt) => set({ knownAt })} />
    </>
  );
}

/**
 * Time shows a field for a date, or for words like 7d. The server parses it, and reports an error
 * if it cannot.
 */
export function Time({ name, label, value, put }: { name: string; label: string; value: string; put: (text: string) => void }): JSX.Element {
  const [text, setText] = useState(value);
  useLayoutEffect(() => setText(value), [value]);
  const done = (): void => {
    if (text.trim() !== value) put(text.trim());
  };
  return (
    <div class="filter">
      <label for={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder="2026-03-11, or 7d"
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={done}
        onKeyDown={(e) => {
          if (e.key === "Enter") {
            e.preventDefault();
            done();
          }
        }}
      />
    </div>
  );
}
