package transcripts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/memory/exchange/transcripts"
)

// shown returns the commands of a conversation.
func shown(c transcripts.Conversation) (all []string) {
	for _, k := range c.Commands {
		all = append(all, fmt.Sprintf("%s|%s|%s|%s", k.Words, k.Folder, strings.Join(k.Files, ","), k.Result))
	}
	return all
}

// codexItem returns a line of Codex.
func codexItem(kind, payload string) string {
	return `{"timestamp":"2026-09-01T10:00:00Z","type":"` + kind + `","payload":` + payload + `}`
}

func codexCall(id, name, arguments string) string {
	return codexItem("response_item", `{"type":"function_call","name":"`+name+`","call_id":"`+id+`","arguments":`+quoted(arguments)+`}`)
}

func codexOutput(id, text string) string {
	return codexItem("response_item", `{"type":"function_call_output","call_id":"`+id+`","output":`+quoted(text)+`}`)
}

func codexScript(text string) string {
	return codexItem("response_item", `{"type":"custom_tool_call","call_id":"1","name":"exec","input":`+quoted(text)+`}`)
}

// codexScripts returns the answer to a script, in the two parts that Codex writes.
func codexScripts(head, output string) string {
	return codexItem("response_item", `{"type":"custom_tool_call_output","call_id":"1","output":[{"type":"input_text","text":`+quoted(head)+`},{"type":"input_text","text":`+quoted(output)+`}]}`)
}

