import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { example, fine, rest, visit, type Visit } from "./world.ts";

// The browser without windows lost a download once in nine runs of all tests.
process.env["CHROMIUM"] ??= "/usr/bin/chromium";

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
  await v.page.waitForFunction(() => Number(document.querySelector<HTMLElement>(".stage")!.dataset["joined"]) > 20); // edges among memories
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
  const stage = (await v.page.locator(".stage").boundingBox())!;
  const [area] = await areas(v);
  await v.page.mouse.click(stage.x + area!.x, stage.y + area!.y - 0.9 * area!.r); // above its dots
  await v.page.waitForURL(/area=/);
  await v.page.keyboard.press("Escape");
  await v.page.waitForURL(/graph$/);
  fine(v);
});

interface Disc { x: number; y: number; r: number }
interface Drawn { name: string; x: number; y: number; w: number; h: number }

/** picture is the picture as SVG. */
async function picture(v: Visit): Promise<string> {
  const [download] = await Promise.all([v.page.waitForEvent("download"), v.page.getByRole("button", { name: "As SVG" }).click()]);
  return readFileSync(await download.path(), "utf8");
}

/** areas are the discs in the picture. */
async function areas(v: Visit): Promise<Disc[]> {
  return [...(await picture(v)).matchAll(/<circle cx="([-.\d]+)" cy="([-.\d]+)" r="([-.\d]+)"/g)].map(([, x, y, r]) => ({ x: Number(x), y: Number(y), r: Number(r) }));
}

/** written are the names over the drawing. */
async function written(v: Visit): Promise<Drawn[]> {
  return v.page.locator(".names span").evaluateAll((all) => {
    const room = document.querySelector(".names")!.getBoundingClientRect();
    return all.map((e) => {
      const { x, y, width: w, height: h } = e.getBoundingClientRect();
      return { name: e.textContent!, x: x - room.x, y: y - room.y, w, h };
    });
  });
}

test("the picture that is kept is the one that is seen, and no name stands on another or on a memory", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  await v.page.waitForFunction(() => Number(document.querySelector<HTMLElement>(".stage")!.dataset["joined"]) > 20);
  await rest(v);
  const text = await picture(v), names = await written(v);
  const kept = [...text.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map((m) => [...m[1]!.matchAll(/>([^<]*)<\/tspan>/g)].map((t) => t[1]).join("\n"));
  assert.deepEqual(kept.sort(), names.map((n) => n.name).sort());
  assert.ok(names.length >= 20, `${names.length} names`);
  assert.equal((text.match(/opacity=/g) ?? []).length, Number(await v.page.locator(".stage").getAttribute("data-joined")));
  const dots = [...text.matchAll(/<path stroke="[^"]*" stroke-width="([.\d]+)" stroke-linecap="round" d="([^"]*)"/g)].flatMap(([, wide, all]) => [...all!.matchAll(/M([-.\d]+) ([-.\d]+)h0/g)].map(([, x, y]): Disc => ({ x: Number(x), y: Number(y), r: Number(wide) / 2 })));
  assert.equal(dots.length, Number(await v.page.locator(".stage").getAttribute("data-shown")));
  for (const [i, a] of dots.entries()) for (const b of dots.slice(0, i)) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > a.r + b.r, "two memories overlap");
  const clash = (a: Drawn, b: Drawn): boolean => a.x + 1 < b.x + b.w && b.x + 1 < a.x + a.w && a.y + 1 < b.y + b.h && b.y + 1 < a.y + a.h;
  for (const [i, a] of names.entries()) for (const b of names.slice(0, i)) assert.ok(!clash(a, b), `${a.name} on ${b.name}`);
  fine(v);
});

test("areas are as large as they have memories", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  const members = (await v.page.locator(".area-row .faint").allInnerTexts()).map(Number);
  const sizes = (await areas(v)).map((d) => d.r ** 2).sort((a, b) => b - a);
  for (const [i, n] of members.entries()) assert.ok(Math.abs(sizes[i]! / sizes[0]! - n / members[0]!) < 0.03, `${n} members of ${members[0]} have ${sizes[i]! / sizes[0]!} of the room`);
  fine(v);
});

test("without WebGL the picture stands still, and says so", async () => {
  const v = await visit(url + "overview", { own: true });
  await v.page.addInitScript(() => {
    const real = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string) => RenderingContext | null;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) { return kind.includes("webgl") ? null : real.call(this, kind); } as typeof HTMLCanvasElement.prototype.getContext;
  });
  await v.page.goto(url + "graph");
  await v.page.locator(".still").waitFor();
  await v.page.getByText("A still picture: this browser has no WebGL").waitFor();
  assert.equal(await v.page.getByRole("group", { name: "Size" }).count(), 0);
  await v.page.locator(".areas button").first().click();
  await v.page.waitForURL(/area=0/);
  fine(v);
});

test("at an earlier time there are fewer areas, smaller ones, and no names of what was not there", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(drawn).waitFor();
  const now = await areas(v);
  await v.page.goto(url + "graph?known_at=2026-03-01");
  await v.page.locator(drawn).waitFor();
  await v.page.getByText(/^\d+ memories in 1 area$/).waitFor();
  assert.equal(await v.page.locator(".stage").getAttribute("data-areas"), "1");
  assert.equal((await areas(v)).length, 1);
  assert.ok(now.length > 1);
  const names = (await written(v)).map((n) => n.name.replaceAll("\n", " "));
  assert.ok(names.some((n) => n.includes("Hold seats in the session cache")) && !names.some((n) => n.includes("Booking API")), names.join());
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
  await v.page.getByText("0 memories in 0 areas").waitFor();
  await v.page.getByText("Nothing is known of that day.").waitFor();
  assert.equal(await v.page.locator(".names span").count(), 0);
  await v.page.goto(url + "graph");
  await v.page.locator(drawn).waitFor();
  const said = async (): Promise<number> => Number.parseInt(await v.page.locator(".count").first().innerText(), 10);
  const all = await said();
  await v.page.getByLabel("superseded ones").uncheck();
  await v.page.waitForURL(/superseded=hide/);
  assert.ok(await said() < all);
  fine(v);
});

for (const [kind, begins] of [["SVG", "<svg"], ["PNG", "\u0089PNG"]] as const) {
  test(`the picture is kept as ${kind}`, async () => {
    const v = await visit(url + "graph");
    await v.page.locator(drawn).waitFor();
    const [download] = await Promise.all([v.page.waitForEvent("download"), v.page.getByRole("button", { name: `As ${kind}` }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`\\.${kind.toLowerCase()}$`));
    assert.ok(readFileSync(await download.path(), "latin1").startsWith(begins), kind);
    fine(v);
  });
}
