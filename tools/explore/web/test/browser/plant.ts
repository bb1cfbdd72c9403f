// Plants twenty things that wait for a person into a store: what a desk on a busy day has.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Store } from "./world.ts";

const home = mkdtempSync(join(tmpdir(), "hence-home-")); // what has to wait for a person is kept there
process.env["HOME"] = home;
after(() => rmSync(home, { recursive: true, force: true }));

/** speak has an agent call tools. */
export function speak(own: Store, ...calls: [name: string, args: object][]): void {
  const said = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "claude-code", version: "1" } } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...calls.map(([name, args], i) => ({ jsonrpc: "2.0", id: i + 2, method: "tools/call", params: { name, arguments: args } })),
  ];
  execFileSync(process.env["HENCE"] ?? "hence", ["--db", own.file, "serve"], { input: said.map((m) => JSON.stringify(m) + "\n").join(""), env: { PATH: process.env["PATH"], HOME: home } });
}

export const planted = 20;

/** plant stores six stale memories, four contradictions, four proposals, four things that an agent stored, one that waits and one that is asked for. */
export function plant(s: Store): void {
  const at = (day: number): string => `2026-03-${String(day).padStart(2, "0")}T09:00:00Z`;
  const lines: object[] = [];
  const memory = (id: string, title: string, content: string, day: number, more: object = {}): void => {
    lines.push({ type: "memory", id, kind: "fact", title, content, origin: "person", actor: "ada", created_at: at(day), updated_at: at(day), ...more });
  };
  const edge = (from: string, edge_type: string, to: string, day: number): void => {
    lines.push({ type: "edge", from, edge_type, to, origin: "person", actor: "ada", created_at: at(day) });
  };
  memory("port-old", "Port of the queue", "The queue listens on port seven thousand and one.", 1);
  memory("port-new", "New port of the queue", "The queue moved to port seven thousand one hundred.", 9);
  edge("port-new", "supersedes", "port-old", 9);
  [["firewall", "Firewall", "It lets the queue through."], ["health", "Health check", "It asks the queue once a minute."], ["runbook", "Runbook of the night shift", "Look at the queue first."],
    ["alarm", "Alarm for the pager", "It rings when nothing answers for an hour."], ["map", "Map of the machines", "Shows where each of them listens."], ["drill", "Fire drill in spring", "Turns the lights of the hall off."]]
    .forEach(([id, title, content], i) => {
      memory(id!, title!, content!, 2 + i);
      edge(id!, "depends-on", i < 3 ? "port-old" : "firewall", 2 + i);
    });
  [["Lamp by the gate", "is lit at dusk", "stays dark at dusk"], ["Ferry on Sunday", "sails at eight", "sails at noon"], ["Winch on the quay", "belongs to the harbour", "belongs to the yard"], ["Refunds", "take three days", "take a fortnight"]]
    .forEach(([what, one, other], i) => {
      memory(`say-${i}`, `${what} ${one}`, `Seen by the crew: ${one}.`, 10 + i);
      memory(`gainsay-${i}`, `${what} ${other}`, `Told by the office: ${other}.`, 10 + i);
      edge(`gainsay-${i}`, "contradicts", `say-${i}`, 10 + i);
    });
  ["winch", "crane", "beacon", "buoy"].forEach((n, i) => memory(`spare-${n}`, `Spare ${n}`, `The spare ${n} stands on the north quay.`, 15 + i, { valid_to: at(22) }));
  const now = new Date().toISOString();
  [["Backups run at four", "The job begins at four in the morning."], ["Logs are kept for a year", "Then they are thrown away."], ["The printer is on the second floor", "Beside the stairs."], ["Tests want a database of their own", "Each opens a file in its folder."]]
    .forEach(([title, content], i) => memory(`told-${i}`, title!, content!, 1, { origin: "agent", actor: "claude", created_at: now, updated_at: now }));
  const file = s.file + ".planted.jsonl";
  writeFileSync(file, lines.map((l) => JSON.stringify(l) + "\n").join(""));
  s.hence("import", file);
  s.hence("store", "The tender is moored at the south quay.", "--title", "Tender");
  speak(s, ["memory_forget", { id: "Tender", reason: "it was sold" }]);
  s.hence("review", "--policy", "all");
  speak(s, ["memory_store", { title: "Watch of the night", content: "The night watch begins at ten." }]);
}
