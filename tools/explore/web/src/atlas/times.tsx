// Two sliders for the times, and a button that plays how the store grew.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AtTimes } from "../address.ts";
import { dateOf, day } from "../words.ts";

const minutesOfADay = 1440;
const steps = 40; // steps of a run from the first date to today
const pace = 260; // milliseconds per step

/**
 * minutesOf returns the date of an address in minutes since 1970; 0 for an empty text or for words.
 */
export function minutesOf(text: string): number {
  const at = /^\d{4}(-\d{2}){0,2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.floor(at / 60_000);
}

const dayOf = (days: number): string => dateOf(days * minutesOfADay * 60_000);

export function Growth({ of, first, set }: { of: AtTimes; first: number; set: (fields: Partial<AtTimes>, replace: boolean) => void }): JSX.Element {
  const from = Math.floor(first / minutesOfADay), today = Math.floor(Date.now() / 60_000 / minutesOfADay) + 1;
  const [running, setRunning] = useState(false);
  const act = useRef({ of, set });
  act.current = { of, set };
  useEffect(() => {
    if (!running) return;
    const by = Math.max(1, Math.round((today - from) / steps));
    const timer = setInterval(() => {
      const now = minutesOf(act.current.of.knownAt);
      const next = (now === 0 ? from : Math.floor(now / minutesOfADay)) + by;
      if (next >= today) setRunning(false);
      act.current.set({ knownAt: next >= today ? "" : dayOf(next) }, true);
    }, pace);
    return () => clearInterval(timer);
  }, [running]);
  const slider = (name: keyof AtTimes, label: string): JSX.Element => {
    const value = minutesOf(of[name]) === 0 ? today : Math.floor(minutesOf(of[name]) / minutesOfADay);
    const said = value >= today ? "today" : day(dayOf(value));
    return (
      <div class="slider">
        <label for={`slide-${name}`}>{label}</label>
        <output for={`slide-${name}`}>{said}</output>
        <input id={`slide-${name}`} type="range" min={from} max={today} value={value} aria-valuetext={said} onInput={(e) => set({ [name]: Number(e.currentTarget.value) >= today ? "" : dayOf(Number(e.currentTarget.value)) }, true)} />
      </div>
    );
  };
  return (
    <div class="growth">
      {slider("knownAt", "As known on")}
      {slider("asOf", "What held on")}
      <button type="button" class="small" aria-pressed={running} onClick={() => { if (!running) set({ knownAt: dayOf(from) }, true); setRunning(!running); }}>{running ? "Stop" : "Show how it grew"}</button>
    </div>
  );
}
