package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fixture reads testdata/CLIENT.EVENT[.variant].json: what the client's documentation
// says that it sends. docs/hooks.md says where and when that was read.
func fixture(t testing.TB, file string) (client, event string, input []byte) {
	t.Helper()
	words := strings.Split(filepath.Base(file), ".")
	input, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return words[0], words[1], input
}

func TestRead(t *testing.T) {
	for file, want := range map[string]Call{
		"claude-code.SessionStart.json":         {Event: Began, Session: "abc123", Folder: "/home/ada/p"},
		"claude-code.SessionStart.compact.json": {Event: Compacted, Session: "abc123", Folder: "/home/ada/p"},
		"claude-code.UserPromptSubmit.json":     {Event: Prompted, Session: "abc123", Folder: "/home/ada/p", Prompt: "drain the job queue"},
		"claude-code.PostToolUse.json":          {Event: Edited, Session: "abc123", Folder: "/home/ada/p"},
		"claude-code.Stop.json":                 {Event: Stopped, Session: "abc123", Folder: "/home/ada/p"},
		"claude-code.Stop.again.json":           {Event: Stopped, Session: "abc123", Folder: "/home/ada/p", IsContinuation: true},
		"claude-code.SessionStart.vscode.json":  {Event: Began, Session: "5e6f", Folder: "/home/ada/p"},
		"claude-code.PostToolUse.vscode.json":   {Event: Edited, Session: "5e6f", Folder: "/home/ada/p"},
		"claude-code.Stop.vscode.json":          {Event: Stopped, Session: "5e6f", Folder: "/home/ada/p"},
		"claude-code.SubagentStart.json":        {Event: HelperBegan, Session: "abc123", Agent: "a1b2", Folder: "/home/ada/p"},
		"codex.SessionStart.json":               {Event: Began, Session: "019a", Folder: "/home/ada/p"},
		"codex.SessionStart.compact.json":       {Event: Compacted, Session: "019a", Folder: "/home/ada/p"},
		"codex.UserPromptSubmit.json":           {Event: Prompted, Session: "019a", Folder: "/home/ada/p", Prompt: "drain the job queue"},
		"codex.PostToolUse.json":                {Event: Edited, Session: "019a", Folder: "/home/ada/p"},
		"codex.Stop.json":                       {Event: Stopped, Session: "019a", Folder: "/home/ada/p"},
		"gemini.SessionStart.json":              {Event: Began, Session: "g1", Folder: "/home/ada/p"},
		"gemini.PreCompress.json":               {Event: Compacting, Session: "g1", Folder: "/home/ada/p"},
		"gemini.BeforeAgent.json":               {Event: Prompted, Session: "g1", Folder: "/home/ada/p", Prompt: "drain the job queue"},
		"gemini.AfterTool.json":                 {Event: Edited, Session: "g1", Folder: "/home/ada/p"},
		"gemini.AfterAgent.json":                {Event: Stopped, Session: "g1", Folder: "/home/ada/p", Prompt: "x"},
		"copilot.sessionStart.json":             {Event: Began, Session: "c0de", Folder: "/home/ada/p"},
		"copilot.subagentStart.json":            {Event: HelperBegan, Session: "c0de", Folder: "/home/ada/p"},
		"copilot.postToolUse.json":              {Event: Edited, Session: "c0de", Folder: "/home/ada/p"},
		"copilot.agentStop.json":                {Event: Stopped, Session: "c0de", Folder: "/home/ada/p"},
		"copilot.agentStop.again.json":          {Event: Stopped, Session: "c0de", Folder: "/home/ada/p", IsContinuation: true},
		"cursor.sessionStart.json":              {Event: Began, Session: "668320d2", Folder: "/home/ada/p"},
		"cursor.afterFileEdit.json":             {Event: Edited, Session: "668320d2", Folder: "/home/ada/p"},
		"cursor.stop.json":                      {Event: Stopped, Session: "668320d2", Folder: "/home/ada/p"},
		"cursor.stop.again.json":                {Event: Stopped, Session: "668320d2", Folder: "/home/ada/p", IsContinuation: true},
	} {
		client, event, input := fixture(t, file)
		got, ok := Read(client, event, input)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Call{}), cmpopts.IgnoreFields(Call{}, "ID", "Source", "Tool")); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", file, ok, diff)
		}
	}
}

