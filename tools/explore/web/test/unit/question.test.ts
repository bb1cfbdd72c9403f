import assert from "node:assert/strict";
import { test } from "node:test";
import { questionOf } from "../../src/question.ts";

const kinds = ["decision", "fact", "note", "summary", "next-step", "c++", ""];
const asked = (text: string): string => {
  const q = questionOf(text, kinds);
  return q ? `${q.direction} ${q.kind || "any"}: ${q.name}` : "";
};

test("what rests on a memory is asked in many words", () => {
  for (const [text, want] of [
    ["decisions that depend on Seat Ledger", "downstream decision: Seat Ledger"],
    ["Decisions depending on the seat ledger?", "downstream decision: the seat ledger"],
    ["which decisions rest on Seat Ledger", "downstream decision: Seat Ledger"],
    ["what depends on Seat Ledger", "downstream any: Seat Ledger"],
    ["everything that relies on “Seat Ledger”", "downstream any: Seat Ledger"],
    ["a fact", ""],
    ["facts which build upon X", "downstream fact: X"],
    ["summaries that rest on X", "downstream summary: X"],
    ["next-steps that depend on X", "downstream next-step: X"],
    ["show all c++s that depend on X", "downstream c++: X"],
    ["what Seat Ledger depends on", "upstream any: Seat Ledger"],
    ["decisions that Seat Ledger rests on", "upstream decision: Seat Ledger"],
    ["which facts does the Booking API rely on?", "upstream fact: the Booking API"],
  ] as const) assert.equal(asked(text), want, text);
});

test("other words are only searched for", () => {
  for (const text of ["", "depends on", "decisions", "decisions that depend on", "the rest on Sunday", "ferries that depend on wind", "what to depend on when it rains", "notes on what", "kind:decision depends on x"]) assert.equal(asked(text), "", text);
});
