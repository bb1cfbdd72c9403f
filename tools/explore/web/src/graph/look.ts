// The look of the canvas, in the colours of the page.

import type { StylesheetJson } from "cytoscape";
import { colourOf, lookOf } from "../kinds.ts";

/** Crowd is how much is drawn: the more, the less of it has a name or a curve. */
export type Crowd = "few" | "some" | "many";

/** look reads the colours from the page, so that the canvas is light or dark with it. */
export function look(kinds: readonly string[], crowd: Crowd): StylesheetJson {
  const big = crowd === "many";
  const css = getComputedStyle(document.documentElement);
  const colour = (name: string): string => css.getPropertyValue(name).trim();
  const rules: StylesheetJson = [
    {
      selector: "node",
      style: {
        width: "data(size)",
        height: "data(size)",
        shape: "ellipse",
        "background-color": colour("--node"),
        "border-width": 1.5,
        "border-color": colour("--node-line"),
        label: "data(title)",
        color: colour("--ink"),
        "font-size": 12,
        "font-family": "system-ui, sans-serif",
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-wrap": big ? "ellipsis" : "wrap",
        "text-max-width": "140px",
        "min-zoomed-font-size": crowd === "few" ? 6 : 16, // names come as one goes nearer
        "text-background-color": colour("--ground"),
        "text-background-opacity": 0.78,
        "text-background-padding": "2px",
        "text-background-shape": "roundrectangle",
      },
    },
    { selector: "node[size > 27]", style: { "min-zoomed-font-size": 6 } },
    { selector: "node[what = 'agent']", style: { shape: "round-hexagon" } },
    { selector: "node[what = 'file']", style: { shape: "round-rectangle" } },
    { selector: "node[status = 'superseded']", style: { "background-color": colour("--ground"), "border-style": "dashed", color: colour("--faint") } },
    { selector: "node[?stale]", style: { "border-color": colour("--warn"), "border-width": 4 } },
    { selector: "node[?seed]", style: { "background-color": colour("--accent"), "border-color": colour("--accent"), "font-weight": "bold", "min-zoomed-font-size": 0, "z-index": 10 } },
    {
      selector: "edge",
      style: {
        "curve-style": big ? "straight" : "bezier",
        "control-point-step-size": 28,
        "arrow-scale": 0.95,
        opacity: 0.88,
        label: "",
        "font-size": 11,
        color: colour("--ink"),
        "text-rotation": "autorotate",
        "text-background-color": colour("--ground"),
        "text-background-opacity": 0.9,
        "text-background-padding": "2px",
        "min-zoomed-font-size": 8,
      },
    },
  ];
  for (const kind of kinds) {
    const l = lookOf(kind);
    const ink = colour(colourOf(kind));
    rules.push({
      selector: `edge[type = '${kind}']`,
      style: {
        width: l.width,
        "line-color": ink,
        "line-style": l.dash,
        "target-arrow-shape": l.head,
        "target-arrow-color": ink,
        "target-arrow-fill": l.hollow ? "hollow" : "filled",
        ...(l.both && { "source-arrow-shape": l.head, "source-arrow-color": ink }),
      },
    });
  }
  rules.push(
    { selector: ".off", style: { display: "none" } },
    { selector: ".dim", style: { opacity: 0.16 } },
    { selector: "edge.lit", style: { width: 5, opacity: 1, label: "data(label)", "z-index": 20 } },
    { selector: "node.lit", style: { "border-width": 4, "border-color": colour("--lit"), "min-zoomed-font-size": 0, "z-index": 21 } },
    { selector: "edge.beside", style: { label: "data(label)", opacity: 1 } },
    { selector: "node.near", style: { "min-zoomed-font-size": 0, "z-index": 25 } },
    { selector: "node.marked", style: { "min-zoomed-font-size": 0, "underlay-color": colour("--accent"), "underlay-opacity": 0.3, "underlay-padding": 9, "underlay-shape": "ellipse", "z-index": 30 } },
  );
  return rules;
}
