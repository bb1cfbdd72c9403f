import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, cut, definitions, headingsOf, lineOf, ranked, slug, withoutTitle } from "../../src/text/pieces.ts";

const list = Array.from({ length: 2900 }, (_, i) => `- [[Note ${i}|the note of number ${i}]] with words`).join("\n");

test("together the pieces are the text", () => {
  for (const text of ["", "a", "a\n\nb\n", list, list + "\n\n```\n" + list + "\n```\n\nend", "x".repeat(200_000), ("# H\n\n" + "word ".repeat(300) + "\n\n").repeat(60)]) {
    assert.equal(cut(text).join(""), text);
  }
});

test("a long list is cut between its items", () => {
  const pieces = cut(list);
  assert.ok(pieces.length > 10, `${pieces.length} pieces`);
  for (const p of pieces) assert.match(p, /^- \[\[Note/);
});

test("code, formulas and nested items are not cut", () => {
  const code = "```js\n" + "let x = 1;\n\n".repeat(2000) + "```\n";
  assert.ok(cut("text\n\n" + code + "\nafter").every((p) => (p.match(/```/g) ?? []).length % 2 === 0));
  const formula = "$$\n" + "x + y\n\n".repeat(2000) + "$$\n";
  assert.ok(cut(formula + "\nafter").every((p) => (p.match(/\$\$/g) ?? []).length % 2 === 0));
  const nested = ("- item\n" + "    - below it\n".repeat(800)).repeat(3);
  for (const p of cut(nested)) assert.match(p, /^- item/);
});

test("what is not shown is left out, and a title that says the same again", () => {
  assert.equal(bodyOf("---\na: 1\n---\n# T\n%% hidden %%x"), "# T\nx");
  assert.equal(withoutTitle("See [[Booking API]].", "See [[Booking API]]."), "See [[Booking API]].");
  assert.equal(withoutTitle("# T\nx", "T"), "x");
  assert.equal(withoutTitle("# Other\nx", "T"), "# Other\nx");
  assert.equal(withoutTitle("One line", "One line"), "");
});

test("headings are found outside of code, and have an id each", () => {
  const found = headingsOf("# One\n```\n# no\n```\n## A [[link|shown]] **bold**\n## One\n### Ünder_score, too! ^id\n");
  assert.deepEqual(found.map((h) => [h.level, h.title, h.id]), [
    [1, "One", "h-one"], [2, "A shown bold", "h-a-shown-bold"], [2, "One", "h-one-2"], [3, "Ünder_score, too!", "h-ünder-score-too"],
  ]);
});

test("a link names a heading as it is written", () => {
  assert.equal(slug("What *runs*, and where?"), "what-runs-and-where");
});

test("definitions of links are told apart from footnotes and tasks", () => {
  assert.equal(definitions("[a]: https://example.org\ntext [b] more\n[^1]: note\n - [ ]: x"), "[a]: https://example.org");
});

test("headings are as deep as they stand in one another, whatever steps they leave out", () => {
  assert.deepEqual([4, 6, 6, 5, 3, 4].map(ranked(1)), [2, 3, 3, 3, 2, 3]);
  assert.deepEqual([3, 3].map(ranked(4)), [5, 5]);
});

test("a heading and what stands below it are told apart on one line", () => {
  assert.equal(lineOf("# Tie holds\n\n## Context\nIt **hurt**.\n\n## Why? ##\n- Nobody knew.", "Tie holds"), "Context: It hurt. Why? Nobody knew.");
});
