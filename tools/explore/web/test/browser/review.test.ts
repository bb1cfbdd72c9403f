import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { before, test } from "node:test";
import { plant, planted } from "./plant.ts";
import { Store, example, fine, rest, toast, visit, type Visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

const cards = (v: Visit, text?: string) => v.page.locator(".card:not(.done)", text === undefined ? {} : { hasText: text });
const status = (s: Store, title: string): string => (JSON.parse(s.hence("get", title, "--json")) as { memories: { status: string }[] }).memories[0]!.status;

/** busy is a store with twenty things that wait, and its desk. */
async function busy(name: string): Promise<{ own: Store; v: Visit }> {
  const own = new Store(name);
  plant(own);
  const v = await visit(await own.explore() + "review");
  await cards(v).nth(planted - 1).waitFor();
  assert.equal(await cards(v).count(), planted);
  return { own, v };
}

test("twenty things that wait are settled by keys alone", async () => {
  const { own, v } = await busy("keys");
  await cards(v).first().getByText("Now: The queue moved to port seven thousand one hundred.").waitFor(); // which one must know to decide
  await v.page.locator(".card[aria-current=true]", { hasText: "Firewall" }).waitFor(); // most rests on it
  assert.match(await cards(v).first().innerText(), /It forgets “Firewall”, and leaves “Alarm for the pager”, “Fire drill in spring” and “Map of the machines” stale\./);
  for (let left = planted; left > 0; left--) {
    await v.page.keyboard.press(left % 5 === 0 ? "r" : "a");
    await v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length === n, left - 1);
    assert.equal(await v.page.locator(".card.done").count(), 1);
  }
  await v.page.locator("#desk-title", { hasText: /^What waits 0$/ }).waitFor();
  await v.page.locator(".journal li", { hasText: "ada forgot Spare" }).first().waitFor();
  assert.equal(await v.page.locator(".journal li", { hasText: /status|forget_reason/ }).count(), 0);
  for (const left of [1, 2]) {
    await v.page.keyboard.press("u");
    await cards(v).nth(left - 1).waitFor();
  }
  for (const left of [1, 0]) {
    await v.page.keyboard.press("a");
    await v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length === n, left);
  }
  const now = JSON.parse(own.hence("overview", "--json")) as { stale_count: number; conflict_count: number };
  assert.deepEqual([now.stale_count, now.conflict_count], [0, 0]);
  fine(v);
});

test("and by the mouse, and one is taken back where it stood", async () => {
  const { own, v } = await busy("mouse");
  const firewall = cards(v, "Firewall").first();
  await firewall.getByRole("button", { name: "It still holds: Firewall" }).click();
  await toast(v, "“Firewall” is verified.");
  const done = v.page.locator(".card").first();
  await done.getByRole("button", { name: /^Undo: “Firewall” is verified/ }).click();
  await cards(v, "It still holds").first().getByRole("button", { name: "It still holds: Firewall" }).click();
  await v.page.locator(".card.done", { hasText: "“Firewall” is verified." }).waitFor();
  await v.page.getByRole("button", { name: "The second holds: Ferry on Sunday sails at eight and Ferry on Sunday sails at noon" }).click();
  await toast(v, "“Ferry on Sunday sails at noon” holds, and “Ferry on Sunday sails at eight” is superseded.");
  assert.equal(status(own, "Ferry on Sunday sails at eight"), "superseded");
  await v.page.getByRole("navigation", { name: "Kinds of what waits" }).getByRole("link", { name: /^Expired 4$/ }).click();
  await v.page.getByRole("button", { name: "Accept all 4" }).click();
  await toast(v, "Accepted 4 proposals.");
  assert.deepEqual(await v.page.locator(".card.done p").allInnerTexts(), ["✓ Accepted 4 proposals."]);
  await v.page.getByRole("link", { name: /^New 4$/ }).click();
  await v.page.getByRole("button", { name: "Seen, all 4" }).click();
  await v.page.getByRole("link", { name: "All", exact: true }).click();
  for (let n = await cards(v).count(); n > 0; n--) {
    await cards(v).first().locator("button.main").click();
    await v.page.waitForFunction((n) => document.querySelectorAll(".card:not(.done)").length < n, n);
  }
  await v.page.locator("#desk-title", { hasText: /^What waits 0$/ }).waitFor();
  await v.page.reload();
  await v.page.getByText("Nothing waits.").waitFor();
  fine(v);
});

