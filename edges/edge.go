package edges

import (
	"database/sql"
	"fmt"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/record"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// Edge is a stored edge. It reads: from, type, to.
type Edge struct {
	ID        string  `json:"id" is:""`
	From      ref.End `json:"from"`
	To        ref.End `json:"to"`
	Type      Kind    `json:"type" column:"kind" is:""`
	Rel       string  `json:"rel" is:""`
	Weight    float64 `json:"weight" is:""`
	Origin    string  `json:"origin" is:""`
	Actor     string  `json:"actor" is:""`
	Note      string  `json:"note,omitempty" is:""`
	ValidFrom string  `json:"valid_from,omitempty" is:"null"`
	ValidTo   string  `json:"valid_to,omitempty" is:"null"`
	CreatedAt string  `json:"created_at" is:""`
}

var columns = record.Of[Edge]()

var selectEdge = "select " + record.Select(columns, "e") + `,
  ` + EndOf("f") + `,
  ` + EndOf("t") + `
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
`

func scanEdge(row *sql.Rows) (e Edge, err error) {
	err = record.Scan(row, columns, &e, &e.From, &e.From.Ended, &e.From.Begins, &e.From.Trust, &e.To, &e.To.Ended, &e.To.Begins, &e.To.Trust)
	return e, err
}

// EndOf returns the SQL columns that a ref.End is scanned from: id, title, status, end and
// beginning of validity, and trust. memory is the alias of the table.
func EndOf(memory string) string {
	return strings.ReplaceAll(`{m}.id,
  {m}.title,
  {m}.status,
  `, "{m}", memory) + ref.EndedByNow(memory) + `,
  ` + ref.BeginsAfterNow(memory) + `,
  ` + ref.TrustOf(memory)
}

// BothWays returns a query for the edges out of a memory and the edges into it: half twice,
// joined by union all. Where the halves differ, half has {out|in}, as in
// "e.{to_key|from_key}".
func BothWays(half string) string {
	return oneWay(half, 0) + "\nunion all\n" + oneWay(half, 1)
}

// oneWay returns one of the halves of BothWays.
func oneWay(half string, way int) string {
	before, rest, _ := strings.Cut(half, "{")
	words, after, found := strings.Cut(rest, "}")
	if !found {
		return half
	}
	if pair := strings.Split(words, "|"); len(pair) == 2 {
		return before + pair[way] + oneWay(after, way)
	}
	return before + "{" + oneWay(rest, way)
}

// nullIfEmpty returns text, or nil for "", for a column that holds null instead of "".
func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// SaysNothing is the SQL condition that the memory m is a file without text, such as a
// picture or an empty canvas. It is false for a note without text, because somebody chose
// its title.
const SaysNothing = `m.kind in ('file', 'canvas') and m.content = ''`

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
			name += ", over since " + db.Day(hop.Edges[0].Ended)
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

// PageArgs are the arguments of a call that returns one page of a list.
type PageArgs struct {
	Limit  int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next from the previous response"`
}

// Start checks the arguments and reads the cursor into after. It returns the
// namespace that the caller reads, "" for all.
func (a *PageArgs) Start(list string, caller ref.Caller, after any) (namespace string, err error) {
	if err := args.Check(list, a); err != nil {
		return "", err
	}
	if err := db.ReadCursor(list, list, a.Cursor, after); err != nil {
		return "", err
	}
	return caller.Reads("")
}

// Page says which part of a list a response contains.
type Page struct {
	TotalCount    int    `json:"total_count"`
	ReturnedCount int    `json:"returned_count"`
	Truncated     bool   `json:"truncated"`
	Next          string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Cut returns the first limit items and the cursor of the next page, "" if this page is the
// last. The caller reads limit+1 items, so that Cut sees whether more follow. place returns
// the value that the cursor encodes for the last item of the page.
func Cut[T any](list string, items []T, limit int, place func(last T) any) (page []T, next string) {
	if len(items) <= limit {
		return items, ""
	}
	return items[:limit], db.Cursor(list, place(items[limit-1]))
}

// Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}
