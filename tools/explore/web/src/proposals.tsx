// Proposals to tidy the store, by kind. They are accepted or rejected one by one, or all visible
// ones of a kind together.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useTold } from "./actions.tsx";
import { call, post, type Fault } from "./api.ts";
import { Answer, MemoryLink, Trouble } from "./parts.tsx";
import { plainText } from "./snippet.ts";
import { asFault, useAsk, useCount, useShared, type Told } from "./state.ts";
import type { Proposal, TidyResult } from "./types.ts";
import { count, day, digits } from "./words.ts";

const most = 200; // largest number of proposals that memory_tidy returns or takes

const kinds: Record<string, [string, string]> = {
  asked: ["Asked for", "An agent asked to change what is trusted more than its word. Accepting does it."],
  same: ["The same twice", "Two memories say the same. The better one replaces the other."],
  replaced: ["Replaced", "A newer memory has another number, date, version or negation."],
  conflict: ["Contradictions to settle", "One side is supported by more, or is newer: it replaces the other."],
  link: ["Links", "A text names a title, or two memories share neighbours and words."],
  summarise: ["Without a summary", "Several memories about one thing. Accepting stores the beginning of a summary of them."],
  fading: ["Fading", "Of little importance, and untouched for 90 days. Accepting forgets them."],
  expired: ["Expired", "They say themselves that they hold no longer. Accepting forgets them."],
  broken: ["Broken citations", "They cite a file of the project, or a line, that is not there. Accepting writes the new path where it is known, else says that they still hold."],
  secret: ["Secrets", "They look as if they held a key or a password."],
};

export function Proposals({ told }: { told: Told }): JSX.Element {
  const asked = useAsk<TidyResult>("tidy", (signal) => call("memory_tidy", { limit: most }, signal), { canWait: true });
  useCount(told, asked.data && total(asked.data));
  return (
    <section aria-labelledby="proposals-title">
      <h2 id="proposals-title">Proposals <small class="faint" role="status">{asked.data && digits(total(asked.data))}</small></h2>
      <p class="hint">Found by rules. Nothing changes before you accept, and what you accept can be undone. What you reject does not come back.</p>
      <Answer of={asked} waiting="Looking for what could be tidied…">
        {(r) => (
          <>
            {r.proposals.length === 0 && <p class="calm">There is nothing to tidy.</p>}
            {byKind(r.proposals).map(([what, of]) => <Kind key={what} what={what} of={of} hidden={r.not_shown.find((c) => c.name === what)?.count ?? 0} />)}
            {r.warnings?.map((w) => <p key={w} class="hint">{w}</p>)}
          </>
        )}
      </Answer>
    </section>
  );
}

function total(r: TidyResult): number {
  return r.proposals.length + r.not_shown.reduce((n, c) => n + c.count, 0);
}

function byKind(proposals: Proposal[]): [string, Proposal[]][] {
  const groups = new Map<string, Proposal[]>();
  for (const p of proposals) groups.set(p.what, [...(groups.get(p.what) ?? []), p]);
  return [...groups];
}

/**
 * useSettle returns a function that accepts or rejects proposals, reports the result and offers to
 * undo it.
 */
function useSettle() {
  const { changed, can } = useShared();
  const told = useTold();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState(false);
  const settle = async (how: "accept" | "reject", keys: string[]): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const r = await call<TidyResult>("memory_tidy", { [how]: keys });
      const said = `${how === "accept" ? "Accepted" : "Rejected"} ${count(keys.length, "proposal")}.`;
      const back = async (): Promise<void> => {
        await post("reconsider", { keys });
        changed(`${count(keys.length, "proposal is", "proposals are")} listed again.`);
      };
      if (how === "accept") told(said, r);
      else changed(said, can("reconsider") ? back : undefined);
    } catch (e) {
      setFault(asFault(e));
    } finally {
      setBusy(false);
    }
  };
  return { settle, fault, busy };
}

function Kind({ what, of, hidden }: { what: string; of: Proposal[]; hidden: number }): JSX.Element {
  const { settle, fault, busy } = useSettle();
  const [title, says] = kinds[what] ?? [what, ""];
  const [all, setAll] = useState(false);
  const shown = all ? of : of.slice(0, 5);
  const keys = shown.map((p) => p.key), number = of.length + hidden;
  const these = (shown.length === number ? "all " : "these ") + digits(shown.length);
  return (
    <section class="proposals" aria-labelledby={`tidy-${what}`}>
      <div class="changes-head">
        <h3 id={`tidy-${what}`}>{title} <small class="faint">{digits(number)}</small></h3>
        {shown.length > 1 && (
          <span class="actions">
            <button type="button" class="small" disabled={busy} onClick={() => void settle("accept", keys)} aria-label={`Accept ${these}: ${title}`}>Accept {these}</button>
            <button type="button" class="small quiet" disabled={busy} onClick={() => void settle("reject", keys)} aria-label={`Reject ${these}: ${title}`}>Reject {these}</button>
          </span>
        )}
      </div>
      <p class="hint">{says}</p>
      {fault && <Trouble of={fault} />}
      <ul class="cards">
        {shown.map((p) => <Card key={p.key} of={p} />)}
      </ul>
      {of.length > shown.length && <button type="button" class="quiet" onClick={() => setAll(true)}>Show {digits(of.length - shown.length)} more</button>}
      {hidden > 0 && all && <p class="hint">{digits(hidden)} more show as these are dealt with.</p>}
    </section>
  );
}

function Card({ of }: { of: Proposal }): JSX.Element {
  const { settle, fault, busy } = useSettle();
  const [first] = of.memories;
  return (
    <li class="card">
      <ul class="plain">
        {of.memories.map((m) => (
          <li key={m.id}>
            <MemoryLink of={m} /> <time class="faint" dateTime={m.at}>{day(m.at)}</time>
            {m.text && <p class="hint">{plainText(m.text)}</p>}
          </li>
        ))}
      </ul>
      <p class="hint">{of.why}</p>
      <div class="actions">
        <button type="button" class="small" disabled={busy} onClick={() => void settle("accept", [of.key])} aria-label={`Accept ${of.what}: ${first?.title ?? ""}`}>Accept</button>
        <button type="button" class="small quiet" disabled={busy} onClick={() => void settle("reject", [of.key])} aria-label={`Reject ${of.what}: ${first?.title ?? ""}`}>Reject</button>
      </div>
      {fault && <Trouble of={fault} />}
    </li>
  );
}
