import assert from "node:assert/strict";
import { before, test } from "node:test";
import { example, fine, rest, toast, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const open = (title: string, options = {}) => visit(url + "memory/" + store.id(title), options);

test("text is rendered, and a link in it leads to the memory", async () => {
  const v = await open("Home");
  await v.page.locator(".text table").waitFor();
  assert.equal(await v.page.locator(".text th").nth(2).evaluate((th) => getComputedStyle(th).textAlign), "right");
  await v.page.locator(".text a", { hasText: "systems" }).click();
  await v.page.getByRole("heading", { level: 1, name: "README" }).waitFor();
  await v.page.locator(".eyebrow", { hasText: "example/systems/" }).waitFor();
  await v.page.goBack();
  await v.page.locator(".text a", { hasText: "decisions in force" }).click();
  await v.page.locator(".eyebrow", { hasText: "example/decisions/" }).waitFor();
  fine(v);
});

test("a link to nothing is text", async () => {
  const v = await open("2026-05-30 Kråkø scanners refused paid cars");
  await v.page.locator(".text .dangling", { hasText: "Scanner firmware 3.9" }).waitFor();
  fine(v);
});

test("a stored text leads on by the names in it, and its first line is a title without signs", async () => {
  store.hence("store", "See [[Booking API]] and [[Nothing of the kind]].");
  const v = await open("See [[Booking API]] and [[Nothing of the kind]].");
  await v.page.getByRole("heading", { level: 1, name: "See Booking API and Nothing of the kind." }).waitFor();
  await v.page.locator(".text .dangling", { hasText: "Nothing of the kind" }).waitFor();
  await v.page.locator(".text").getByRole("link", { name: "Booking API" }).click();
  await v.page.getByRole("heading", { level: 1, name: "Booking API" }).waitFor();
  fine(v);
});

test("edges stand by kind and direction, with the places that declare them", async () => {
  const v = await open("Seat Ledger");
  const group = v.page.locator(".edge-group", { hasText: "Depended on by" });
  await group.getByRole("link", { name: "Booking API" }).waitFor();
  assert.match(await group.locator(".sites").first().innerText(), /Booking API\.md:\d+/);
  await v.page.locator(".edge-group", { hasText: "Depends on" }).getByRole("link", { name: "Tie holds to the payment attempt" }).waitFor();
  fine(v);
});

test("a line of succession, oldest first", async () => {
  const v = await open("Tie holds to the payment attempt");
  const line = v.page.locator(".succession li");
  await line.first().waitFor();
  assert.deepEqual(await line.locator("a.title, strong").allInnerTexts(), ["Hold seats in the session cache", "Hold seats in the ledger for ten minutes", "Tie holds to the payment attempt"]);
  fine(v);
});

test("what it rests on, why it is stale, and verifying it", async () => {
  const v = await open("Terminal Scanners");
  await v.page.locator(".stale-note", { hasText: "Hold seats in the ledger for ten minutes was superseded" }).waitFor();
  await v.page.locator(".tree .tree .tree", { hasText: "Hold seats in the session cache" }).waitFor();
  await v.page.getByRole("button", { name: "It still holds" }).click();
  await v.page.getByLabel("Note").fill("read the firmware");
  await v.page.locator("dialog", { hasText: "It is verified, and stale no more." }).getByRole("button", { name: "It still holds" }).click();
  await toast(v, "“Terminal Scanners” is verified.");
  await v.page.locator(".stale-note").waitFor({ state: "detached" });
  await v.page.getByText("read the firmware").first().waitFor(); // its history may have it too
  fine(v);
});

test("linking, unlinking and forgetting", async () => {
  const v = await open("Refused locks last under a second");
  await v.page.getByRole("button", { name: "Link", exact: true }).click();
  await v.page.getByLabel("The other memory").fill("job queue");
  await v.page.getByRole("option", { name: /Job Queue/ }).click();
  await v.page.getByLabel("Kind").selectOption("causes");
  await v.page.getByLabel("The other way round").check();
  await v.page.locator("dialog").getByRole("button", { name: "Link", exact: true }).click();
  const group = v.page.locator(".edge-group", { hasText: "Caused by" });
  await group.getByRole("link", { name: "Job Queue" }).waitFor();
  await group.getByRole("button", { name: "Unlink Job Queue" }).click();
  await group.waitFor({ state: "detached" });
  await v.page.getByRole("button", { name: "Forget" }).click();
  await v.page.locator("dialog").getByRole("button", { name: "Forget" }).click();
  await v.page.getByText("It is out of every search").waitFor();
  await v.page.getByRole("button", { name: "Restore" }).click();
  await v.page.getByRole("button", { name: "Forget" }).waitFor();
  fine(v);
});

test("what was just done is said for a while, and as long as one points at it", async () => {
  const v = await open("Refused locks last under a second", { own: true });
  const shown = v.page.locator(".toast.shown");
  await v.page.getByRole("button", { name: "Forget" }).click();
  await v.page.clock.install();
  await v.page.locator("dialog").getByRole("button", { name: "Forget" }).click();
  await shown.hover();
  await v.page.clock.runFor(60_000);
  assert.equal(await shown.count(), 1);
  await v.page.mouse.move(5, 300);
  await v.page.clock.runFor(13_000);
  await shown.waitFor({ state: "detached" });
  await v.page.getByRole("button", { name: "Restore" }).click();
  fine(v);
});

test("what cannot be done is said, and nothing is lost of what was typed", async () => {
  const v = await open("Seat Ledger");
  await v.page.getByRole("button", { name: "Link", exact: true }).click();
  await v.page.getByLabel("The other memory").fill("booking api");
  await v.page.getByRole("option", { name: /^Booking API/ }).click();
  await v.page.getByLabel("Kind").selectOption("depends-on"); // Booking API rests on Seat Ledger: a circle
  await v.page.getByLabel("Note").fill("kept");
  await v.page.locator("dialog").getByRole("button", { name: "Link", exact: true }).click();
  await v.page.locator("dialog .trouble").waitFor();
  assert.match(await v.page.locator("dialog .trouble").innerText(), /cycle/i);
  assert.equal(await v.page.getByLabel("Note").inputValue(), "kept");
  fine(v);
});

test("memories of one title are told apart by their folders, in lists and where a name means several", async () => {
  const v = await open("Home");
  const to = v.page.locator(".edge-group", { hasText: "Links to" });
  await to.locator("li", { hasText: /^README example\/decisions\// }).waitFor();
  await to.locator("li", { hasText: /^README example\/systems\// }).waitFor();
  assert.equal(await to.locator("li", { hasText: "Seat Ledger" }).locator(".apart").count(), 0);
  await v.page.goto(url + "memory/README");
  const trouble = v.page.locator(".trouble");
  await trouble.getByText('"README" is the name of several memories.', { exact: true }).waitFor();
  await trouble.locator("li", { hasText: "example/systems/" }).getByRole("link").click();
  await v.page.locator(".eyebrow", { hasText: "example/systems/" }).waitFor();
  fine(v);
});

test("a memory that is not there is said not to be", async () => {
  const v = await visit(url + "memory/no-such-thing");
  await v.page.locator(".trouble").waitFor();
  assert.match(await v.page.locator(".trouble").innerText(), /no-such-thing|purged/);
  fine(v);
});

test("a memory without text shows its picture, or says what it is", async () => {
  const v = await open("Home");
  await v.page.locator(".text a", { hasText: "Hold lifecycle" }).first().hover();
  await v.page.locator(".peek", { hasText: "It has no text." }).waitFor();
  await v.page.locator(".text a", { hasText: "Hold lifecycle" }).first().click();
  await v.page.getByRole("heading", { level: 1, name: "Hold lifecycle.canvas" }).waitFor();
  await v.page.getByText("A canvas. The notes and links on its cards are among its edges.").waitFor();
  await v.page.locator(".edges").getByRole("link", { name: "Payment Gateway" }).waitFor();
  await v.page.locator(".edges").getByRole("link", { name: "hold-timeline.svg" }).click();
  await v.page.locator(".memory img[alt='hold-timeline.svg']").waitFor();
  assert.ok(await v.page.locator(".memory img").evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth > 0)));
  fine(v);
});

test("a view that fails leaves the frame, and the way to another", async () => {
  const v = await open("Seat Ledger");
  await v.page.route("**/call/memory_get", (route) => route.fulfill({ json: { memories: [{ id: "x", title: "Broken" }] } }));
  await v.page.reload();
  await v.page.getByRole("heading", { name: "This view cannot be shown" }).waitFor();
  await v.page.getByRole("link", { name: "Overview" }).click();
  await v.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await v.page.unroute("**/call/memory_get");
  await v.page.goBack();
  await v.page.getByRole("heading", { level: 1, name: "Seat Ledger" }).waitFor();
  await rest(v);
  assert.ok(v.wrong.length > 0 && v.wrong.every((w) => w.startsWith("console: ")), v.wrong.join());
});

test("of much that rests on a memory the nearest is shown, and the rest when asked", async () => {
  const hub = "Boarding lists are printed by hand";
  for (let n = 1; n <= 11; n++) store.hence("store", `Kiosk ${n} relies on the list.`, "--title", `Kiosk ${n}`, "--link", `depends-on=${n < 11 ? hub : "Kiosk 10"}`);
  const v = await open(hub);
  const section = v.page.locator("section", { has: v.page.getByRole("heading", { name: /^What rests on it/ }) });
  await section.getByRole("link").nth(7).waitFor();
  assert.equal(await section.getByRole("link").count(), 8);
  await section.getByRole("button", { name: "Show all 11" }).click();
  await section.locator(".tree .tree").getByRole("link", { name: "Kiosk 11" }).waitFor();
  assert.equal(await section.getByRole("link").count(), 11);
  fine(v);
});
