import assert from "node:assert/strict";
import { test } from "node:test";
import { addEdges, addNode, commonFolders, emptyModel, light, packageName, visible, type Model } from "../../src/graph/model.ts";

function model(edges: [string, string, string][], old: string[] = []): Model {
  const m = emptyModel();
  for (const id of new Set(edges.flatMap(([a, , b]) => [a, b]))) addNode(m, { id, title: id, status: old.includes(id) ? "superseded" : "current", kind: "note" });
  addEdges(m, edges.map(([from, type, to]) => ({ from, type, to, rel: "" })));
  m.roots.add("seed");
  return m;
}

const names = (m: Model, off: string[], superseded = true): string => [...visible(m, new Set(off), superseded).nodes].sort().join(" ");

test("a kind that is off takes along what only it joined", () => {
  const m = model([["seed", "causes", "a"], ["seed", "links-to", "b"], ["b", "causes", "c"]]);
  assert.equal(names(m, []), "a b c seed");
  assert.equal(names(m, ["links-to"]), "a seed");
  assert.equal(visible(m, new Set(["links-to"]), true).edges.size, 1);
});

test("what is superseded is hidden with what lies behind it", () => {
  const m = model([["seed", "causes", "old"], ["old", "causes", "c"]], ["old"]);
  assert.equal(names(m, [], false), "seed");
  m.roots.add("old");
  assert.equal(names(m, [], false), "c old seed", "but not what was asked for");
});

test("a path is lit along every edge, as it is stored, whatever is off", () => {
  const m = model([["seed", "links-to", "a"]]);
  light(m, {
    found: true, hops: 2, path: [
      { id: "seed", title: "", status: "current", edges_to_next: [{ id: "1", type: "causes", rel: "", direction: "in" }, { id: "2", type: "supports", rel: "", direction: "out" }] },
      { id: "x", title: "", status: "current", edges_to_next: [{ id: "3", type: "follows", rel: "", direction: "out" }] },
      { id: "y", title: "", status: "current" },
    ],
  });
  assert.deepEqual([...m.lit.edges].sort(), ["seed supports  x", "x causes  seed", "x follows  y"]);
  assert.equal(names(m, ["causes", "supports", "follows", "links-to"]), "seed x y");
  assert.equal(visible(m, new Set(["causes", "supports", "follows"]), true).edges.size, 4);
});

test("an edge with an end that is not there, and a forgotten memory, stay out", () => {
  const m = emptyModel();
  addNode(m, { id: "a", title: "a", status: "current", kind: "note" });
  addNode(m, { id: "b", title: "b", status: "forgotten", kind: "note" });
  addEdges(m, [{ from: "a", to: "b", type: "causes", rel: "" }, { from: "a", to: "z", type: "causes", rel: "" }]);
  assert.deepEqual([m.nodes.size, m.edges.size], [1, 0]);
});

test("packages are named without what all begin with", () => {
  assert.equal(commonFolders(["hence/edges", "hence/edges/walk", "hence/tools"]), "hence/");
  assert.equal(commonFolders(["hence", "hence/edges"]), "");
  assert.equal(commonFolders(["github.com/a/b/x", "github.com/a/bc"]), "github.com/a/");
  assert.equal(commonFolders(["a/b", "c/d"]), "");
  assert.equal(commonFolders(["a/b"]), "");
  assert.equal(commonFolders([]), "");
  assert.equal(packageName("package edges/walk"), "edges/walk");
  assert.equal(packageName("packages"), "packages");
});
