import assert from "node:assert/strict";
import { before, test } from "node:test";
import { drawn, example, fine, settled, spot, visit, waitForDrawn } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const around = (title: string, more = "") => visit(`${url}graph?seed=${store.id(title)}${more}`);
const nodes = ".canvas";

test("a click marks a memory, and two clicks add its neighbours", async () => {
  const v = await around("Terminal Scanners");
  await settled(v.page);
  const before = Number(await v.page.locator(nodes).getAttribute("data-nodes"));
  const home = store.id("Home");
  const kept = await spot(v.page, home);
  await v.page.mouse.click(kept.x, kept.y);
  await v.page.locator(".marked").getByRole("link", { name: "Home" }).waitFor();
  const queue = store.id("Job Queue");
  const at = await spot(v.page, queue);
  await v.page.mouse.dblclick(at.x, at.y);
  await v.page.waitForURL(/open=/);
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) > n, before);
  await settled(v.page);
  await v.page.reload();
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) > n, before); // the address keeps what was added
  fine(v);
});

test("what has a place keeps it when more is added", async () => {
  const v = await around("Terminal Scanners");
  await settled(v.page);
  const places = () => v.page.evaluate(() => {
    interface Drawn extends HTMLElement { _cyreg: { cy: { nodes: () => { map: <T>(f: (n: { id: () => string; position: () => { x: number; y: number } }) => T) => T[] } } } }
    return document.querySelector<Drawn>(".canvas")!._cyreg.cy.nodes().map((n) => [n.id(), Math.round(n.position().x), Math.round(n.position().y)] as const);
  });
  const before = await places();
  await v.page.locator(".nodes button", { hasText: "Job Queue" }).click();
  await v.page.keyboard.press("e");
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) > n, before.length);
  await settled(v.page);
  const later = new Map((await places()).map(([id, ...at]) => [id, at]));
  for (const [id, ...at] of before) assert.deepEqual(later.get(id), at);
  fine(v);
});

test("the legend is the filter, and superseded ones can be hidden", async () => {
  const v = await around("Seat Ledger");
  await settled(v.page);
  const shown = async (selector: string) => (await drawn(v.page, selector)).length;
  assert.ok(await shown("edge[type='links-to']:visible") > 0);
  await v.page.locator(".legend label", { hasText: "links-to" }).click();
  await v.page.waitForURL(/off=/);
  await waitForDrawn(v.page, "edge[type='links-to']:visible", 0);
  assert.ok(await shown("node[status='superseded']:visible") > 0);
  await v.page.getByLabel("superseded ones").uncheck();
  await v.page.waitForURL(/superseded=hide/);
  await v.page.waitForFunction(() => !document.querySelector(".nodes .was"));
  await waitForDrawn(v.page, "node[status='superseded']:visible", 0);
  await v.page.goBack();
  await v.page.locator(".nodes .was").first().waitFor();
  fine(v);
});

test("edges are drawn as they are stored", async () => {
  const v = await around("Seat Ledger");
  await settled(v.page);
  const [api, ledger] = [store.id("Booking API"), store.id("Seat Ledger")];
  assert.equal((await drawn(v.page, `edge[type='depends-on'][source='${api}'][target='${ledger}']`)).length, 1);
  assert.equal((await drawn(v.page, `edge[type='depends-on'][source='${ledger}'][target='${api}']`)).length, 0);
  fine(v);
});

test("a path between two picked memories is found and lit", async () => {
  const v = await around("2026-02-14 Double-sold car deck");
  await settled(v.page);
  await v.page.locator(".nodes button", { hasText: "Double-sold" }).click();
  await v.page.getByRole("button", { name: "Path from" }).click();
  await v.page.getByLabel("To", { exact: true }).fill("refund without");
  await v.page.getByRole("option", { name: /Refund without a claim form/ }).click();
  await v.page.locator(".path-steps").waitFor();
  await settled(v.page);
  assert.deepEqual(await v.page.locator(".path-steps a.title").allInnerTexts(), [
    "2026-02-14 Double-sold car deck", "Cache eviction drops live holds", "Hold seats in the ledger for ten minutes", "Tie holds to the payment attempt", "Refund without a claim form",
  ]);
  assert.deepEqual((await v.page.locator(".path-edge").allInnerTexts()).map((t) => t.trim()), ["←causes—", "—supports→", "←supersedes—", "←depends-on—"]);
  await waitForDrawn(v.page, "node.lit:visible", 5);
  await waitForDrawn(v.page, "edge.lit:visible", 4);
  await v.page.reload();
  await v.page.locator(".path-steps").waitFor();
  await waitForDrawn(v.page, "edge.lit:visible", 4);
  fine(v);
});

test("two memories are linked by dragging from one to the other, and by a key", async () => {
  const v = await around("Terminal Scanners");
  await settled(v.page);
  const [from, to] = ["Terminal Scanners", "Job Queue"].map((t) => store.id(t)) as [string, string];
  const at = await spot(v.page, from);
  await v.page.mouse.click(at.x, at.y);
  const sign = v.page.locator(".handle.shown g");
  await sign.waitFor();
  const box = (await sign.boundingBox())!;
  const there = await spot(v.page, to);
  await v.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await v.page.mouse.down();
  await v.page.mouse.move(there.x + 30, there.y + 30, { steps: 5 });
  await v.page.mouse.move(there.x, there.y, { steps: 5 });
  await v.page.mouse.up();
  const dialog = v.page.getByRole("dialog");
  await dialog.locator(".preview", { hasText: /Terminal Scanners.*Job Queue/s }).waitFor();
  await dialog.getByLabel("Kind").selectOption("causes");
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await waitForDrawn(v.page, `edge[type='causes'][source='${from}'][target='${to}']:visible`, 1);
  await v.page.keyboard.press("l");
  await v.page.getByLabel("The other memory").fill("seat ledger");
  await v.page.keyboard.press("Escape");
  await v.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  fine(v);
});

test("three steps reach further than one, and go back", async () => {
  const v = await around("Terminal Scanners");
  await settled(v.page);
  const one = Number(await v.page.locator(nodes).getAttribute("data-nodes"));
  await v.page.getByRole("group", { name: "Steps" }).getByRole("button", { name: "3" }).click();
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) > n, one);
  await v.page.goBack();
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) === n, one);
  fine(v);
});
