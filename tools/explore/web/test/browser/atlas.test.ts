import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { example, fine, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const drawn = ".stage[data-state=settled]";

test("the graph opens on the whole store, and goes in, down to a memory", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  const dots = Number(await v.page.locator(".stage").getAttribute("data-dots"));
  assert.ok(dots >= 26, `${dots} dots`);
  await v.page.locator(".names .area").first().waitFor();
  const areas = v.page.locator(".areas button");
  await areas.first().click();
  await v.page.waitForURL(/area=/);
  await v.page.locator(".areas a.title, .areas button").first().waitFor();
  for (let deep = 0; deep < 4 && (await v.page.locator(".areas a.title").count()) === 0; deep++) await areas.first().click();
  await v.page.locator(".areas a.title").first().waitFor();
  await v.page.getByRole("button", { name: /^Show .* in the drawing/ }).first().click();
  await v.page.locator(".marked h2 a").waitFor();
  await v.page.getByRole("link", { name: "What lies around it" }).click();
  await v.page.locator(".canvas[data-state=settled]").waitFor();
  await v.page.getByRole("link", { name: "The whole store" }).click();
  await v.page.locator(drawn).waitFor();
  fine(v);
});

test("a click goes into an area, and escape out of it", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  const name = v.page.locator(".names .area").first();
  await name.waitFor();
  const box = (await name.boundingBox())!;
  await v.page.mouse.click(box.x + box.width / 2, box.y - 14);
  await v.page.waitForFunction(() => /area=/.test(location.search) || document.querySelector(".marked"));
  await v.page.goto(url + "graph?area=0");
  await v.page.locator(drawn).waitFor();
  await v.page.keyboard.press("Escape");
  await v.page.waitForURL(/graph$/);
  fine(v);
});

test("colours mean what the legend says, and the address keeps them", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  await v.page.getByLabel("Colour by").selectOption("kind");
  await v.page.waitForURL(/by=kind/);
  assert.match(await v.page.locator(".colours").innerText(), /note\s*\d+/);
  await v.page.getByLabel("Colour by").selectOption("folder");
  assert.match(await v.page.locator(".colours").innerText(), /example\/decisions/);
  await v.page.reload();
  await v.page.locator(".colours", { hasText: "example/decisions" }).waitFor();
  fine(v);
});

test("before anything was known nothing is shown, and superseded ones can be hidden", async () => {
  const v = await visit(url + "graph?known_at=2001-01-01");
  await v.page.locator(drawn).waitFor();
  await v.page.getByText(/^0 memories in/).waitFor();
  await v.page.goto(url + "graph");
  await v.page.locator(drawn).waitFor();
  const said = async (): Promise<number> => Number.parseInt(await v.page.locator(".count").first().innerText(), 10);
  const all = await said();
  await v.page.getByLabel("superseded ones").uncheck();
  await v.page.waitForURL(/superseded=hide/);
  assert.ok(await said() < all);
  fine(v);
});

test("the picture is kept as SVG and as PNG", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  for (const [kind, begins] of [["SVG", "<svg"], ["PNG", "\u0089PNG"]] as const) {
    const [download] = await Promise.all([v.page.waitForEvent("download"), v.page.getByRole("button", { name: `As ${kind}` }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`\\.${kind.toLowerCase()}$`));
    assert.ok(readFileSync(await download.path(), "latin1").startsWith(begins), kind);
  }
  fine(v);
});
