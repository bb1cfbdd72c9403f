// Shows the difference between two texts, line by line.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Row } from "./diff.ts";
import { count } from "./words.ts";

export function Difference({ before, after, label }: { before: string; after: string; label: string }): JSX.Element {
  const [rows, setRows] = useState<Row[] | "none">();
  useEffect(() => {
    let gone = false;
    void import("./diff.ts").then(({ diff }) => gone || setRows(diff(before, after) ?? "none"));
    return () => {
      gone = true;
    };
  }, [before, after]);
  if (rows === undefined) return <p class="waiting" role="status">Comparing…</p>;
  if (rows === "none") return <p class="hint">The texts have too little in common to compare them: {count(before.length, "letter")} before, {count(after.length, "letter")} after.</p>;
  return (
    <div class="difference" role="region" aria-label={label} tabIndex={0}>
      {rows.map((r, i) => <Line key={i} of={r} />)}
    </div>
  );
}

function Line({ of: r }: { of: Row }): JSX.Element {
  if (r.kind === "skip") return <p class="skip-lines">{count(r.skipped!, "line is", "lines are")} the same</p>;
  const text = r.parts.length === 0 ? "\u00a0" : r.parts.map((p, i) => (p.differs ? <mark key={i}>{p.text}</mark> : p.text));
  if (r.kind === "gone") return <p class="gone"><span class="hush">Before: </span><del>{text}</del></p>;
  if (r.kind === "new") return <p class="new"><span class="hush">After: </span><ins>{text}</ins></p>;
  return <p>{text}</p>;
}
