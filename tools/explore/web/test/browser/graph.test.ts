import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { boxes, drawn, example, fine, leave, settled, spot, Store, visit, waitForDrawn } from "./world.ts";

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
  const places = async (): Promise<Map<string, { x: number; y: number }>> => {
    const ids = await v.page.locator(".dot").evaluateAll((dots) => dots.map((d) => (d as SVGElement).dataset["id"]!));
    const all = new Map<string, { x: number; y: number }>();
    for (const id of ids) all.set(id, await spot(v.page, id));
    return all;
  };
  const before = await places();
  await v.page.locator(".nodes button", { hasText: "Job Queue" }).click();
  await v.page.keyboard.press("e");
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".canvas")?.dataset["nodes"]) > n, before.size);
  await settled(v.page);
  // The drawing is fitted again: it may be moved and stretched along its sides, and nothing else.
  const later = await places(), ids = [...before.keys()];
  for (const side of ["x", "y"] as const) {
    const [first, last] = [ids.reduce((a, b) => (before.get(a)![side] <= before.get(b)![side] ? a : b)), ids.reduce((a, b) => (before.get(a)![side] >= before.get(b)![side] ? a : b))];
    const share = (of: Map<string, { x: number; y: number }>, id: string): number => (of.get(id)![side] - of.get(first)![side]) / (of.get(last)![side] - of.get(first)![side]);
    for (const id of ids) assert.ok(Math.abs(share(before, id) - share(later, id)) < 0.02, `${id} moved along ${side}`);
  }
  fine(v);
});

/** hub returns a store in which a memory has so many neighbours, of which some are linked too. */
function hub(neighbours: number): Store {
  const s = new Store(`hub-${neighbours}`), words = "queue ledger gateway ferry lamp winch harbour ticket lock refund seat crew".split(" ");
  const types = ["depends-on", "supports", "relates-to", "derived-from", "causes", "part-of", "contradicts"];
  const lines: object[] = [{ type: "memory", id: "hub", kind: "decision", title: "Payment Gateway", content: "x" }];
  for (let i = 0; i < neighbours; i++) {
    const title = Array.from({ length: 2 + (i % 4) }, (_, n) => words[(5 * i + 7 * n + i * n) % words.length]).join(" ");
    const [from, to] = i % 3 === 0 ? ["hub", `m${i}`] : [`m${i}`, "hub"];
    lines.push({ type: "memory", id: `m${i}`, kind: ["fact", "decision", "finding", "rule"][i % 4], title: `The ${title} ${i}`, content: "x" }, { type: "edge", from, to, edge_type: types[i % types.length] });
    if (i > 1 && i % 2 === 0) lines.push({ type: "edge", from: `m${i}`, to: `m${(7 * i) % i}`, edge_type: "relates-to" });
  }
  const file = s.file + ".jsonl";
  writeFileSync(file, lines.map((l) => JSON.stringify(l) + "\n").join(""));
  s.hence("import", file);
  return s;
}