test("what tells what was done covers no control, wherever one scrolls to", async () => {
  const { v } = await busy("covers");
  const long = "“Winch on the quay belongs to the yard” holds, and “Winch on the quay belongs to the harbour” is superseded.";
  for (const [width, name] of [[390, "The second holds: Winch"], [1280, "The second holds: Lamp"], [1920, "The second holds: Refunds"]] as const) {
    await v.page.setViewportSize({ width, height: 844 });
    await cards(v).getByRole("button", { name }).click();
    await toast(v, name.includes("Winch") ? long : "is superseded.");
    await rest(v);
    const seen = await v.page.evaluate(async () => {
      const covered: string[] = [], bars = document.querySelectorAll(".top, .top nav");
      let n = 0;
      for (let y = 0; y < document.documentElement.scrollHeight; y += 150) {
        scrollTo(0, y);
        await new Promise((drawn) => requestAnimationFrame(drawn));
        for (const control of document.querySelectorAll("button, a, input, select, summary")) {
          const box = control.getClientRects()[0] ?? new DOMRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
          const scrolledOut = ![...bars].some((bar) => bar.contains(control)) && [...bars].some((bar) => y > bar.getBoundingClientRect().top && y < bar.getBoundingClientRect().bottom);
          if (!control.checkVisibility({ visibilityProperty: true }) || control.closest(".skip, .hush") || y < 0 || y > innerHeight - 1 || scrolledOut) continue;
          n++;
          const hit = document.elementFromPoint(x, y);
          if (!control.contains(hit)) covered.push(`${control.getAttribute("aria-label") ?? control.textContent} by ${hit?.outerHTML.slice(0, 60)}`);
        }
      }
      return { n, covered };
    });
    assert.ok(seen.n > 100, `${seen.n} controls at ${width}`);
    assert.deepEqual(seen.covered, [], `at ${width}`);
    assert.ok(await v.page.locator(".toast.shown").evaluate((t) => t.getBoundingClientRect().bottom <= document.querySelector(".top")!.getBoundingClientRect().bottom), `it fits the bar at ${width}`);
  }
  fine(v);
});

test("what is foretold of a card is what happens", async () => {
  const { own, v } = await busy("foretold");
  const clears = cards(v, "It still holds: It is verified, and stale no more. So are “Alarm for the pager”, “Fire drill in spring” and “Map of the machines”, stale by it alone.");
  await clears.filter({ hasText: "“Firewall”" }).waitFor();
  await v.page.keyboard.press("a");
  for (const what of ["It lets the queue through", "Shows where each", "It rings when", "Turns the lights"]) await cards(v, what).waitFor({ state: "detached" });
  await v.page.keyboard.press("u");
  await clears.waitFor();
  const text = await cards(v, "It forgets “Firewall”").first().locator(".does li").last().innerText();
  await v.page.keyboard.press("r");
  await toast(v, "“Firewall” is forgotten.");
  const stale = (JSON.parse(own.hence("overview", "--json")) as { stale: { title: string; stale: { title: string; reason: string }[] }[] }).stale;
  const now = stale.filter((m) => m.stale.some((d) => d.title === "Firewall" && d.reason === "forgotten")).map((m) => m.title);
  assert.deepEqual([...text.matchAll(/“([^”]+)”/g)].map((m) => m[1]).slice(1).sort(), now.sort());
  fine(v);
});

test("what was settled stays settled when an answer from just before comes in the same frame", async () => {
  const { own, v } = await busy("frame");
  await v.page.locator(".review-jumps a", { hasText: "Expired" }).click();
  await v.page.evaluate(() => { // holds back two answers, and then gives both at once
    const real = window.fetch, held: (() => void)[] = [];
    const hold = Object.assign(window, { hold: { desk: 0, accept: 0, release: () => held.splice(0).forEach((go) => go()) } }).hold;
    window.fetch = async (...asked) => {
      const answer = await real(...asked), which = /"accept"/.test(String(asked[1]?.body)) ? "accept" : /api\/resting$/.test(String(asked[0])) ? "desk" : undefined;
      if (which && hold[which] === 0) {
        hold[which] = 1;
        await new Promise<void>((go) => held.push(go));
      }
      return answer;
    };
  });
  own.hence("store", "Of another process"); // the page is told that the store has changed, and repeats its requests
  const held = (which: string) => v.page.waitForFunction((which) => (window as unknown as { hold: Record<string, number> }).hold[which] === 1, which);
  await held("desk");
  await v.page.getByRole("button", { name: "Accept all 4" }).click();
  await held("accept");
  await v.page.evaluate(() => (window as unknown as { hold: { release: () => void } }).hold.release());
  await v.page.locator(".card.done", { hasText: "Accepted 4 proposals." }).waitFor();
  await rest(v);
  assert.equal(await v.page.locator(".card.done").count(), 1);
  fine(v);
});

