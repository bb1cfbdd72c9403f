import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Store, boxes, example, fine, toast, visit } from "./world.ts";

const store = example();
let url = "";
before(async () => { url = await store.explore(); });

test("a memory is stored with a link, edited, and taken back; what becomes stale is told", async () => {
  const v = await visit(url + "search");
  await v.page.locator(".hit").first().waitFor();
  await v.page.keyboard.press("n");
  await v.page.getByLabel("What is to be remembered").fill("The quay lamp is lit at dusk.");
  await v.page.getByLabel("Title").fill("Quay lamp");
  await v.page.getByLabel("Linked to").fill("job queue");
  await v.page.getByRole("option", { name: /^Job Queue/ }).click();
  await v.page.getByLabel("How the new one relates to it").selectOption("depends-on");
  await v.page.getByRole("dialog").getByRole("button", { name: "Store", exact: true }).click();
  await v.page.getByRole("heading", { level: 1, name: "Quay lamp" }).waitFor();
  await v.page.locator(".edge-group", { hasText: "Depends on" }).getByRole("link", { name: "Job Queue" }).waitFor();
  store.hence("store", "Ships moor by it.", "--title", "Mooring", "--link", "depends-on=Quay lamp");
  await v.page.reload();
  await v.page.getByRole("button", { name: "Edit" }).click();
  await v.page.getByLabel("Text", { exact: true }).fill("The quay lamp is lit an hour before dusk.");
  await v.page.getByRole("button", { name: "Save" }).click();
  await toast(v, /“Quay lamp” is edited\. 1 memory is stale now: “Mooring”\./);
  await v.page.locator(".text", { hasText: "an hour before dusk" }).waitFor();
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await v.page.locator(".text", { hasText: "is lit at dusk" }).waitFor();
  fine(v);
});

test("undo takes back what was done here, whatever somebody else has done since", async () => {
  const v = await visit(url + "memory/" + store.id("Refused locks last under a second"));
  await v.page.getByRole("button", { name: "Edit" }).click();
  await v.page.getByLabel("Text", { exact: true }).fill("Nobody knows.");
  await v.page.getByRole("button", { name: "Save" }).click();
  await toast(v, /is edited/);
  store.hence("store", "It stands on the pier.", "--title", "Bob lamp");
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await toast(v, "Taken back: edited “Refused locks last under a second”.");
  await v.page.locator(".text", { hasText: "were gone after" }).waitFor();
  assert.match(store.hence("get", "Bob lamp"), /on the pier/);
  fine(v);
});

test("an edit of a note is taken back, from the toast and from the last changes", async () => {
  const own = new Store("quay");
  const folder = mkdtempSync(join(tmpdir(), "hence-notes-"));
  after(() => rmSync(folder, { recursive: true }));
  const note = join(folder, "Quay.md");
  writeFileSync(note, "The quay is dry.\n");
  writeFileSync(join(folder, "Map.canvas"), "{}");
  own.hence("import", folder, "--name", "port");
  const v = await visit(await own.serve("--vault-write") + "memory/" + own.id("Quay"));
  const edit = async (): Promise<void> => {
    await v.page.getByRole("button", { name: "Edit" }).click();
    await v.page.getByLabel("Text", { exact: true }).fill("The quay is wet.\n");
    await v.page.getByRole("button", { name: "Save" }).click();
    await v.page.locator(".text", { hasText: "wet" }).waitFor();
  };
  await edit();
  await v.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await toast(v, "Taken back: edited the note “Quay.md”.");
  await v.page.locator(".text", { hasText: "dry" }).waitFor();
  assert.match(readFileSync(note, "utf8"), /dry/);
  await edit();
  await v.page.getByRole("link", { name: "Review" }).click();
  const row = v.page.locator(".journal li", { hasText: "edited the note Quay.md" }).first();
  await row.getByRole("button", { name: /^Undo change/ }).click();
  await toast(v, "Taken back: edited the note “Quay.md”.");
  assert.match(readFileSync(note, "utf8"), /dry/);
  assert.equal(await v.page.locator(".journal li", { hasText: "imported port" }).getByRole("button").count(), 0); // an import is for the command line
  await v.page.goto(new URL("/explore/memory/" + own.id("Map.canvas"), v.page.url()).href);
  await v.page.getByRole("button", { name: "Link", exact: true }).waitFor();
  assert.equal(await v.page.getByRole("button", { name: "Edit" }).count(), 0); // it is not a note
  fine(v);
});