// The commands of every version of both programs are read, with how they ended.
func TestWhatAnAgentDid(t *testing.T) {
	claude := func(id, name, input string) string {
		return `{"type":"assistant","uuid":"c` + id + `","cwd":"/shop","timestamp":"2026-09-01T10:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}]}}`
	}
	answer := func(id, isError, content string) string {
		return `{"type":"user","uuid":"a` + id + `","timestamp":"2026-09-01T10:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":` + isError + `,"content":` + content + `}]}}`
	}
	patch := "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: docs/b.md\n+z\n*** Update File: c.go\n*** Move to: d.go\n*** End Patch"
	for _, c := range []struct {
		name, format string
		lines        []string
		want         []string
	}{
		{"ClaudeSucceeds", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"go test ./..."}`), answer("1", "false", `"ok"`)}, []string{"go test ./...|/shop||"}},
		{"ClaudeFails", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"make"}`), answer("1", "true", `"Exit code 2\nno rule"`)}, []string{"make|/shop||exit 2"}},
		{"ClaudeFailsInParts", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"make"}`), answer("1", "true", `[{"type":"text","text":"Error: Exit code 127"}]`)}, []string{"make|/shop||exit 127"}},
		{"ClaudeIsRefused", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"rm -r x"}`), answer("1", "true", `"The user doesn't want to proceed"`)}, []string{"rm -r x|/shop||failed"}},
		{"ClaudePrintsAnExitCode", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"cat log"}`), answer("1", "false", `"Exit code 3"`)}, []string{"cat log|/shop||"}},
		{"ClaudeIsInterrupted", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"sleep 9"}`)}, []string{"sleep 9|/shop||no answer"}},
		{"ClaudeEdits", transcripts.ClaudeCode, []string{claude("1", "Edit", `{"file_path":"/shop/a.go","old_string":"x"}`), answer("1", "false", `"ok"`), claude("2", "Write", `{"file_path":"/shop/b.go","content":"x"}`), answer("2", "true", `"no"`), claude("3", "NotebookEdit", `{"notebook_path":"/shop/n.ipynb"}`)},
			[]string{"||/shop/a.go|", "||/shop/b.go|failed", "||/shop/n.ipynb|no answer"}},
		{"ClaudeReads", transcripts.ClaudeCode, []string{claude("1", "Read", `{"file_path":"/shop/a.go"}`), claude("2", "Bash", `{"command":7}`), claude("3", "Bash", `[]`), claude("", "Bash", `{"command":"x"}`)}, nil},
		{"ClaudeRepeats", transcripts.ClaudeCode, []string{claude("1", "Bash", `{"command":"make"}`), claude("1", "Bash", `{"command":"make"}`), answer("1", "false", `"ok"`)}, []string{"make|/shop||"}},
		{"PowerShell", transcripts.ClaudeCode, []string{claude("1", "PowerShell", `{"command":"dir"}`), answer("1", "false", `""`)}, []string{"dir|/shop||"}},

		{"ExecCommand", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"make export ZSTD=1","workdir":"/shop"}`), codexOutput("1", "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nProcess exited with code 0\n")}, []string{"make export ZSTD=1|/shop||exit 2"}},
		{"Shell", transcripts.Codex, []string{codexCall("1", "shell", `{"command":["bash","-lc","ls | wc"],"workdir":"/w"}`), codexOutput("1", `{"output":"3","metadata":{"exit_code":0,"duration_seconds":0.1}}`)}, []string{"ls | wc|/w||"}},
		{"ShellAsText", transcripts.Codex, []string{codexCall("1", "shell_command", `{"command":"ls x"}`), codexOutput("1", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno x")}, []string{"ls x|||exit 1"}},
		{"ShellOfWords", transcripts.Codex, []string{codexCall("1", "shell", `{"command":["git","status"]}`), codexOutput("1", "aborted by user after 3.1s")}, []string{"git status|||failed"}},
		{"PatchByShell", transcripts.Codex, []string{codexCall("1", "shell", `{"command":["apply_patch",`+quoted(patch)+`]}`), codexOutput("1", `{"output":"Success","metadata":{"exit_code":0}}`)}, []string{"||a.go,docs/b.md,c.go,d.go|"}},
		{"LocalShell", transcripts.Codex, []string{codexItem("response_item", `{"type":"local_shell_call","call_id":"1","status":"completed","action":{"type":"exec","command":["bash","-lc","pwd"],"working_directory":"/w"}}`), codexItem("response_item", `{"type":"local_shell_call_output","call_id":"1","output":"/w"}`)}, []string{"pwd|/w||"}},
		{"Patch", transcripts.Codex, []string{codexItem("response_item", `{"type":"custom_tool_call","call_id":"1","name":"apply_patch","input":`+quoted(patch)+`}`), codexItem("response_item", `{"type":"custom_tool_call_output","call_id":"1","output":`+quoted(`{"output":"Success","metadata":{"exit_code":0}}`)+`}`), codexItem("event_msg", `{"type":"patch_apply_end","call_id":"1","success":true,"changes":{"/w/a.go":{}}}`)},
			[]string{"||a.go,docs/b.md,c.go,d.go|"}},
		{"PatchFails", transcripts.Codex, []string{codexItem("response_item", `{"type":"custom_tool_call","call_id":"1","name":"apply_patch","input":`+quoted(patch)+`}`), codexItem("event_msg", `{"type":"patch_apply_end","call_id":"1","success":false}`)}, []string{"||a.go,docs/b.md,c.go,d.go|failed"}},
		{"Script", transcripts.Codex, []string{codexItem("response_item", `{"type":"custom_tool_call","call_id":"1","name":"exec","input":`+quoted(`const r = await tools.exec_command({cmd:"grep \"a b\" x", workdir:"/w"}); await tools.exec_command({"yield":1,'cmd':'ls'})`)+`}`), codexItem("response_item", `{"type":"custom_tool_call_output","call_id":"1","output":[{"type":"input_text","text":"Script failed\nWall time 1.4 seconds\nOutput:\n"},{"type":"input_text","text":"x"}]}`)},
			[]string{`grep "a b" x|||failed`, "ls|||failed"}},
		{"ScriptWithItems", transcripts.Codex, []string{codexItem("response_item", `{"type":"custom_tool_call","call_id":"1","name":"exec","input":"tools.exec_command({cmd:\"ls\"})"}`), codexItem("event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["/bin/zsh","-lc","ls"],"cwd":"file:///w","exit_code":1,"status":"failed"}}`),
			codexItem("event_msg", `{"type":"item_completed","item":{"type":"FileChange","id":"exec-2","changes":{"b.go":{},"a.go":{}},"status":"completed"}}`), codexItem("response_item", `{"type":"custom_tool_call_output","call_id":"1","output":"Script done"}`)},
			[]string{"ls|file:///w||exit 1", "||a.go,b.go|"}},
		{"ItemOfACall", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"ls"}`), codexItem("event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"1","command":["ls"],"exit_code":4}}`), codexOutput("1", "Process exited with code 4\nOutput:\n")}, []string{"ls|||exit 4"}},
		{"EventOfOlderVersions", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"ls"}`), codexItem("event_msg", `{"type":"exec_command_end","call_id":"1","exit_code":1,"status":"failed"}`)}, []string{"ls|||exit 1"}},
		{"EndsInTheBackground", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"make all"}`), codexOutput("1", "Process running with session ID 77\nOutput:\n"), codexCall("2", "write_stdin", `{"session_id":77,"chars":""}`), codexOutput("2", "Process exited with code 2\nOutput:\n")}, []string{"make all|||exit 2"}},
		{"CannotStart", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"rm -rf x"}`), codexOutput("1", "exec_command failed for `/bin/bash -lc 'rm -rf x'`: CreateProcess { message: \"Rejected\" }")}, []string{"rm -rf x|||failed"}},
		{"PrintsThatItFailed", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"cat log"}`), codexOutput("1", "Process exited with code 0\nOutput:\nexec_command failed for x\nExit code: 3")}, []string{"cat log|||"}},
		{"IsDeclined", transcripts.Codex, []string{codexItem("event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"1","command":["bash","-lc","rm x"],"exit_code":-1,"status":"declined"}}`)}, []string{"rm x|||failed"}},
		{"OfThePerson", transcripts.Codex, []string{codexItem("event_msg", `{"type":"exec_command_end","call_id":"1","command":["ls"],"source":"user_shell","exit_code":1}`)}, nil},
		{"WordsToOneThatRuns", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"make all"}`), codexOutput("1", "Process running with session ID 77\nOutput:\n"), codexCall("2", "write_stdin", `{"session_id":77,"chars":"y"}`),
			codexItem("event_msg", `{"type":"exec_command_end","call_id":"2","command":["make","all"],"source":"unified_exec_interaction","exit_code":0}`), codexOutput("2", "Process exited with code 2\nOutput:\n")}, []string{"make all|||exit 2"}},
		{"ScriptInTheBackground", transcripts.Codex, []string{codexScript(`text(await tools.exec_command({cmd:"make"}))`), codexScripts("Script running with cell ID 28\nWall time 10 seconds\nOutput:\n", ""),
			codexItem("event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["bash","-lc","make"],"exit_code":2,"status":"failed"}}`), codexCall("2", "wait", `{"cell_id":"28"}`), codexOutput("2", "Script completed\nOutput:\nno rule")}, []string{"make|||exit 2"}},
		{"ScriptWithoutItemsInTheBackground", transcripts.Codex, []string{codexScript(`text(await tools.exec_command({cmd:"make"}))`), codexScripts("Script running with cell ID 28\nOutput:\n", ""), codexCall("2", "wait", `{"cell_id":28}`), codexOutput("2", "Script failed\nOutput:\nno rule")}, []string{"make|||failed"}},
		{"ScriptPrintsAResult", transcripts.Codex, []string{codexScript(`text(await tools.exec_command({cmd:"make"}))`), codexScripts("Script completed\nWall time 1 seconds\nOutput:\n", `{"chunk_id":"a","wall_time_seconds":0.1,"exit_code":2,"output":"no rule"}`)}, []string{"make|||exit 2"}},
		{"ScriptPrintsAnother", transcripts.Codex, []string{codexScript(`text(await tools.exec_command({cmd:"cat log.json"}))`), codexScripts("Script completed\nOutput:\n", `{"exit_code":2}`)}, []string{"cat log.json|||"}},
		{"ScriptOfTwoPrintsAResult", transcripts.Codex, []string{codexScript(`tools.exec_command({cmd:"make"}); tools.exec_command({cmd:"ls"})`), codexScripts("Script completed\nOutput:\n", `{"wall_time_seconds":0.1,"exit_code":2}`)}, []string{"make|||", "ls|||"}},
		{"SessionOf0.156", transcripts.Codex, []string{string(sample(t, "codex-0.156.jsonl"))}, []string{"go test ./lease|/home/ada/shop||exit 1", "make vet|file:///home/ada/shop||exit 2", "rm -rf data|||failed"}},
		{"StillRuns", transcripts.Codex, []string{codexCall("1", "exec_command", `{"cmd":"serve"}`), codexOutput("1", "Process running with session ID 77\nOutput:\n")}, []string{"serve|||still running"}},
		{"OtherTools", transcripts.Codex, []string{codexCall("1", "read_file", `{"path":"x"}`), codexCall("2", "exec_command", `no JSON`), codexCall("3", "write_stdin", `{"session_id":5}`), codexOutput("9", "of nobody"), codexItem("event_msg", `{"type":"exec_command_end"}`)}, nil},
		{"OfAHelper", transcripts.Codex, []string{codexItem("session_meta", `{"id":"s","timestamp":"2026-09-01T10:00:00Z","source":{"subagent":"review"}}`), codexCall("1", "exec_command", `{"cmd":"ls"}`)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, wrong := conversation(c.format, []byte(strings.Join(c.lines, "\n")))
			if diff := cmp.Diff(c.want, shown(read)); diff != "" || len(wrong) > 0 {
				t.Errorf("wrong lines %v; commands (-want +got):\n%s", wrong, diff)
			}
		})
	}
}

