// A store, a server and a browser for the tests. HENCE names the program, VAULT
// the folder of the example's notes, CHROMIUM the browser; without it, the one without windows, which
// takes a third less time, if it is there.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page, type Request } from "playwright-core";

const program = process.env["HENCE"] ?? "hence";
const vault = process.env["VAULT"] ?? "examples/vault";

export class Store {
  readonly file: string;
  #server: ChildProcess | undefined;

  constructor(name: string) {
    const room = mkdtempSync(join(tmpdir(), "hence-web-"));
    this.file = join(room, name + ".db");
    after(() => {
      this.#server?.kill();
      rmSync(room, { recursive: true, force: true });
    });
  }

  /** hence runs a command on the store and returns what it prints. */
  hence(...words: string[]): string {
    return execFileSync(program, ["--db", this.file, "--actor", "ada", ...words], { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: process.env["HOME"] } });
  }

  /** id is that of the memory with a title. */
  id(title: string): string {
    return (JSON.parse(this.hence("get", title, "--json")) as { memories: { id: string }[] }).memories[0]!.id;
  }

  /** stop ends the server. */
  stop(): void {
    this.#server?.kill();
  }

  /** explore starts the page and returns the address that it prints. */
  explore(...flags: string[]): Promise<string> {
    return this.#start("explore", "--no-browser", ...flags);
  }

  /** serve starts the page as a server for agents has it. */
  serve(...flags: string[]): Promise<string> {
    return this.#start("serve", "--http", "127.0.0.1:0", "--explore", ...flags);
  }

  async #start(...words: string[]): Promise<string> {
    const server = spawn(program, ["--db", this.file, "--actor", "ada", ...words], { stdio: ["ignore", "pipe", "pipe"] });
    this.#server = server;
    let said = "";
    return new Promise((found, failed) => {
      const hear = (bytes: Buffer): void => {
        said += String(bytes);
        const address = /http:\/\/\S+\/explore\/\S*/.exec(said);
        if (address) found(address[0]);
      };
      server.stdout.on("data", hear);
      server.stderr.on("data", hear);
      server.on("exit", () => failed(new Error(`hence ${words[0]} ended: ${said}`)));
    });
  }
}

/**
 * example is the store that pictures and most tests show: the example's notes,
 * and what an agent has made of them.
 */
export function example(): Store {
  const s = new Store("fairlead");
  s.hence("import", vault, "--name", "example");
  const at = "2026-10-30T09:12:00Z";
  const told = { type: "memory", origin: "agent", actor: "claude", created_at: at, updated_at: at };
  const edge = (from: string, edge_type: string, to: string, note = "") => ({ type: "edge", from, edge_type, to, note, origin: "agent", actor: "claude", created_at: at });
  const lines = [
    { ...told, id: "retry-twice", kind: "decision", title: "Retry a refused lock twice", tags: ["area/booking"], content: "A `503` from the seat ledger is tried again after 200 ms and after 800 ms, and only then shown to the guest." },
    { ...told, id: "refused-locks", kind: "finding", title: "Refused locks last under a second", tags: ["area/booking"], content: "Of 412 refused locks in October, 409 were gone after 800 ms." },
    { ...told, id: "lists-by-hand", kind: "fact", title: "Boarding lists are printed by hand", tags: ["area/terminals"], content: "The kiosk at Vassby prints the list when the handhelds are down." },
    edge("retry-twice", "depends-on", s.id("Seat Ledger"), "the ledger refuses a lock rather than wait"),
    edge("retry-twice", "part-of", s.id("Booking API")),
    edge("refused-locks", "supports", "retry-twice"),
    edge("lists-by-hand", "relates-to", s.id("Terminal Scanners")),
  ];
  const file = s.file + ".jsonl";
  writeFileSync(file, lines.map((l) => JSON.stringify(l) + "\n").join(""));
  s.hence("import", file);
  return s;
}

let browser: Promise<Browser> | undefined;

function launch(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? ["/usr/bin/chromium-headless-shell"].find(existsSync) ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--process-per-site", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  return browser;
}

after(async () => (await browser)?.close());

/** Visit is a page, and what went wrong on it. */
export interface Visit {
  page: Page;
  wrong: string[];
  asking: Set<Request>; // requests under way, but for the one that hears what changes
}

/** Options are those of a context. own asks for one that no other test has had, such as one whose clock is set. */
type Options = BrowserContextOptions & { own?: boolean };

/** Tab is a page of the browser, and the visit that it is of. */
interface Tab {
  page: Page;
  visit: Visit;
  origin: string;
}

const size = { width: 1280, height: 860 };

/** tab is the page that visits have one after the other: to start one takes a second, to load it anew a third of that. */
let tab: Tab | undefined;
let taken = false; // tab is in use
const left = new WeakSet<Visit>();

/**
 * visit opens an address. It is left when the test that asked for it ends: pages left open
 * listen and draw on. Whatever goes wrong on the page is noted.
 */