test("what Last changes takes back is a card again, where it stood, also of several settled at once", async () => {
  const { v } = await busy("back");
  const undo = (what: string | RegExp) => v.page.locator(".journal li:not(.undone)", { hasText: what }).first().getByRole("button", { name: /^Undo change/ }).click();
  await cards(v, "It still holds").first().getByRole("button", { name: "It still holds: Firewall" }).click();
  await v.page.locator(".card.done", { hasText: "“Firewall” is verified." }).waitFor();
  await undo("Firewall");
  await cards(v, "It forgets “Firewall”").waitFor();
  assert.match(await v.page.locator(".card").first().innerText(), /Firewall/);
  assert.equal(await v.page.locator(".card.done").count(), 0);
  await v.page.locator(".review-jumps a", { hasText: "Expired" }).click();
  await v.page.getByRole("button", { name: "Accept all 4" }).click();
  await v.page.locator(".card.done", { hasText: "Accepted 4 proposals." }).waitFor();
  await undo("4 proposals");
  await cards(v).nth(3).waitFor();
  await v.page.getByRole("button", { name: /^Reject: Spare winch/ }).click();
  await toast(v, "Rejected: Spare winch.");
  await v.page.locator(".review-jumps a", { hasText: "All" }).click();
  await v.page.keyboard.press("u"); // of another part
  await toast(v, "Taken back: Rejected: Spare winch.");
  await cards(v).nth(planted - 1).waitFor();
  fine(v);
});

test("what was rejected and what was seen stand among the changes after a reload, and are taken back there", async () => {
  const { v } = await busy("trace");
  await v.page.getByRole("button", { name: /^Reject: Spare winch/ }).click();
  await toast(v, "Rejected: Spare winch.");
  await v.page.locator(".review-jumps a", { hasText: "New" }).click();
  await v.page.getByRole("button", { name: "Seen, all 4" }).click();
  await toast(v, "Seen: 4 memories.");
  await v.page.locator(".review-jumps a", { hasText: "All" }).click();
  await v.page.reload();
  await cards(v).nth(planted - 6).waitFor();
  for (const [what, left] of [["rejected “Spare winch”", planted - 4], ["saw 4 new memories", planted]] as const) {
    await v.page.getByRole("button", { name: `Undo: ${what}` }).click();
    await toast(v, `Taken back: ${what}.`);
    await cards(v).nth(left - 1).waitFor();
    await v.page.locator(".journal li", { hasText: what }).waitFor({ state: "detached" });
  }
  fine(v);
});

test("the page, the badge and the start page count the same, and Enter opens a card, to which Back comes back", async () => {
  const { v } = await busy("counts");
  await v.page.locator("#desk-title", { hasText: /^What waits 16 and 4 suggestions$/ }).waitFor();
  await v.page.locator("nav .place", { hasText: "Review" }).getByText("16", { exact: true }).waitFor();
  await v.page.keyboard.press("a");
  await v.page.locator("#desk-title", { hasText: /^What waits 12 / }).waitFor(); // three are stale by it alone
  await v.page.locator("nav .place", { hasText: "Review" }).getByText("12", { exact: true }).waitFor();
  await v.page.keyboard.press("j");
  const name = await v.page.locator(".card[aria-current=true] .title").first().innerText();
  await v.page.keyboard.press("Enter");
  await v.page.locator("h1", { hasText: name }).waitFor();
  await v.page.goBack();
  await v.page.locator(".card[aria-current=true]", { hasText: name }).waitFor();
  await v.page.locator(".card.done", { hasText: "“Firewall” is verified." }).waitFor();
  await v.page.keyboard.press("u");
  await v.page.locator("#desk-title", { hasText: /^What waits 16 / }).waitFor();
  await v.page.locator("nav .place", { hasText: "Search" }).click();
  const lines = v.page.locator(".home-waits .row a");
  await lines.filter({ hasText: "6 stale" }).waitFor();
  await lines.filter({ hasText: "4 contradictions" }).waitFor();
  await lines.filter({ hasText: "4 new" }).waitFor();
  fine(v);
});

