package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// hookStarts is the number of times that each hook is started, one after the other.
const hookStarts = 100

// hookCase is a store in some state, and the input of a hook.
type hookCase struct {
	name   string
	event  string
	input  string
	within string // the name of another store to use, in the folder of the store; "" for the store itself
	lock   string // SQL that another connection runs before the hooks; its lock stays while they run
}

// measureHooks starts hooks one after the other and takes the time from the start of
// the process to its end. Every one must exit with 0 and say nothing on standard error.
func measureHooks(ctx context.Context, b *bench) error {
	dir := filepath.Join(b.scratch, "hooks")
	if err := makeFolder(dir); err != nil {
		return err
	}
	store, c := filepath.Join(dir, "hence.db"), makeCorpus(corpusSize)
	lines := filepath.Join(dir, "corpus.jsonl")
	if err := c.writeDay(lines); err != nil {
		return err
	}
	if err := b.run(ctx, "import", lines, "--db", store); err != nil {
		return err
	}
	whole, err := os.ReadFile(store)
	if err != nil {
		return err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "read-only.db"), whole, 0o444),
		os.WriteFile(filepath.Join(dir, "damaged.db"), whole[:len(whole)/2], 0o600),
	)
	if err != nil {
		return err
	}
	const begins, compacts = `{"session_id":"%d","source":"startup"}`, `{"session_id":"%d","source":"compact"}`
	namingPrompt := `{"session_id":"%d","prompt":"Is ` + c.texts[corpusSize/2].name + ` done, and what of the rest?"}`
	text, err := json.Marshal(c.texts[7].body)
	if err != nil {
		return err
	}
	b.results.Rows["hooks"] = nil
	for _, h := range []hookCase{
		{name: "a session begins", event: "SessionStart", input: begins},
		{name: "after a compaction", event: "SessionStart", input: compacts},
		{name: "a prompt that names a memory", event: "UserPromptSubmit", input: namingPrompt},
		{name: "a prompt of 60 words that names none", event: "UserPromptSubmit", input: `{"session_id":"%d","prompt":` + strings.ReplaceAll(string(text), "%", "") + `}`},
		{name: "a session begins while another process writes", event: "SessionStart", input: begins, lock: "begin immediate; update memories set content = content || ' ' where key = 1"},
		{name: "while another process keeps the file for itself", event: "SessionStart", input: begins, lock: "pragma locking_mode = exclusive; begin immediate; update memories set content = content || ' ' where key = 1"},
		{name: "the store may only be read", event: "SessionStart", input: begins, within: "read-only.db"},
		{name: "the store is cut off", event: "SessionStart", input: begins, within: "damaged.db"},
		{name: "there is no store", event: "SessionStart", input: begins, within: "missing.db"},
	} {
		b.say("hooks: %s", h.name)
		row, err := b.startHooks(ctx, h, store)
		if err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		b.results.Rows["hooks"] = append(b.results.Rows["hooks"], row)
	}
	return nil
}

// startHooks returns the row of one case.
func (b *bench) startHooks(ctx context.Context, h hookCase, store string) (row string, err error) {
	if h.lock != "" {
		other, err := sql.Open("sqlite3", store)
		if err != nil {
			return "", err
		}
		other.SetMaxOpenConns(1)
		defer func() { err = errors.Join(err, other.Close()) }()
		if _, err := other.ExecContext(ctx, h.lock); err != nil {
			return "", err
		}
	}
	if h.within != "" {
		store = filepath.Join(filepath.Dir(store), h.within)
	}
	took, answered := times{}, 0
	for i := range hookStarts {
		cmd := exec.CommandContext(ctx, b.hence, "hook", h.event, "--client", "claude-code", "--db", store, "--project", dayProject)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(filepath.Dir(store), "state"))
		// A new session each time, because a session is not told a thing twice.
		input := strings.ReplaceAll(h.input, "%d", fmt.Sprintf("%s %d", h.name, i))
		cmd.Stdin = strings.NewReader(input)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		before := time.Now()
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			return "", fmt.Errorf("the hook ends with %w and says %q", err, errs.String())
		}
		took = append(took, time.Since(before))
		if out.Len() > 0 {
			answered++
		}
	}
	most := slices.Max(took).Seconds() * 1e3
	return fmt.Sprintf("| %s | %s | %s | %s | %d of %d |", h.name, milliseconds(took.percentile(50)), milliseconds(took.percentile(99)), milliseconds(most), answered, hookStarts), nil
}

// dayProject is the project of the memories that writeDay writes.
const dayProject = "day"

// writeDay writes the corpus as the store of somebody who has worked for a while:
// rules, decisions that rest on others, and some that were replaced.
func (c corpus) writeDay(path string) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	kinds := func(i int) string {
		switch {
		case i%1000 == 0:
			return "preference"
		case i%20 == 1:
			return "decision"
		case i%500 == 2:
			return "session"
		}
		return "fact"
	}
	err := error(nil)
	put := func(line map[string]any) { err = errors.Join(err, e.Encode(line)) }
	for i, t := range c.texts {
		put(map[string]any{"type": "memory", "id": t.name, "title": t.name, "content": t.body, "kind": kinds(i), "pinned": i%2500 == 3, "origin": "agent", "tags": []string{"project/" + dayProject}})
	}
	for i, r := range c.relations {
		kind := "relates-to"
		if i%10 == 0 && r.from > r.to { // a later memory rests on an earlier one
			kind = "depends-on"
		}
		put(map[string]any{"type": "edge", "id": fmt.Sprintf("edge %d", i), "from": c.texts[r.from].name, "to": c.texts[r.to].name, "edge_type": kind})
	}
	for i := 199; i < len(c.texts); i += 200 {
		put(map[string]any{"type": "edge", "id": fmt.Sprintf("successor %d", i), "from": c.texts[i].name, "to": c.texts[i-100].name, "edge_type": "supersedes"})
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}