/** layout measures a drawing in pixels: the share of its room along each side, its names, and what they lie on. */
function layout(page: Page): Promise<{ filled: number[]; names: number; clashes: string[] }> {
  return page.evaluate(() => {
    const room = document.querySelector(".canvas")!.getBoundingClientRect(), svg = document.querySelector(".graph-svg")!.getBoundingClientRect();
    const names = [...document.querySelectorAll<HTMLElement>(".names span")], dots = [...document.querySelectorAll(".dot .body")].map((e) => e.getBoundingClientRect());
    const boxes = names.map((e) => e.getBoundingClientRect()), all = [...dots, ...boxes];
    const over = (a: DOMRect, b: DOMRect, by: number): boolean => Math.min(a.right, b.right) - Math.max(a.left, b.left) > by && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;
    const lines = [...document.querySelectorAll<SVGPathElement>(".line:not(.line-implied) .way")].map((way) => Array.from({ length: Math.ceil(way.getTotalLength() / 4) }, (_, i) => way.getPointAtLength(4 * i)));
    const clashes: string[] = [];
    names.forEach((e, i) => {
      const b = boxes[i]!, text = e.textContent!, letters = new DOMRect(b.x + 5, b.y + 2, b.width - 10, b.height - 4);
      boxes.slice(0, i).forEach((other, n) => over(b, other, 1) && clashes.push(`${text} on ${names[n]!.textContent}`));
      if (!e.matches(".word, .seed") && dots.some((d) => over(letters, d, 4))) clashes.push(`${text} on a memory`);
      const isOver = lines.some((line) => line.some((p) => p.x + svg.x > letters.left && p.x + svg.x < letters.right && p.y + svg.y > letters.top && p.y + svg.y < letters.bottom));
      const ground = /rgba?\(([^)]*)\)/.exec(getComputedStyle(e).backgroundColor)![1]!.split(",");
      if (isOver && ground.length === 4 && Number(ground[3]) < 1) clashes.push(`a line runs through ${text}`);
      if (b.left < room.left - 1 || b.right > room.right + 1 || b.top < room.top - 1 || b.bottom > room.bottom + 1) clashes.push(`${text} is cut`);
    });
    const side = (from: "left" | "top", to: "right" | "bottom", long: number): number => (Math.max(...all.map((b) => b[to])) - Math.min(...all.map((b) => b[from]))) / long;
    return { filled: [side("left", "right", room.width), side("top", "bottom", room.height)], names: names.filter((e) => !e.matches(".word")).length, clashes };
  });
}

for (const [neighbours, least] of [[1, 2], [10, 8], [60, 8]] as const) {
  test(`the drawing of ${neighbours} around one fills its room, and no name lies on another, on a memory or under a line`, async () => {
    const s = hub(neighbours), address = `${await s.explore()}graph?seed=hub`;
    for (const [width, height] of [[1280, 860], [1920, 1080], [390, 844]] as const) {
      const v = await visit(address, { viewport: { width, height } });
      await settled(v.page);
      const { filled, names, clashes } = await layout(v.page);
      assert.ok(filled.filter((share) => share >= 0.85).length >= (neighbours === 1 ? 1 : 2), `at ${width}: ${filled}`);
      assert.deepEqual(clashes, [], `at ${width}`);
      assert.ok(names >= (width === 390 ? Math.min(least, 5) : neighbours === 60 ? 25 : neighbours + 1), `at ${width}: ${names} names`);
      fine(v);
      await leave(v);
    }
  });
}

test("two steps around a note fill the room too, and most have their names", async () => {
  const v = await around("Seat Ledger", "&depth=2");
  await settled(v.page);
  const { filled, names, clashes } = await layout(v.page);
  assert.ok(Math.min(...filled) >= 0.85, `${filled}`);
  assert.deepEqual(clashes, []);
  assert.ok(names >= 18, `${names} names`);
  fine(v);
});

test("the legend is the filter, and superseded ones can be hidden", async () => {
  const v = await around("Seat Ledger");
  await settled(v.page);
  assert.ok(await drawn(v.page, ".line[data-type='links-to']") > 0);
  await v.page.locator(".legend label", { hasText: "links-to" }).click();
  await v.page.waitForURL(/off=/);
  await waitForDrawn(v.page, ".line[data-type='links-to']", 0);
  assert.ok(await drawn(v.page, ".dot[data-status='superseded']") > 0);
  await v.page.getByLabel("superseded ones").uncheck();
  await v.page.waitForURL(/superseded=hide/);
  await v.page.waitForFunction(() => !document.querySelector(".nodes .was"));
  await waitForDrawn(v.page, ".dot[data-status='superseded']", 0);
  await v.page.goBack();
  await v.page.locator(".nodes .was").first().waitFor();
  fine(v);
});