test("an edit does not overwrite what somebody else wrote meanwhile", async () => {
  const v = await visit(url + "memory/" + store.id("Boarding lists are printed by hand"));
  await v.page.route("**/api/events", (route) => route.fulfill({ status: 503 })); // the program refuses, whatever the page hears
  await v.page.reload();
  await v.page.getByRole("button", { name: "Edit" }).click();
  await v.page.getByLabel("Text", { exact: true }).fill("Mine.");
  store.hence("update", store.id("Boarding lists are printed by hand"), "--content", "Theirs.");
  await v.page.getByRole("button", { name: "Save" }).click();
  await v.page.locator("dialog .conflict", { hasText: /You edit revision 1, and it is revision 2 now/ }).waitFor();
  await v.page.locator("dialog .conflict .difference .new", { hasText: "Theirs." }).waitFor();
  assert.equal(await v.page.getByLabel("Text", { exact: true }).inputValue(), "Mine.");
  assert.match(store.hence("get", "Boarding lists are printed by hand"), /Theirs\./);
  fine(v);
});

test("what was typed is not thrown away unasked", async () => {
  const v = await visit(url + "memory/" + store.id("Retry a refused lock twice"));
  const dialog = v.page.getByRole("dialog"), text = v.page.getByLabel("Text", { exact: true });
  await v.page.getByRole("button", { name: "Edit" }).click();
  await text.waitFor();
  await v.page.keyboard.press("Escape"); // nothing was typed
  await dialog.waitFor({ state: "detached" });
  await v.page.getByRole("button", { name: "Edit" }).click();
  await text.fill("Half a thought");
  for (let n = 0; n < 3; n++) await v.page.keyboard.press("Escape"); // asks, goes on, asks
  await dialog.getByRole("alert").filter({ hasText: "Throw away what you wrote?" }).waitFor();
  await v.page.keyboard.press("Enter"); // on the button that goes on
  assert.equal(await text.inputValue(), "Half a thought");
  await dialog.locator("textarea:focus").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Throw away" }).click();
  await dialog.waitFor({ state: "detached" });
  fine(v);
});