test("superseding a stale memory, and taking it back", async () => {
  const v = await visit(url + "review");
  await cards(v, "Terminal Scanners").first().getByRole("button", { name: "Supersede Terminal Scanners" }).click();
  await v.page.getByLabel("Title").fill("Terminal Scanners, build 3.9");
  await v.page.getByLabel("What holds now").fill("Build 3.9 reads the state of a hold from the list.");
  await v.page.getByLabel("Why").fill("the firmware came");
  const takes = v.page.getByRole("group", { name: "Takes over" });
  await takes.getByRole("checkbox").first().check();
  const taken = (await takes.locator("label").first().innerText()).trim(); // a kind and a title
  await v.page.locator("dialog").getByRole("button", { name: "Supersede" }).click();
  await toast(v, "“Terminal Scanners” is superseded.");
  await v.page.getByRole("button", { name: "Supersede Terminal Scanners", exact: true }).waitFor({ state: "detached" });
  const chain = JSON.parse(store.hence("history", "Terminal Scanners", "--json")) as { current: { title: string } };
  assert.equal(chain.current.title, "Terminal Scanners, build 3.9");
  const [edge] = (JSON.parse(store.hence("get", "Terminal Scanners, build 3.9", "--json")) as { memories: { edges: { type: string; direction: string; other: { title: string } }[] }[] }).memories[0]!.edges.filter((e) => e.type !== "supersedes");
  assert.equal(`${edge!.type} ${edge!.other.title}`, taken);

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
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await toast(v, /^Taken back/);
  await v.page.getByRole("button", { name: "Supersede Refund without a claim form" }).waitFor();
  fine(v);
});

test("a candidate becomes an edge of a kind, and is a candidate no more", async () => {
  const v = await visit(url + "review#candidates");
  const first = cards(v, "Holds review").filter({ hasText: "Tomasz Bielak" });
  await first.locator(".sites").waitFor();
  await first.getByRole("button", { name: /Link as… 2026-02-17 Holds review to Tomasz Bielak/ }).click();
  await v.page.locator("dialog").getByLabel("Kind").selectOption("relates-to");
  await v.page.locator("dialog").getByRole("button", { name: "Link", exact: true }).click();
  await toast(v, /^Linked:/);
  await first.waitFor({ state: "detached" });
  fine(v);
});

test("of two that contradict, they do not contradict, and that is taken back; what a note declares stays", async () => {
  for (const title of ["Lamp A is lit", "Lamp A is out"]) store.hence("store", title + ".", "--title", title, ...(title.endsWith("out") ? ["--link", "contradicts=Lamp A is lit"] : []));
  const v = await visit(url + "review#conflicts");
  await cards(v, "Charge the card at booking").locator(".side-text", { hasText: "pay at the ramp" }).waitFor();
  await cards(v, "Lamp A is lit").getByRole("button", { name: /^They do not contradict: / }).click();
  await v.page.locator(".card.done", { hasText: "do not contradict" }).waitFor();
  assert.equal(status(store, "Lamp A is lit"), "current");
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await cards(v, "Lamp A is lit").waitFor();
  store.hence("forget", store.id("Lamp A is lit"), "--purge");
  await cards(v, "Charge the card at booking").getByRole("button", { name: /^They do not contradict: / }).click();
  await cards(v, "Charge the card at booking").locator(".trouble").waitFor();
  fine(v);
});