test("edges are drawn as they are stored", async () => {
  const v = await around("Seat Ledger");
  await settled(v.page);
  const [api, ledger] = [store.id("Booking API"), store.id("Seat Ledger")];
  assert.equal(await drawn(v.page, `.line[data-type='depends-on'][data-from='${api}'][data-to='${ledger}']`), 1);
  assert.equal(await drawn(v.page, `.line[data-type='depends-on'][data-from='${ledger}'][data-to='${api}']`), 0);
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
  await waitForDrawn(v.page, ".dot.lit", 5);
  await waitForDrawn(v.page, ".line.lit", 4);
  await v.page.reload();
  await v.page.locator(".path-steps").waitFor();
  await waitForDrawn(v.page, ".line.lit", 4);
  fine(v);
});

test("a key links the marked memory to another one", async () => {
  const v = await around("Terminal Scanners");
  await settled(v.page);
  const [from, to] = ["Terminal Scanners", "Job Queue"].map((t) => store.id(t)) as [string, string];
  const at = await spot(v.page, from);
  await v.page.mouse.click(at.x, at.y);
  await v.page.locator(".marked").waitFor();
  await v.page.keyboard.press("l");
  const dialog = v.page.getByRole("dialog");
  await v.page.getByLabel("The other memory").fill("job queue");
  await dialog.getByRole("option", { name: /Job Queue/ }).first().click();
  await dialog.locator(".preview", { hasText: /Terminal Scanners.*Job Queue/s }).waitFor();
  await dialog.getByLabel("Kind").selectOption("causes");
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await waitForDrawn(v.page, `.line[data-type='causes'][data-from='${from}'][data-to='${to}']`, 1);
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

test("a preview comes where the mouse rests or the keyboard is, on a node, on a name, on a link", async () => {
  const v = await around("Seat Ledger");
  await settled(v.page);
  const peek = v.page.locator(".peek");
  const ends = async (): Promise<void> => {
    await v.page.mouse.move(640, 20);
    await peek.waitFor({ state: "detached" });
  };
  const at = await spot(v.page, store.id("Retry a refused lock twice"));
  await v.page.mouse.move(at.x, at.y);
  await peek.filter({ hasText: /^Retry a refused lock twice\s*decision/ }).filter({ hasText: "is tried again after 200 ms" }).waitFor();
  await ends();
  await v.page.locator(".nodes button", { hasText: "Hold seats in the ledger" }).hover();
  await peek.filter({ hasText: "superseded" }).waitFor();
  const [name, box] = await boxes(v.page.locator(".nodes button", { hasText: "Hold seats in the ledger" }), peek);
  assert.ok(box!.x + box!.width <= name!.x, "it stands beside the list");
  await ends();
  await v.page.locator(".nodes button").first().click();
  await v.page.keyboard.press("ArrowDown");
  const described = v.page.locator(".nodes button[aria-describedby=peek]");
  await described.waitFor();
  assert.ok((await peek.innerText()).startsWith((await described.locator("span").innerText())), "it is of what has the focus");
  await v.page.keyboard.press("Escape");
  await peek.waitFor({ state: "detached" });
  await v.page.goto(url + "search");
  const link = v.page.locator(".hit a.title", { hasText: "Terminal Scanners" }).first();
  for (let seen = false; !seen;) { // what else the page is told may move the link from under the mouse
    await v.page.mouse.move(640, 20);
    await link.hover();
    seen = await peek.filter({ hasText: "stale" }).waitFor({ timeout: 2000 }).then(() => true, () => false);
  }
  await ends();
  fine(v);
});

test("on a phone nearly all that is around a memory is named, and the rest where a finger touches it or in the list", async () => {
  for (const [title, depth, least] of [["Booking API", 1, 1], ["2026-04-21 Holds, second look", 1, 1], ["2026-06-02 Summer readiness", 1, 1], ["Seat Ledger", 2, 0.6]] as const) {
    const v = await visit(`${url}graph?seed=${store.id(title)}&depth=${depth}`, { viewport: { width: 390, height: 844 } });
    await settled(v.page);
    const { names, clashes } = await layout(v.page), all = Number(await v.page.locator(nodes).getAttribute("data-nodes"));
    assert.ok(names >= least * all, `${names} of ${all} around ${title}`);
    assert.deepEqual(clashes, [], title);
    assert.equal(await v.page.locator(".nodes button").count(), all);
    if (names < all) {
      const named = (await v.page.locator(".names span:not(.word)").allInnerTexts()).map((text) => text.replace(/\s/g, ""));
      const other = (await v.page.locator(".nodes button > span").allInnerTexts()).find((text) => !named.some((name) => text.replace(/\s/g, "").startsWith(name.replace("…", ""))))!;
      const at = await spot(v.page, store.id(other));
      await v.page.mouse.click(at.x, at.y);
      await v.page.locator(".marked").getByRole("link", { name: other }).waitFor();
      await v.page.waitForFunction((text) => [...document.querySelectorAll<HTMLElement>(".names span")].some((e) => text.replace(/\s/g, "").startsWith(e.innerText.replace(/[\s…]/g, ""))), other);
    }
    fine(v);
    await leave(v);
  }
});

test("a finger brings no preview", async () => {
  const v = await visit(`${url}graph?seed=${store.id("Seat Ledger")}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await settled(v.page);
  const at = await spot(v.page, store.id("Home"));
  await v.page.touchscreen.tap(at.x, at.y);
  await v.page.locator(".marked").getByRole("link", { name: "Home" }).waitFor();
  await new Promise((done) => setTimeout(done, 1200)); // three times what a mouse waits
  assert.equal(await v.page.locator(".peek").count(), 0);
  fine(v);
});

test("no name stands under the buttons of a drawing", async () => {
  const s = hub(60), address = `${await s.explore()}graph?seed=`;
  for (let i = 0; i < 6; i++) {
    const v = await visit(`${address}${i === 0 ? "hub" : `m${i}`}&depth=2`, { viewport: { width: 1000, height: 620 } });
    await settled(v.page);
    const zoom = (await v.page.locator(".zoom").boundingBox())!;
    for (const e of await v.page.locator(".names span").all()) {
      const b = (await e.boundingBox())!;
      assert.ok(b.x >= zoom.x + zoom.width || b.y + b.height <= zoom.y || b.x + b.width <= zoom.x || b.y >= zoom.y + zoom.height, `${await e.innerText()} in drawing ${i}`);
    }
    fine(v);
    await leave(v);
  }
});

test("on a phone the buttons of a drawing cover none of its names", async () => {
  for (const address of ["graph", `graph?seed=${store.id("Seat Ledger")}`]) {
    const v = await visit(url + address, { viewport: { width: 390, height: 844 } });
    await v.page.locator(".zoom button").first().waitFor();
    const [drawing, zoom] = await boxes(v.page.locator(".drawing"), v.page.locator(".zoom"));
    assert.ok(zoom!.y >= drawing!.y + drawing!.height, address);
    await v.page.locator(".zoom").getByRole("button", { name: "Nearer" }).click();
    fine(v);
    await leave(v);
  }
});

test("another memory is chosen in the place of the one that is drawn", async () => {
  const v = await visit(`${url}graph?seed=${store.id("Seat Ledger")}`);
  await settled(v.page);
  await v.page.getByRole("button", { name: "Choose another than Seat Ledger" }).click();
  await v.page.getByLabel("Around").fill("terminal scanners");
  await v.page.getByRole("option", { name: /Terminal Scanners/ }).click();
  await v.page.getByRole("button", { name: "Choose another than Terminal Scanners" }).waitFor();
  await v.page.waitForURL(new RegExp(store.id("Terminal Scanners")));
  fine(v);
});
