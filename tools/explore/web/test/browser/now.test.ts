// A page while somebody else changes the store.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { example, fine, listens, rest, toast, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const boarding = "Boarding lists are printed by hand";
const line = ".now-line.shown";

test("a change elsewhere is told in a line, and the page shows it; who reads far below stays there", async () => {
  const id = store.id(boarding);
  const v = await visit(url + "memory/" + id, { viewport: { width: 1000, height: 360 } });
  await v.page.locator(".text", { hasText: "The kiosk at Vassby" }).waitFor();
  await listens(v);
  await rest(v); // a page that still grows scrolls less far
  await v.page.evaluate(() => scrollTo(0, 400));
  const top = await v.page.evaluate(() => scrollY);
  store.hence("update", id, "--content", "The kiosk at Vassby prints them at dawn.");
  await v.page.locator(line, { hasText: `ada edited “${boarding}”.` }).waitFor();
  await v.page.locator(".text", { hasText: "prints them at dawn" }).waitFor();
  assert.equal(await v.page.evaluate(() => scrollY), top);
  assert.equal(await v.page.locator(line).getByRole("button", { name: "Draw it again" }).count(), 0);
  await v.page.getByRole("button", { name: "Dismiss what changed" }).click();
  await v.page.locator(line).waitFor({ state: "detached" });
  fine(v);
});

test("a new memory comes into the list, and what one types stays", async () => {
  const v = await visit(url + "?q=xylotheque");
  await v.page.getByText("Nothing found.").waitFor();
  await listens(v);
  await v.page.getByRole("button", { name: "Store a memory" }).click();
  await v.page.getByLabel("What is to be remembered").fill("Half a thought");
  store.hence("store", "The xylotheque stands on the pier.", "--title", "Xylotheque");
  await v.page.locator(line, { hasText: "ada stored “Xylotheque”" }).waitFor();
  assert.equal(await v.page.getByLabel("What is to be remembered").inputValue(), "Half a thought");
  assert.equal(await v.page.locator(".hit").count(), 0); // not before the dialog is closed
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("button", { name: "Throw away" }).click();
  await v.page.locator(".hit", { hasText: "Xylotheque" }).waitFor();
  assert.equal(await v.page.getByLabel("Search memories").inputValue(), "xylotheque");
  await v.page.locator(line).getByRole("link", { name: "“Xylotheque”" }).click();
  await v.page.getByRole("heading", { level: 1, name: "Xylotheque" }).waitFor();
  fine(v);
});

test("what one does oneself is not told as news", async () => {
  const v = await visit(url + "memory/" + store.id(boarding), { own: true });
  await listens(v);
  const after = visit(url + "search"); // another page of the same person, which is told
  await listens(await after);
  await v.page.clock.setFixedTime(Date.now()); // the page takes news within five seconds for its own
  await v.page.getByRole("button", { name: "Forget" }).click();
  await v.page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await toast(v, "is forgotten");
  await v.page.locator(".toast").hover(); // so that it stays
  await (await after).page.locator(line, { hasText: "forgot “Boarding lists" }).waitFor();
  assert.equal(await v.page.locator(line).count(), 0);
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await toast(v, "Taken back");
  fine(v);
});

test("of two who edit, the second is told, and nothing is overwritten", async () => {
  const id = store.id(boarding);
  const [a, b] = [await visit(url + "memory/" + id), await visit(url + "memory/" + id)];
  await listens(a);
  for (const v of [a, b]) {
    await v.page.getByRole("button", { name: "Edit" }).click();
    await v.page.getByText(/You edit revision \d/).waitFor();
  }
  await a.page.getByLabel("Text", { exact: true }).fill("By the first.");
  await b.page.getByLabel("Text", { exact: true }).fill("By the second.");
  await b.page.getByRole("button", { name: "Save" }).click();
  await b.page.locator(".text", { hasText: "By the second." }).waitFor();
  const told = a.page.locator(".conflict");
  await told.getByText("ada has changed it meanwhile.").waitFor();
  await told.locator(".difference .new", { hasText: "By the second." }).waitFor();
  assert.equal(await a.page.getByLabel("Text", { exact: true }).inputValue(), "By the first.");
  assert.ok(await a.page.getByRole("button", { name: "Save" }).isDisabled());
  await told.getByRole("button", { name: "Edit theirs" }).click();
  assert.equal(await a.page.getByLabel("Text", { exact: true }).inputValue(), "By the second.");
  await a.page.getByRole("button", { name: "Bring back what I wrote" }).click();
  await a.page.getByRole("button", { name: "Save" }).click();
  await a.page.locator(".text", { hasText: "By the first." }).waitFor();
  await rest(a); // the history has the edit too
  await a.page.locator(".history summary").first().click();
  await a.page.locator(".history .difference .gone", { hasText: "second." }).waitFor();
  await a.page.locator(".history .difference .new mark", { hasText: "first" }).waitFor();
  fine(a);
  fine(b);
});