test("linking says where a memory stands, whether it holds, and what the kinds mean", async () => {
  const v = await visit(url + "memory/" + store.id("Retry a refused lock twice"));
  await v.page.getByRole("button", { name: "Link", exact: true }).click();
  const kinds = await v.page.getByLabel("Kind").locator("option").allInnerTexts();
  assert.deepEqual(kinds.map((k) => k.split(":")[0]), ["supersedes", "causes", "depends-on", "contradicts", "supports", "derived-from", "part-of", "follows", "relates-to"]);
  await v.page.getByLabel("Kind").selectOption("contradicts");
  await v.page.getByText("They cannot both be true.").waitFor();
  await v.page.getByLabel("The other memory").fill("hold seats in the session cache");
  const option = v.page.getByRole("option", { name: /^Hold seats in the session cache superseded decision|^Hold seats in the session cache superseded note/ });
  await option.waitFor();
  assert.match(await option.innerText(), /example\/decisions\//);
  assert.equal(await v.page.getByLabel("Note").evaluate((e) => getComputedStyle(e).fontWeight), "400");
  const options = v.page.getByRole("listbox", { name: "Suggestions" }).getByRole("option"), last = options.last();
  for (let n = await options.count(); n > 1; n--) await v.page.keyboard.press("ArrowDown");
  await last.and(v.page.locator("[aria-selected=true]")).waitFor();
  const [box, room] = await boxes(last, v.page.getByRole("dialog"));
  assert.ok(box!.y + box!.height <= room!.y + room!.height, "the last one is within the dialog");
  fine(v);
});

test("lineage is drawn with causes on the left, and leads on", async () => {
  const v = await visit(url + "memory/" + store.id("Terminal Scanners"));
  const picture = v.page.locator(".lineage");
  await picture.locator(".lineage-here").waitFor();
  await picture.locator(".lineage-here.lineage-stale", { hasText: "stale" }).waitFor();
  await picture.getByText("instead of 1 older one").waitFor(); // what was superseded is within what took its place
  assert.equal(await picture.locator(".lineage-was").count(), 1, "the one that led to it stands by itself");
  await picture.locator(".lineage-key", { hasText: "the right one depends on the left one" }).waitFor();
  await picture.getByLabel("show superseded ones separately").check();
  const [was, here] = await boxes(picture.locator(".lineage-was").first(), picture.locator(".lineage-here").first());
  assert.ok(was!.x < here!.x, "what it rests on stands at the left");
  await picture.getByRole("link", { name: /Hold seats in the ledger/ }).first().click();
  await v.page.getByRole("heading", { level: 1, name: "Hold seats in the ledger for ten minutes" }).waitFor();
  fine(v);
});

test("Ctrl-K searches from anywhere, out of a field too", async () => {
  const v = await visit(url + "overview");
  await v.page.getByLabel("What held on").focus();
  await v.page.keyboard.press("Control+k");
  await v.page.waitForFunction(() => document.activeElement?.id === "search-field");
  fine(v);
});

test("the start page says what is here, and folders and dates narrow", async () => {
  const v = await visit(url + "search");
  const waits = v.page.locator(".home-waits");
  await waits.getByRole("link", { name: /stale$/ }).waitFor();
  await waits.locator(".home-card", { hasText: "Terminal Scanners" }).getByText(/was superseded by/).waitFor();
  await waits.getByRole("button", { name: "It still holds: Terminal Scanners" }).waitFor();
  const picture = v.page.getByRole("link", { name: /^The whole store as a picture: \d+ areas, / });
  const svg = decodeURIComponent((await picture.locator("img").getAttribute("src"))!);
  assert.ok(/<text/.test(svg) && (svg.match(/<circle/g) ?? []).length >= 3, "its areas are drawn and named");
  const [field, drawing] = await boxes(v.page.getByLabel("Search memories"), picture);
  assert.ok(drawing!.x > field!.x + field!.width && drawing!.y < field!.y + field!.height, "it stands beside the search");
  await picture.click();
  await v.page.waitForURL(/graph$/);
  await v.page.goBack();
  await v.page.locator(".home").getByRole("link", { name: /^\d+ stored$/ }).click();
  await v.page.waitForURL(/since=\d{4}-\d\d-\d\d/);
  await v.page.goto(url + "?q=hold+seats");
  await v.page.locator(".filters summary").click();
  await v.page.locator(".folders").getByRole("button", { name: "decisions" }).click();
  await v.page.waitForURL(/under=example%2Fdecisions%2F/);
  await v.page.locator(".results[aria-busy=false] .hit", { hasText: "Tie holds to the payment attempt" }).first().waitFor();
  await v.page.waitForFunction(() => [...document.querySelectorAll(".place-of")].every((e) => /^example\/decisions\//.test(e.textContent ?? "")));
  await v.page.getByLabel("and until").fill("2001-01-01");
  await v.page.keyboard.press("Enter");
  await v.page.getByText("Nothing found.").waitFor();
  fine(v);
});

test("a memory has its history, and a note opens in Obsidian", async () => {
  const v = await visit(url + "memory/" + store.id("Boarding lists are printed by hand"));
  await v.page.locator(".history li", { hasText: "stored" }).waitFor();
  await v.page.goto(url + "memory/" + store.id("Seat Ledger"));
  const link = v.page.getByRole("link", { name: "Open in Obsidian" });
  assert.equal(await link.getAttribute("href"), "obsidian://open?vault=example&file=systems%2FSeat%20Ledger.md");
  fine(v);
});
