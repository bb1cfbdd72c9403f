import assert from "node:assert/strict";
import { test } from "node:test";
import { holds, isNoun, questionOf } from "../../src/question.ts";

const kinds = ["decision", "fact", "note", "summary", "next-step", "c++", ""];
const asked = (text: string): string => {
  const q = questionOf(text, kinds);
  return q ? `${q.direction} ${q.noun || "any"}: ${q.name}` : "";
};

test("what rests on a memory is asked in many words", () => {
  for (const [text, want] of [
    ["decisions that depend on Seat Ledger", "downstream decisions: Seat Ledger"],
    ["Decisions depending on the seat ledger?", "downstream decisions: the seat ledger"],
    ["which decisions rest on Seat Ledger", "downstream decisions: Seat Ledger"],
    ["what depends on Seat Ledger", "downstream any: Seat Ledger"],
    ["everything that relies on “Seat Ledger”", "downstream any: Seat Ledger"],
    ["a fact", ""],
    ["facts which build upon X", "downstream facts: X"],
    ["summaries that rest on X", "downstream summaries: X"],
    ["next-steps that depend on X", "downstream next-steps: X"],
    ["show all c++s that depend on X", "downstream c++s: X"],
    ["what Seat Ledger depends on", "upstream any: Seat Ledger"],
    ["decisions that Seat Ledger rests on", "upstream decisions: Seat Ledger"],
    ["which facts does the Booking API rely on?", "upstream facts: the Booking API"],
    ["ferries that depend on the wind", "downstream ferries: the wind"], // of no kind that there is
    ["which ferries depend on the wind", "downstream ferries: the wind"],
    ["meeting notes that rest on Seat Ledger", "downstream meeting notes: Seat Ledger"],
    ["what depends on the plan that failed", "downstream any: the plan that failed"],
  ] as const) assert.equal(asked(text), want, text);
});

test("other words are only searched for", () => {
  for (const text of ["", "depends on", "decisions", "decisions that depend on", "the rest on Sunday", "what to depend on when it rains", "notes on what", "kind:decision depends on x"]) assert.equal(asked(text), "", text);
});

test("a noun is a word in the plural or not", () => {
  for (const [noun, word] of [["decisions", "decision"], ["decision", "decisions"], ["Boxes", "box"], ["summaries", "summary"]] as const) assert.ok(isNoun(noun, word), noun);
  for (const [noun, word] of [["decisions", "decide"], ["news", "new y"], ["ferry", "fact"]] as const) assert.ok(!isNoun(noun, word), noun);
});

test("a title is near to a name only if it has the words of that", () => {
  assert.ok(holds("Retry a refused lock twice", "the retry of a refused lock"));
  for (const [title, name] of [["README", "nothing here"], ["Seat Ledger", "the"], ["Seat Ledger", "seat map"]] as const) assert.ok(!holds(title, name), name);
});
