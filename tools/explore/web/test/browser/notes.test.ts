// What notes of real vaults have: many links, headings, callouts, pictures, maths.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { boxes, fine, settled, Store, visit } from "./world.ts";

const linked = 700;
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const store = new Store("notes");
const notes = mkdtempSync(join(tmpdir(), "hence-notes-"));
after(() => rmSync(notes, { recursive: true, force: true }));
let url = "";
before(async () => {
  mkdirSync(join(notes, "deep down"));
  for (let i = 0; i < linked; i++) writeFileSync(join(notes, "deep down", `Note ${i}.md`), `Number ${i}.\n`);
  const list = Array.from({ length: linked }, (_, i) => `- [[Note ${i}|number ${i}]]`).join("\n");
  writeFileSync(join(notes, "Hub.md"), `See [[#The end]].\n\n${list}\n\n## The end\n\nIt ends here.\n\n### And after\n\n### It\n`);
  writeFileSync(join(notes, "Rich.md"), "> [!warning] Mind the **gap**\n> It is wide.\n\n> [!tip]- Folded\n> Inside.\n\n- [x] done\n- [ ] open\n\n![[dot.png]]\n\n![[Part#Second]]\n\n"
    + "Euler says $e^{i\\pi} + 1 = 0$ for 5$ or 6$.\n\n$$\n\\frac{a}{b}\n$$\n\n```mermaid\nflowchart LR\n  A[Hold] --> B[Pay]\n```\n\n$\\notacommand{$\n");
  writeFileSync(join(notes, "Shown.md"), "![A winch|40](dot.png) and ![[dot.png|30x20]]\n\n![[Part#^why]]\n\n![[Part#^none]]\n\n| Left | A heading that goes on and on and on | Amount |\n|---|---|---|\n| code | a long text that is much wider than what there is room for, and goes on and on | 22,000 |\n\n```mermaid\nnodiagram\n  A\n```\n\n# One\n\n## Two\n\n### Three\n");
  writeFileSync(join(notes, "A note whose name is as long as those of evergreen notes.md"), "Said by [[Part]] in passing.\n");
  writeFileSync(join(notes, "Part.md"), "## First\n\nNot this.\n\n## Second\n\nBut this, by [[Rich]].\n\nA block. ^why\n\nNot that.\n");
  writeFileSync(join(notes, "Noted.md"), "Ropes[^r] hold, and so do knots.^[By [[Rich]].] Ropes[^r] wear; [^nothing] is none.\n\n[^r]: Of **hemp**,\n    long ones.\n\n![[Lent]]\n\nThe end.\n");
  writeFileSync(join(notes, "Lent.md"), "Lent words[^r].\n\n[^r]: Another note.\n");
  writeFileSync(join(notes, "dot.png"), dot);
  writeFileSync(join(notes, "drawing.svg"), "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>parent.ran=1</script><rect width='9' height='9'/></svg>");
  writeFileSync(join(notes, "Drawn.md"), "![[drawing.svg]]\n");
  store.hence("import", notes, "--name", "deck");
  url = await store.explore();
});

const open = (title: string, options = {}) => visit(url + "memory/" + store.id(title), options);

test("every link of a note leads on, however many there are, and to headings of its own", async () => {
  const v = await open("Hub");
  await v.page.locator(".text[data-state=whole]").waitFor();
  assert.equal(await v.page.locator(".text .dangling").count(), 0);
  assert.equal(await v.page.locator(".text li a[href^='/explore/memory/']").count(), linked);
  await v.page.locator(".text").getByRole("link", { name: "The end" }).click();
  await v.page.waitForURL(/#h-the-end$/);
  await v.page.waitForFunction(() => document.activeElement?.id === "h-the-end");
  await v.page.locator(".headings").getByRole("link", { name: "And after" }).click();
  await v.page.waitForURL(/#h-and-after$/);
  await v.page.reload();
  await v.page.waitForFunction(() => document.activeElement?.id === "h-and-after");
  fine(v);
});

test("nothing is said of what there is not, and what leads here stands beside the text", async () => {
  const v = await open("Note 7", { viewport: { width: 1400, height: 900 } });
  const beside = v.page.locator(".memory-side .edges");
  await beside.getByRole("link", { name: "Hub" }).waitFor();
  assert.equal(await v.page.getByText("What rests on it").count(), 0);
  assert.ok((await beside.boundingBox())!.y < 500, "it is on the first screen");
  fine(v);
});

test("on a narrow screen one jumps to what leads here", async () => {
  const v = await open("Note 7", { viewport: { width: 390, height: 844 } });
  await v.page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "1 edge to it" }).click();
  await v.page.waitForFunction(() => document.activeElement?.id === "edges-in-title");
  fine(v);
});

