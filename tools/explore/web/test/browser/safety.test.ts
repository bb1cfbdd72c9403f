import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { example, fine, rest, settled, Store, visit } from "./world.ts";

const hostile = '<img src=x onerror="window.ran=1">';
const body = `Before <script>window.ran=1</script> ${hostile}

<svg onload="window.ran=1"><a xlink:href="javascript:window.ran=1">x</a></svg>

[click me](javascript:window.ran=1) [data](data:text/html,<script>window.ran=1</script>) ![pic](javascript:window.ran=1)
[odd](<https://example.org/"onmouseover="window.ran=1>) [[${hostile}|${hostile}]] ==${hostile}== \`${hostile}\`

| <b onclick="window.ran=1">a</b> | ${hostile} |
|---|---|
| <table> onclick=window.ran=1 | ${hostile} |

<style>body { display: none }</style><iframe srcdoc="<script>parent.ran=1</script>"></iframe>
<form action="//example.org"><input name=getElementById></form> <a id=app name=app>clobber</a> hostileword
`;

const store = new Store("hostile");
const notes = mkdtempSync(join(tmpdir(), "hence-notes-"));
after(() => rmSync(notes, { recursive: true, force: true }));
let url = "";
let id = "";
before(async () => {
  mkdirSync(join(notes, "a"));
  writeFileSync(join(notes, "a", "Target.md"), "Target, which hostileword rests on.\n");
  writeFileSync(join(notes, "<b onmouseover=window.ran=1>note.md"), `---\n"${"<i onclick=window.ran=1>"}": "${"<script>window.ran=1</script>"}"\ntags: [plain]\n---\n${hostile} Target [[Target]] ${hostile}\n\n${body}`);
  store.hence("import", notes, "--name", "<u>vault");
  store.hence("store", body, "--title", hostile, "--kind", "fact", "--tags", hostile, "--properties", `${hostile}=${hostile}`, "--link", "depends-on=Target");
  store.hence("store", "Newer.", "--title", "Newer " + hostile, "--supersedes", "Target", "--reason", hostile);
  id = store.id(hostile);
  url = await store.explore();
});

