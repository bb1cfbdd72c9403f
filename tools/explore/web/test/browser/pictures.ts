// Pictures of every view over the example, light and dark, into the folder
// that PICTURES names. Run by make web-pictures.

import { join } from "node:path";
import { after, test } from "node:test";
import { example, fine, rest, settled, Store, visit, type Visit } from "./world.ts";

const room = process.env["PICTURES"];
if (!room) throw new Error("PICTURES names no folder");

process.env["CHROMIUM"] ??= "/usr/bin/chromium"; // as people have it

const store = example();
const url = await store.explore();
const id = (title: string): string => store.id(title);
const [from, to] = [id("2026-02-14 Double-sold car deck"), id("Refund without a claim form")];

// README's story: the port of the queue changes, and what rested on it is stale.
const story = new Store("demo");
story.hence("store", "The port of the queue is 7001.", "--title", "Port of the queue");
story.hence("store", "The firewall opens 7001.", "--title", "Firewall", "--link", "depends-on=Port of the queue");
story.hence("store", "The port of the queue is 7100.", "--title", "New port of the queue", "--supersedes", "Port of the queue", "--reason", "7001 was taken");
const told = await story.explore();

const views: [string, string, (v: Visit) => Promise<unknown>][] = [
  ["start", "search", (v) => v.page.locator(".small-still").waitFor()],
  ["search", "?q=hold+seats", (v) => v.page.locator(".why").nth(3).waitFor()],
  ["memory", "memory/" + id("Tie holds to the payment attempt"), (v) => v.page.locator(".tree").first().waitFor()],
  ["atlas", "graph?by=folder", (v) => v.page.locator(".stage[data-state=settled]").waitFor()],
  ["graph", `graph?seed=${id("Seat Ledger")}&depth=2`, (v) => settled(v.page)],
  ["path", `graph?seed=${from}&from=${from}&to=${to}`, (v) => settled(v.page)],
  ["overview", "overview", (v) => v.page.locator(".bars").nth(3).waitFor()],
  ["review", "review", (v) => v.page.locator(".sites").first().waitFor()],
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, path, ready] of views) {
    test(`${name}, ${colorScheme}`, async () => {
      const v = await visit(url + path, { colorScheme, viewport: { width: 1280, height: 800 } });
      await ready(v);
      await rest(v);
      await v.page.screenshot({ path: join(room, `explorer-${name}-${colorScheme}.png`) });
      fine(v);
    });
  }
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`a stale memory, ${colorScheme}`, async () => {
    const v = await visit(told + "memory/" + story.id("Firewall"), { colorScheme, viewport: { width: 560, height: 860 }, deviceScaleFactor: 2 });
    await v.page.locator(".tree").first().waitFor();
    await rest(v);
    await v.page.screenshot({ path: join(room, `explorer-stale-${colorScheme}.png`) });
    fine(v);
  });
}

test("on a phone", async () => {
  const v = await visit(url + "memory/" + id("Terminal Scanners"), { viewport: { width: 390, height: 844 } });
  await v.page.locator(".tree").first().waitFor();
  await rest(v);
  await v.page.screenshot({ path: join(room, "explorer-phone-light.png") });
  fine(v);
});

after(() => console.log(`pictures are in ${room}`));
