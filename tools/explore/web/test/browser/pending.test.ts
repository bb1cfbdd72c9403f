import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Store, fine, toast, visit } from "./world.ts";

const home = mkdtempSync(join(tmpdir(), "hence-home-")); // the policy is kept there
process.env["HOME"] = home;
after(() => rmSync(home, { recursive: true, force: true }));

/** speak has an agent call tools. */
function speak(own: Store, ...calls: [name: string, args: object][]): void {
  const said = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "claude-code", version: "1" } } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...calls.map(([name, args], i) => ({ jsonrpc: "2.0", id: i + 2, method: "tools/call", params: { name, arguments: args } })),
  ];
  execFileSync(process.env["HENCE"] ?? "hence", ["--db", own.file, "serve"], { input: said.map((m) => JSON.stringify(m) + "\n").join(""), env: { PATH: process.env["PATH"], HOME: home } });
}

test("what an agent stores waits on the desk, says what it will do, and does that when accepted", async () => {
  const own = new Store("pending");
  own.hence("store", "The queue listens on 7001.", "--title", "Port of the queue");
  own.hence("store", "It lets 7001 through.", "--title", "Firewall", "--link", "depends-on=Port of the queue");
  own.hence("review", "--policy", "all");
  speak(own, ["memory_store", { content: "The queue listens on 7100.", title: "New port", supersedes: ["Port of the queue"] }], ["memory_search", { query: "firewall" }], ["memory_get", { id: "Firewall" }]);
  const v = await visit(await own.explore() + "review");
  const card = v.page.locator(".card:not(.done)", { hasText: "New port" });
  await card.locator(".does", { hasText: "It supersedes “Port of the queue”, and makes “Firewall” stale." }).waitFor();
  await v.page.locator(".place", { hasText: "Review" }).getByText(", 1 waiting").waitFor({ state: "attached" });
  assert.equal(await v.page.locator(".card").first().getAttribute("aria-current"), "true");
  await v.page.keyboard.press("a");
  await toast(v, "Accepted: New port.");
  await v.page.locator(".card:not(.done)", { hasText: "Firewall" }).waitFor();
  const [m] = (JSON.parse(own.hence("get", "Port of the queue", "--json")) as { memories: { status: string }[] }).memories;
  assert.equal(m!.status, "superseded");
  await v.page.goto(v.page.url().replace("review", "overview"));
  await v.page.getByRole("heading", { name: /^Shown and used \d+ shown, \d+ used, 1 corrected, in 1 conversation$/ }).waitFor();
  await v.page.getByRole("heading", { name: /^Shown and used/ }).scrollIntoViewIfNeeded();
  await v.page.getByText(/· claude-code · 3 answers$/).click();
  await v.page.locator(".answers summary", { hasText: /memory_get.*Firewall/ }).click();
  await v.page.locator(".answers .answers li", { hasText: /Firewall.*stale: “Port of the queue” was superseded/ }).locator("pre", { hasText: "It lets 7001 through." }).waitFor();
  if (process.env["PICTURES"]) await v.page.screenshot({ path: join(process.env["PICTURES"], "weeks.png") });
  fine(v);
});

test("of what waits, accepting is taken back in its place and rejecting is not, and u takes back the last only", async () => {
  const own = new Store("pending-back");
  own.hence("store", "The queue listens on 7001.", "--title", "Port of the queue");
  own.hence("store", "It lets 7001 through.", "--title", "Firewall", "--link", "depends-on=Port of the queue");
  own.hence("store", "The queue listens on 7100.", "--title", "New port", "--supersedes", "Port of the queue");
  own.hence("review", "--policy", "all");
  speak(own, ["memory_store", { content: "The lamp by the gate is lit at dusk.", title: "Lamp" }], ["memory_store", { content: "The ferry sails at noon.", title: "Ferry" }]);
  const v = await visit(await own.explore() + "review");
  const card = (title: string) => v.page.locator(".card:not(.done)", { hasText: title });
  const stored = (title: string): boolean => own.hence("list").includes(title);
  await card("Firewall").getByRole("button", { name: "It still holds: Firewall" }).click();
  await toast(v, "“Firewall” is verified.");
  await card("Lamp").getByRole("button", { name: "Accept: Lamp" }).click();
  await v.page.locator(".card.done", { hasText: "Accepted: Lamp." }).getByRole("button", { name: "Undo: Accepted: Lamp." }).waitFor();
  assert.ok(stored("Lamp"));
  await v.page.keyboard.press("u");
  await toast(v, "Taken back: Accepted: Lamp.");
  assert.ok(!stored("Lamp"));
  await card("Ferry").getByRole("button", { name: "Reject: Ferry" }).click();
  await toast(v, "Rejected: Ferry.");
  assert.equal(await v.page.locator(".card.done, .toast").getByRole("button", { name: /^Undo/ }).count(), 0);
  await v.page.keyboard.press("u");
  await toast(v, "This cannot be taken back: Rejected: Ferry.");
  assert.equal(await card("Firewall").count(), 0);
  await v.page.keyboard.press("u");
  await toast(v, "Taken back: “Firewall” is verified.");
  await card("Firewall").waitFor();
  fine(v);
});