export async function visit(address: string, options: Options = {}): Promise<Visit> {
  const { viewport, colorScheme, own, ...more } = options;
  const shared = !taken && !own && Object.keys(more).length === 0;
  taken ||= shared;
  let t = shared ? tab : undefined;
  if (t) {
    await t.page.setViewportSize(viewport ?? size);
    await t.page.emulateMedia({ colorScheme: colorScheme ?? "light" });
  } else {
    t = await open({ viewport: viewport ?? size, colorScheme: colorScheme ?? "light", reducedMotion: "reduce", ...more });
  }
  if (shared) tab = t;
  const v: Visit = { page: t.page, wrong: [], asking: new Set<Request>() };
  t.visit = v;
  t.origin = new URL(address).origin;
  after(() => leave(v));
  await t.page.goto(address);
  return v;
}

/** leave ends a visit before its test ends. */
export async function leave(v: Visit): Promise<void> {
  if (left.has(v)) return;
  left.add(v);
  if (tab?.visit !== v) {
    await v.page.context().close();
    return;
  }
  tab.visit = { page: v.page, wrong: [], asking: new Set<Request>() }; // what comes now is of nobody
  try {
    await v.page.unrouteAll({ behavior: "ignoreErrors" });
    await v.page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await v.page.goto("about:blank");
    await v.page.mouse.move(0, 0);
  } catch {
    tab = undefined; // of a test that failed
    await v.page.context().close();
  }
  taken = false;
}

/** open opens a page in a context of its own. */
async function open(options: BrowserContextOptions): Promise<Tab> {
  const page = await (await (await launch()).newContext(options)).newPage();
  const t: Tab = { page, visit: { page, wrong: [], asking: new Set<Request>() }, origin: "" };
  const note = (what: string): void => void t.visit.wrong.push(what);
  page.setDefaultTimeout(60_000); // a busy machine takes its time
  page.on("pageerror", (e) => note("error: " + e.message));
  page.on("console", (m) => m.type() === "error" && !/status of (40[0-9]|50[0-9])/.test(m.text()) && note("console: " + m.text()));
  page.on("dialog", (d) => {
    note("dialog: " + d.message());
    void d.dismiss();
  });
  page.on("request", (r) => new URL(r.url()).origin !== t.origin && !r.url().startsWith("data:") && note("asked elsewhere: " + r.url()));
  page.on("request", (r) => void (new URL(r.url()).pathname.endsWith("/api/events") || t.visit.asking.add(r)));
  page.on("requestfinished", (r) => void t.visit.asking.delete(r));
  page.on("requestfailed", (r) => void t.visit.asking.delete(r));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`)));
  await page.addInitScript(() => { // what was done is said for 12 seconds, in which a busy machine may not come to read it
    const real = setTimeout;
    globalThis.setTimeout = ((f: () => void, ms?: number, ...more: []) => real(f, ms === 12_000 ? 600_000 : ms, ...more)) as typeof setTimeout;
  });
  return t;
}

/** rest waits until a page has asked nothing for half a second, and fails where it asks on for a minute. */
export async function rest(v: Visit): Promise<void> {
  for (let calm = 0, tries = 0; calm < 5; tries++) {
    assert.ok(tries < 600, `the page asks on: ${[...v.asking].map((r) => r.url()).join(", ")}`);
    await new Promise((done) => setTimeout(done, 100));
    calm = v.asking.size === 0 ? calm + 1 : 0;
  }
}

type Box = NonNullable<Awaited<ReturnType<Locator["boundingBox"]>>>;

/** boxes returns where elements stand, as soon as all of them stay there: what is still to come may move them. */
export async function boxes(...of: Locator[]): Promise<Box[]> {
  const measure = (): Promise<Box[]> => Promise.all(of.map(async (one) => (await one.boundingBox())!));
  let now = await measure();
  for (let calm = 0, tries = 0; calm < 3; tries++) {
    assert.ok(tries < 600, `it moves on: ${of.join(", ")}`);
    await new Promise((done) => setTimeout(done, 50));
    const before = now;
    now = await measure();
    calm = isDeepStrictEqual(now, before) ? calm + 1 : 0;
  }
  return now;
}

/** toast waits for what the status line says of what one has just done. */
export async function toast(v: Visit, text: string | RegExp): Promise<void> {
  await v.page.locator(".toast.shown", { hasText: text }).waitFor();
}

/** listens waits until a page hears what changes. */
export async function listens(v: Visit): Promise<void> {
  await v.page.locator("html[data-listens]").waitFor({ state: "attached" });
}

/** settled waits until the drawing of a graph rests. */
export async function settled(page: Page): Promise<void> {
  await page.locator(".canvas[data-state=settled]").waitFor();
}

/** spot is where a memory stands in the drawing. */
export async function spot(page: Page, id: string): Promise<{ x: number; y: number }> {
  const box = (await page.locator(`.dot[data-id="${id}"] .body`).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** drawn counts the memories (.dot) and edges (.line) of the drawing that match a selector. */
export function drawn(page: Page, selector: string): Promise<number> {
  return page.locator(`.graph-svg ${selector}`).count();
}

/**
 * waitForDrawn waits until a number of memories or edges match a selector. The address
 * and the list change before the drawing does, so neither tells when it is done.
 */
export async function waitForDrawn(page: Page, selector: string, n: number): Promise<void> {
  await page.waitForFunction(([selector, n]) => document.querySelectorAll(`.graph-svg ${selector}`).length === n, [selector, n] as const);
}

/** fine holds that nothing went wrong on the page. */
export function fine(v: Visit): void {
  assert.deepEqual(v.wrong, []);
}