// A member is read however its client writes its name.
func TestRead_Spellings(t *testing.T) {
	want := Call{Event: Failed, Session: "s", Agent: "a", Folder: "/p", ID: "t", Tool: Tool{Name: "Bash", Input: json.RawMessage(`{"command":"make"}`), Error: "exit 2"}}
	for _, input := range []string{
		`{"session_id":"s","agent_id":"a","agent_type":"Explore","cwd":"/p","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":["x"],"error":"exit 2"}`,
		`{"sessionId":"s","agentId":"a","agentType":"Explore","cwd":"/p","toolUseId":"t","toolName":"Bash","toolInput":{"command":"make"},"toolResponse":["x"],"error":"exit 2"}`,
		`{"sessionID":"s","agentID":"a","agentType":"Explore","cwd":"/p","toolCallId":"t","toolName":"Bash","toolArgs":"{\"command\":\"make\"}","toolResponse":["x"],"error":"exit 2"}`,
		`{"conversation_id":"s","subagent_id":"a","subagent_type":"Explore","workspace_roots":["/p","/q"],"tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":["x"],"error_message":"exit 2"}`,
		`{"session-id":"s","SessionId":"other","sessionId":null,"Agent_ID":"a","agent_type":"Explore","Cwd":"/p","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":["x"],"error":"exit 2"}`,
		`{"session_id":"","conversationId":"s","agent_id":"a","agent_type":"Explore","cwd":7,"workspaceRoots":["/p"],"tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":["x"],"error":"exit 2"}`,
	} {
		got, ok := Read("claude-code", "PostToolUseFailure", []byte(input))
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Call{})); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", input, ok, diff)
		}
	}
}

// Only a tool that edits is an edit, however its client calls it: matchers are not relied on.
func TestRead_Edits(t *testing.T) {
	for names, want := range map[string]Event{
		"Edit MultiEdit NotebookEdit Write apply_patch functions.apply_patch write_file replace create_file replace_string_in_file " +
			"multi_replace_string_in_file insert_edit_into_file edit create str_replace_editor fs_write fsWrite write_to_file WriteFile " +
			"StrReplace apply_diff edit_file developer__text_editor mcp__filesystem__write_file mcp__fs__edit_file mcp_files_write.create_file": Edited,
		"Read read_file Glob Grep LS Bash shell exec_command write_stdin TodoWrite todo_write WebFetch Task Agent view list_dir semantic_search " +
			"mcp__hence__memory_store mcp__github__create mcp__github__create_issue mcp__notes__delete mcp__kv__replace run_in_terminal Writer editor " +
			"update_plan memory readFile codebase_search": Acted,
	} {
		for _, name := range strings.Fields(names) {
			for _, form := range []string{`{"session_id":"s","tool_name":%q,"tool_input":{"file_path":"a"}}`, `{"sessionId":"s","toolName":%q,"toolInput":{"filePath":"a"}}`} {
				if got, _ := Read("claude-code", "PostToolUse", fmt.Appendf(nil, form, name)); got.Event != want {
					t.Errorf("%s is event %v, want %v", name, got.Event, want)
				}
			}
		}
	}
	for input, want := range map[string]Event{
		`{"session_id":"s"}`: Acted, // no name of a tool, and the event does not say that it was an edit
		`{"session_id":"s","tool_name":"str_replace_editor","tool_input":{"command":"view","path":"a"}}`:   Acted,
		`{"session_id":"s","tool_name":"str_replace_editor","tool_input":{"command":"create","path":"a"}}`: Edited,
	} {
		if got, _ := Read("codex", "PostToolUse", []byte(input)); got.Event != want {
			t.Errorf("%s is event %v, want %v", input, got.Event, want)
		}
	}
}

