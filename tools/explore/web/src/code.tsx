// Source code: the text and lines of a symbol, as they are on disk, or the symbols that a package
// or repository declares.

import type { JSX } from "preact";
import { call } from "./api.ts";
import { Answer, MemoryLink } from "./parts.tsx";
import { useAsk } from "./state.ts";
import { linesOf, tokens } from "./text/colour.ts";
import type { CodeRead, Memory, Outline } from "./types.ts";
import { count } from "./words.ts";

const mostTokens = 4000; // token budget for lines or an outline

export function Code({ of }: { of: Memory }): JSX.Element {
  return (
    <section class="code-lines">
      {of.content !== "" && <pre class="said"><code>{of.content}</code></pre>}
      {of.uri?.includes("#") ? <Lines id={of.id} /> : <Declared id={of.id} />}
    </section>
  );
}

function Lines({ id }: { id: string }): JSX.Element {
  const asked = useAsk<CodeRead>(`code ${id}`, (signal) => call("code_read", { id, token_budget: mostTokens }, signal));
  return (
    <Answer of={asked} waiting="Reading the file…">
      {(r) => (
        <>
          <h2>{r.path}:{r.start_line}</h2>
          {r.changed && <p class="note">The file was edited since it was imported.</p>}
          <Coloured text={r.text} language={r.path.split(".").at(-1) ?? ""} />
          {r.truncated && <p class="hint">It goes on after line {r.end_line}.</p>}
        </>
      )}
    </Answer>
  );
}

/** Coloured shows numbered lines in colours; a long line wraps. */
function Coloured({ text, language }: { text: string; language: string }): JSX.Element {
  const rows = text.split("\n").map((line) => /^(\d*)\t?(.*)$/s.exec(line)!);
  const lines = linesOf(tokens(rows.map((r) => r[2]).join("\n"), language));
  return (
    <pre class="numbered"><code>
      {rows.map((r, i) => (
        <span key={i} class="code-line">
          <span class="line-number">{r[1]}{"\t"}</span>
          <span>{(lines[i] ?? []).map((t, k) => (t.look === "" ? t.text : <span key={k} class={`code-${t.look}`}>{t.text}</span>))}{"\n"}</span>
        </span>
      ))}
    </code></pre>
  );
}

function Declared({ id }: { id: string }): JSX.Element {
  const asked = useAsk<Outline>(`outline ${id}`, (signal) => call("code_outline", { id, token_budget: mostTokens }, signal));
  return (
    <Answer of={asked} waiting="Reading what it declares…">
      {(r) => (
        <>
          <h2>{count(r.total_count, "symbol")}</h2>
          <ul class="outline">
            {r.symbols.map((s) => (
              <li key={s.id}>
                <MemoryLink of={s} /> <span class="faint">{[s.sort, s.callers > 0 && count(s.callers, "caller")].filter(Boolean).join(", ")}</span>
              </li>
            ))}
          </ul>
          {r.truncated && <p class="hint">Those with most callers are shown.</p>}
        </>
      )}
    </Answer>
  );
}