for (const [name, path] of [["search", "?q=hostileword"], ["list", ""], ["memory", "memory/ID"], ["graph", "graph?seed=ID&depth=2"], ["overview", "overview"], ["review", "review"]] as const) {
  test(`nothing that a memory says runs: ${name}`, async () => {
    const v = await visit(url + path.replace("ID", id));
    await v.page.getByText("<img src=x onerror").first().waitFor();
    if (name === "graph") await settled(v.page);
    await rest(v);
    assert.equal(await v.page.evaluate("window.ran"), undefined);
    const found = await v.page.evaluate(() => ({
      scripts: [...document.scripts].filter((s) => !s.src.startsWith(location.origin)).length,
      elements: document.querySelectorAll("main img, main iframe, main script, main style, main form[action], main svg[onload], main [id=getElementById], main [name]").length - document.querySelectorAll("main input[type=radio][name]").length,
      handlers: [...document.querySelectorAll("main *")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on") || /^\s*(javascript|data):/i.test(a.value))).length,
    }));
    assert.deepEqual(found, { scripts: 0, elements: 0, handlers: 0 });
    fine(v);
  });
}

test("the whole of a hostile text is there to read", async () => {
  const v = await visit(url + "memory/" + id);
  await v.page.locator(".text", { hasText: "hostileword" }).waitFor();
  for (const piece of ["<script>window.ran=1</script>", "<svg onload=", "<iframe srcdoc="]) {
    assert.ok((await v.page.locator(".text").innerText()).includes(piece), piece);
  }
  assert.equal(await v.page.locator("h1").innerText(), hostile);
  for (const link of await v.page.locator(".text a").all()) assert.match(await link.getAttribute("href") ?? "", /^(https?:\/\/|\/explore\/memory\/)/);
  fine(v);
});

test("an address with script in it is text too", async () => {
  const v = await visit(url + "?q=" + encodeURIComponent(hostile) + "&kind=" + encodeURIComponent(hostile) + "&tag=" + encodeURIComponent(hostile));
  await v.page.locator(".count, .trouble").first().waitFor();
  await v.page.goto(url + "memory/" + encodeURIComponent("<img src=x onerror=window.ran=1>nothing"));
  await v.page.locator(".trouble").waitFor();
  assert.equal(await v.page.evaluate("window.ran"), undefined);
  fine(v);
});

test("a token: asked for, refused when wrong, kept for the tab and out of the address", async () => {
  const locked = example();
  locked.hence("token", "add", "somebody");
  const address = new URL(await locked.explore());
  const token = new URLSearchParams(address.hash.slice(1)).get("token") ?? "";
  assert.notEqual(token, "", "the address carries the token");

  const v = await visit(address.origin + "/explore/overview");
  const field = v.page.getByLabel("Token");
  await field.waitFor();
  assert.equal(await v.page.getByText("was refused").count(), 0);
  await field.fill("wrong");
  await v.page.keyboard.press("Enter");
  await v.page.getByText("That token was refused.").waitFor();
  await field.fill(token);
  await v.page.getByRole("button", { name: "Open the store" }).click();
  await v.page.getByRole("heading", { name: "Overview" }).waitFor();
  await v.page.reload();
  await v.page.getByRole("heading", { name: "Overview" }).waitFor();
  await v.page.keyboard.press("d");
  await v.page.evaluate("sessionStorage.clear()");
  await v.page.reload();
  await field.waitFor();
  assert.equal(await v.page.evaluate("document.documentElement.dataset.theme"), "dark", "it asks in the dark that was chosen");
  fine(v);

  const w = await visit(address.href);
  await w.page.locator(".hit, .card").first().waitFor();
  assert.equal(await w.page.evaluate("location.hash"), "");
  assert.ok(!(await w.page.evaluate("document.documentElement.outerHTML") as string).includes(token));
  fine(w);
});

test("where nothing may be written, nothing offers to write", async () => {
  const quiet = example();
  const where = await quiet.explore("--read-only");
  const v = await visit(where + "review");
  await v.page.getByText("reading only").waitFor();
  await v.page.locator(".card").first().waitFor();
  await rest(v);
  const offers = /^(verify|supersede|link|forget|undo|restore|unlink)/i;
  assert.deepEqual((await v.page.getByRole("button").allInnerTexts()).filter((t) => offers.test(t)), []);
  await v.page.goto(where + "memory/" + quiet.id("Terminal Scanners"));
  await v.page.locator(".edge-group").first().waitFor();
  await rest(v);
  assert.deepEqual((await v.page.getByRole("button").allInnerTexts()).filter((t) => offers.test(t)), []);
  fine(v);
});

test("an empty store says what to do next", async () => {
  const bare = new Store("bare");
  const where = await bare.explore();
  const v = await visit(where, { permissions: ["clipboard-read", "clipboard-write"] });
  for (const path of ["", "graph", "overview"]) {
    await v.page.goto(where + path);
    await v.page.getByText("Nothing is remembered yet").waitFor();
    const command = `hence --db ${bare.file} import ~/notes`;
    await v.page.getByRole("button", { name: `Copy: ${command}` }).click();
    await v.page.getByRole("button", { name: `Copy: ${command}` }).getByText("Copied").waitFor();
    assert.equal(await v.page.evaluate("navigator.clipboard.readText()"), command);
    await v.page.locator(".empty").getByRole("button", { name: "Store a memory" }).click();
    await v.page.getByRole("dialog", { name: "Store a memory" }).waitFor();
    fine(v);
  }
  await v.page.goto(where + "review");
  await v.page.getByText("Nothing waits.").waitFor();
  fine(v);
});

test("when the program has gone, the page says so and can try again", async () => {
  const v = await visit(url + "search");
  await v.page.locator(".hit").first().waitFor();
  await v.page.route("**/api/**", (route) => route.abort());
  await v.page.getByLabel("Search memories").fill("target");
  await v.page.getByText("The program does not answer.").first().waitFor();
  await v.page.unroute("**/api/**");
  await v.page.locator(".results").getByRole("button", { name: "Try again" }).click();
  await v.page.locator(".hit").first().waitFor();
  assert.deepEqual(v.wrong.filter((w) => !w.includes("ERR_FAILED")), []);
});
