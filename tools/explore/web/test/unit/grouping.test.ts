import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped } from "../../src/grouping.ts";
import type { EdgeRow, KindOfEdge } from "../../src/types.ts";

const kind = (name: string, inverse: string, symmetric = false): KindOfEdge => ({ name, symmetric, reads: "", inverse, declared: true });
const kinds = [kind("supersedes", "superseded-by"), kind("causes", "caused-by"), kind("contradicts", "contradicts", true), kind("links-to", "linked-from"), kind("mentions", "mentioned-in")];

let made = 0;
const edge = (type: string, direction: "out" | "in", title: string, context = ""): EdgeRow => ({
  id: `e${++made}`, type, rel: "", direction, weight: 1, origin: "wikilink", actor: "", note: "", created_at: "",
  other: { id: `id of ${title}${made}`, title, status: "current", kind: "note" },
  sites: context === "" ? [] : [{ path: "a.md", uri: "", line: 1, anchor: "", context }],
});

test("edges are grouped in the order of the vocabulary, those that lead out first", () => {
  const groups = grouped([edge("links-to", "in", "a"), edge("causes", "in", "b"), edge("causes", "out", "c"), edge("supersedes", "out", "d"), edge("links-to", "in", "e")], kinds);
  assert.deepEqual(groups.map((g) => [g.heading, g.edges.map((e) => e.other.title)]), [
    ["Supersedes", ["d"]], ["Causes", ["c"]], ["Caused by", ["b"]], ["Linked from", ["a", "e"]],
  ]);
});

test("a kind that says the same in both directions is one group", () => {
  const groups = grouped([edge("contradicts", "in", "a"), edge("contradicts", "out", "b")], kinds);
  assert.deepEqual(groups.map((g) => [g.heading, g.direction, g.edges.length]), [["Contradicts", "both", 2]]);
});

test("a kind that the program does not know comes last", () => {
  assert.deepEqual(grouped([edge("new-kind", "in", "a"), edge("links-to", "out", "b")], kinds).map((g) => g.kind), ["links-to", "new-kind"]);
});
