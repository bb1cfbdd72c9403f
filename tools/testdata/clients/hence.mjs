// What the tests of clients share: a store of their own, and servers on it.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hence = process.env.HENCE;
if (!hence) throw new Error("HENCE must be the path of the program");

// store returns a new store, and a function that runs a command on it.
export function store() {
  const env = { ...process.env, HENCE_DB: join(mkdtempSync(join(tmpdir(), "hence-")), "hence.db") };
  delete env.HENCE_TOKEN;
  const run = (...words) => execFileSync(hence, words, { env, encoding: "utf8" }).trim();
  return { env, run };
}

// listen starts a server over HTTP on any free port, and returns its address
// and how to stop it.
export async function listen(env, ...flags) {
  const server = spawn(hence, ["serve", "--http", "127.0.0.1:0", ...flags], { env, stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const found = said.match(/listening on (\S+)/);
      if (found) resolve(found[1]);
    });
    server.on("exit", (code) => reject(new Error(`hence serve ended with ${code}: ${said}`)));
  });
  const stop = () => new Promise((resolve) => {
    server.removeAllListeners("exit");
    server.on("exit", (code) => resolve(code));
    server.kill("SIGTERM");
  });
  return { url, stop };
}
