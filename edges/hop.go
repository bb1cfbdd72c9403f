package edges

import (
	"fmt"
	"strings"

	"hence/internal/ref"
)

// Hop is a memory on a path, and the edges to the next one.
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
}

// Arrows writes a path as text. Each arrow points as its edge is stored.
func Arrows(path []Hop) string {
	var text strings.Builder
	for i, hop := range path {
		text.WriteString(hop.Title)
		switch {
		case i == len(path)-1:
		case hop.Type.Symmetric():
			fmt.Fprintf(&text, " —%s— ", hop.Type)
		case hop.Direction == "out":
			fmt.Fprintf(&text, " —%s→ ", hop.Type)
		default:
			fmt.Fprintf(&text, " ←%s— ", hop.Type)
		}
	}
	return text.String()
}
