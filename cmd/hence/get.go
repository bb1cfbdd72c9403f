package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

func (s *session) getCommand() *cobra.Command {
	return mirror[memory.GetArgs, memory.GetResult]{
		use:   "get REF...",
		group: groupMemory,
		short: "Read a memory, whole",
		long:  `Shows one or more memories: what they say, where they come from, and their edges.`,
		example: `  hence get "Job Queue"
  hence get systems/Job\ Queue.md 01983f2c --detail summary`,
		words: count{1, unlimited},
		flags: flags.Options{Omit: []string{"id", "ids"}},
		place: func(a *memory.GetArgs, words []string) error {
			if len(words) == 1 {
				a.ID = words[0]
			} else {
				a.IDs = words
			}
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.GetArgs) (memory.GetResult, error) {
			return memory.Store{DB: d, Caller: c}.Open(ctx, a)
		},
		draw: drawMemories,
	}.command(s)
}

func drawMemories(v *view, _ memory.GetArgs, r memory.GetResult) {
	for i, m := range r.Memories {
		if i > 0 {
			v.Line()
			v.Line()
		}
		v.memory(m)
	}
	v.warn(r.Warnings)
	v.more(r.Truncated, r.Next)
}

func (v *view) memory(m memory.Opened) {
	v.Line(screen.Span{Text: m.Title, Style: screen.Strong}, statusSpan(m.Status))
	if m.SupersededBy != nil {
		v.Line(screen.Span{Text: "superseded by " + m.SupersededBy.Title, Style: screen.Warn}, faint(ref.ShortID(m.SupersededBy.ID)))
	}
	v.stale(m)
	v.facts(facts(m))
	if strings.TrimSpace(m.Content) != "" {
		v.Line()
		v.Block("", m.Content)
	}
	if len(m.Edges) > 0 {
		v.Line()
	}
	for _, e := range m.Edges {
		v.Hang("  ", deeper, edgeSpan(e.Type, e.Rel, e.Direction), screen.Text(e.Other.Title), statusSpan(e.Other.Status), note(e.Note))
	}
}

// stale says why a memory is to be looked at again.
func (v *view) stale(m memory.Opened) {
	for _, line := range v.doubts(m.Stale) {
		v.Item("", line...)
	}
	if len(m.Stale) > 0 {
		v.Item("  ", screen.Span{Text: "does it still hold? hence verify " + ref.ShortID(m.ID) + " says so", Style: screen.Faint})
	}
}

type fact struct{ name, value string }

func (v *view) facts(all []fact) {
	column := 0
	for _, f := range all {
		column = max(column, screen.Width(f.name))
	}
	for _, f := range all {
		gap := strings.Repeat(" ", column-screen.Width(f.name)+2)
		v.Item(screen.Clean(f.name)+gap, screen.Text(f.value))
	}
}

// facts are the lines under a memory's title.
func facts(m memory.Opened) []fact {
	all := []fact{{"id", m.ID}}
	add := func(name, value string) {
		if value != "" {
			all = append(all, fact{name, value})
		}
	}
	add("path", notePath(m.URI))
	add("kind", m.Kind)
	if m.Namespace != ref.DefaultNamespace {
		add("namespace", m.Namespace)
	}
	add("tags", strings.Join(m.Tags, ", "))
	add("also called", strings.Join(m.Aliases, ", "))
	add("written", written(m.Memory))
	add("verified", verified(m.Memory))
	add("true", validity(m.ValidFrom, m.ValidTo))
	add("worth", worth(m.Memory))
	add("forgotten", m.ForgetReason)
	for _, name := range slices.Sorted(maps.Keys(m.Properties)) {
		if name != "tags" && name != "aliases" { // a note's, shown above
			add(name, property(m.Properties[name]))
		}
	}
	return all
}

func written(m memory.Memory) string {
	text := moment(m.CreatedAt)
	if m.Actor != "" {
		text += " by " + m.Actor
	}
	text += " (" + m.Origin + ")"
	if m.Revision > 1 {
		text += fmt.Sprintf(", revision %d of %s", m.Revision, moment(m.UpdatedAt))
	}
	return text
}

func verified(m memory.Memory) string {
	switch {
	case m.VerifiedAt == "":
		return ""
	case m.VerifyNote == "":
		return moment(m.VerifiedAt)
	}
	return moment(m.VerifiedAt) + ": " + m.VerifyNote
}

func validity(from, to string) string {
	switch {
	case from != "" && to != "":
		return "from " + moment(from) + " until " + moment(to)
	case from != "":
		return "from " + moment(from)
	case to != "":
		return "until " + moment(to)
	}
	return ""
}

// worth says what is not as usual about how much a memory counts.
func worth(m memory.Memory) string {
	const usual = 0.5
	said := []string{}
	if m.Pinned {
		said = append(said, "pinned")
	}
	if m.Importance != usual {
		said = append(said, fmt.Sprintf("importance %g", m.Importance))
	}
	if m.Confidence != nil {
		said = append(said, fmt.Sprintf("confidence %g", *m.Confidence))
	}
	return strings.Join(said, ", ")
}

// property shows a value of the frontmatter: a text as it is, a list of texts
// with commas, anything else as JSON.
func property(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := []string{}
		for _, one := range v {
			texts = append(texts, property(one))
		}
		return strings.Join(texts, ", ")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func note(text string) screen.Span {
	if text == "" {
		return screen.Span{}
	}
	return screen.Span{Text: " — " + text, Style: screen.Faint}
}