test("a folder as the page prints it finds what is in it", async () => {
  const v = await open("Note 7");
  const folder = v.page.locator(".eyebrow a");
  assert.equal(await folder.innerText(), "deck/deep down/");
  await folder.click();
  await v.page.waitForURL(/q=path/);
  await v.page.locator(".results[aria-busy=false] .hit", { hasText: "Note" }).first().waitFor();
  assert.match(await v.page.locator(".count").innerText(), new RegExp(`of ${linked}`));
  fine(v);
});

test("names of a crowded drawing avoid one another", async () => {
  const v = await visit(`${url}graph?seed=${store.id("Hub")}`, { viewport: { width: 1400, height: 900 } });
  await settled(v.page);
  await v.page.locator(".names span").nth(20).waitFor();
  const boxes = await v.page.locator(".names span").evaluateAll((all) => all.map((e) => {
    const b = e.getBoundingClientRect();
    return { name: e.textContent, x: b.x, y: b.y, w: b.width, h: b.height };
  }));
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      assert.ok(a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h, `${a.name} stands on ${b.name}`);
    }
  }
  assert.ok(boxes.some((b) => b.name === "Hub"));
  fine(v);
});

test("callouts, tasks, pictures and embedded notes are shown as Obsidian shows them", async () => {
  const v = await open("Rich");
  const callout = v.page.locator(".callout-warn");
  assert.equal((await callout.locator(".callout-title").innerText()).trim(), "⚠ Mind the gap");
  await callout.getByText("It is wide.").waitFor();
  assert.equal(await v.page.getByText("Inside.").isVisible(), false);
  await v.page.getByText("Folded").click();
  await v.page.getByText("Inside.").waitFor();
  assert.equal(await v.page.locator(".task-done").count(), 1);
  const picture = v.page.locator(".text img[alt='dot.png']");
  await picture.waitFor();
  assert.deepEqual(await picture.evaluate(async (img: HTMLImageElement) => { await img.decode(); return [img.naturalWidth, img.src.startsWith("blob:")]; }), [1, true]);
  await v.page.locator(".embed", { hasText: "But this, by" }).waitFor();
  assert.equal(await v.page.getByText("Not this.").count(), 0);
  fine(v);
});

test("pictures have the size that is asked for, an embedded block stands alone, and words of tables stay whole", async () => {
  const v = await open("Shown", { viewport: { width: 390, height: 844 } });
  const picture = v.page.locator(".text img[alt='A winch']");
  await picture.waitFor();
  assert.equal((await picture.boundingBox())!.width, 40);
  const sized = (await v.page.locator(".text img[alt='dot.png']").first().boundingBox())!;
  assert.deepEqual([sized.width, sized.height], [30, 20]);
  await v.page.locator(".embed", { hasText: "A block." }).waitFor();
  assert.equal(await v.page.getByText("Not that.").count(), 0);
  assert.equal(await v.page.locator(".embed").count(), 1, "a block that is not there shows nothing");
  for (const word of ["Left", "code", "22,000"]) {
    const cell = v.page.locator(".text :is(th, td)", { hasText: word }).first();
    assert.equal(await cell.evaluate((c) => { const r = document.createRange(); r.selectNodeContents(c); return r.getClientRects().length; }), 1, word);
  }
  await v.page.locator(".why-not", { hasText: /^The diagram is not drawn: .*nodiagram/i }).waitFor();
  await v.page.locator(".text pre", { hasText: "nodiagram" }).waitFor();
  const sizes = await v.page.locator(".text").locator("h3, h4, h5").evaluateAll((all) => all.map((h) => parseFloat(getComputedStyle(h).fontSize)));
  assert.deepEqual(sizes, sizes.toSorted((a, b) => b - a));
  assert.equal(new Set(sizes).size, 3);
  fine(v);
});

