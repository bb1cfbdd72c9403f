// Package show describes every result in words, once. A description is a Doc with two
// renderings: Text writes it for agents, and the command line draws it for a terminal. Where
// a terminal has a form of its own (a walk as a tree, a list as a table), the Doc holds that
// part as data.
package show

import (
	"cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/budget"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// Doc is a result in words, block by block.
type Doc []Block

// Block is a part of a Doc, on lines of its own.
type Block interface {
	text(w *writer) // writes the block for agents
}

// Part is a piece of a line.
type Part interface {
	text() string // the part for agents
}

// Line is a line of text. A line without parts is empty; only terminals show it.
type Line struct {
	Mark  string // such as an indentation; wrapped lines are indented at least as far
	Role  Role   // of the parts that have none
	Parts []Part
}

// Role is the meaning of a piece of text, by which a terminal styles it.
type Role int

// The roles.
const (
	Plain  Role = iota
	Strong      // a name
	Faint       // a remark, or an id to copy
	Edge        // an arrow
	Good        // an action that was done; capitalised for agents
	Warn        // superseded, dangling, stale
	Bad         // refused, wrong
	Match       // what a search found: for terminals only
	Detail      // kind, author and tags of a memory: for agents only
)

// Span is a piece of text with one role.
type Span struct {
	Text string
	Role Role
}

// Ref names a memory. Agents read its title in quotes, its short id, and its
// status unless it is current.
type Ref struct {
	ref.Named        // without an ID only the title is shown
	Status    string // with remarks on its times: see StatusText
	Form      Form
}

// Marks returns the status and the mark of a stranger's text.
func (r Ref) Marks() string {
	mark := ref.FromWords(r.Trust)
	switch {
	case mark == "" || r.Status == memory.Current && r.Form != Version:
		return cmp.Or(mark, r.Status)
	case r.Status == "":
		return mark
	}
	return r.Status + ", " + mark
}

// Form is how a terminal shows a Ref.
type Form int

// The forms.
const (
	Heading Form = iota // the title stands out; status and short id follow
	Located             // with the path of a note instead of the id
	Bare                // without an id or path
	InLine              // the title and status as plain text
	Quoted              // the title alone, in quotes
	Version             // like Heading, but shows current too, also for agents
)

// Link is an edge, shown as an arrow between two memories.
type Link struct {
	Kind      edges.Kind
	Rel       string
	Direction string // "out": stored from left to right
	Ended     string // time since which it is over; "" if it is not
}

// Route lists the ids from a memory to the cause of its doubt.
type Route []string

// Time is a stored time. A terminal shows it in local time, to the day or the minute.
type Time struct {
	At     string
	Minute bool
}

// Call is a tool, and the command line's word for the same.
type Call struct{ Tool, Command string }

type (
	// People is a part that only a terminal shows.
	People Doc

	// Content is a text to show as it is, such as the text of a memory.
	Content string

	// Warnings are shown after a result.
	Warnings []string

	// Facts are names with values. A terminal aligns them.
	Facts []Fact

	// Fact is a name and a value.
	Fact struct {
		Name       string
		Value      []Part
		OnlyPeople bool // for a terminal only
	}

	// Total says how many results there are, as a heading for agents. A terminal shows
	// only None.
	Total struct {
		N          int    // all results, including those that are left out
		Text, None string // None is the text if N is 0
	}

	// More says that a result was cut, and which argument gets the rest.
	More struct {
		Next     string // name of the argument
		Cursor   string // its value, if it is cursor
		Returned int    // 0: not shown
		Of       int    // 0: not known
		AtLeast  bool   // Of is a lower bound
	}

	// Table is rows of cells under heads. Only a terminal shows it.
	Table struct {
		Columns []Column
		Rows    [][]Cell
	}
	// Column is a column of a Table.
	Column struct {
		Head string
		Min  int // least width when a narrow window cuts the table; 0: never cut
	}
	// Cell is a text of one role in a Table.
	Cell struct {
		Text  string
		Role  Role
		Whole bool // it is never cut
	}
	// Doubts say why a memory is stale. With OneLine a terminal shows only the first.
	Doubts struct {
		Stale   []belief.Doubt
		OneLine bool
	}

	// Path is a path between two memories. A terminal draws it.
	Path struct {
		Hops        []edges.Hop
		Alternative bool
	}

	// Walk lists the memories that were reached from some seeds, nearest first. A terminal
	// draws a tree for each seed.
	Walk struct {
		Seed    Ref    // the only seed; without a title if there may be several
		Root    []Part // the line before the results; nil: the title of the seed
		Reached []Reached
		Seeds   int  // 0: one
		Lean    bool // agents get no paths, authors and tags
	}

	// Reached is a memory of a walk.
	Reached struct {
		walk.Expanded
		Stale []belief.Doubt
	}

	// Summaries are memories in a list. A terminal shows a table.
	Summaries []memory.Summary

	// Results are ranked memories with snippets, the best first.
	Results struct {
		All   []recall.Related
		Brief bool // agents get no tags and snippets
	}
)

// Add appends a line. Each of parts is a Part, a []Part or a string.
func (d *Doc) Add(mark string, parts ...any) { d.AddIn(Plain, mark, parts...) }

// AddIn appends a line whose parts have a role, unless they have one of their own.
func (d *Doc) AddIn(role Role, mark string, parts ...any) {
	*d = append(*d, Line{mark, role, Join(parts...)})
}

// OneLine returns a Doc of one line. Each of parts is a Part, a []Part or a string.
func OneLine(parts ...any) Doc { return Doc{Line{Parts: Join(parts...)}} }

// Join flattens parts. Each of mixed is a Part, a []Part or a string; others are dropped.
func Join(mixed ...any) []Part {
	parts := []Part{}
	for _, item := range mixed {
		switch item := item.(type) {
		case []Part:
			parts = append(parts, item...)
		case Part:
			parts = append(parts, item)
		case string:
			parts = append(parts, Span{Text: item})
		}
	}
	return parts
}

// Gap appends an empty line, except at the beginning.
func (d *Doc) Gap() {
	if len(*d) > 0 {
		*d = append(*d, Line{})
	}
}

// Outcome returns the span of an action: that it was done or, for a dry run, would be.
func Outcome(dry bool, past, would string) Span {
	if dry {
		return Span{would, Warn}
	}
	return Span{past, Good}
}

// Warn appends warnings.
func (d *Doc) Warn(all []string) { *d = append(*d, Warnings(all)) }

// moreByCursor returns a More for a list with pages. next is the name of an argument (query,
// limit or token_budget), or else the value of cursor.
func moreByCursor(next string) More {
	if next == "query" || next == "limit" || next == budget.Next {
		return More{Next: next}
	}
	return More{Next: "cursor", Cursor: next}
}

// AddMore appends m if the result was truncated.
func (d *Doc) AddMore(truncated bool, m More) {
	if truncated {
		*d = append(*d, m)
	}
}
