// What was shown to agents, used and corrected, week by week, and to which conversation. It says what was used, not that it helped.

import type { JSX } from "preact";
import { post } from "./api.ts";
import { Answer, MemoryLink, Unfold } from "./parts.tsx";
import { useAsk, useShared } from "./state.ts";
import type { Replay, Uses } from "./types.ts";
import { because, count, day, digits, minute } from "./words.ts";

const height = 72;

export function Weeks(): JSX.Element | null {
  const { can } = useShared();
  const u = useAsk<Uses>(can("use") ? "use" : null, (signal) => post("use", { limit: 5 }, signal), { canWait: true, still: true }).data;
  if (!u || u.shown === 0) return null;
  const most = Math.max(1, ...u.weeks.map((w) => w.shown)), wide = 100 / Math.max(12, u.weeks.length); // so that one week alone is a bar too
  const said = `${digits(u.shown)} shown, ${digits(u.used)} used, ${digits(u.corrected)} corrected, in ${count(u.sessions, "conversation")}`;
  const bar = (n: number, i: number, look: string): JSX.Element => <rect class={look} x={i * wide + wide * 0.12} width={wide * 0.76} y={height - (n / most) * (height - 2)} height={(n / most) * (height - 2)} />;
  return (
    <section class="panel" aria-labelledby="use-title">
      <h2 id="use-title">Shown and used <small class="faint">{said}</small></h2>
      <svg class="day-bars use-bars" role="img" aria-label={`By week: ${said}`} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
        <path class="base" d={`M0 ${height - 0.5}H100`} vector-effect="non-scaling-stroke" />
        {u.weeks.map((w, i) => <g key={w.week}><title>{`Week of ${day(w.week)}: ${digits(w.shown)} shown, ${digits(w.used)} used, ${digits(w.corrected)} corrected`}</title>{bar(w.shown, i, "use-shown")}{bar(w.used, i, "")}{bar(w.corrected, i, "use-corrected")}</g>)}
      </svg>
      <p class="day-ends faint"><span>{u.weeks[0] && day(u.weeks[0].week)}</span><span>pale: shown; green: used; red: corrected</span><span>{u.weeks.length > 1 && day(u.weeks.at(-1)!.week)}</span></p>
      {u.not_found.length > 0 && <p class="hint">Looked for and not found: {u.not_found.map((m) => `“${m.words}”`).join(", ")}.</p>}
    </section>
  );
}

const mostSessions = 12, mostAnswers = 50;

/** Conversations lists those that were shown something last; each opens what it was shown. */
export function Conversations(): JSX.Element | null {
  const { can } = useShared();
  const all = useAsk<Replay>(can("replay") ? "conversations" : null, (signal) => post("replay", { limit: mostSessions }, signal), { canWait: true }).data?.sessions ?? [];
  return all.length === 0 ? null : (
    <section class="panel" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Conversations <small class="faint">what each was shown</small></h2>
      <ul class="plain">
        {all.map((s) => <li key={s.session}><Unfold line={<>{minute(s.last)} · {s.actor || "somebody"} · {count(s.receipts, "answer")}</>}>{() => <Answers session={s.session} />}</Unfold></li>)}
      </ul>
    </section>
  );
}

/** Answers lists the answers that a conversation was given; each opens what was in it, as it was then. */
export function Answers({ session }: { session: string }): JSX.Element {
  const asked = useAsk<Replay>(`replay ${session}`, (signal) => post("replay", { session, since: true, limit: mostAnswers }, signal), { still: true });
  return (
    <Answer of={asked}>
      {(r) => (
        <ul class="plain answers">
          {r.answers.map((a, i) => (
            <li key={i}>
              <Unfold line={<><time dateTime={a.at}>{minute(a.at)}</time> <strong>{a.tool}</strong> <code>{a.arguments}</code> {count(a.shown.length, "memory", "memories")}</>}>
                {() => <ul class="plain answers">{a.shown.map((m, n) => <li key={n}><MemoryLink of={m} /> <span class="faint">{[m.erased && "erased", m.waited && "of a call that waited", ...news(m.since)].filter(Boolean).join(" · ")}</span>{m.text && <pre>{m.text.trim()}</pre>}</li>)}</ul>}
              </Unfold>
            </li>
          ))}
          {r.next && <li class="hint">The first {digits(r.answers.length)}; hence replay {session} has all.</li>}
        </ul>
      )}
    </Answer>
  );
}

/** news says what became of a memory since it was shown. */
function news(s: Replay["answers"][number]["shown"][number]["since"]): string[] {
  if (!s) return [];
  const said = [...(s.stale ?? []).map((d) => `stale: “${d.title}” ${because(d)}`), ...(s.contradicted_by ?? []).map((m) => `contradicted by “${m.title}”`)];
  return [s.edited ? "edited since" : "", s.superseded_by ? `superseded by “${s.superseded_by.title}”` : "", s.forgotten ? "forgotten" : "", ...said];
}
