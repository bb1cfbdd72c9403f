// The official TypeScript SDK's client against hence serve, with the tokens of a real
// identity provider (oidc-provider): discovery, registration, PKCE, the resource indicator,
// refresh, and what a token gives access to.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Provider, interactionPolicy } from "oidc-provider";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { listen, store } from "./hence.mjs";

const callback = "http://127.0.0.1:9/callback";

// provider starts an identity provider whose person agrees to everything at once.
// Its access tokens are JSON Web Tokens for the resource that the client names.
async function provider(t, lives = 3600) {
  const web = createServer();
  await new Promise((resolve) => web.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${web.address().port}`;
  const idp = new Provider(issuer, {
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({ scope: "hence:read hence:write", audience: resource, accessTokenFormat: "jwt", accessTokenTTL: lives, jwt: { sign: { alg: "RS256" } } }),
      },
    },
    scopes: ["openid", "offline_access", "hence:read", "hence:write"],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { policy: interactionPolicy.base(), url: (_, one) => `/agree/${one.uid}` },
    clientBasedCORS: () => true,
  });
  web.on("request", async (request, response) => {
    if (!request.url.startsWith("/agree/")) return idp.callback()(request, response);
    const { prompt, params, session } = await idp.interactionDetails(request, response);
    if (prompt.name === "login") {
      return idp.interactionFinished(request, response, { login: { accountId: "ada" } }, { mergeWithLastSubmission: false });
    }
    const grant = new idp.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope ?? "openid");
    for (const resource of [params.resource].flat().filter(Boolean)) grant.addResourceScope(resource, params.scope);
    const grantId = await grant.save();
    return idp.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true });
  });
  t.after(() => web.closeAllConnections() ?? web.close());
  return issuer;
}

// browse follows the redirects of a browser with cookies, up to the client's callback.
async function browse(address) {
  const cookies = new Map();
  for (let hops = 0; hops < 20; hops++) {
    if (address.href.startsWith(callback)) return address.searchParams;
    const answer = await fetch(address, { redirect: "manual", headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") } });
    for (const one of answer.headers.getSetCookie()) {
      const [, name, value] = one.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    assert.ok(next, `${address} answers ${answer.status}: ${await answer.text()}`);
    address = new URL(next, address);
  }
  assert.fail("too many redirects");
}

// owner is the client's side of the flow: what it keeps between two connections.
class Owner {
  asked = [];
  get redirectUrl() { return callback; }
  get clientMetadata() {
    return { client_name: "test", redirect_uris: [callback], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none", application_type: "native", scope: this.scope };
  }
  clientInformation() { return this.information; }
  saveClientInformation(information) { this.information = information; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(address) { this.asked.push(address); }
}

async function connect(url, owner) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: owner });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return client;
}

// login goes through the whole flow and returns a client that is connected.
async function login(t, url, owner) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: owner });
  await assert.rejects(new Client({ name: "test", version: "1" }).connect(transport), UnauthorizedError);
  const asked = owner.asked.at(-1);
  assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
  assert.equal(asked.searchParams.get("resource"), url, "the client asks for a token for this server");
  const said = await browse(asked);
  assert.ok(said.get("code"), `the provider says ${said}`);
  await transport.finishAuth(said.get("code"));
  const client = await connect(url, owner);
  t.after(() => client.close());
  return client;
}

async function world(t, lives, ...rules) {
  const s = store();
  const issuer = await provider(t, lives);
  for (const rule of rules) s.run("token", "map", ...rule);
  const server = await listen(s.env, "--issuer", issuer);
  t.after(() => server.stop());
  return { ...s, issuer, server };
}

test("the whole flow: discovery, registration, PKCE, a token for this server", async (t) => {
  const { server, issuer, run } = await world(t, 3600, ["scope", "hence:write", "--namespace", "team"]);
  const metadata = await (await fetch(new URL("/.well-known/oauth-protected-resource/mcp", server.url))).json();
  assert.deepEqual(metadata.authorization_servers, [issuer]);
  assert.equal(metadata.resource, server.url);
  const client = await login(t, server.url, Object.assign(new Owner(), { scope: "hence:write" }));
  const stored = await client.callTool({ name: "memory_store", arguments: { content: "The client came in by OAuth." } });
  assert.equal(stored.structuredContent.memory.namespace, "team");
  assert.match(run("trust"), /agent: 1/);
});

test("a token of a reader reads", async (t) => {
  const { server } = await world(t, 3600, ["scope", "hence:read", "--read-only"]);
  const client = await login(t, server.url, Object.assign(new Owner(), { scope: "hence:read" }));
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "memory_search") && !tools.some((tool) => tool.name === "memory_store"));
});

test("a token that is refused is refreshed", async (t) => {
  const { server } = await world(t, 3600, ["scope", "hence:write"]);
  const owner = Object.assign(new Owner(), { scope: "hence:write offline_access" });
  await login(t, server.url, owner);
  assert.ok(owner.kept.refresh_token, "the provider gives a refresh token");
  const before = owner.kept.access_token;
  owner.kept = { ...owner.kept, access_token: `${before.slice(0, -8)}AAAAAAAA` };
  const client = await connect(server.url, owner);
  t.after(() => client.close());
  await client.ping();
  assert.notEqual(owner.kept.access_token, before);
  assert.equal(owner.asked.length, 1, "the person was not asked again");
});

test("a token for another server, and one without a row, are refused", async (t) => {
  const { server, issuer, env, run } = await world(t, 3600, ["scope", "hence:write"]);
  const other = await listen(env, "--issuer", issuer);
  t.after(() => other.stop());
  const owner = Object.assign(new Owner(), { scope: "hence:write" });
  await login(t, server.url, owner);
  const ask = (url, token) => fetch(url, { method: "POST", headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${token}` }, body: "{}" });
  const elsewhere = await ask(other.url, owner.kept.access_token);
  assert.equal(elsewhere.status, 401);
  assert.match(elsewhere.headers.get("www-authenticate"), /invalid_token.*aud/);
  run("token", "map", "scope", "hence:write", "--remove");
  assert.equal((await ask(server.url, owner.kept.access_token)).status, 403);
});