// A newer version of Codex writes a message a second time, as an item; where it writes only the item, that is the turn.
func TestItemsOfCodexAreTurns(t *testing.T) {
	message := func(id, role, text string) string {
		return codexItem("response_item", `{"type":"message","id":"`+id+`","role":"`+role+`","content":[{"type":"input_text","text":`+quoted(text)+`}]}`)
	}
	item := func(id, kind, text string) string {
		return codexItem("event_msg", `{"type":"item_completed","item":{"type":"`+kind+`","id":"`+id+`","content":[{"type":"Text","text":`+quoted(text)+`}]}}`)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"Both", []string{message("m1", "user", "fix it"), item("u1", "UserMessage", "fix it"), message("m2", "assistant", "Done."), item("m2", "AgentMessage", "Done.")}, "1 fix it|3 Done."},
		{"TheItemFirst", []string{item("u1", "UserMessage", "fix it"), message("m1", "user", "fix it")}, "2 fix it"},
		{"OnlyItems", []string{item("u1", "UserMessage", "fix it"), item("a1", "AgentMessage", "Done.")}, "1 fix it|2 Done."},
		{"TheSameTwice", []string{message("m1", "user", "go on"), item("u1", "UserMessage", "go on"), message("m2", "user", "go on"), item("u2", "UserMessage", "go on")}, "1 go on|3 go on"},
		{"OneOfTwo", []string{message("m1", "user", "go on"), item("u1", "UserMessage", "go on"), item("u2", "UserMessage", "go on")}, "1 go on|3 go on"},
		{"ByItsID", []string{message("m1", "assistant", "Done <cite>x</cite> and more"), item("m1", "AgentMessage", "Done, and more")}, "1 Done <cite>x</cite> and more"},
		{"TheModelReceivesMore", []string{message("m1", "user", "# Context\nfile a.go is open\n\nfix it"), item("u1", "UserMessage", "fix it")}, "1 # Context\nfile a.go is open\n\nfix it"},
		{"OfTheProgram", []string{item("u1", "UserMessage", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"), item("h", "HookPrompt", "x"), item("r", "Reasoning", "x")}, ""},
		{"OfAnother", []string{message("m1", "assistant", "fix it"), item("u1", "UserMessage", "fix it")}, "1 fix it|2 fix it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, _ := conversation(transcripts.Codex, []byte(strings.Join(c.lines, "\n")))
			check(t, read)
			said := []string{}
			for _, turn := range read.Turns {
				said = append(said, turn.ID+" "+turn.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(said, "|")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
