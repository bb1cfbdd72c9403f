import assert from "node:assert/strict";
import { test } from "node:test";
import { footnotesOf } from "../../src/text/footnotes.ts";

test("notes are taken out of a text wherever they stand", () => {
  const { text, notes } = footnotesOf("One[^1] and two[^b].\n\n[^1]: First,\nin two lines.\n\nMore.\n[^b]: Second.\n\n    Its other part.\n\nEnd.");
  assert.deepEqual([...notes], [["1", "First,\nin two lines."], ["b", "Second.\n\nIts other part."]]);
  assert.equal(text.replace(/\n+/g, "\n"), "One[^1] and two[^b].\nMore.\nEnd.");
});

test("what looks like a note in code stays, and the first of a label counts", () => {
  const code = "```\n[^1]: not this\n```\n";
  const { text, notes } = footnotesOf(code + "\n[^1]: this\n[^1]: nor this\n");
  assert.ok(text.startsWith(code));
  assert.deepEqual([...notes], [["1", "this"]]);
});

test("code after a note is code", () => {
  const { text, notes } = footnotesOf("[^1]: this\n\n```\n[^2]: not this\n```\n[^3]: and this\n");
  assert.deepEqual([...notes], [["1", "this"], ["3", "and this"]]);
  assert.match(text, /\[\^2\]: not this/);
});

test("a text without notes is itself", () => {
  assert.equal(footnotesOf("a [b] c").text, "a [b] c");
  assert.equal(footnotesOf("a[^1] c").text, "a[^1] c");
});