test("a successor is offered what it may take over, where a card was accepted, a contradiction settled, and in the dialog of a link", async () => {
  const own = new Store("takes-over");
  own.hence("store", "The rack stands in the cellar.", "--title", "Rack");
  for (const title of ["Port of the queue", "Day", "Hour"]) own.hence("store", `${title}.`, "--title", title, "--link", "depends-on=Rack");
  own.hence("store", "It runs twice.", "--title", "Twice", "--link", "contradicts=Day");
  own.hence("store", "It runs seldom.", "--title", "Seldom");
  own.hence("review", "--policy", "all");
  speak(own, ["memory_store", { content: "The queue listens on 7100.", title: "New port", supersedes: ["Port of the queue"] }]);
  const v = await visit(await own.explore() + "review");
  const rests = (title: string): boolean => /depends-on→ Rack/.test(own.hence("get", title));
  for (const [button, title] of [["Accept: New port", "New port"], ["The first holds: Twice and Day", "Twice"]] as const) {
    await v.page.getByRole("button", { name: button }).click();
    await v.page.locator(".card.done").getByRole("button", { name: `Link: ${title} —depends-on→ Rack` }).click();
    await toast(v, `Linked: ${title} —depends-on→ Rack.`);
    await v.page.locator(".card.done").getByRole("button", { name: /^Link: / }).waitFor({ state: "detached" });
    assert.ok(rests(title));
  }
  await v.page.goto(v.page.url().replace("review", "memory/" + own.id("Seldom")));
  await v.page.getByRole("button", { name: "Link", exact: true }).click();
  const dialog = v.page.locator("dialog");
  await dialog.getByLabel("The other memory").fill("hour");
  await dialog.getByRole("option", { name: /Hour/ }).click();
  await dialog.getByLabel("Kind").selectOption("supersedes");
  await dialog.getByRole("group", { name: "Takes over" }).getByLabel("depends-on Rack").check();
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await toast(v, /^Linked: Seldom —supersedes→ Hour/);
  assert.ok(rests("Seldom"));
  fine(v);
});

test("the card of what an agent asks for shows what of the memory would change, from what to what, and what follows", async () => {
  const own = new Store("asked-for");
  own.hence("store", "The queue listens on 7001.", "--title", "Base");
  for (const title of ["Alarm", "Gauge"]) own.hence("store", `${title} hears the queue.`, "--title", title, "--link", "depends-on=Base");
  own.hence("store", "The spare pump stands on the quay.", "--title", "Spare pump", "--valid-to", "2026-01-02");
  speak(own, ["memory_store", { title: "Fence", content: "Fence hears the queue.", links: [{ to: "Base", type: "depends-on" }] }], ["memory_forget", { id: "Base" }]);
  own.hence("review", "--policy", "all");
  speak(own, ["memory_link", { from: "Gauge", to: "Alarm", type: "part-of", note: "same crate" }], ["memory_update", { id: "Fence", content: "Fence hears the queue at night.", tags: ["yard"], kind: "decision" }], ["memory_verify", { id: "Alarm" }]);
  const v = await visit(await own.explore() + "review");
  const card = (text: string) => v.page.locator(".card:not(.done)", { hasText: text });
  await card("asks to forget it").locator(".does", { hasText: "Accept: It makes “Alarm”, “Gauge” and “Fence” stale." }).waitFor();
  assert.match(await v.page.locator(".card").first().innerText(), /asks to forget it/);
  const link = card("asks to link");
  assert.match((await link.locator(".card-head").innerText()).replaceAll(/\s+/g, " "), /Gauge part-of Alarm same crate/);
  const update = card("asks to change");
  await update.locator(".gone", { hasText: "Fence hears the queue." }).waitFor();
  await update.locator(".new", { hasText: "at night" }).waitFor();
  assert.deepEqual((await update.locator(".changed-field > p.faint").allInnerTexts()).sort(), ["kind", "tags"]);
  await update.locator("ins", { hasText: "decision" }).waitFor();
  await update.locator("ins", { hasText: "yard" }).waitFor();
  await link.click({ position: { x: 4, y: 4 } });
  await v.page.keyboard.press("Enter");
  await v.page.getByRole("heading", { level: 1, name: /^(Gauge|Alarm)/ }).waitFor();
  fine(v);
});

test("what an agent rejected stands among the last changes with its name, and the person takes it back", async () => {
  const own = new Store("turned-down");
  own.hence("store", "The spare winch stands on the quay.", "--title", "Spare winch", "--valid-to", "2026-01-02");
  const [found] = (JSON.parse(own.hence("tidy", "--json")) as { proposals: { key: string; what: string }[] }).proposals.filter((p) => p.what === "expired");
  speak(own, ["memory_tidy", { reject: [found!.key] }]);
  const v = await visit(await own.explore() + "review");
  const line = v.page.locator(".journal li", { hasText: "claude-code rejected “Spare winch”" });
  await line.waitFor();
  await v.page.getByText("Nothing waits.").waitFor();
  await line.getByRole("button", { name: "Undo: rejected “Spare winch”" }).click();
  await toast(v, "Taken back: rejected “Spare winch”.");
  await v.page.locator(".card", { hasText: "Spare winch" }).getByRole("button", { name: "Accept: Spare winch" }).waitFor();
  await line.waitFor({ state: "detached" });
  fine(v);
});
