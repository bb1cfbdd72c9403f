package main

import (
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/memory"
)

// became says in words what happened to what a memory rests on.
var became = map[string]string{
	"superseded":   "was superseded",
	"forgotten":    "was forgotten",
	"contradicted": "is contradicted",
	"changed":      "reads otherwise now",
}

// doubt says why a memory is stale, and by what way where it does not rest on
// the cause itself.
func (v *view) doubt(d edges.Doubt) string {
	text := reason(d.Title, d.Reason)
	if len(d.Route) <= 2 {
		return text
	}
	between := []string{}
	for _, id := range d.Route[1 : len(d.Route)-1] {
		between = append(between, v.title(id))
	}
	return text + ", by way of " + strings.Join(between, " → ")
}

func reason(title, reason string) string {
	what, known := became[reason]
	if !known {
		what = "is " + reason
	}
	return `"` + title + `" ` + what
}

// doubts are lines on why a memory is stale.
func (v *view) doubts(all []edges.Doubt) [][]screen.Span {
	lines := [][]screen.Span{}
	for _, d := range all {
		lines = append(lines, []screen.Span{{Text: "stale: " + v.doubt(d), Style: screen.Warn}})
	}
	return lines
}

// firstDoubt is the nearest of the reasons, where there is room for one line.
func (v *view) firstDoubt(all []edges.Doubt) string {
	text := v.doubt(all[0])
	if more := len(all) - 1; more > 0 {
		text += ", and " + number(more, "more reason", "more reasons")
	}
	return text
}

// firstConflict names one of the memories that contradict another, where there
// is room for one line.
func firstConflict(all []edges.End) string {
	text := `contradicted by "` + all[0].Title + `"`
	if more := len(all) - 1; more > 0 {
		text += ", and " + number(more, "more memory", "more memories")
	}
	return text
}

// mark is what is not as usual about a memory: that it is contradicted, that it
// is stale, or its status.
func mark(m memory.Summary) string {
	marks := []string{}
	if len(m.ContradictedBy) > 0 {
		marks = append(marks, "contradicted")
	}
	if len(m.Stale) > 0 {
		marks = append(marks, "stale")
	}
	if len(marks) == 0 {
		return m.Status
	}
	return strings.Join(marks, ", ")
}

// title is the title of a memory of which a result has only the id.
func (v *view) title(id string) string {
	if m := v.find(id); m.Title != "" {
		return m.Title
	}
	return id
}
