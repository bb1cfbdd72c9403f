import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { plant, planted } from "./plant.ts";
import { example, fine, leave, listens, rest, settled, Store, visit } from "./world.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const store = example();
const bare = new Store("bare");
let url = "";
let bareURL = "";
before(async () => {
  url = await store.explore();
  bareURL = await bare.explore();
});

interface Found {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

const id = store.id("Terminal Scanners");
const [from, to] = [store.id("2026-02-14 Double-sold car deck"), store.id("Refund without a claim form")];
const views: [string, () => string, string?][] = [
  ["search", () => url + "?q=hold+seats"],
  ["list", () => url + "search"],
  ["memory", () => url + "memory/" + id],
  ["a superseded memory", () => url + "memory/" + store.id("Hold seats in the session cache")],
  ["an unknown memory", () => url + "memory/nothing-like-this"],
  ["graph", () => `${url}graph?seed=${id}&depth=2`, "graph"],
  ["path", () => `${url}graph?seed=${from}&from=${from}&to=${to}`, "graph"],
  ["graph of the whole store", () => url + "graph?by=kind"],
  ["an area of it", () => url + "graph?area=0"],
  ["packages", () => url + "graph?of=packages"],
  ["overview", () => url + "overview"],
  ["review", () => url + "review"],
  ["empty", () => bareURL],
  ["nothing", () => url + "nothing"],
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, address, graph] of views) {
    test(`axe finds no serious fault: ${name}, ${colorScheme}`, async () => {
      const v = await visit(address(), { colorScheme });
      await rest(v);
      if (graph) {
        await settled(v.page);
        await v.page.locator(".nodes button").first().click();
        await v.page.locator(".marked").waitFor();
      }
      assert.deepEqual(await serious(v.page), []);
      fine(v);
    });
  }

  test(`axe finds no serious fault: dialogs, ${colorScheme}`, async () => {
    const v = await visit(url + "memory/" + id, { colorScheme });
    for (const name of ["It still holds", "Supersede", "Link", "Forget", "Keys"]) {
      await v.page.getByRole("button", { name, exact: true }).click();
      await v.page.getByRole("dialog").waitFor();
      assert.deepEqual(await serious(v.page), [], name);
      await v.page.keyboard.press("Escape");
      await v.page.getByRole("dialog").waitFor({ state: "detached" });
    }
    fine(v);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds no serious fault: what changes, a conflict and a history, ${colorScheme}`, async () => {
    const title = "Refused locks last under a second";
    const v = await visit(url + "memory/" + store.id(title), { colorScheme });
    await listens(v);
    await v.page.getByRole("button", { name: "Edit" }).click();
    await v.page.getByLabel("Text", { exact: true }).fill("Mine.");
    store.hence("update", store.id(title), "--content", `Of 412 refused locks, 409 were gone after 800 ms, ${colorScheme}.`);
    await v.page.locator(".conflict .difference").waitFor();
    assert.deepEqual(await serious(v.page), [], "a conflict");
    await v.page.keyboard.press("Escape");
    assert.deepEqual(await serious(v.page), [], "a question whether to throw away what was typed");
    await v.page.getByRole("button", { name: "Throw away" }).click();
    await v.page.locator(".now-line.shown").waitFor();
    await v.page.locator(".history summary").first().click();
    await v.page.locator(".history .difference").waitFor();
    assert.deepEqual(await serious(v.page), [], "a line, and a history");
    fine(v);
  });
}

for (const [colorScheme, width] of [["light", 1280], ["dark", 390]] as const) {
  test(`axe finds no fault on the desk: cards, what was settled, taken back, and nothing left, ${colorScheme}`, async () => {
    const own = new Store("desk");
    plant(own);
    const v = await visit(await own.explore() + "review", { colorScheme, viewport: { width, height: 844 } });
    const left = (n: number) => v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length === n, n);
    await left(planted);
    assert.deepEqual(await faults(v.page), [], "cards");
    await v.page.keyboard.press("r");
    await v.page.locator(".card.done").waitFor();
    await rest(v);
    assert.deepEqual(await faults(v.page), [], "one is settled");
    await v.page.keyboard.press("u");
    await left(planted);
    assert.deepEqual(await faults(v.page), [], "taken back");
    for (let n = planted; n > 0; n = await v.page.locator(".card:not(.done)").count()) {
      await v.page.keyboard.press("a");
      await v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length < n, n);
      await rest(v);
    }
    await left(0);
    assert.deepEqual(await faults(v.page), [], "nothing waits");
    fine(v);
    await leave(v);
  });
}

test("axe finds no serious fault: on a phone, and nothing is wider than it", async () => {
  for (const [name, address] of views) {
    const v = await visit(address(), { viewport: { width: 390, height: 844 } });
    await rest(v);
    assert.deepEqual(await serious(v.page), [], name);
    assert.ok(await v.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name} is wider than the phone`);
    fine(v);
    await leave(v);
  }
});

test("axe finds no fault at all in notes, with headings that leave out steps and two embeds of one", async () => {
  for (const title of ["Home", "Seat Ledger"]) {
    const v = await visit(url + "memory/" + store.id(title));
    await rest(v);
    assert.deepEqual(await faults(v.page), [], title);
    fine(v);
    await leave(v);
  }
  store.hence("store", "### Deep\n\n![[Seat Ledger]]\n\n##### Deeper\n\n![[Seat Ledger]]\n\n| a |\n|---|\n| b |\n\n| c |\n|---|\n| d |\n\n# High", "--title", "Twice");
  const v = await visit(url + "memory/" + store.id("Twice"));
  await v.page.locator(".embed").nth(1).waitFor();
  await rest(v);
  assert.deepEqual(await faults(v.page), []);
  fine(v);
});

async function serious(page: Awaited<ReturnType<typeof visit>>["page"]): Promise<string[]> {
  return faults(page, ["serious", "critical"]);
}

async function faults(page: Awaited<ReturnType<typeof visit>>["page"], impacts?: string[]): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })") as Found;
  const small = (x: Found["violations"][number]): boolean => x.id === "target-size" && x.nodes.every((n) => n.html.startsWith('<input type="checkbox"')); // whose label is the target
  return found.violations.filter((x) => !small(x)).filter((x) => impacts?.includes(x.impact) ?? true).map((x) => `${x.id}: ${x.nodes.map((n) => n.html + " " + n.failureSummary).join("\n")}`);
}
