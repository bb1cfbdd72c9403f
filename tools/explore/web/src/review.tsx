// The review view: stale memories, contradictions, proposals, guessed edges, and the latest
// changes.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Actions, LinkDialog, useTakeBack } from "./actions.tsx";
import { memory, type ReviewAddress, type ReviewPart } from "./address.ts";
import { post, type Fault } from "./api.ts";
import { Sites } from "./edges.tsx";
import { Conflicts } from "./conflicts.tsx";
import { Answer, Chip, Jump, Link, MemoryLink, Trouble, jumpTo } from "./parts.tsx";
import { Proposals } from "./proposals.tsx";
import { Doubts } from "./stale.tsx";
import { asFault, useAsk, useCount, useShared, useTitle, type Told } from "./state.ts";
import type { Candidate, CandidatesResult, Change, DismissResult, JournalResult, StaleResult } from "./types.ts";
import { count, did, digits, minute } from "./words.ts";

const page = 10;

const parts: [ReviewPart, string][] = [["stale", "Stale"], ["conflicts", "Contradictions"], ["proposals", "Proposals"], ["candidates", "Candidates"], ["changes", "Last changes"]];

export function ReviewView({ address }: { address: ReviewAddress }): JSX.Element {
  const { canWrite, can } = useShared();
  const [counts, setCounts] = useState<{ [P in ReviewPart]?: number | undefined }>({});
  useTitle("Review");
  const told = (part: ReviewPart): Told => (n) => setCounts((c) => (c[part] === n ? c : { ...c, [part]: n }));
  const shown: { [P in ReviewPart]: boolean } = { stale: can("stale"), conflicts: can("conflicts"), proposals: can("memory_tidy"), candidates: can("candidates"), changes: can("journal") };
  const at = parts.findIndex(([p]) => p === address.part);
  const there = at >= 0 && parts.slice(0, at + 1).every(([p]) => !shown[p] || counts[p] !== undefined || p === "changes");
  useEffect(() => {
    if (there) jumpTo(address.part + "-title"); // only once everything above it has loaded, so that it stays in place
  }, [there, address.part]);
  return (
    <div class="review">
      <h1>Review</h1>
      {!canWrite && <p class="note">This store is shown for reading only: you can look, and nothing can be changed here.</p>}
      <nav class="review-jumps" aria-label="On this page">
        {parts.filter(([p]) => shown[p]).map(([p, title]) => <Jump key={p} to={p + "-title"}>{title}{counts[p] !== undefined && <small class="faint"> {digits(counts[p]!)}</small>}</Jump>)}
      </nav>
      <div class="review-room">
        <div>
          {shown.stale && <Stale told={told("stale")} />}
          {shown.conflicts && <Conflicts told={told("conflicts")} />}
          {shown.proposals && <Proposals told={told("proposals")} />}
          {shown.candidates && <Candidates told={told("candidates")} />}
        </div>
        {shown.changes && <Changes />}
      </div>
    </div>
  );
}

function Stale({ told }: { told: Told }): JSX.Element {
  const { canWrite } = useShared();
  const [limit, setLimit] = useState(page);
  const asked = useAsk<StaleResult>(`stale ${limit}`, (signal) => post("stale", { limit }, signal));
  const total = asked.data?.total_count ?? asked.data?.memories.length ?? 0;
  useCount(told, asked.data && total);
  return (
    <section aria-labelledby="stale-title">
      <h2 id="stale-title">Stale <small class="faint" role="status">{asked.data && digits(total)}</small></h2>
      <p class="hint">Something they rest on was superseded, forgotten, contradicted or edited. Verify what still holds; supersede what does not.</p>
      <Answer of={asked}>
        {(r) => (
          <>
            {r.memories.length === 0 && <p class="calm">Nothing is stale.</p>}
            <ul class="cards">
              {r.memories.map((m) => (
                <li key={m.id} class="card">
                  <div class="card-head"><MemoryLink of={m} status={m.status} /><Chip>{m.kind}</Chip></div>
                  <Doubts of={m} doubts={m.stale} />
                  {canWrite && <Actions of={m} small />}
                </li>
              ))}
            </ul>
            {r.truncated && limit < 500 && <button type="button" onClick={() => setLimit(Math.min(500, limit * 2))}>Show more</button>}
            {r.truncated && limit >= 500 && <p class="hint">These are the first 500; the rest shows as these are dealt with.</p>}
          </>
        )}
      </Answer>
    </section>
  );
}