test("a stale memory says what took the place of what it rests on", async () => {
  const v = await visit(url + "review#stale");
  await cards(v, "Terminal Scanners").first().locator(".doubts", { hasText: "Hold seats in the ledger for ten minutes was superseded by Tie holds to the payment attempt" }).waitFor();
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

test("a supersession is one line of the last changes, which takes it back", async () => {
  const own = new Store("one-line");
  for (const title of ["Old port", "New port"]) own.hence("store", `${title}.`, "--title", title);
  own.hence("link", "New port", "supersedes", "Old port");
  const v = await visit(await own.explore() + "review");
  const lines = v.page.locator(".journal li:not(.undone)", { hasText: "Old port" });
  await lines.filter({ hasText: "ada linked New port supersedes → Old port" }).waitFor();
  assert.deepEqual((await lines.locator(".journal-what").allInnerTexts()).map((l) => l.split(" ")[1]), ["linked", "stored"]);
  await lines.first().getByRole("button", { name: /^Undo change/ }).click();
  await toast(v, /^Taken back/);
  assert.equal(status(own, "Old port"), "current");
  fine(v);
});

test("a candidate is dismissed, and is a candidate again by undo", async () => {
  const v = await visit(url + "review#candidates");
  const name = await cards(v).first().getByRole("button", { name: /^Dismiss: / }).getAttribute("aria-label");
  await v.page.getByRole("button", { name: name!, exact: true }).click();
  await toast(v, "Dismissed 1 candidate.");
  await v.page.getByRole("button", { name: name!, exact: true }).waitFor({ state: "detached" });
  await v.page.keyboard.press("u");
  await v.page.getByRole("button", { name: name!, exact: true }).waitFor();
  await v.page.getByRole("button", { name: /^Dismiss all/ }).click();
  await toast(v, /^Dismissed \d+ candidates\./);
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await v.page.getByRole("button", { name: name!, exact: true }).waitFor();
  fine(v);
});

test("keys of the desk do nothing in a field, and g r goes to review", async () => {
  const v = await visit(url + "review");
  await cards(v).first().waitFor();
  await rest(v);
  const n = await cards(v).count();
  await v.page.keyboard.press("g");
  await v.page.keyboard.press("r");
  await v.page.keyboard.press("j");
  await v.page.locator(".card[aria-current=true]").waitFor();
  assert.equal(await v.page.locator(".card").nth(1).getAttribute("aria-current"), "true");
  await v.page.keyboard.press("k");
  await v.page.getByRole("button", { name: "Supersede Terminal Scanners", exact: true }).click();
  await v.page.getByLabel("Title").pressSequentially("a rare jar of oak");
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("button", { name: "Throw away" }).click();
  assert.equal(await cards(v).count(), n);
  fine(v);
});

test("one comes to what waits, and to the search where nothing does", async () => {
  const v = await visit(url);
  await v.page.waitForURL(/\/explore\/review$/);
  await cards(v).first().waitFor();
  await v.page.locator("nav .place", { hasText: "Review" }).locator(".mark-count", { hasText: /\d contradictions?/ }).waitFor();
  await v.page.locator("nav .place", { hasText: "Search" }).click();
  await v.page.waitForURL(/\/explore\/search$/);
  await v.page.reload();
  await v.page.locator(".home-waits").getByRole("heading", { name: "To review" }).waitFor();
  fine(v);
  const calm = new Store("calm");
  calm.hence("store", "The ferry sails at eight.", "--title", "Ferry");
  const w = await visit(await calm.explore());
  await w.page.locator(".hit", { hasText: "Ferry" }).waitFor();
  await rest(w);
  assert.equal(new URL(w.page.url()).pathname, "/explore/");
  fine(w);
});

for (const [what, origin, part, says] of [["a secret in clear", "person", "Secrets", "1 secret"], ["what an agent stored since", "agent", "New", "1 new"]] as const) {
  test(`one comes to ${what}, and it is counted wherever what waits is`, async () => {
    const own = new Store("lands"), at = new Date().toISOString();
    writeFileSync(own.file + ".jsonl", JSON.stringify({ type: "memory", id: "m", kind: "fact", title: "The nightly job", content: "It begins at four.", origin, actor: "claude", created_at: at, updated_at: at }) + "\n");
    own.hence("import", own.file + ".jsonl");
    if (part === "Secrets") new DatabaseSync(own.file).exec(`update memories set content = 'It signs in with AKIA${"QWERTYUIOPASDFGH"}.'`); // Hence itself would take it out
    const v = await visit(await own.explore());
    await v.page.waitForURL(/\/explore\/review$/);
    await v.page.locator("#desk-title", { hasText: /^What waits 1$/ }).waitFor();
    await cards(v, "The nightly job").locator(".card-kind", { hasText: part }).waitFor();
    await v.page.locator("nav .place", { hasText: "Search" }).click();
    await v.page.locator(".home-waits .row a", { hasText: says }).waitFor();
    assert.equal(await v.page.getByText("Nothing waits.").count(), 0);
    fine(v);
  });
}
