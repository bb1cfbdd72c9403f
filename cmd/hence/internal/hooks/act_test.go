package hooks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/moment"
)

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
