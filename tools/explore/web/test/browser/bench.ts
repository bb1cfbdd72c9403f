// How long one waits: for the first paint over the example, for the whole of 100,000
// memories, and for the neighbourhood of the most linked of them. Run by make bench-web.

import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { example, rest, settled, Store, visit as visitShared } from "./world.ts";

process.env["CHROMIUM"] ??= "/usr/bin/chromium"; // as people have it

/** visit opens an address in a tab that has shown nothing before, as somebody does who comes. */
const visit: typeof visitShared = (address, options) => visitShared(address, { own: true, ...options });

const memories = 100_000;
const edges = 500_000;
const runs = 7;

const renderers = new Set<string>();
const figures: [string, number[]][] = [];
after(() => {
  console.log(`\n${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}; milliseconds: median of ${runs}, least, most`);
  for (const [what, all] of figures) {
    const sorted = all.toSorted((a, b) => a - b);
    console.log(`| ${what} | ${shown(sorted[sorted.length >> 1]!)} | ${shown(sorted[0]!)} | ${shown(sorted.at(-1)!)} |`);
  }
});

const shown = (ms: number): string => (ms < 20 ? ms.toFixed(1) : String(Math.round(ms)));

async function time(what: string, once: () => Promise<number>): Promise<void> {
  await once(); // the first warms the caches of the machine
  const all: number[] = [];
  for (let i = 0; i < runs; i++) all.push(await once());
  figures.push([what, all]);
}

const paint = async (address: string): Promise<number> => {
  const v = await visit(address);
  const at = await v.page.evaluate(() => new Promise<number>((done) => {
    new PerformanceObserver((list) => {
      const first = list.getEntriesByName("first-contentful-paint")[0];
      if (first) done(first.startTime);
    }).observe({ type: "paint", buffered: true });
  }));
  await v.page.context().close();
  return at;
};

test("first paint", async () => {
  const url = await example().explore();
  await time("yardstick: first paint of a page of one word", () => paint("data:text/html,<p>word"));
  await time("first paint, search over the example", () => paint(url + "search"));
  await time("search over the example, results there", async () => {
    const v = await visit(url + "?q=hold+seats");
    await v.page.locator(".hit").first().waitFor();
    const at = await v.page.evaluate(() => performance.now());
    await v.page.context().close();
    return at;
  });
});

test("what is loaded first", async () => {
  const v = await visit("about:blank");
  let bytes = 0;
  const all: Promise<void>[] = [];
  v.page.on("response", (r) => {
    if (/\/explore\/(?:$|assets\/)/.test(new URL(r.url()).pathname)) all.push(r.body().then((b) => void (bytes += gzipSync(b).length)));
  });
  const url = await example().explore();
  await v.page.goto(url);
  await rest(v);
  await Promise.all(all.splice(0));
  figures.push(["the page, kB compressed", [bytes / 1000]]);
  await v.page.goto(url + "graph");
  await v.page.locator(".stage[data-state=settled]").waitFor();
  await rest(v);
  await Promise.all(all);
  figures.push(["with the graph, kB compressed", [bytes / 1000]]);
});

test("a note of 2,900 links", async () => {
  const store = new Store("hub");
  const room = mkdtempSync(join(tmpdir(), "hence-hub-"));
  after(() => rmSync(room, { recursive: true, force: true }));
  mkdirSync(join(room, "n"));
  for (let i = 0; i < 2900; i++) writeFileSync(join(room, "n", `Note ${i}.md`), `Number ${i}.\n`);
  writeFileSync(join(room, "Hub.md"), Array.from({ length: 2900 }, (_, i) => `- [[Note ${i}|number ${i}]], of which something is said\n`).join(""));
  store.hence("import", room, "--name", "hub");
  const url = await store.explore(), id = store.id("Hub");
  await time("a note of 2,900 links, its text begun", () => seen(`${url}memory/${id}`, ".text li a"));
  await time("the same, all of it there", () => seen(`${url}memory/${id}`, ".text[data-state=whole]"));
});

