import assert from "node:assert/strict";
import { before, test } from "node:test";
import { example, fine, toast, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

test("superseding a stale memory, and taking it back", async () => {
  const v = await visit(url + "review");
  const card = v.page.locator(".card", { hasText: "Terminal Scanners" }).first();
  await card.getByRole("button", { name: "Supersede Terminal Scanners" }).click();
  await v.page.getByLabel("Title").fill("Terminal Scanners, build 3.9");
  await v.page.getByLabel("What holds now").fill("Build 3.9 reads the state of a hold from the list.");
  await v.page.getByLabel("Why").fill("the firmware came");
  await v.page.locator("dialog").getByRole("button", { name: "Supersede" }).click();
  await toast(v, "“Terminal Scanners” is superseded.");
  await v.page.getByRole("button", { name: "Supersede Terminal Scanners", exact: true }).waitFor({ state: "detached" });
  const chain = JSON.parse(store.hence("history", "Terminal Scanners", "--json")) as { current: { title: string } };
  assert.equal(chain.current.title, "Terminal Scanners, build 3.9");

  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await toast(v, /^Taken back/);
  await v.page.getByRole("button", { name: "Supersede Terminal Scanners", exact: true }).waitFor();
  const back = JSON.parse(store.hence("history", "Terminal Scanners", "--json")) as { current: { title: string } };
  assert.equal(back.current.title, "Terminal Scanners");
  fine(v);
});

test("superseding by what is there already", async () => {
  const v = await visit(url + "review");
  await v.page.getByRole("button", { name: "Supersede Refund without a claim form" }).click();
  await v.page.getByLabel("By what is there already").check();
  await v.page.getByLabel("The new one").fill("charge card booking");
  await v.page.getByRole("option", { name: /Charge the card at booking/ }).waitFor();
  await v.page.keyboard.press("Escape"); // closes the options, not the dialog
  await v.page.getByRole("option").first().waitFor({ state: "hidden" });
  await v.page.getByLabel("The new one").fill("retry refused lock");
  await v.page.getByRole("option", { name: /Retry a refused lock twice/ }).waitFor();
  await v.page.keyboard.press("Enter");
  await v.page.locator("dialog").getByRole("button", { name: "Supersede" }).click();
  await toast(v, "“Refund without a claim form” is superseded.");
  await v.page.getByRole("button", { name: "Undo the last" }).click();
  await toast(v, /^Taken back/);
  await v.page.getByRole("button", { name: "Supersede Refund without a claim form" }).waitFor();
  fine(v);
});

test("a candidate becomes an edge of a kind, and is a candidate no more", async () => {
  const v = await visit(url + "review");
  const first = v.page.locator("section", { hasText: "Candidates" }).locator(".card").filter({ hasText: "Holds review" }).filter({ hasText: "Tomasz Bielak" });
  await first.locator(".sites").waitFor();
  await first.getByRole("button", { name: /Link as… 2026-02-17 Holds review to Tomasz Bielak/ }).click();
  await v.page.locator("dialog").getByLabel("Kind").selectOption("relates-to");
  await v.page.locator("dialog").getByRole("button", { name: "Link", exact: true }).click();
  await toast(v, /^Linked:/);
  await first.waitFor({ state: "detached" });
  fine(v);
});

test("a contradiction shows until one of the two is superseded", async () => {
  const v = await visit(url + "review");
  const section = v.page.locator("section", { has: v.page.getByRole("heading", { name: /^Contradictions/ }) });
  const card = section.locator(".card", { hasText: "Charge the card at booking" });
  await card.getByRole("button", { name: "Supersede Islanders want to pay at the quay" }).click();
  await v.page.getByLabel("Title").fill("Islanders pay at booking");
  await v.page.getByLabel("What holds now").fill("They were asked again, and pay at booking.");
  await v.page.locator("dialog").getByRole("button", { name: "Supersede" }).click();
  await toast(v, "“Islanders want to pay at the quay” is superseded.");
  await section.getByText("Nothing contradicts anything.").waitFor();
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await card.waitFor();
  fine(v);
});

test("of two that contradict, one holds and supersedes the other, or they do not contradict", async () => {
  const v = await visit(url + "review#conflicts");
  const section = v.page.getByRole("region", { name: /^Contradictions(?: \d+)?$/ });
  const card = section.locator(".card", { hasText: "Charge the card at booking" });
  await card.locator(".side-text", { hasText: "pay at the ramp" }).waitFor();
  await v.page.waitForFunction(() => document.activeElement?.id === "conflicts-title");
  const status = (title: string): string => (JSON.parse(store.hence("get", title, "--json")) as { memories: { status: string }[] }).memories[0]!.status;
  await card.getByRole("button", { name: "This one holds: Charge the card at booking" }).click();
  await toast(v, "“Charge the card at booking” holds, and “Islanders want to pay at the quay” is superseded.");
  await section.getByText("Nothing contradicts anything.").waitFor();
  assert.equal(status("Islanders want to pay at the quay"), "superseded");
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await card.waitFor();
  for (const title of ["Lamp A is lit", "Lamp A is out"]) store.hence("store", title + ".", "--title", title, ...(title.endsWith("out") ? ["--link", "contradicts=Lamp A is lit"] : []));
  const lamps = section.locator(".card", { hasText: "Lamp A is lit" });
  await lamps.getByRole("button", { name: /^They do not contradict: / }).click();
  await lamps.waitFor({ state: "detached" });
  assert.equal(status("Lamp A is lit"), "current");
  fine(v);
});

test("a stale memory says what took the place of what it rests on", async () => {
  const v = await visit(url + "review");
  const card = v.page.locator(".card", { hasText: "Terminal Scanners" }).first();
  await card.locator(".doubts", { hasText: "Hold seats in the ledger for ten minutes was superseded by Tie holds to the payment attempt" }).waitFor();
  await v.page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: /^Candidates \d+$/ }).click();
  await v.page.waitForFunction(() => document.activeElement?.id === "candidates-title");
  fine(v);
});