test("a dialog says that its memory has changed, and asks anew what it shows when it is closed", async () => {
  const id = store.id("Retry a refused lock twice");
  const v = await visit(url + "memory/" + id);
  await listens(v);
  await v.page.getByRole("button", { name: "Supersede" }).click();
  await v.page.getByLabel("What holds now").fill("Three times.");
  store.hence("update", id, "--content", "Thrice, by now.");
  await v.page.getByRole("dialog").getByText("This has changed meanwhile: ada edited").waitFor();
  assert.equal(await v.page.getByLabel("What holds now").inputValue(), "Three times.");
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("button", { name: "Throw away" }).click();
  await v.page.locator(".text", { hasText: "Thrice, by now." }).waitFor();
  fine(v);
});

test("a drawing holds still until it is asked to be drawn again", async () => {
  const v = await visit(url + "graph");
  await v.page.locator(".stage[data-state=settled]").waitFor();
  await listens(v);
  const dots = (): Promise<number> => v.page.locator(".stage").getAttribute("data-dots").then(Number);
  const before = await dots();
  store.hence("store", "A buoy is red.", "--title", "Buoy");
  await v.page.locator(line, { hasText: "stored “Buoy”" }).waitFor();
  assert.equal(await dots(), before);
  await v.page.getByRole("button", { name: "Draw it again" }).click();
  await v.page.waitForFunction((n) => Number(document.querySelector<HTMLElement>(".stage")?.dataset["dots"]) === n, before + 1);
  await v.page.locator(line).waitFor({ state: "detached" });
  fine(v);
});

test("a page that nobody sees stops listening, and catches up", async () => {
  const id = store.id(boarding);
  const v = await visit(url + "memory/" + id);
  await listens(v);
  const seen = (is: boolean) => v.page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => !is });
    document.dispatchEvent(new Event("visibilitychange"));
  }, is);
  const ended = v.page.waitForEvent("requestfailed", (r) => r.url().endsWith("/api/events"));
  await seen(false);
  await ended;
  store.hence("update", id, "--content", "While nobody looked.");
  await seen(true);
  await v.page.locator(".text", { hasText: "While nobody looked." }).waitFor();
  await v.page.locator(line, { hasText: "ada edited" }).waitFor();
  fine(v);
});

test("what could not be asked again for now is asked once more", async () => {
  const id = store.id(boarding);
  const v = await visit(url + "memory/" + id);
  await v.page.locator(".text", { hasText: "While nobody looked." }).waitFor();
  await listens(v);
  let refusals = 0;
  const busy = { error: { code: "unavailable", message: "the store is busy" } };
  await v.page.route("**/api/call/memory_get", (route) => (refusals++ < 2 ? route.fulfill({ status: 503, json: busy }) : route.fallback()));
  store.hence("update", id, "--content", "Written while the store was busy.");
  await v.page.locator(".text", { hasText: "Written while the store was busy." }).waitFor();
  assert.ok(refusals > 2);
  fine(v);
});

test("a page says that hence has gone", async () => {
  const v = await visit(url + "search");
  await listens(v);
  await v.page.locator(".hit").first().waitFor();
  store.stop();
  await v.page.locator(line, { hasText: "hence does not answer" }).waitFor();
  assert.ok(await v.page.locator(".hit").count() > 0, "what was shown stays");
});
