import assert from "node:assert/strict";
import { before, test } from "node:test";
import { example, fine, settled, visit, waitForDrawn } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const focused = "document.activeElement?.textContent ?? ''";

test("search, results, open, back, by keys alone", async () => {
  const v = await visit(url + "overview");
  await v.page.getByRole("heading", { name: "Overview" }).waitFor();
  await v.page.keyboard.press("/");
  await v.page.waitForFunction(() => document.activeElement?.id === "search-field");
  await v.page.keyboard.type("scanners refused");
  await v.page.waitForURL(/q=scanners\+refused$/);
  await v.page.locator(".results[aria-busy=false] .hit").first().waitFor();
  await v.page.keyboard.press("ArrowDown");
  const first = await v.page.evaluate(focused) as string;
  assert.equal(first, await v.page.locator(".hit a.title").first().innerText());
  await v.page.keyboard.press("ArrowDown");
  assert.equal(await v.page.evaluate(focused), await v.page.locator(".hit a.title").nth(1).innerText());
  await v.page.keyboard.press("ArrowUp");
  await v.page.keyboard.press("ArrowUp");
  assert.equal(await v.page.evaluate("document.activeElement?.id"), "search-field");
  await v.page.keyboard.press("Enter");
  await v.page.getByRole("heading", { level: 1, name: first }).waitFor();
  fine(v);
});

test("escape empties the field, then leaves it", async () => {
  const v = await visit(url + "?q=ledger");
  const field = v.page.getByLabel("Search memories");
  await field.focus();
  await v.page.keyboard.press("Escape");
  assert.equal(await field.inputValue(), "");
  await v.page.keyboard.press("Escape");
  assert.notEqual(await v.page.evaluate("document.activeElement?.id"), "search-field");
  fine(v);
});

test("? shows the keys, and escape gives the focus back", async () => {
  const v = await visit(url + "search");
  await v.page.locator(".hit").first().waitFor();
  await v.page.locator(".hit a.title").first().focus();
  await v.page.keyboard.press("?");
  await v.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
  await v.page.waitForFunction(() => document.activeElement === document.querySelector(".hit a.title"));
  fine(v);
});

test("g and a letter go to a view, and d turns light to dark", async () => {
  const v = await visit(url + "search");
  await v.page.locator(".hit").first().waitFor();
  for (const [key, heading] of [["o", "Overview"], ["r", "Review"], ["g", "Graph"]] as const) {
    await v.page.keyboard.press("g");
    await v.page.keyboard.press(key);
    await v.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  }
  const ground = "getComputedStyle(document.body).backgroundColor";
  const light = await v.page.evaluate(ground);
  await v.page.keyboard.press("d");
  await v.page.waitForFunction((light) => getComputedStyle(document.body).backgroundColor !== light, light as string);
  const dark = await v.page.evaluate(ground);
  await v.page.reload();
  await v.page.getByRole("heading", { level: 1, name: "Graph" }).waitFor();
  assert.equal(await v.page.evaluate(ground), dark, "it is remembered");
  fine(v);
});

test("light and dark follow the system, the drawing too, until one of them is chosen", async () => {
  const v = await visit(`${url}graph?seed=${store.id("Terminal Scanners")}`, { colorScheme: "dark" });
  await settled(v.page);
  const looks = () => v.page.evaluate(() => {
    const body = getComputedStyle(document.querySelector(".dot .body")!);
    return [getComputedStyle(document.body).backgroundColor, body.fill, document.querySelector("[title$='(d)']")!.ariaLabel];
  });
  const become = async (wanted: string[]) => { // the page turns first, the drawing later
    for (let tries = 0; tries < 1200 && JSON.stringify(await looks()) !== JSON.stringify(wanted); tries++) await v.page.waitForTimeout(50);
    assert.deepEqual(await looks(), wanted);
  };
  const dark = ["rgb(23, 24, 22)", "rgb(111, 207, 174)", "Light"];
  const light = ["rgb(251, 250, 247)", "rgb(47, 125, 99)", "Dark"];
  await become(dark);
  await v.page.emulateMedia({ colorScheme: "light" });
  await become(light);
  await v.page.keyboard.press("d");
  await become(dark);
  await v.page.evaluate(() => {
    let heard = 0; // after the page, which listens since it was loaded
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (document.body.dataset["heard"] = String(++heard)));
  });
  for (const [n, colorScheme] of (["dark", "light"] as const).entries()) {
    await v.page.emulateMedia({ colorScheme });
    await v.page.locator(`body[data-heard="${n + 1}"]`).waitFor();
  }
  await become(dark); // what was chosen stays
  fine(v);
});

test("the graph is walked by the list beside it", async () => {
  const v = await visit(`${url}graph?seed=${store.id("Terminal Scanners")}`);
  await settled(v.page);
  const list = v.page.locator(".nodes button");
  await list.first().focus();
  await v.page.locator(".marked-node").waitFor();
  await v.page.keyboard.press("End");
  await v.page.waitForFunction(() => document.activeElement === [...document.querySelectorAll(".nodes button")].at(-1));
  await v.page.keyboard.press("Home");
  await v.page.waitForFunction(() => document.activeElement === document.querySelector(".nodes button"));
  await v.page.keyboard.press("a");
  await v.page.waitForURL(/from=/);
  await v.page.keyboard.press("ArrowDown");
  await v.page.waitForFunction(() => document.activeElement === document.querySelectorAll(".nodes button")[1]);
  await v.page.keyboard.press("b");
  await v.page.waitForURL(/to=/);
  await v.page.locator(".path-steps").waitFor();
  await waitForDrawn(v.page, ".line.lit", await v.page.locator(".path-edge").count());
  await settled(v.page);
  const before = await list.count();
  await v.page.keyboard.press("Home");
  await v.page.waitForFunction(() => document.activeElement === document.querySelector(".nodes button"));
  await v.page.keyboard.press("e");
  await v.page.waitForFunction((n) => document.querySelectorAll(".nodes button").length > n, before);
  const name = await v.page.evaluate("document.activeElement?.firstElementChild?.textContent") as string;
  await v.page.keyboard.press("Enter");
  await v.page.getByRole("heading", { level: 1, name }).waitFor();
  fine(v);
});

test("the first tab leads past the frame to the content", async () => {
  const v = await visit(url + "review");
  await v.page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
  await v.page.keyboard.press("Tab");
  assert.equal(await v.page.evaluate(focused), "To the content");
  await v.page.keyboard.press("Enter");
  assert.equal(await v.page.evaluate("document.activeElement?.id"), "view");
  fine(v);
});
