import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Store, fine, leave, settled, visit } from "./world.ts";

const store = new Store("code");
const repository = mkdtempSync(join(tmpdir(), "hence-code-"));
after(() => rmSync(repository, { recursive: true, force: true }));
mkdirSync(join(repository, "queue"));
const text = "package queue\n\n// Drain empties the <b>queue</b>.\nfunc Drain() int { return once(1) }\n\nfunc once(n int) int {\n\treturn n + 1 // <script>alert(1)</script>\n}\n";
writeFileSync(join(repository, "go.mod"), "module example.com/repo\n");
writeFileSync(join(repository, "queue", "queue.go"), text);
mkdirSync(join(repository, "pump"));
writeFileSync(join(repository, "pump", "pump.go"), "package pump\n\nimport \"example.com/repo/queue\"\n\nfunc Run() int { return queue.Drain() }\n");
store.hence("import", "--code", "--name", "repo", repository);
store.hence("store", "One pass is enough.", "--title", "One pass", "--kind", "decision", "--link", "depends-on=queue.once");

let url = "";
before(async () => { url = await store.explore(); });

const open = (title: string) => visit(url + "memory/" + store.id(title));

test("a symbol has its signature, callers, what rests on it, and its lines", async () => {
  const v = await open("queue.once");
  await v.page.locator(".code-lines pre.said", { hasText: "func once(n int) int" }).waitFor();
  await v.page.getByRole("heading", { name: "queue/queue.go:6" }).waitFor();
  const lines = await v.page.locator(".code-lines .numbered").textContent() ?? "";
  assert.deepEqual(await v.page.locator(".numbered .code-word").allInnerTexts(), ["func", "int", "int", "return"]);
  assert.equal(await v.page.locator(".numbered .code-remark").innerText(), "// <script>alert(1)</script>");
  assert.match(lines, /6\tfunc once\(n int\) int \{\n7\t\treturn n \+ 1 \/\/ <script>/);
  await v.page.locator(".edge-group", { hasText: "Called by" }).getByRole("link", { name: "queue.Drain" }).waitFor();
  await v.page.locator(".edge-group", { hasText: "Depended on by" }).getByRole("link", { name: "One pass" }).waitFor();
  fine(v);
});

test("after an edit a symbol is shown where it stands now", async () => {
  writeFileSync(join(repository, "queue", "queue.go"), text.replace("package queue\n", "package queue\n\n// More.\n"));
  const v = await open("queue.once");
  await v.page.getByRole("heading", { name: "queue/queue.go:8" }).waitFor();
  writeFileSync(join(repository, "queue", "queue.go"), text);
  fine(v);
});

test("a package lists what it declares, and the graph shows it", async () => {
  const v = await open("code://repo/queue");
  const listed = v.page.locator(".outline li");
  await listed.first().waitFor();
  assert.deepEqual(await listed.locator("a").allInnerTexts(), ["queue.Drain", "queue.once"]);
  await v.page.getByRole("link", { name: "See it in the graph" }).click();
  await v.page.locator(".graph-svg .dot").first().waitFor();
  fine(v);
});

test("packages are drawn, with who uses whom", async () => {
  const v = await visit(url + "graph");
  await v.page.getByRole("group", { name: "What is drawn" }).getByRole("button", { name: "packages" }).click();
  await v.page.waitForURL(/of=packages/);
  await settled(v.page);
  await v.page.getByText("2 packages, 2 edges").first().waitFor();
  assert.deepEqual(await v.page.locator(".nodes button > span:first-child").allInnerTexts(), ["pump", "queue"]);
  await v.page.locator(".nodes button", { hasText: "pump" }).click();
  await v.page.locator(".marked-edges", { hasText: /imports→\s*queue/ }).waitFor();
  await v.page.locator(".marked h2").getByRole("link").click();
  await v.page.locator(".outline").getByRole("link", { name: "pump.Run" }).waitFor();
  fine(v);
});

test("code is searched when one asks for it, or when nothing else is found", async () => {
  const only = await visit(url + "?q=drain");
  await only.page.locator(".hit", { hasText: "queue.Drain" }).waitFor();
  fine(only);
  await leave(only);
  const v = await visit(url + "?q=drain+pass");
  await v.page.locator(".results[aria-busy=false] .count").waitFor();
  assert.equal(await v.page.locator(".hit", { hasText: "queue.Drain" }).count(), 0);
  await v.page.getByRole("link", { name: "look in code" }).click();
  await v.page.waitForURL(/kind=code/);
  await v.page.locator(".hit", { hasText: "queue.Drain" }).waitFor();
  fine(v);
});

test("a store of code alone opens on its code", async () => {
  const alone = new Store("alone");
  alone.hence("import", "--code", "--name", "repo", repository);
  const v = await visit(`${await alone.explore()}graph`);
  await v.page.waitForURL(/of=code/);
  await v.page.locator(".stage[data-state=settled]").waitFor();
  assert.ok(Number(await v.page.locator(".stage").getAttribute("data-dots")) > 2);
  fine(v);
});
