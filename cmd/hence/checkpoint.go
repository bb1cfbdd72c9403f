package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/near"
	"hence/tools/show"
)

// checkpointCommand stores the outcome of a session.
var checkpointCommand = mirror[memory.CheckpointArgs, memory.CheckpointResult]{
	use:   "checkpoint [-]",
	short: "Store a session's outcome and what was learned in it",
	long: `Stores a memory of kind session, which follows the last one of the project, and what
was learned as parts of it, in one change that hence undo takes back. Each
thing learned is a text, or JSON with the arguments of store; with - they are read
from standard input, one JSON object a line. Links among them name them #1, #2 and so
on. HENCE_SESSION_ID, HENCE_CLIENT, HENCE_BRANCH and HENCE_COMMIT are
kept as properties, where they are set, and with --project auto the branch and commit
that are checked out.`,
	example: `  hence checkpoint --goal "Find the leak" --done "It is in the pool" --next "Write the fix"
  hence checkpoint --done "Measured" --learned "The pool keeps 40 connections"
  hence checkpoint --next "Tune #1" - < learned.jsonl`,
	words: count{0, 1},
	flags: flags.Options{Omit: []string{"learned"}},
	also: func(_ *session, cmd *cobra.Command, a *memory.CheckpointArgs) {
		cmd.Flags().Func("learned", "something that was learned: a `text`, or JSON with the arguments of store", func(text string) error {
			one, err := parseLearned(text)
			a.Learned = append(a.Learned, one)
			return err
		})
	},
	writes: true,
	after:  embedSoon[memory.CheckpointResult],
	place: func(s *session, a *memory.CheckpointArgs, words []string) error {
		if len(words) == 0 {
			return nil
		}
		if words[0] != "-" {
			return fault.New(fault.InvalidArgument, "checkpoint: what was learned is given by --learned, or by - on standard input")
		}
		text, err := readAll(s.input())
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			one, err := parseLearned(line)
			if err != nil {
				return fault.New(fault.InvalidArgument, "checkpoint: %v", err)
			}
			a.Learned = append(a.Learned, one)
		}
		return nil
	},
	call: func(ctx context.Context, s *session, v ref.View, a memory.CheckpointArgs) (memory.CheckpointResult, error) {
		return memory.Store(v).Checkpoint(memory.WithSession(ctx, s.surroundings), a, near.Finder(v).Near)
	},
	tell: show.Checkpointed,
}

func parseLearned(text string) (memory.StoreArgs, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return memory.StoreArgs{Content: text}, nil
	}
	return parseJSON[memory.StoreArgs](text, "memory")
}

// parseJSON decodes a value from JSON and refuses unknown fields. Errors call the value noun.
func parseJSON[T any](text, noun string) (one T, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&one); err != nil {
		return one, fmt.Errorf("%q is not a %s in JSON: %w", text, noun, err)
	}
	return one, nil
}

// surroundings returns the session_id, client, branch and commit of a session that the
// environment gives. With --project auto, branch and commit default to those checked out.
func (s *session) surroundings() map[string]string {
	facts := map[string]string{}
	if s.project == "auto" {
		facts = checkedOut(".")
	}
	for _, name := range []string{"session_id", "client", "branch", "commit"} {
		if value := os.Getenv("HENCE_" + strings.ToUpper(name)); value != "" {
			facts[name] = value
		}
	}
	return facts
}
