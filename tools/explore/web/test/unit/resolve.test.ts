import assert from "node:assert/strict";
import { test } from "node:test";
import { resolver } from "../../src/text/resolve.ts";
import type { Written } from "../../src/types.ts";

const written = (target: string, title: string, id = "id of " + title): Written => ({ target, id, title, status: "current", kind: "note" });
const page = (id: string): string => "/explore/memory/" + encodeURIComponent(id);

test("a link leads to the memory that the program says", () => {
  const find = resolver([written("systems/Seat Ledger", "Seat Ledger")], { id: "own", title: "Home" });
  for (const target of ["systems/Seat Ledger", "systems/seat ledger", "systems/Seat Ledger.md", "Seat Ledger", "Seat Ledger\\"]) {
    assert.equal(find(target)?.href, page("id of Seat Ledger"), target);
  }
  assert.equal(find("Seat Ledger#Capacity")?.href, page("id of Seat Ledger") + "#h-capacity");
  assert.equal(find("Seat Ledger#^hold")?.href, page("id of Seat Ledger") + "#b-hold");
  assert.equal(find("Nothing"), undefined);
});

test("of two with one name the path as it is written decides", () => {
  const find = resolver([written("decisions/README", "README", "a"), written("README", "README", "b")], { id: "own", title: "Home" });
  assert.equal(find("decisions/README")?.id, "a");
  assert.equal(find("README")?.id, "b");
});

test("an alias is found by the name that is written", () => {
  assert.equal(resolver([written("Capacity ledger", "Seat Ledger")], { id: "own", title: "Home" })("Capacity ledger")?.id, "id of Seat Ledger");
});

test("a link to a heading of the same note stays on the page", () => {
  const find = resolver([], { id: "own", title: "Home" });
  assert.equal(find("#What runs, and where")?.href, "#h-what-runs-and-where");
  assert.equal(find("#Outer#Inner")?.href, "#h-inner");
  assert.equal(find("#^block-1")?.href, "#b-block-1");
  assert.equal(find("Home#Inner")?.href, "#h-inner");
  assert.equal(find("notes/home.md")?.id, "");
  assert.equal(find(""), undefined);
});
