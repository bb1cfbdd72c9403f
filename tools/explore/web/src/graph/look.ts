// The cytoscape style of the graph, in the colours of the page.

import type { StylesheetJson } from "cytoscape";
import { colourOf, lookOf } from "../kinds.ts";

/** Crowd says how many memories are drawn; the more, the plainer the style. */
export type Crowd = "few" | "some" | "many";

/**
 * look returns the style. It reads the colours from the page, so that the canvas follows the theme.
 */
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
      },
    },
    { selector: "node[what = 'agent']", style: { shape: "round-hexagon" } },
    { selector: "node[what = 'file']", style: { shape: "round-rectangle" } },
    { selector: "node[status = 'superseded']", style: { "background-color": colour("--ground"), "border-style": "dashed" } },
    { selector: "node[?stale]", style: { "border-color": colour("--warn"), "border-width": 4 } },
    { selector: "node[?seed]", style: { "background-color": colour("--accent"), "border-color": colour("--accent"), "z-index": 10 } },
    {
      selector: "edge",
      style: {
        "curve-style": big ? "straight" : "bezier",
        "control-point-step-size": 28,
        "arrow-scale": 0.95,
        opacity: crowd === "few" ? 0.88 : 0.55, // translucent, so that the edges of a hub do not hide what lies under them
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
    { selector: "edge.lit", style: { opacity: 1, "underlay-color": colour("--path"), "underlay-opacity": 0.32, "underlay-padding": 7, "z-index": 20 } },
    { selector: "node.lit", style: { "underlay-color": colour("--path"), "underlay-opacity": 0.32, "underlay-padding": 9, "underlay-shape": "ellipse", "z-index": 21 } },
    { selector: "edge.beside", style: { opacity: 1 } },
    { selector: "node.near", style: { "z-index": 25 } },
    { selector: "node.marked", style: { "underlay-color": colour("--accent"), "underlay-opacity": 0.3, "underlay-padding": 9, "underlay-shape": "ellipse", "z-index": 30 } },
  );
  return rules;
}