// What is not understood is not answered; a field of an odd type is left out.
func TestRead_Odd(t *testing.T) {
	for _, c := range []struct {
		client, event, input string
		ok                   bool
	}{
		{"emacs", "SessionStart", "{}", false},
		{"cursor", "SessionStart", "{}", false},
		{"codex", "SessionStart", "[]", false},
		{"codex", "SessionStart", "{", false},
		{"codex", "SessionStart", "", true},
		{"codex", "SessionStart", " \n", true},
		{"codex", "SessionStart", `{"session_id": 7, "cwd": ["x"], "source": {"a": 1}, "workspace_roots": "x", "loop_count": "x", "prompt": null}`, true},
	} {
		if got, ok := Read(c.client, c.event, []byte(c.input)); ok != c.ok || got.Session != "" {
			t.Errorf("%s %s %q: %+v, %v", c.client, c.event, c.input, got, ok)
		}
	}
}

// The answers are as the clients' documentation has them.
func TestAnswer(t *testing.T) {
	for file, want := range map[string]string{
		"claude-code.SessionStart.json":         `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"<b> & \"x\""}}`,
		"claude-code.SessionStart.compact.json": `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"<b> & \"x\""}}`,
		"claude-code.UserPromptSubmit.json":     `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"<b> & \"x\""}}`,
		"claude-code.PostToolUse.json":          `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"<b> & \"x\""}}`,
		"cursor.afterFileEdit.json":             ``,
		"claude-code.Stop.vscode.json":          `{"hookSpecificOutput":{"decision":"block","hookEventName":"Stop","reason":"<b> & \"x\""}}`,
		"claude-code.Stop.json":                 `{"decision":"block","reason":"<b> & \"x\""}`,
		"codex.SessionStart.json":               `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"<b> & \"x\""}}`,
		"codex.UserPromptSubmit.json":           `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"<b> & \"x\""}}`,
		"codex.Stop.json":                       `{"decision":"block","reason":"<b> & \"x\""}`,
		"gemini.SessionStart.json":              `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"<b> & \"x\""}}`,
		"gemini.BeforeAgent.json":               `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"<b> & \"x\""}}`,
		"gemini.PreCompress.json":               ``,
		"gemini.AfterAgent.json":                `{"decision":"deny","reason":"<b> & \"x\""}`,
		"copilot.sessionStart.json":             `{"additionalContext":"<b> & \"x\""}`,
		"copilot.subagentStart.json":            `{"additionalContext":"<b> & \"x\""}`,
		"copilot.agentStop.json":                `{"decision":"block","reason":"<b> & \"x\""}`,
		"cursor.sessionStart.json":              `{"additional_context":"<b> & \"x\""}`,
		"cursor.stop.json":                      `{"followup_message":"<b> & \"x\""}`,
	} {
		client, event, input := fixture(t, file)
		call, ok := Read(client, event, input)
		if !ok {
			t.Errorf("%s is not understood", file)
		}
		if got := strings.TrimSuffix(string(call.Answer(`<b> & "x"`)), "\n"); got != want {
			t.Errorf("%s: answered with %s, want %s", file, got, want)
		}
		if got := call.Answer(""); got != nil {
			t.Errorf("%s: nothing is answered with %s", file, got)
		}
	}
}

// FuzzRead: any input is understood or not, and the answer to it is one line of JSON.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		client, event, input := fixture(f, filepath.Base(file))
		f.Add(client, event, input, "a\nb\x00\xff")
	}
	f.Add("cursor", "stop", []byte("{\"loop_count\": 1e9, \"status\": \"\\ud800\"}"), "")
	f.Fuzz(func(t *testing.T, client, event string, input []byte, text string) {
		call, ok := Read(client, event, input)
		if !ok {
			return
		}
		answer := call.Answer(text)
		if answer == nil {
			return
		}
		if !json.Valid(answer) || strings.Count(string(answer), "\n") != 1 || !strings.HasSuffix(string(answer), "\n") {
			t.Errorf("%q is answered with %q", input, answer)
		}
	})
}