test("maths and diagrams are made in a frame that may do nothing else", async () => {
  const v = await open("Rich");
  await v.page.locator(".text math").nth(1).waitFor();
  assert.equal(await v.page.locator(".text math").count(), 2, "an amount in dollars is none, nor what cannot be read");
  assert.match(await v.page.locator(".text p", { hasText: "Euler" }).innerText(), /for 5\$ or 6\$/);
  const drawing = v.page.locator(".diagram img");
  await drawing.waitFor();
  assert.ok(await drawing.evaluate(async (img: HTMLImageElement) => { await img.decode(); return img.naturalWidth; }) > 50);
  const frame = v.page.frames().find((f) => f.url().endsWith("press.html"))!;
  assert.equal(await frame.evaluate(() => origin), "null");
  assert.deepEqual(await frame.evaluate(async () => {
    const asked = await fetch("/explore/api/about").then(() => "answered", () => "refused");
    try {
      void parent.document.title;
      return [asked, "reached"];
    } catch {
      return [asked, "kept away"];
    }
  }), ["refused", "kept away"]);
  assert.deepEqual(v.wrong.filter((w) => !/connect-src|Fetch API|violates|policy: connect/.test(w)), []);
});

test("a drawing of a vault is a picture, whose scripts do not run", async () => {
  const v = await open("Drawn");
  const img = v.page.locator(".text img[alt='drawing.svg']");
  await img.waitFor();
  await img.evaluate((i: HTMLImageElement) => i.decode());
  assert.equal(await v.page.evaluate("window.ran"), undefined);
  fine(v);
});

test("the name of a file leaves room for what a note says where it links", async () => {
  const v = await open("Part");
  const place = v.page.locator(".memory-side .sites li", { hasText: /^A note whose name/ });
  await place.waitFor();
  const [said, line] = await boxes(place.locator("q"), place);
  assert.ok(said!.y - line!.y < 8, "what it says begins on the first line");
  fine(v);
});

test("a link shows what it leads to while one rests on it, by pointer and by keyboard", async () => {
  const v = await open("Part");
  const link = v.page.locator(".text").getByRole("link", { name: "Rich" });
  await link.hover();
  await v.page.getByRole("tooltip").getByText(/Euler says/).waitFor();
  const rows = await v.page.getByRole("tooltip").locator(".hint").evaluate((p) => p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight));
  assert.ok(Math.abs(rows - Math.round(rows)) < 0.1 && rows <= 5, `${rows} lines`);
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("tooltip").waitFor({ state: "detached" });
  await link.focus();
  await v.page.getByRole("tooltip").waitFor();
  fine(v);
});

test("footnotes stand at the end of their text, and lead there and back", async () => {
  const v = await open("Noted");
  await v.page.locator(".text[data-state=whole]").waitFor();
  await v.page.locator(".embed .footnotes", { hasText: "Another note." }).waitFor();
  const own = v.page.locator(".text > .footnotes li");
  assert.deepEqual((await own.allInnerTexts()).map((t) => t.replace(/\s+/g, " ").trim()), ["Of hemp, long ones. ↩", "By Rich. ↩"]);
  assert.match(await v.page.locator(".text > p").first().innerText(), /Ropes1 hold, and so do knots.2 Ropes1 wear; \[\^nothing\] is none/);
  await v.page.getByRole("link", { name: "Footnote 1" }).first().click();
  await v.page.waitForFunction(() => document.activeElement?.id === "fn-1");
  await own.getByRole("link", { name: "Back to footnote 1 in the text" }).click();
  await v.page.waitForFunction(() => document.activeElement?.id === "fr-1");
  assert.equal(await v.page.locator("[id=fr-1]").count(), 1);
  fine(v);
});
