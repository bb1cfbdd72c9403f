package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// chart is a picture of several tables: a panel for each table, a bar for each
// server. Each panel has its own logarithmic scale, because the times differ by
// orders of magnitude.
type chart struct {
	file, title string
	tables      []string
}

var charts = []chart{
	{"bench-memories.svg", "Beside memory servers, 10,000 memories: p50 in milliseconds, shorter is better", []string{"start", "store", "phrase", "question", "open", "neighbors"}},
	{"bench-notes.svg", "Beside vault servers, 10,000 notes: p50 in milliseconds, shorter is better", []string{"ready-made", "phrase-made", "question-made", "read-made", "backlinks-made", "create-made"}},
}

// The measures of a chart, in pixels.
const (
	chartWidth = 760
	nameWidth  = 150
	barWidth   = 470
	barHeight  = 16
	barPitch   = 22
	panelHead  = 34
)

// draw returns a chart as SVG, in light and dark.
func (r *results) draw(c chart) (string, error) {
	var b strings.Builder
	y := 40
	for _, id := range c.tables {
		t, ok := r.Tables[id]
		if !ok {
			return "", fmt.Errorf("table %q was not measured", id)
		}
		fmt.Fprintf(&b, `<text class="panel" x="16" y="%d">%s</text>`+"\n", y+20, html.EscapeString(t.Title))
		y += panelHead
		lowest, highest := t.scale()
		for _, row := range t.Rows {
			fmt.Fprintf(&b, `<text class="name" x="%d" y="%d">%s</text>`+"\n", nameWidth, y+12, html.EscapeString(row.Server))
			label := "not offered"
			width := 0.0
			if row.Value >= 0 {
				label = figure(row.Value, t.Unit)
				width = barWidth * (math.Log10(math.Max(row.Value, lowest)) - math.Log10(lowest)) / (math.Log10(highest) - math.Log10(lowest))
			}
			class := "peer"
			if row.Server == "hence" {
				class = "hence"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", class, nameWidth+10, y, math.Max(width, 2), barHeight)
			fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%d">%s</text>`+"\n", nameWidth+16+math.Max(width, 2), y+12, label)
			y += barPitch
		}
		y += 6
	}
	y += 26
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2430; }
.title { font-weight: 600; font-size: 14px; } .panel { font-weight: 600; } .name { text-anchor: end; } .value, .foot { fill: #59606e; font-size: 12px; }
.back { fill: #ffffff; } .hence { fill: #1f6f63; } .peer { fill: #b9bfca; }
@media (prefers-color-scheme: dark) { text { fill: #e6e8ec; } .value, .foot { fill: #a2a9b6; } .back { fill: #14171d; } .hence { fill: #56b8a6; } .peer { fill: #4a515e; } }
</style>
<rect class="back" width="%d" height="%d"/>
<text class="title" x="16" y="24">%s</text>
%s<text class="foot" x="16" y="%d">logarithmic, each panel by itself</text>
</svg>
`, chartWidth, y, chartWidth, y, html.EscapeString(c.title), chartWidth, y, html.EscapeString(c.title), b.String(), y-12), nil
}

// scale returns the powers of ten around a table's values.
func (t table) scale() (lowest, highest float64) {
	lowest, highest = math.Inf(1), 0
	for _, row := range t.Rows {
		if row.Value > 0 {
			lowest, highest = math.Min(lowest, row.Value), math.Max(highest, row.Value)
		}
	}
	lowest = math.Pow(10, math.Floor(math.Log10(lowest)))
	return lowest, math.Max(math.Pow(10, math.Ceil(math.Log10(highest))), 10*lowest)
}
