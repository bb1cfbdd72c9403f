package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

func (s *session) storeCommand() *cobra.Command {
	return mirror[memory.StoreArgs, memory.StoreResult]{
		use:   "store [TEXT]",
		group: groupMemory,
		short: "Remember something, with its reasons",
		long: `Stores a memory together with its edges: all of it lands, or nothing does. The
text is read from standard input where it is - or left out.`,
		example: `  hence store "The queue drains in an hour." --title "Drain time" --link supports="Job Queue"
  hence store "Holds last 20 minutes." --kind decision --supersedes "Old plan" --reason "it cost too much"
  hence store - --title Minutes --tags meeting < minutes.md`,
		words: count{0, unlimited},
		flags: flags.Options{
			Omit:     []string{"content", "links"},
			Whole:    []string{"supersedes"},
			Complete: map[string][]cobra.Completion{"kind": {"fact", "decision", "event", "preference"}},
		},
		also:   linkFlag,
		writes: true,
		place: func(a *memory.StoreArgs, words []string) (err error) {
			a.Content, err = s.text(words)
			return err
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.StoreArgs) (memory.StoreResult, error) {
			return memory.Store{DB: d, Caller: c}.Remember(ctx, a, recall.Searcher{DB: d, Caller: c}.Similar)
		},
		draw: drawStored,
	}.command(s)
}

// text returns the words as a text, or what standard input holds.
func (s *session) text(words []string) (string, error) {
	switch {
	case len(words) == 1 && words[0] == "-":
		return readAll(s.in)
	case len(words) > 0:
		return strings.Join(words, " "), nil
	case screen.IsTerminal(s.in):
		return "", fault.New(fault.InvalidArgument, "store: there is nothing to remember; give a text, or pipe one in")
	}
	return readAll(s.in)
}

// linkFlag adds --link TYPE=MEMORY. A value that starts with a brace is the
// tool's own form, which can say more.
func linkFlag(cmd *cobra.Command, a *memory.StoreArgs) {
	cmd.Flags().Func("link", "an edge from the new memory, as `type=memory`; inverse types such as caused-by turn it round", func(text string) error {
		link, err := parseLink(text)
		a.Links = append(a.Links, link)
		return err
	})
	_ = cmd.RegisterFlagCompletionFunc("link", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		offers := []cobra.Completion{}
		for _, k := range edges.Kinds() {
			offers = append(offers, cobra.CompletionWithDesc(string(k)+"=", k.Reads()))
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

func parseLink(text string) (link memory.NewLink, err error) {
	if strings.HasPrefix(text, "{") {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&link); err != nil {
			return link, fmt.Errorf("%q is not a link in JSON: %w", text, err)
		}
		return link, nil
	}
	kind, to, ok := strings.Cut(text, "=")
	if !ok || kind == "" || to == "" {
		return link, fmt.Errorf(`%q is not type=memory, such as supports="Job Queue"`, text)
	}
	return memory.NewLink{Type: kind, To: to}, nil
}

func drawStored(v *view, _ memory.StoreArgs, r memory.StoreResult) {
	v.done("stored ", r.Memory.Title, r.Memory.ID)
	for _, e := range r.Edges {
		v.storedEdge(r.Memory.ID, e)
	}
	v.warn(r.Warnings)
}

// storedEdge draws an edge of a memory that was just named.
func (v *view) storedEdge(self string, e edges.Edge) {
	other, direction := e.To, "out"
	if e.To.ID == self {
		other, direction = e.From, "in"
	}
	v.Hang("  ", deeper, edgeSpan(e.Type, e.Rel, direction), screen.Text(other.Title))
}

// done says on one line what became of a memory.
func (v *view) done(what, title, id string, further ...screen.Span) {
	line := []screen.Span{{Text: what, Style: screen.Good}, {Text: title, Style: screen.Strong}, faint(ref.ShortID(id))}
	v.Line(append(line, further...)...)
}
