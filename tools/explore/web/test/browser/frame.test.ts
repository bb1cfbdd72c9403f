// Two things that come in one frame: the earlier must not be taken for one of after the later.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { plant } from "./plant.ts";
import { Store, example, fine, listens, rest, toast, visit, type Visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

/** hold keeps back the answers to requests whose address and body match, until release is called on the page: the last one first. */
async function hold(v: Visit, what: RegExp): Promise<{ held: (n: number) => Promise<unknown>; release: () => Promise<void> }> {
  await v.page.evaluate((source) => {
    const real = window.fetch, pattern = new RegExp(source), held: (() => void)[] = [];
    const hold = Object.assign(window, { hold: { n: 0, on: true, release: () => { hold.on = false; held.splice(0).reverse().forEach((go) => go()); } } }).hold;
    window.fetch = async (...asked) => {
      const answer = await real(...asked);
      if (!hold.on || !pattern.test(`${asked[0]} ${asked[1]?.body ?? ""}`)) return answer;
      const whole = new Response(await answer.text(), answer);
      hold.n++;
      await new Promise<void>((go) => held.push(go));
      return whole;
    };
  }, what.source);
  return {
    held: (n) => v.page.waitForFunction((n) => (window as unknown as { hold: { n: number } }).hold.n >= n, n),
    release: () => v.page.evaluate(() => (window as unknown as { hold: { release: () => void } }).hold.release()),
  };
}

/** onceDrawn has the page do something as soon as a render has made a selector match, before the browser draws. */
function onceDrawn(v: Visit, selector: string, act: string): Promise<void> {
  return v.page.evaluate(`void new MutationObserver((_, watch) => {
    if (!document.querySelector(${JSON.stringify(selector)})) return;
    watch.disconnect();
    ${act}
    document.documentElement.dataset.acted = "";
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })`);
}

const acted = (v: Visit) => v.page.locator("html[data-acted]").waitFor({ state: "attached" });

test("who goes elsewhere as it turns out that something waits is not led to the review", async () => {
  const v = await visit(url + "search");
  await rest(v);
  let open = (): void => undefined;
  const opened = new Promise<void>((go) => { open = go; });
  await v.page.route(/api\/stale$/, async (r) => { // the page asks again if the store changes in the meantime
    await opened;
    await r.continue().catch(() => undefined);
  });
  const asked = v.page.waitForRequest(/api\/stale$/);
  await v.page.goto(url);
  await asked;
  await onceDrawn(v, ".place .mark-count .hush", `
    const link = document.querySelector('nav .place[href$="overview"]');
    link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    link.click();`);
  open();
  await acted(v);
  await v.page.locator(".overview").waitFor();
  await rest(v);
  assert.equal(new URL(v.page.url()).pathname, "/explore/overview");
  fine(v);
});

test("what one types as another question comes into the field stays", async () => {
  const v = await visit(url + "search?q=ledger");
  await v.page.locator(".hit", { hasText: "Seat Ledger" }).first().waitFor();
  await rest(v);
  await onceDrawn(v, ".at-start", `
    const field = document.querySelector("#search-field");
    field.value = "kiosk ";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));`);
  await v.page.locator("nav .place", { hasText: "Search" }).click();
  await acted(v);
  await v.page.waitForURL(/q=kiosk/);
  assert.equal(await v.page.getByLabel("Search memories").inputValue(), "kiosk ");
  fine(v);
});

test("a conflict that is settled is not shown again by an answer from before", async () => {
  const title = "Refused locks last under a second", id = store.id(title);
  const v = await visit(url + "memory/" + id);
  await listens(v);
  await v.page.getByRole("button", { name: "Edit" }).click();
  await v.page.getByText(/You edit revision \d/).waitFor();
  await v.page.getByLabel("Text", { exact: true }).fill("Mine.");
  store.hence("update", id, "--content", "Of 412 refused locks, 409 were gone after 700 ms.");
  await v.page.locator(".conflict .difference").waitFor();
  await rest(v);
  const { held } = await hold(v, new RegExp(`memory_get .*${id}`));
  store.hence("link", id, "relates-to", store.id("Seat Ledger")); // it is read again, and is the same
  await held(1);
  await onceDrawn(v, "dialog form:not(:has(.conflict))", "window.hold.release()");
  await v.page.getByRole("button", { name: "Go on with mine" }).click();
  await acted(v);
  await rest(v);
  assert.equal(await v.page.locator(".conflict").count(), 0);
  await v.page.getByRole("button", { name: "Save" }).click();
  await v.page.locator(".text", { hasText: "Mine." }).waitFor();
  fine(v);
});

test("what one has just done is told in full length, whatever was told before", async () => {
  const own = new Store("toasts");
  plant(own);
  const v = await visit(await own.explore() + "review");
  await v.page.evaluate(() => { // keeps what would take a toast away
    const set = window.setTimeout, clear = window.clearTimeout, due = new Map<unknown, () => void>();
    Object.assign(window, { due });
    window.setTimeout = ((f: () => void, ms?: number) => {
      const timer = set(f, ms);
      if (ms === 12_000) due.set(timer, f);
      return timer;
    }) as typeof setTimeout;
    window.clearTimeout = (timer) => {
      due.delete(timer);
      clear(timer);
    };
  });
  await v.page.getByRole("button", { name: /^Reject: Spare winch/ }).click();
  await toast(v, "Rejected: Spare winch.");
  await v.page.waitForFunction(() => (window as unknown as { due: Map<unknown, () => void> }).due.size === 1);
  await v.page.evaluate(() => {
    const said = document.querySelector(".toast p")!, { due } = window as unknown as { due: Map<unknown, () => void> }, first = [...due];
    const watch = new MutationObserver(() => {
      watch.disconnect();
      first.forEach(([timer, f]) => due.has(timer) && f());
      document.documentElement.dataset["acted"] = "";
    });
    watch.observe(said, { subtree: true, childList: true, characterData: true });
  });
  await v.page.getByRole("button", { name: /^Reject: Spare crane/ }).click();
  await acted(v);
  await rest(v);
  assert.equal(await v.page.locator(".toast p").innerText(), "Rejected: Spare crane.");
  fine(v);
});

test("names in an area that come late do not take the place of those that came since", async () => {
  const v = await visit(url + "graph?area=0&known_at=2026-03-01");
  const names = v.page.locator(".areas li"), days = v.page.getByLabel("As known on");
  await v.page.locator(".stage[data-state=settled]").waitFor();
  await rest(v);
  const { held, release } = await hold(v, /atlas_names /);
  await days.fill(String(Date.parse("2026-06-01") / 86_400_000));
  await held(1);
  await rest(v);
  await days.fill((await days.getAttribute("max"))!);
  await v.page.waitForURL((to) => !to.search.includes("known_at"));
  await rest(v);
  await release();
  await rest(v);
  const n = await names.count();
  await v.page.reload();
  await v.page.locator(".stage[data-state=settled]").waitFor();
  await rest(v);
  assert.equal(n, await names.count());
  fine(v);
});