function Candidates({ told }: { told: Told }): JSX.Element {
  const { can } = useShared();
  const [limit, setLimit] = useState(page);
  const { dismiss, fault, busy } = useDismiss();
  const asked = useAsk<CandidatesResult>(`candidates ${limit}`, (signal) => post("candidates", { limit }, signal));
  const total = asked.data?.total_count ?? asked.data?.candidates.length ?? 0;
  useCount(told, asked.data && total);
  return (
    <section aria-labelledby="candidates-title">
      <div class="changes-head">
        <h2 id="candidates-title">Candidates <small class="faint">{asked.data && digits(total)}</small></h2>
        {can("dismiss") && total > 0 && <button type="button" class="small" disabled={busy} onClick={() => void dismiss({ all: true })}>Dismiss all {digits(total)}</button>}
      </div>
      <p class="hint">One names the other in plain text, and no edge joins them. A guess, which no walk follows until somebody says what it is. One that is dismissed does not come back.</p>
      {fault && <Trouble of={fault} />}
      <Answer of={asked}>
        {(r) => (
          <>
            {r.candidates.length === 0 && <p class="calm">There are no guesses left.</p>}
            <ul class="cards">
              {r.candidates.map((c) => <CandidateCard key={c.id} of={c} dismiss={() => void dismiss({ ids: [c.id] })} busy={busy} />)}
            </ul>
            <div class="actions">
              {r.truncated && limit < 500 && <button type="button" onClick={() => setLimit(Math.min(500, limit * 2))}>Show more</button>}
              {can("dismiss") && r.truncated && <button type="button" disabled={busy} onClick={() => void dismiss({ ids: r.candidates.map((c) => c.id) })}>Dismiss these {digits(r.candidates.length)}</button>}
            </div>
          </>
        )}
      </Answer>
    </section>
  );
}

/** useDismiss returns a function that dismisses candidates and offers to undo that. */
function useDismiss() {
  const { changed } = useShared();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState(false);
  const dismiss = async (which: { ids: string[] } | { all: true }): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const done = await post<DismissResult>("dismiss", which);
      changed(`Dismissed ${count(done.changed, "candidate")}.`, async () => {
        await post("dismiss", { back: done.at });
        changed(`${count(done.changed, "candidate is", "candidates are")} listed again.`);
      });
    } catch (e) {
      setFault(asFault(e));
    } finally {
      setBusy(false);
    }
  };
  return { dismiss, fault, busy };
}

function CandidateCard({ of, dismiss, busy }: { of: Candidate; dismiss: () => void; busy: boolean }): JSX.Element {
  const { can, canWrite } = useShared();
  const [linking, setLinking] = useState(false);
  return (
    <li class="card">
      <div class="card-head"><MemoryLink of={of.from} /> <span class="faint">names</span> <MemoryLink of={of.to} /></div>
      <Sites of={of.sites} />
      {canWrite && (
        <div class="actions">
          <button type="button" class="small" onClick={() => setLinking(true)} aria-label={`Link as… ${of.from.title} to ${of.to.title}`}>Link as…</button>
          {can("dismiss") && <button type="button" class="small quiet" disabled={busy} onClick={dismiss} aria-label={`Dismiss: ${of.from.title} names ${of.to.title}`}>Dismiss</button>}
        </div>
      )}
      {linking && <LinkDialog from={of.from} to={of.to} close={() => setLinking(false)} />}
    </li>
  );
}

function Changes(): JSX.Element {
  const { can } = useShared();
  const [limit, setLimit] = useState(15);
  const takeBack = useTakeBack();
  const asked = useAsk<JournalResult>(`journal ${limit}`, (signal) => post("journal", { limit, batches: true }, signal));
  const undoable = (c: Change): boolean => can("undo") && !c.undone_by && c.action !== "purge" && (c.thing !== "batch" || c.id === "" || can(c.action === "undo" ? "update_note" : c.action));
  const last = asked.data?.changes.find((c) => c.seq === asked.data?.last); // the change to undo next, as this list shows it, even if newer ones have come since
  return (
    <section class="changes" aria-labelledby="changes-title">
      <div class="changes-head">
        <h2 id="changes-title">Last changes</h2>
        {last && undoable(last) && <button type="button" class="small" onClick={() => void takeBack(last.seq, true)} title={`${did(last.action)} ${last.title}`}>Undo the last</button>}
      </div>
      <Answer of={asked}>
        {(r) => (
          <>
            {r.changes.length === 0 && <p class="calm">Nothing has happened here.</p>}
            <ol class="journal">
              {r.changes.map((c) => (
                <li key={c.seq} class={c.undone_by ? "undone" : ""}>
                  <span class="journal-what">
                    <span class="faint">{c.actor}</span> {did(c.action)}{" "}
                    {c.thing === "memory" && c.title !== "" ? <Link to={memory(c.id)} class="title">{c.title}</Link> : <strong>{c.title || c.id}</strong>}
                    {c.what !== "" && <span class="faint"> {c.what}</span>}
                  </span>
                  <span class="journal-foot">
                    <time class="faint" dateTime={c.at}>{minute(c.at)}</time>
                    {c.undone_by && <span class="chip">taken back</span>}
                    {undoable(c) && (
                      <button type="button" class="quiet small" onClick={() => void takeBack(c.seq, c.thing === "batch")} aria-label={`Undo change ${c.seq}: ${did(c.action)} ${c.title}`}>undo</button>
                    )}
                  </span>
                </li>
              ))}
            </ol>
            {r.truncated && limit < 240 && <button type="button" class="quiet" onClick={() => setLimit(limit * 2)}>Show earlier ones</button>}
            <p class="hint">{count(r.changes.length, "change")} shown. Undoing is a change too, and can be undone.</p>
          </>
        )}
      </Answer>
    </section>
  );
}
