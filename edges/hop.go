package edges

import (
	"fmt"
	"strings"
	"time"

	"hence/internal/ref"
)

// Hop is a memory on a path, with the edges to the next memory.
type Hop struct {
	ref.End
	Type      Kind       `json:"edge_type_to_next,omitempty"`
	Direction string     `json:"direction_to_next,omitempty" jsonschema:"out: stored this → next; in: stored next → this"`
	Edges     []Parallel `json:"edges_to_next,omitempty" jsonschema:"every edge between the two"`
}

// Parallel is one of several edges between two neighbours on a path.
type Parallel struct {
	ID        string  `json:"id"`
	Type      Kind    `json:"type"`
	Rel       string  `json:"rel"`
	Direction string  `json:"direction"`
	Weight    float64 `json:"weight"`
	Ended     string  `json:"ended,omitempty"`
}

// Arrows returns a path as text: titles joined by arrows, each in the direction in which its
// edge is stored.
func Arrows(path []Hop) string {
	var text strings.Builder
	for i, hop := range path {
		text.WriteString(hop.Title + hop.Mark())
		name := string(hop.Type)
		if len(hop.Edges) > 0 && hop.Edges[0].Ended != "" {
			name += ", over since " + hop.Edges[0].Ended[:len(time.DateOnly)]
		}
		switch {
		case i == len(path)-1:
		case hop.Type.Symmetric():
			fmt.Fprintf(&text, " —%s— ", name)
		case hop.Direction == "out":
			fmt.Fprintf(&text, " —%s→ ", name)
		default:
			fmt.Fprintf(&text, " ←%s— ", name)
		}
	}
	return text.String()
}
