// Plants twenty things that wait for a person into a store: what a desk on a busy day has.

import { writeFileSync } from "node:fs";
import type { Store } from "./world.ts";

export const planted = 20;

/** plant stores six stale memories, four contradictions, six proposals and four things that an agent stored. */
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
  ["winch", "crane", "beacon", "buoy", "tender", "pump"].forEach((n, i) => memory(`spare-${n}`, `Spare ${n}`, `The spare ${n} stands on the north quay.`, 15 + i, { valid_to: at(22) }));
  const now = new Date().toISOString();
  [["Backups run at four", "The job begins at four in the morning."], ["Logs are kept for a year", "Then they are thrown away."], ["The printer is on the second floor", "Beside the stairs."], ["Tests want a database of their own", "Each opens a file in its folder."]]
    .forEach(([title, content], i) => memory(`told-${i}`, title!, content!, 1, { origin: "agent", actor: "claude", created_at: now, updated_at: now }));
  const file = s.file + ".planted.jsonl";
  writeFileSync(file, lines.map((l) => JSON.stringify(l) + "\n").join(""));
  s.hence("import", file);
}
