import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Request } from "playwright-core";
import { example, fine, leave, Store, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

test("results come as one types, with marks, reasons and how many there are", async () => {
  const v = await visit(url + "search");
  await v.page.getByLabel("Search memories").pressSequentially("hold seats", { delay: 20 });
  await v.page.waitForURL(/\?q=hold\+seats$/);
  await v.page.locator(".results[aria-busy=false] .count", { hasText: /memories found|The best/ }).waitFor();
  assert.match(await v.page.locator(".hit").first().innerText(), /Seat Ledger|hold/i);
  assert.ok(await v.page.locator(".hit mark").count() > 0, "a hit is marked");
  assert.match(await v.page.locator(".hit .why").first().innerText(), /words/);
  fine(v);
});

test("Enter opens the first result of what one has typed, however soon one presses it", async () => {
  const v = await visit(url + "search");
  for (const waits of [false, true]) {
    await v.page.goto(url + "search");
    await v.page.locator(".results[aria-busy=false] .hit").first().waitFor();
    await v.page.getByLabel("Search memories").pressSequentially("retry refused");
    if (waits) await v.page.locator(".results[aria-busy=false] .hit", { hasText: "Retry a refused lock twice" }).first().waitFor();
    await v.page.getByLabel("Search memories").fill("Payment Gateway");
    await v.page.keyboard.press("Enter");
    await v.page.getByRole("heading", { level: 1 }).and(v.page.getByText("Payment Gateway", { exact: true })).waitFor();
  }
  await v.page.getByRole("button", { name: "Link", exact: true }).click();
  const other = v.page.getByRole("combobox", { name: "The other memory" });
  await other.fill("retry refused lock");
  await v.page.getByRole("option", { name: /Retry a refused lock twice/ }).first().waitFor();
  await other.fill("Seat Ledger");
  await other.press("Enter");
  await v.page.locator(".picked", { hasText: "Seat Ledger" }).waitFor();
  fine(v);
});

test("what is found by its meaning says by which words", async () => {
  const own = new Store("meaning");
  own.hence("store", "Flow state: two hours of work without a break get the most done.");
  own.hence("store", "The queue listens on port 7100.");
  const v = await visit(`${await own.explore()}?q=productivity`);
  await v.page.locator(".hit", { hasText: "Flow state" }).locator(".why", { hasText: /meaning \(productivity ~ work/ }).waitFor();
  fine(v);
});

test("results are sorted by time, and the address keeps that", async () => {
  const v = await visit(url + "?q=hold+seats");
  await v.page.locator(".hit").first().waitFor();
  await v.page.getByLabel("Sort").selectOption("new");
  await v.page.waitForURL(/sort=new/);
  const times = () => v.page.locator(".results[aria-busy=false] .hit time.when").evaluateAll((all) => all.map((t) => t.getAttribute("datetime")!));
  await v.page.locator(".results[aria-busy=false] .hit time.when").first().waitFor();
  const found = await times();
  assert.ok(found.length > 3);
  assert.deepEqual(found, found.toSorted().reverse());
  await v.page.getByLabel("Sort").selectOption("old");
  await v.page.waitForFunction((first) => document.querySelector(".hit time.when")?.getAttribute("datetime") !== first, found[0]!);
  await v.page.reload();
  await v.page.locator(".results[aria-busy=false] .hit time.when").first().waitFor();
  assert.deepEqual(await times(), found.toSorted());
  fine(v);
});

test("what a text has in bold is no hit, and signs in it mark nothing", async () => {
  store.hence("store", "Hide **the whole** ribbon \u0002bar\u0003 in **focus** mode.", "--title", "Toolbars");
  const v = await visit(url + "?q=ribbon");
  const hit = v.page.locator(".hit", { hasText: "Toolbars" });
  await hit.waitFor();
  assert.deepEqual(await hit.locator("mark").allInnerTexts(), ["ribbon"]);
  assert.equal((await hit.locator(".snippet").innerText()).trim(), "Hide the whole ribbon bar in focus mode.");
  store.hence("forget", store.id("Toolbars"), "--purge");
  fine(v);
});

test("what contradicts a result stands beside it", async () => {
  const v = await visit(url + "?q=charge+card+booking");
  const hit = v.page.locator(".hit").filter({ has: v.page.locator("a.title", { hasText: "Charge the card at booking" }) }).first();
  await hit.getByText("contradicted", { exact: true }).waitFor();
  assert.match(await hit.innerText(), /Contradicted by Islanders want to pay at the quay/);
  await v.page.goto(url + "search");
  await v.page.locator(".hit").filter({ hasText: "Contradicted by Charge the card at booking" }).waitFor();
  fine(v);
});

test("an answer that comes late does not replace a later one", async () => {
  const v = await visit(url + "search");
  let freed: () => void = () => undefined;
  const held = new Promise<void>((free) => { freed = free; });
  await v.page.route("**/api/search", async (route) => {
    if (route.request().postData()?.includes('"ledger"')) await held;
    await route.continue().catch(() => undefined); // it was given up meanwhile
  });
  const field = v.page.getByLabel("Search memories");
  const asks = (r: Request) => r.postData()?.includes('"ledger"') === true;
  const first = v.page.waitForRequest(asks);
  const over = Promise.race([v.page.waitForEvent("requestfinished", asks), v.page.waitForEvent("requestfailed", asks)]);
  await field.fill("ledger");
  await first;
  await field.fill("handhelds");
  await v.page.waitForURL(/\?q=handhelds$/);
  const late = v.page.locator(".results[aria-busy=false] .hit", { hasText: "Terminal Scanners" }).first();
  await late.waitFor();
  freed();
  await over;
  await v.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.ok(await late.isVisible());
  assert.equal(await field.inputValue(), "handhelds");
  fine(v);
});

test("filters narrow by kind, tag, origin and status, and stay in the address", async () => {
  const v = await visit(url + "search");
  const answered = v.page.locator(".results[aria-busy=false]");
  await v.page.locator(".filters summary").click();
  await v.page.getByRole("option", { name: "decision (1)" }).waitFor({ state: "attached" });
  await v.page.getByLabel("Kind").selectOption("decision");
  await v.page.waitForURL(/\?kind=decision$/);
  await answered.locator(".hit").filter({ hasText: "Retry a refused lock twice" }).waitFor();
  assert.equal(await v.page.locator(".hit").count(), 1);
  await v.page.getByRole("button", { name: "No filters" }).click();
  await v.page.getByLabel("Origin").selectOption("agent");
  await v.page.waitForURL(/\?origin=agent$/);
  await answered.locator(".count", { hasText: "3 memories" }).waitFor();
  await v.page.getByLabel("Origin").selectOption("");
  await v.page.getByRole("button", { name: /#area\/terminals/ }).click();
  await v.page.waitForURL(/\?tag=area%2Fterminals$/);
  await answered.locator(".hit", { hasText: "Boarding lists are printed by hand" }).waitFor();
  await v.page.getByRole("button", { name: "No filters" }).click();
  await v.page.getByLabel("Status").selectOption("superseded");
  await v.page.waitForURL(/\?status=superseded$/);
  await answered.locator(".count", { hasText: "3 memories" }).waitFor();
  await v.page.reload();
  await answered.locator(".count", { hasText: "3 memories" }).waitFor();
  fine(v);
});

test("an address is shared, reloaded, gone back from and forward to", async () => {
  const v = await visit(url + "?q=payment");
  await v.page.locator(".hit").first().waitFor();
  const title = await v.page.locator(".hit a.title").first().innerText();
  await v.page.locator(".hit a.title").first().click();
  await v.page.getByRole("heading", { level: 1, name: title }).waitFor();
  await v.page.reload();
  await v.page.getByRole("heading", { level: 1, name: title }).waitFor();
  await v.page.goBack();
  await v.page.locator(".hit").first().waitFor();
  assert.equal(await v.page.getByLabel("Search memories").inputValue(), "payment");
  await v.page.goForward();
  await v.page.getByRole("heading", { level: 1, name: title }).waitFor();
  fine(v);
});

test("words that find nothing are said to find nothing", async () => {
  const v = await visit(url + "?q=zeppelin");
  await v.page.getByText("Nothing found.").waitFor();
  fine(v);
});

test("an odd question is an error in words or an answer, never a broken page", async () => {
  const v = await visit(url + "search");
  for (const odd of ['"', "kind:", "-", "tag:x tag:y -z", "(((", "* OR NEAR("]) {
    await v.page.getByLabel("Search memories").fill(odd);
    await v.page.waitForFunction((q) => new URLSearchParams(location.search).get("q") === q, odd);
    await v.page.locator(".results[aria-busy=false]").locator(".count, .trouble").first().waitFor();
  }
  fine(v);
});

test("a question of a time has what held then, and the time stays in the address", async () => {
  const file = store.file + ".times.jsonl";
  const fare = (id: string, title: string, at: string, more = {}) => JSON.stringify({ type: "memory", id, title, kind: "fare", content: "The fare, in coins.", created_at: at, ...more });
  writeFileSync(file, [
    fare("fare-old", "Fare of two coins", "2026-01-10T00:00:00Z"),
    fare("fare-new", "Fare of three coins", "2026-02-01T00:00:00Z"),
    fare("fare-summer", "Fare of summer", "2026-01-01T00:00:00Z", { valid_to: "2026-03-01T00:00:00Z" }),
    JSON.stringify({ type: "edge", from: "fare-new", to: "fare-old", edge_type: "supersedes", created_at: "2026-02-01T00:00:00Z" }),
  ].join("\n"));
  store.hence("import", file);
  const v = await visit(url + "?q=fare+kind%3Afare");
  const titles = async (): Promise<string[]> => (await v.page.locator(".results[aria-busy=false] .hit a.title").allInnerTexts()).sort();
  await v.page.locator(".count", { hasText: "1 memory found" }).waitFor();
  assert.deepEqual(await titles(), ["Fare of three coins"]);
  await v.page.locator(".filters summary").click();
  await v.page.getByLabel("What held on").fill("2026-01-15");
  await v.page.getByLabel("What held on").press("Enter");
  await v.page.waitForURL(/as_of=2026-01-15/);
  await v.page.locator(".results[aria-busy=false] .count", { hasText: "2 memories found" }).waitFor();
  assert.deepEqual(await titles(), ["Fare of summer", "Fare of two coins"]);
  await v.page.locator(".hit", { hasText: "over since" }).waitFor();
  await v.page.reload();
  await v.page.locator(".results[aria-busy=false] .count", { hasText: "2 memories found" }).waitFor();
  await v.page.getByRole("button", { name: "No filters" }).click();
  await v.page.getByLabel("As known on").fill("2026-01-15");
  await v.page.getByLabel("As known on").press("Enter");
  await v.page.waitForURL(/known_at=2026-01-15/);
  await v.page.locator(".results[aria-busy=false] .count", { hasText: "2 memories found" }).waitFor();
  await v.page.getByLabel("As known on").fill("never");
  await v.page.getByLabel("As known on").press("Enter");
  await v.page.locator(".trouble", { hasText: "known_at" }).waitFor();
  fine(v);
  await leave(v);

  const overview = await visit(url + "overview?as_of=2026-01-15");
  await overview.page.getByRole("link", { name: "fare", exact: true }).waitFor();
  assert.match(await overview.page.locator(".overview").innerText(), /Fare of summer/);
  fine(overview);
  await leave(overview);

  const graph = await visit(url + "graph?seed=fare-old");
  await graph.page.locator(".gp .count", { hasText: "2 memories" }).waitFor();
  await graph.page.getByLabel("As known on").fill("2026-01-15");
  await graph.page.getByLabel("As known on").press("Enter");
  await graph.page.waitForURL(/known_at=2026-01-15/);
  await graph.page.locator(".gp .count", { hasText: "1 memory, 0 edges" }).waitFor();
  fine(graph);
  for (const id of ["fare-new", "fare-old", "fare-summer"]) store.hence("forget", id, "--purge");
});

test("a result that is found by its name says so", async () => {
  const v = await visit(url + "?q=seat+ledger");
  const first = v.page.locator(".hit").first();
  await first.locator(".why", { hasText: "it has this name" }).waitFor();
  assert.match(await first.innerText(), /Seat Ledger/);
  fine(v);
});

test("filters are folded at first, stay as they were left, and count what is found", async () => {
  const v = await visit(url + "?q=hold+seats");
  await v.page.locator(".hit").first().waitFor();
  assert.equal(await v.page.getByLabel("Kind").isVisible(), false);
  await v.page.locator(".filters summary").click();
  const kind = v.page.getByLabel("Kind");
  await kind.getByRole("option", { name: /^note \(\d+\)$/ }).waitFor({ state: "attached" });
  const counts = async (): Promise<number[]> => (await kind.locator("option").allInnerTexts()).flatMap((t) => /\((\d+)\)$/.exec(t)?.[1] ?? []).map(Number);
  const total = Number(/(\d+)(?= (?:found|memories found))/.exec(await v.page.locator(".results .count").innerText())![1]);
  assert.equal((await counts()).reduce((a, b) => a + b, 0), total);
  await kind.selectOption("decision");
  await v.page.locator(".results[aria-busy=false] .count", { hasText: "1 memory found" }).waitFor();
  assert.equal((await counts()).reduce((a, b) => a + b, 0), total, "kinds are counted without the filter by kind");
  assert.deepEqual((await v.page.locator(".filter-tags button").allInnerTexts()).map((t) => t.replace(/\s+/g, " ")), ["#area/booking 1"], "and tags with it");
  await v.page.reload();
  await v.page.getByLabel("Kind").waitFor();
  await v.page.locator(".filters summary").click();
  fine(v);
});

test("dragging over the times chooses them", async () => {
  const own = new Store("times");
  const file = own.file + ".jsonl";
  writeFileSync(file, Array.from({ length: 24 }, (_, i) => JSON.stringify({ type: "memory", id: `barge-${i}`, title: `Barge ${i}`, content: "A barge.", created_at: `2026-03-${String(i + 1).padStart(2, "0")}T10:00:00Z`, updated_at: `2026-03-${String(i + 1).padStart(2, "0")}T10:00:00Z` })).join("\n"));
  own.hence("import", file);
  const v = await visit(await own.explore() + "?q=barge");
  await v.page.locator(".filters summary").click();
  const brush = v.page.getByRole("img", { name: "24 results from 1 Mar 2026 to 24 Mar 2026" });
  await brush.scrollIntoViewIfNeeded();
  const box = (await brush.boundingBox())!;
  await v.page.mouse.move(box.x + (box.width * 4.5) / 24, box.y + 10);
  await v.page.mouse.down();
  await v.page.mouse.move(box.x + (box.width * 8.5) / 24, box.y + 10, { steps: 4 });
  await v.page.mouse.up();
  await v.page.waitForURL(/since=2026-03-05&until=2026-03-09/);
  await v.page.locator(".results[aria-busy=false] .count", { hasText: "5 memories found" }).waitFor();
  await brush.waitFor(); // it shows all of them still
  fine(v);
});

test("on a phone the filters are folded, and a result is on the first screen", async () => {
  const v = await visit(url + "?q=seat+ledger&kind=note", { viewport: { width: 390, height: 844 } });
  const first = v.page.locator(".hit").first();
  await first.waitFor();
  const box = (await first.boundingBox())!;
  assert.ok(box.y + box.height < 790, "it ends above the bar");
  const summary = v.page.locator(".filters summary");
  assert.equal(await summary.innerText(), "Filters note");
  await summary.click();
  const fields = await v.page.locator(".filters :is(select, input)").evaluateAll((all) => all.map((f) => [f.id, f.getBoundingClientRect().height, f.scrollWidth <= f.clientWidth] as const));
  assert.ok(fields.length >= 7 && fields.every(([, height, fits]) => height < 45 && fits), JSON.stringify(fields));
  await v.page.getByLabel("As known on").fill("2026-03-11");
  await v.page.keyboard.press("Enter");
  await v.page.waitForURL(/known_at=2026-03-11/);
  assert.match(await summary.innerText(), /known on 2026-03-11/);
  fine(v);
});

test("a hyphen alone asks nothing", async () => {
  const v = await visit(url + "?q=-");
  await v.page.locator(".hit").first().waitFor();
  assert.equal(await v.page.locator(".trouble").count(), 0);
  fine(v);
});

test("what is forgotten is found by its words among what is forgotten only", async () => {
  const own = new Store("forgotten");
  for (const title of ["Kiosk restart", "Kiosk paper", "Ferry"]) own.hence("store", `${title} is done by the crew at three.`, "--title", title);
  for (const title of ["Kiosk restart", "Ferry"]) own.hence("forget", title);
  const v = await visit(await own.explore() + "?q=kiosk+crew&status=forgotten");
  await v.page.locator(".count", { hasText: "1 memory found" }).waitFor();
  await v.page.locator(".hit", { hasText: "Kiosk restart" }).locator(".chip", { hasText: "forgotten" }).waitFor();
  fine(v);
});

test("a question of what rests on what is drawn, with what it asks for marked: by kind, tag or folder", async () => {
  const notes = new Store("notes-alone"); // without a memory of kind decision
  notes.hence("import", process.env["VAULT"] ?? "examples/vault", "--name", "example");
  for (const [address, want] of [[url, ["Refund without a claim form, stale", "Retry a refused lock twice"]], [await notes.explore(), ["Refund without a claim form, stale"]]] as const) {
    const v = await visit(address + "?q=" + encodeURIComponent("decisions that depend on tie holds to the payment attempt"));
    const asked = v.page.locator(".asked");
    await asked.getByRole("heading", { name: want.length === 1 ? "1 decision rests on Tie holds to the payment attempt" : `${want.length} decisions rest on Tie holds to the payment attempt` }).waitFor();
    assert.deepEqual((await asked.locator(".lineage-marked title").allTextContents()).sort(), want);
    assert.ok(await asked.locator(".lineage-box").count() >= 3, "what else rests on it is drawn, unmarked");
    fine(v);
    await leave(v);
  }
});

test("a question says which noun it does not know, and what it guesses or does not find", async () => {
  const v = await visit(url + "?q=" + encodeURIComponent("ferries that depend on Seat Ledger"));
  const asked = v.page.locator(".asked"), field = v.page.getByLabel("Search memories");
  await asked.getByRole("heading", { name: "No ferry rests on Seat Ledger" }).waitFor();
  await asked.getByText(/^None of the \d+ that do has “ferry” as its kind, tag or folder\.$/).waitFor();
  assert.equal(await asked.locator(".lineage-marked").count(), 0);
  await field.fill("what the retry of a refused lock rests on");
  await asked.getByText(/^Retry a refused lock twice rests on \d+ memor/).waitFor();
  await asked.getByText("Nothing is called “retry of a refused lock”. The nearest is “Retry a refused lock twice”:").waitFor();
  await field.fill("decisions that depend on the night train");
  await v.page.getByText("Nothing is called “the night train”.", { exact: true }).waitFor();
  await asked.waitFor({ state: "detached" });
  await field.fill("seat ledger");
  await v.page.getByText(/^Nothing is called/).waitFor({ state: "detached" });
  fine(v);
});
