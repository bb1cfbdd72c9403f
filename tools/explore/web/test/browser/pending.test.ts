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

test("what an agent stores waits on the desk, says what it will do, and does that when accepted", async () => {
  const own = new Store("pending");
  own.hence("store", "The queue listens on 7001.", "--title", "Port of the queue");
  own.hence("store", "It lets 7001 through.", "--title", "Firewall", "--link", "depends-on=Port of the queue");
  own.hence("review", "--policy", "all");
  const said = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "claude-code", version: "1" } } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "memory_store", arguments: { content: "The queue listens on 7100.", title: "New port", supersedes: ["Port of the queue"] } } },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "memory_search", arguments: { query: "firewall" } } },
    { jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "memory_get", arguments: { id: "Firewall" } } },
  ];
  execFileSync(process.env["HENCE"] ?? "hence", ["--db", own.file, "serve"], { input: said.map((m) => JSON.stringify(m) + "\n").join(""), env: { PATH: process.env["PATH"], HOME: home } });
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
