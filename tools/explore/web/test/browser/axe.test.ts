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

for (const [name, address, graph] of views) {
  test(`axe finds no serious fault: ${name}, light and dark, and on a phone, than which nothing is wider`, async () => {
    const v = await visit(address());
    await rest(v);
    if (graph) {
      await settled(v.page);
      await v.page.locator(".nodes button").first().click();
      await v.page.locator(".marked").waitFor();
    }
    assert.deepEqual(await serious(v.page), []);
    await v.page.setViewportSize(phone);
    await v.page.reload();
    await rest(v);
    assert.deepEqual(await faults(v.page, grave), [], "on a phone");
    assert.ok(await v.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the phone");
    fine(v);
  });
}

test("axe finds no serious fault: dialogs", async () => {
  const v = await visit(url + "memory/" + id);
  for (const name of ["It still holds", "Supersede", "Link", "Forget", "Keys"]) {
    await v.page.getByRole("button", { name, exact: true }).click();
    await v.page.getByRole("dialog").waitFor();
    assert.deepEqual(await serious(v.page), [], name);
    await v.page.keyboard.press("Escape");
    await v.page.getByRole("dialog").waitFor({ state: "detached" });
  }
  fine(v);
});

test("axe finds no serious fault: what changes, a conflict and a history", async () => {
  const title = "Refused locks last under a second";
  const v = await visit(url + "memory/" + store.id(title));
  await listens(v);
  await v.page.getByRole("button", { name: "Edit" }).click();
  await v.page.getByLabel("Text", { exact: true }).fill("Mine.");
  store.hence("update", store.id(title), "--content", "Of 412 refused locks, 409 were gone after 800 ms.");
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

test("axe finds no fault on the desk: cards, what was settled, taken back, and nothing left", async () => {
  const own = new Store("desk");
  plant(own);
  const v = await visit(await own.explore() + "review");
  const left = (n: number) => v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length === n, n);
  const check = async (what: string): Promise<void> => {
    const wide = v.page.viewportSize()!;
    await rest(v);
    assert.deepEqual(await inBothThemes(v.page), [], what);
    await v.page.setViewportSize(phone);
    assert.deepEqual(await inBothThemes(v.page), [], `${what}, on a phone`);
    await v.page.setViewportSize(wide);
  };
  await left(planted);
  await check("cards");
  await v.page.keyboard.press("r");
  await v.page.locator(".card.done").waitFor();
  await check("one is settled");
  await v.page.keyboard.press("u");
  await left(planted);
  await check("taken back");
  for (let n = planted; n > 0; n = await v.page.locator(".card:not(.done)").count()) {
    await v.page.keyboard.press("a");
    await v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length < n, n);
  }
  await left(0);
  await check("nothing waits");
  fine(v);
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

type Page = Awaited<ReturnType<typeof visit>>["page"];

const phone = { width: 390, height: 844 };
const grave = ["serious", "critical"];
const serious = (page: Page): Promise<string[]> => inBothThemes(page, grave);

/** inBothThemes finds what the rules say of the light theme, and those that read colours of the dark one. */
async function inBothThemes(page: Page, impacts?: string[]): Promise<string[]> {
  const light = await faults(page, impacts);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-theme=dark]").waitFor();
  const dark = await faults(page, impacts, ["color-contrast", "link-in-text-block"]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("html[data-theme=light]").waitFor();
  return [...light, ...dark.map((f) => "dark: " + f)];
}

/** faults returns what axe finds on a page, of some impacts and by some rules; by default of all, by all. */
async function faults(page: Page, impacts?: string[], only?: string[]): Promise<string[]> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe);
  const rules = only ? { runOnly: only } : { rules: { "target-size": { enabled: true } } };
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...rules })})`) as Found;
  return found.violations.filter((x) => impacts?.includes(x.impact) ?? true).map((x) => `${x.id}: ${x.nodes.map((n) => n.html + " " + n.failureSummary).join("\n")}`);
}