test("one change is taken back by its number", async () => {
  store.hence("store", "A thing to take back.", "--title", "A thing to take back");
  const v = await visit(url + "review");
  const row = v.page.locator(".journal li", { hasText: "A thing to take back" }).first();
  await row.getByRole("button", { name: /^Undo change/ }).click();
  await toast(v, "Taken back: stored “A thing to take back”.");
  await v.page.locator(".journal li.undone", { hasText: "A thing to take back" }).waitFor();
  fine(v);
});

test("forgetting from the review", async () => {
  const v = await visit(url + "review");
  await v.page.getByRole("button", { name: "Forget Terminal Scanners" }).click();
  await v.page.getByLabel("Why").fill("sold");
  await v.page.locator("dialog").getByRole("button", { name: "Forget" }).click();
  await v.page.getByRole("button", { name: "Forget Terminal Scanners" }).waitFor({ state: "detached" });
  store.hence("restore", store.id("Terminal Scanners"));
  fine(v);
});

test("a candidate is dismissed, and is a candidate again by undo", async () => {
  const v = await visit(url + "review");
  const section = v.page.locator("section", { has: v.page.getByRole("heading", { name: /^Candidates/ }) });
  const first = section.locator(".card").first();
  const name = await first.getByRole("button", { name: /^Dismiss: / }).getAttribute("aria-label");
  await first.getByRole("button", { name: /^Dismiss: / }).click();
  await toast(v, "Dismissed 1 candidate.");
  await section.getByRole("button", { name: name!, exact: true }).waitFor({ state: "detached" });
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await section.getByRole("button", { name: name!, exact: true }).waitFor();
  await section.getByRole("button", { name: /^Dismiss all/ }).click();
  await section.getByText("There are no guesses left.").waitFor();
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await section.getByRole("button", { name: name!, exact: true }).waitFor();
  fine(v);
});

test("proposals are accepted and rejected, alone and a kind at once, and taken back", async () => {
  for (const n of ["winch", "crane", "beacon"]) store.hence("store", `The spare ${n} stands on the north quay.`, "--title", `Spare ${n}`, "--valid-from", "2026-01-01", "--valid-to", "2026-02-01");
  const v = await visit(url + "review");
  const kind = v.page.locator(".proposals", { hasText: "Expired" });
  await kind.locator(".card").nth(2).waitFor();
  await kind.getByRole("button", { name: /^Reject expired: / }).first().click();
  await toast(v, "Rejected 1 proposal.");
  await kind.locator(".card").nth(2).waitFor({ state: "detached" });
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await kind.locator(".card").nth(2).waitFor();
  await kind.getByRole("button", { name: /^Accept all 3: / }).click();
  await toast(v, /^Accepted 3 proposals\./);
  await kind.waitFor({ state: "detached" });
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await kind.locator(".card").nth(2).waitFor();
  fine(v);
});
