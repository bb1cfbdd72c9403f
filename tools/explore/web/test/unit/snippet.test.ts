import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../src/snippet.ts";

const shown = (snippet: string): string => pieces(snippet).map((p) => (p.hit ? `<${p.text}>` : p.text)).join("");

const cases: [string, string, string][] = [
  ["hits are marked", "a **hold** leaves *paying*", "a <hold> leaves *paying*"],
  ["a hit at either end is", "**hold** and **seat**", "<hold> and <seat>"],
  ["a wikilink is its name", "see [[systems/**Seat** Ledger#Capacity]]", "see <Seat> Ledger"],
  ["or its alias", "of [[**Seat** Ledger\\|the ledger]] now", "of the ledger now"],
  ["signs of markdown are left out", "…# Title\n\n- one\n- [two](two.md) `three` ^block-1", "…# Title one two three"],
  ["a table is a row of words", "| System | Owner |\n|---|---|\n| API | Ada |", "· System · Owner · API · Ada ·"],
  ["markup stays text", "<img src=x onerror=alert(1)> **hit**", "<img src=x onerror=alert(1)> <hit>"],
  ["nothing is nothing", "", ""],
];

for (const [name, snippet, want] of cases) test(name, () => assert.equal(shown(snippet), want));
