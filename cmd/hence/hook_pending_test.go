package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence/cmd/hence/internal/hooks"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
)

// waits makes a call of an agent wait.
func waits[A, R any](t *testing.T, d *db.DB, tool, raw string, call func(s memory.Store, ctx context.Context, a A, near memory.Neighbours) (R, error)) {
	t.Helper()
	ctx := review.WithSession(t.Context(), func() string { return "theirs" })
	waits, err := (review.Desk{DB: d, Caller: ref.Caller{Actor: "bot", Origin: "agent"}}).Answer(ctx, tool, json.RawMessage(raw), false, func(ctx context.Context, v ref.View) error {
		var a A
		if err := json.Unmarshal([]byte(raw), &a); err != nil {
			return err
		}
		_, err := call(memory.Store(v), ctx, a, nil)
		return err
	})
	if !waits || err != nil {
		t.Fatalf("%s waits: %t, %v", tool, waits, err)
	}
}

// The answers to hooks, of every event of every client, do not depend on what waits for a person; once it is
// accepted they do.
func TestHook_TellsNothingOfWhatWaits(t *testing.T) {
	dbtest.SkipUnderRace(t)
	alone := storeWith(t)
	shared := filepath.Join(t.TempDir(), filepath.Base(alone))
	dbtest.Script(t, alone, `vacuum into '`+shared+`'`)
	d, err := db.Open(t.Context(), shared, db.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	desk := review.Desk{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	if err := desk.SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{
		`{"title": "Zebra rule", "content": "The zebra rests at noon.", "kind": "rule", "pinned": true, "supersedes": ["Deploy day"]}`,
		`{"title": "Zebra decision", "content": "Nothing but stripes in paint/zebra.go, for the quagga must not see it.", "kind": "decision", "links": [{"to": "Zebra rule", "type": "depends-on"}]}`,
		"{\"title\": \"Zebra export\", \"content\": \"`make zebra ZSTD=1` fails with libquagga on the build machine. Use GZIP=1.\", \"kind\": \"lesson\"}",
	} {
		waits(t, d, "memory_store", m, memory.Store.Remember)
	}
	waits(t, d, "memory_checkpoint", `{"goal": "Paint the zebra", "next": "More zebra stripes"}`, memory.Store.Checkpoint)

	input := func(session string) string {
		return `{"session_id": "` + session + `", "conversation_id": "` + session + `", "cwd": "", `
	}
	inputs := map[hooks.Event][]string{
		hooks.Began:       {`"source": "startup"}`, `"source": "compact"}`},
		hooks.HelperBegan: {`"agent_id": "h", "agent_type": "zebra"}`},
		hooks.Prompted:    {`"prompt": "What about the Zebra decision and the quagga?"}`, `"prompt": "Deploy day"}`},
		hooks.Compacting:  {`"source": "zebra"}`},
		hooks.Acting: {
			`"tool_name": "Edit", "tool_input": {"file_path": "paint/zebra.go", "old_string": "quagga", "new_string": "stripes"}}`,
			`"tool_name": "Bash", "tool_input": {"command": "make zebra ZSTD=1"}}`, `"tool_name": "Agent", "tool_input": {"prompt": "How do the zebra and the quagga go on?", "subagent_type": "Explore"}}`,
		},
		hooks.Acted:   {`"tool_name": "Bash", "tool_input": {"command": "make zebra ZSTD=1"}, "tool_response": "libquagga"}`, `"tool_name": "Write", "tool_input": {"file_path": "paint/zebra.go", "content": "x"}}`},
		hooks.Edited:  {`"tool_name": "Edit", "tool_input": {"file_path": "paint/zebra.go", "new_string": "stripes"}}`},
		hooks.Failed:  {`"tool_name": "Bash", "tool_input": {"command": "make zebra ZSTD=1"}, "error": "libquagga on the build machine"}`},
		hooks.Stopped: {`"stop_hook_active": false}`},
	}
	program, err := exec.LookPath("hence")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[hooks.Event]bool{}
	// ask returns all that the hooks of all clients say, each in a session of its own.
	ask := func(store string) (all []string) {
		state := t.TempDir()
		for _, client := range hooks.Clients() {
			for _, name := range []string{
				"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "BeforeAgent", "PreCompress",
				"AfterTool", "AfterAgent", "sessionStart", "subagentStart", "preCompact", "postToolUse", "agentStop", "afterFileEdit", "stop",
			} {
				event := hooks.Named(client, name)
				for n, given := range inputs[event] {
					tried[event] = true
					c := exec.Command(program, "hook", name, "--client", client, "--db", store, "--within", "1m")
					c.Env, c.Stdin = append(os.Environ(), "XDG_STATE_HOME="+state), strings.NewReader(input(client+name+string(rune('a'+n)))+given)
					out, err := c.CombinedOutput()
					if err != nil {
						t.Errorf("%s of %s: %v", name, client, err)
					}
					all = append(all, client+" "+name+" "+given+": "+string(bytes.ReplaceAll(out, []byte(store), []byte("STORE"))))
				}
			}
		}
		return all
	}
	want := ask(alone)
	for n, got := range ask(shared) {
		if got != want[n] {
			t.Errorf("a hook tells of what waits:\n%s\nwithout it:\n%s", got, want[n])
		}
	}
	for event := hooks.Unknown + 1; event <= hooks.Stopped; event++ {
		if !tried[event] && event != hooks.Compacted { // which Began is, by its source
			t.Errorf("no hook of the event %v is tried", event)
		}
	}
	calls, err := desk.Waiting(t.Context(), "")
	if err == nil {
		err = desk.Accept(t.Context(), calls)
	}
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for n, got := range ask(shared) {
		if got != want[n] && strings.Contains(got, "Zebra") {
			told++
		}
	}
	if told < 5 {
		t.Errorf("%d hooks tell of it once it is accepted", told)
	}
}