/** seen is when something stands on a page, from an empty tab. */
async function seen(address: string, selector: string): Promise<number> {
  const v = await visit("about:blank");
  await v.page.addInitScript((selector) => {
    const w = window as unknown as { seen_: number };
    const look = (): void => {
      if (document.querySelector(selector)) w.seen_ = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  }, selector);
  await v.page.goto(address);
  await v.page.waitForFunction(() => (window as unknown as { seen_?: number }).seen_ !== undefined);
  const at = await v.page.evaluate(() => (window as unknown as { seen_: number }).seen_);
  await v.page.context().close();
  return at;
}

test("the neighbourhood of the most linked of 100,000", async () => {
  const store = new Store("large");
  const lines = createWriteStream(store.file + ".jsonl");
  let seed = 1;
  const random = (below: number): number => { // the same store every time
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const line = async (x: object): Promise<void> => {
    if (!lines.write(JSON.stringify(x) + "\n")) await new Promise<void>((free) => lines.once("drain", () => free()));
  };
  const word = (n: number): string => [n % 16, (n >> 4) % 16, n >> 8].map((part) => "bdfgklmn"[part & 7]! + "ao"[part >> 3 & 1]! + "rst"[part % 3]!).join("");
  const some = (): string => word(Math.floor(4000 * (random(memories) / memories) ** 2)); // few words are frequent
  for (let i = 0; i < memories; i++) await line({ type: "memory", id: `memory-${i}`, title: `Memory ${i}`, content: `What is remembered as number ${i}: ${some()} ${some()} ${some()} ${some()}.`, kind: ["fact", "decision", "event"][i % 3] });
  const kinds = ["causes", "supports", "relates-to", "derived-from", "part-of", "follows"];
  for (let i = 0; i < edges; i++) {
    const from = random(memories);
    const to = Math.floor(memories * (random(memories) / memories) ** 3); // few have many
    if (from !== to) await line({ type: "edge", from: `memory-${from}`, to: `memory-${to}`, edge_type: kinds[i % kinds.length] });
  }
  lines.end();
  await finished(lines);
  store.hence("import", store.file + ".jsonl");
  const overview = JSON.parse(store.hence("overview", "--json")) as { most_linked: { id: string; title: string; edges: number }[] };
  const hub = overview.most_linked[0]!;
  console.log(`the most linked has ${hub.edges} edges`);
  const url = await store.explore();
  const drawn = async (path: string): Promise<number> => {
    const v = await visit(url + path);
    v.page.setDefaultTimeout(120_000);
    await settled(v.page);
    const at = await v.page.evaluate(() => performance.now());
    await v.page.context().close();
    return at;
  };
  const computed = async (path: string): Promise<number> => { // by the page's main thread, whatever else the machine does
    const v = await visit("about:blank");
    const session = await v.page.context().newCDPSession(v.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    v.page.setDefaultTimeout(120_000);
    await v.page.goto(url + path);
    await settled(v.page);
    const { metrics } = await session.send("Performance.getMetrics");
    await v.page.context().close();
    return 1000 * (metrics.find((m) => m.name === "TaskDuration")?.value ?? NaN);
  };
  await time("yardstick: get_neighborhood alone, 200 memories", async () => {
    const v = await visit(url + "nothing");
    const took = await v.page.evaluate(async (id) => {
      const start = performance.now();
      await (await fetch("/explore/api/call/get_neighborhood", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ id, limit: 200 }) })).json();
      return performance.now() - start;
    }, hub.id);
    await v.page.context().close();
    return took;
  });
  const answered = async (query: string): Promise<number> => {
    const v = await visit(url + "nothing");
    await rest(v);
    const took = await v.page.evaluate(async (query) => {
      const start = performance.now();
      await (await fetch("/explore/api/search", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query, status: "current", limit: 20 }) })).json();
      return performance.now() - start;
    }, query);
    await v.page.context().close();
    return took;
  };
  await time("search as one types, two words that some memories have: asked and answered", () => answered(`${some()} ${some()}`));
  await time("search as one types, two words that all have, and a number", () => answered(`remembered number ${random(memories)}`));
  await time("search as one types, words that some memories have, until the results stand there", async () => {
    const v = await visit(url + "?q=nothing+like+this");
    await v.page.locator(".results[aria-busy=false] .count").waitFor();
    await rest(v);
    const asked = v.page.waitForRequest((r) => r.url().endsWith("/api/search"));
    await v.page.getByLabel("Search memories").fill(`${some()} ${some()}`);
    await asked;
    const start = Date.now();
    await v.page.locator(".results[aria-busy=false] .hit").first().waitFor();
    const took = Date.now() - start;
    await v.page.context().close();
    return took;
  });
  const whole = async (): Promise<number> => {
    const v = await visit(url + "graph");
    v.page.setDefaultTimeout(120_000);
    await v.page.locator(".stage[data-state=settled]").waitFor();
    const at = await v.page.evaluate(() => new Promise<number>((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))); // the renderer has drawn it
    }));
    await v.page.context().close();
    return at;
  };
  await time("the whole store drawn, from an empty tab", whole);
  await time("the same, the first time after a change", async () => {
    store.hence("store", `A change, ${random(memories)}.`);
    return whole();
  });
  const dragged = async (): Promise<{ took: number; computed: number }> => { // for each time that the picture is drawn
    const v = await visit("about:blank");
    v.page.setDefaultTimeout(120_000);
    const session = await v.page.context().newCDPSession(v.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async (): Promise<number> => 1000 * ((await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration")?.value ?? NaN);
    await v.page.addInitScript(() => {
      const w = window as unknown as { drawn_: number };
      w.drawn_ = 0;
      const draw = WebGL2RenderingContext.prototype.drawArraysInstanced;
      WebGL2RenderingContext.prototype.drawArraysInstanced = function (...all) {
        if ((this.canvas as HTMLCanvasElement).className === "sigma-edges") w.drawn_++; // once a picture
        draw.apply(this, all);
      };
    });
    await v.page.goto(url + "graph");
    await v.page.locator(".stage[data-state=settled]").waitFor();
    const renderer = await v.page.evaluate(() => {
      const gl = document.createElement("canvas").getContext("webgl2")!;
      const told = gl.getExtension("WEBGL_debug_renderer_info");
      return told ? String(gl.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "a renderer that is not told";
    });
    if (!renderers.has(renderer)) console.log(`drawn by ${renderer}`);
    renderers.add(renderer);
    const drawn = (): Promise<number> => v.page.evaluate(() => (window as unknown as { drawn_: number }).drawn_);
    await v.page.mouse.move(200, 200);
    await v.page.mouse.down();
    const start = Date.now(), before = await drawn(), atRest = await busy();
    await v.page.mouse.move(700, 600, { steps: 60 });
    await v.page.mouse.up();
    const frames = (await drawn()) - before;
    const cost = { took: (Date.now() - start) / frames, computed: ((await busy()) - atRest) / frames };
    await v.page.context().close();
    return cost;
  };
  await time("a frame while the whole store is dragged, in milliseconds", async () => (await dragged()).took);
  await time("the same, computed by the page", async () => (await dragged()).computed);
  await time("its neighbourhood drawn, from an empty tab", () => drawn(`graph?seed=${hub.id}`));
  await time("the same, computed by the page", () => computed(`graph?seed=${hub.id}`));
  await time("two steps around it", () => drawn(`graph?seed=${hub.id}&depth=2`));
  await time("all its neighbours, at most 2,000", () => drawn(`graph?seed=${hub.id}&open=${hub.id}`));
  await time("the same, computed by the page", () => computed(`graph?seed=${hub.id}&open=${hub.id}`));
  await time("a frame while that is dragged, computed by the page", async () => {
    const v = await visit(`${url}graph?seed=${hub.id}&open=${hub.id}`);
    v.page.setDefaultTimeout(120_000);
    await settled(v.page);
    const session = await v.page.context().newCDPSession(v.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async (): Promise<number> => 1000 * ((await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration")?.value ?? NaN);
    await v.page.evaluate(() => {
      const w = window as unknown as { frames_: number };
      w.frames_ = 0;
      const frame = (): void => { w.frames_++; requestAnimationFrame(frame); };
      requestAnimationFrame(frame);
    });
    const before = await busy();
    await v.page.mouse.move(80, 120);
    await v.page.mouse.down();
    await v.page.mouse.move(600, 700, { steps: 90 });
    await v.page.mouse.up();
    const frames = await v.page.evaluate(() => (window as unknown as { frames_: number }).frames_);
    const took = (await busy()) - before;
    await v.page.context().close();
    return took / frames;
  });
});
