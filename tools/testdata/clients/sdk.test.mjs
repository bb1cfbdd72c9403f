// The official TypeScript SDK's client against hence serve, over stdio and
// HTTP. The client holds every result against its tool's output schema.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hence, listen, store } from "./hence.mjs";

async function overStdio(t, prepare = () => {}, ...flags) {
  const s = store();
  prepare(s.run);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: hence, args: ["serve", ...flags], env: s.env, stderr: "inherit" }));
  t.after(() => client.close());
  return { client, run: s.run };
}

async function overHTTP(t, prepare = () => {}, ...flags) {
  const s = store();
  prepare(s.run);
  const secret = s.run("token", "add", "agent");
  const server = await listen(s.env, ...flags);
  const client = await connect(t, server.url, secret);
  t.after(async () => assert.equal(await server.stop(), 0, "the server ends cleanly"));
  return { client, run: s.run };
}

async function connect(t, url, secret) {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = secret ? { headers: { Authorization: `Bearer ${secret}` } } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  t.after(() => client.close());
  return client;
}

const call = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  return result.structuredContent;
};

for (const [name, start] of Object.entries({ stdio: overStdio, HTTP: overHTTP })) {
  test(`a conversation over ${name}`, async (t) => {
    const { client, run } = await start(t);
    assert.match(client.getInstructions(), /supersedes/);
    const { tools } = await client.listTools();
    assert.ok(tools.length >= 16 && tools.every((tool) => tool.outputSchema && tool.title));

    const slow = await call(client, "memory_store", { title: "Cold starts take 8 s", content: "Measured." });
    await call(client, "memory_store", { title: "Use SQLite", content: "One file.", kind: "decision", links: [{ to: slow.memory.id, type: "depends-on" }] });
    const found = await call(client, "memory_search", { query: "cold start" });
    assert.equal(found.results[0].title, "Cold starts take 8 s");
    const path = await call(client, "memory_path", { from_id: "Use SQLite", to_id: "Cold starts take 8 s" });
    assert.equal(path.hops, 1);

    const refused = await client.callTool({ name: "memory_get", arguments: { id: "nobody" } });
    assert.equal(refused.isError, true);
    assert.equal(refused.structuredContent.error.code, "not_found");

    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((r) => r.uriTemplate).sort(), ["hence://memory/{id}", "hence://note/{vault}/{+path}", "skill://{name}/SKILL.md"]);
    const read = await client.readResource({ uri: "hence://memory/Use%20SQLite" });
    assert.match(read.contents[0].text, /depends-on/);
    const completed = await client.complete({ ref: { type: "ref/resource", uri: "hence://memory/{id}" }, argument: { name: "id", value: "use" } });
    assert.deepEqual(completed.completion.values, ["Use SQLite"]);

    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((p) => p.name).sort(), ["brief"]);
    const briefed = await client.getPrompt({ name: "brief", arguments: { about: "SQLite" } });
    assert.match(briefed.messages[0].content.text, /Use SQLite/);

    // Another process changes what the decision rests on: the decision is
    // stale, and reads otherwise.
    const uri = "hence://memory/Use%20SQLite";
    const told = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri)));
    await client.subscribeResource({ uri });
    run("store", "Cold starts take 1 s", "--supersedes", slow.memory.id);
    assert.equal(await told, uri);
    assert.match((await client.readResource({ uri })).contents[0].text, /stale/);
    await client.unsubscribeResource({ uri });
  });

  test(`notes over ${name}`, async (t) => {
    const vault = mkdtempSync(join(tmpdir(), "vault-"));
    t.after(() => rmSync(vault, { recursive: true }));
    writeFileSync(join(vault, "First.md"), "---\nstatus: open\n---\n# Why\nSee [[0001]].\n");
    const { client } = await start(t, (run) => run("import", vault, "--name", "v"), "--no-watch"); // a watcher could take in first what the client imports
    assert.match(client.getInstructions(), /read_note/);
    const note = await call(client, "read_note", { path: "First", section: "why" });
    assert.equal(note.content, "# Why\nSee [[0001]].\n");
    assert.deepEqual((await call(client, "list_notes", { properties: { status: "open" } })).notes.map((n) => n.path), ["First.md"]);
    assert.equal((await call(client, "check_vault", {})).dangling.total_count, 1);

    // An import tells how far it is, until the client has enough of it; the
    // next one goes on.
    for (let n = 0; n < 3000; n++) writeFileSync(join(vault, `${String(n).padStart(4, "0")}.md`), `[[First]] and [[${n}]]`);
    const enough = new AbortController();
    let told = 0;
    const onprogress = ({ progress, total }) => {
      assert.ok(progress > told && progress <= total);
      told = progress;
      enough.abort("enough");
    };
    await assert.rejects(client.callTool({ name: "vault_import", arguments: {} }, undefined, { onprogress, signal: enough.signal }), /enough/);
    assert.ok(told > 0);
    await call(client, "vault_import", {});
    assert.equal((await call(client, "list_notes", {})).total_count, 3001);
    assert.equal((await call(client, "get_backlinks", { path: "First", limit: 1 })).linked_count, 3000);
  });
}

test("HTTP: tokens", async (t) => {
  const s = store();
  s.run("store", "secret plan", "--namespace", "theirs");
  const ours = s.run("token", "add", "ours", "--namespace", "ours");
  const reader = s.run("token", "add", "reader", "--read-only");
  const server = await listen(s.env);
  t.after(() => server.stop());

  await assert.rejects(connect(t, server.url, ""), /401|token/);
  await assert.rejects(connect(t, server.url, "hence_wrong"), /401|token/);
  const confined = await connect(t, server.url, ours);
  assert.equal((await call(confined, "memory_list", {})).total_count, 0);
  await call(confined, "memory_store", { content: "ours" });
  const reading = await connect(t, server.url, reader);
  assert.ok((await reading.listTools()).tools.every((tool) => tool.annotations.readOnlyHint));
  assert.equal((await call(reading, "memory_list", {})).total_count, 2);
  s.run("token", "revoke", "ours");
  await assert.rejects(confined.callTool({ name: "memory_list", arguments: {} }), /401|token/);
});
