package hooks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/moment"
	"hence/internal/lists"
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
		{"Bash", `{"command":"sed -i 's/a/b/' a.go"}`, moment.Act{Command: "sed -i 's/a/b/' a.go", Failure: "no", Edits: []moment.Edit{{Path: "/p/a.go"}}}},
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

// A command edits the files that it names to write, move or delete, and no others.
func TestWrites(t *testing.T) {
	for line, want := range map[string]string{
		"sed -i 's/a/b/' a.go b.go":                       "a.go b.go",
		"sed -i.bak -e 's/a/b/' a.go":                     "a.go",
		"sed -n 1,10p a.go":                               "",
		"perl -pi -e 's/a/b/' src/a.pl":                   "src/a.pl",
		"rm -rf build 'my file.txt'":                      "build my file.txt",
		"git rm old.go && git mv a.go b.go":               "old.go a.go b.go",
		"sudo FOO=1 rm x":                                 "x",
		"make 2>&1 | tee -a log.txt":                      "log.txt",
		"make > out.txt 2>/dev/null":                      "out.txt",
		"echo x >> a.go; cat a.go":                        "a.go",
		"echo 'a > b' \"c > d\"":                          "",
		"cat > a.go <<'EOF'\nrm important.go\nx > y\nEOF": "a.go",
		"rm *.go $X":                                      "",
		"grep -rm 3 tee .":                                "",
		"go test ./... &> all.log & rm z":                 "all.log z",
		"":                                                "",
	} {
		names := lists.Join(writes(line), " ", func(e moment.Edit) string { return e.Path })
		if names != want {
			t.Errorf("%q writes %q, want %q", line, names, want)
		}
	}
}
