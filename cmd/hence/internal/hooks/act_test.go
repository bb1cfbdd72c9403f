package hooks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/moment"
)

// Gemini CLI and Copilot CLI tell of a failure in the answer of the tool.
func TestRead_FailuresInAnswers(t *testing.T) {
	for _, c := range []struct{ client, event, input, want string }{
		{"gemini", "AfterTool", `{"tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_response":{"llmContent":"Output: no rule\nExit Code: 2\nProcess Group PGID: 7"}}`, "Output: no rule\nExit Code: 2\nProcess Group PGID: 7"},
		{"gemini", "AfterTool", `{"tool_name":"run_shell_command","tool_input":{"command":"cat log"},"tool_response":{"llmContent":"Output: Exit Code: 2\nall\nis\nwell\nProcess Group PGID: 7"}}`, ""},
		{"gemini", "AfterTool", `{"tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_response":{"llmContent":[{"text":"Exit Code: 2"}]}}`, ""},
		{"gemini", "AfterTool", `{"tool_name":"read_file","tool_input":{"path":"x"},"tool_response":{"llmContent":"x\nExit Code: 2"}}`, ""},
		{"copilot", "postToolUse", `{"toolName":"bash","toolArgs":{"command":"make"},"toolResult":{"resultType":"success","textResultForLlm":"no rule\n<exited with exit code 2>"}}`, "no rule\n<exited with exit code 2>"},
		{"copilot", "postToolUse", `{"toolName":"bash","toolArgs":"{\"command\":\"make\"}","toolResult":{"resultType":"success","textResultForLlm":"done\n<exited with exit code 0>"}}`, ""},
		{"copilot", "postToolUse", `{"toolName":"bash","toolArgs":{"command":"make"},"toolResult":"<exited with exit code 2>"}`, ""},
	} {
		got, ok := Read(c.client, c.event, []byte(c.input))
		if !ok || got.Event != Acted || got.Act().Failure != c.want {
			t.Errorf("%s is event %v with the failure %q, want %q", c.input, got.Event, got.Act().Failure, c.want)
		}
	}
}

func TestAct(t *testing.T) {
	text := func(s string) *string { return &s }
	change := func(old, now string) []moment.Change { return []moment.Change{{Old: old, New: now}} }
	for _, c := range []struct {
		tool, input string
		want        moment.Act
	}{
		{"Edit", `{"file_path":"/p/a.go","old_string":"x","new_string":"y"}`, moment.Act{Edits: []moment.Edit{{Path: "/p/a.go", Changes: change("x", "y")}}}},
		{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"}]}`, moment.Act{Edits: []moment.Edit{{Path: "/p/a.go", Changes: change("x", "y")}}}},
		{"Write", `{"file_path":"/p/a.go","content":"z"}`, moment.Act{Edits: []moment.Edit{{Path: "/p/a.go", Content: text("z")}}}},
		{"replace_string_in_file", `{"filePath":"/p/a.go","oldString":"x","newString":""}`, moment.Act{Edits: []moment.Edit{{Path: "/p/a.go", Changes: change("x", "")}}}},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"/p/a.go","oldString":"x","newString":"y"},{"filePath":"/p/b.go","oldString":"x","newString":"y"}]}`, moment.Act{Edits: []moment.Edit{{Path: "/p/a.go", Changes: change("x", "y")}, {Path: "/p/b.go", Changes: change("x", "y")}}}},
		{"str_replace_editor", `{"command":"view","path":"/p/a.go"}`, moment.Act{}},
		{"apply_patch", `{"command":["apply_patch","*** Begin Patch\n*** Update File: a.go\n@@ f\n one\n-two\n+2\n@@\n-three\n*** Delete File: b.go\n*** End Patch"]}`, moment.Act{Edits: []moment.Edit{
			{Path: "/p/a.go", Changes: []moment.Change{{Old: "one\ntwo\n", New: "one\n2\n"}, {Old: "three\n"}}}, {Path: "/p/b.go"},
		}}},
		{"Bash", `{"command":"make export ZSTD=1"}`, moment.Act{Command: "make export ZSTD=1", Failure: "no"}},
		{"exec_command", `{"cmd":"bash -lc 'make export'"}`, moment.Act{Command: "make export", Failure: "no"}},
		{"shell", `{"command":["bash","-lc","make export"]}`, moment.Act{Command: "make export", Failure: "no"}},
		{"Read", `{"file_path":"/p/a.go"}`, moment.Act{}},
		{"Edit", `[]`, moment.Act{}},
	} {
		got := Call{Folder: "/p", Tool: Tool{Name: c.tool, Input: json.RawMessage(c.input), Error: "no"}}.Act()
		got.Folder = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.tool, c.input, diff)
		}
	}
}
