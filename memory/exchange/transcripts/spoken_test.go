package transcripts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/lineartest"
	"hence/memory/exchange/transcripts"
)

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// personsTexts returns the texts of a conversation that are called a person's, and the others.
func personsTexts(c transcripts.Conversation) (persons, others []string) {
	for _, turn := range c.Turns {
		if turn.Person {
			persons = append(persons, turn.Text)
		} else {
			others = append(others, turn.Text)
		}
	}
	return persons, others
}

// What a program, a hook or a helper wrote is not a person's, and what a person wrote around it is
// kept.
func TestWhoSaidIt(t *testing.T) {
	claude := func(text string) string {
		return `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":` + quoted(text) + `}}`
	}
	claudeWith := func(fields, text string) string {
		return `{"type":"user","uuid":"u",` + fields + `,"message":{"role":"user","content":` + quoted(text) + `}}`
	}
	codex := func(text string) string {
		return `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":` + quoted(text) + `}]}}`
	}
	codexOf := func(source, text string) string {
		return `{"type":"session_meta","payload":{"id":"s","timestamp":"2026-01-01T00:00:00Z",` + source + `}}` + "\n" + codex(text)
	}
	for _, c := range []struct{ name, format, lines, want string }{
		{"AReminderAtTheEnd", transcripts.ClaudeCode, claude("fix it\n\n<system-reminder>\nThe file changed\n</system-reminder>"), "fix it"},
		{"AReminderBefore", transcripts.ClaudeCode, claude("<system-reminder>x</system-reminder>\nfix it"), "fix it"},
		{"AReminderBetween", transcripts.ClaudeCode, claude("fix <system-reminder>x</system-reminder> it"), "fix\n\nit"},
		{"TwoReminders", transcripts.ClaudeCode, claude("<system-reminder>x</system-reminder><system-reminder>y</system-reminder>fix it<ide_selection>z</ide_selection>"), "fix it"},
		{"APromptHook", transcripts.ClaudeCode, claude("<user-prompt-submit-hook>from a hook</user-prompt-submit-hook>"), ""},
		{"APromptHookBehind", transcripts.ClaudeCode, claude("fix it\n<user-prompt-submit-hook>from a hook</user-prompt-submit-hook>"), "fix it"},
		{"ATeammate", transcripts.ClaudeCode, claude(`<teammate-message teammate_id="t" summary="s">done</teammate-message>`), ""},
		{"ATask", transcripts.ClaudeCode, claude("<task-notification>\n<task-id>b</task-id>\n</task-notification>"), ""},
		{"AStopHook", transcripts.ClaudeCode, claude("Stop hook feedback:\n- call memory_checkpoint"), ""},
		{"ASubagentStopHook", transcripts.ClaudeCode, claude("SubagentStop hook feedback: x"), ""},
		{"AToolHook", transcripts.ClaudeCode, claude("PreToolUse:Bash hook blocked it"), ""},
		{"ABlockedPrompt", transcripts.ClaudeCode, claude("UserPromptSubmit operation blocked by hook: no"), ""},
		{"AContinuation", transcripts.ClaudeCode, claude("This session is being continued from a previous conversation that ran out of context."), ""},
		{"ACommand", transcripts.ClaudeCode, claude("<command-name>/x</command-name>\n<command-message>x</command-message>\n<command-args></command-args>"), ""},
		{"AnInterruption", transcripts.ClaudeCode, claude("[Request interrupted by user for tool use]"), ""},
		{"AnInterruptionAndWords", transcripts.ClaudeCode, claude("[Request interrupted by user]\nNo, the other one"), "No, the other one"},
		{"AnOpenFile", transcripts.ClaudeCode, claude("<ide_opened_file>The user opened a.go</ide_opened_file>\n\nfix it"), "fix it"},
		{"CutShort", transcripts.ClaudeCode, claude("<system-reminder>never ends"), ""},
		{"OfAnotherOrigin", transcripts.ClaudeCode, claudeWith(`"origin":{"kind":"task-notification"}`, "done"), ""},
		{"OfAnotherOriginAsAWord", transcripts.ClaudeCode, claudeWith(`"origin":"hook"`, "done"), ""},
		{"OfAPersonsOrigin", transcripts.ClaudeCode, claudeWith(`"origin":{"kind":"human"}`, "fix it"), "fix it"},
		{"OfAnOddOrigin", transcripts.ClaudeCode, claudeWith(`"origin":[7]`, "fix it"), "fix it"},
		{"OnlyShown", transcripts.ClaudeCode, claudeWith(`"isVisibleInTranscriptOnly":true`, "x"), ""},
		{"Meta", transcripts.ClaudeCode, claudeWith(`"isMeta":true`, "x"), ""},
		{"OwnTags", transcripts.ClaudeCode, claude("Why is <div> in <T> and <command-palette>x</command-palette>?"), "Why is <div> in <T> and <command-palette>x</command-palette>?"},
		{"AskedAbout", transcripts.ClaudeCode, claude("What does <system-reminder> mean?"), "What does <system-reminder> mean?"},
		{"Quoted", transcripts.ClaudeCode, claude("Grep for `<system-reminder>x</system-reminder>`"), "Grep for `<system-reminder>x</system-reminder>`"},
		{"InAFence", transcripts.ClaudeCode, claude("Why?\n```\n<system-reminder>x</system-reminder>\n```\n"), "Why?\n```\n<system-reminder>x</system-reminder>\n```"},
		{"BehindAFence", transcripts.ClaudeCode, claude("Why?\n```\nx\n```\n<system-reminder>x</system-reminder>"), "Why?\n```\nx\n```"},
		{"ARowOfThem", transcripts.ClaudeCode, claude("a <b> < <<system-reminder>x</system-reminder>"), "a <b> < <"},

		{"Skill", transcripts.Codex, codex("<skill>\n<name>x</name>\n<path>p</path>\nDo it\n</skill>"), ""},
		{"SkillAndWords", transcripts.Codex, codex("Use it\n<skill>\n<name>x</name>\n</skill>"), "Use it"},
		{"OwnSkill", transcripts.Codex, codex("Make XML of <skill>Go</skill>"), "Make XML of <skill>Go</skill>"},
		{"Environment", transcripts.Codex, codex("<environment_context>\n<cwd>/p</cwd>\n</environment_context>"), ""},
		{"Instructions", transcripts.Codex, codex("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"), ""},
		{"InstructionsAndWords", transcripts.Codex, codex("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>\n\nfix it"), "fix it"},
		{"Permissions", transcripts.Codex, codex("<permissions instructions>\nx\n</permissions instructions>"), ""},
		{"Helpers", transcripts.Codex, codex("<subagent_notification>\nx\n</subagent_notification>"), ""},
		{"ASummary", transcripts.Codex, codex("Another language model started to solve this problem and produced a summary"), ""},
		{"OfASubagent", transcripts.Codex, codexOf(`"source":{"subagent":"review"}`, "Review it"), ""},
		{"OfASpawnedThread", transcripts.Codex, codexOf(`"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}`, "Review it"), ""},
		{"OfAThreadOfHelpers", transcripts.Codex, codexOf(`"source":"cli","thread_source":"subagent"`, "Review it"), ""},
		{"OfAPersonsSession", transcripts.Codex, codexOf(`"source":"vscode","thread_source":"user"`, "fix it"), "fix it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, _ := conversation(c.format, []byte(c.lines))
			persons, _ := personsTexts(read)
			if diff := cmp.Diff(c.want, strings.Join(persons, "|")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A message of the program is not the model's, and the model's own tags stay.
func TestWhatTheModelSaid(t *testing.T) {
	line := func(id, model, fields, text string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,%s"message":{"role":"assistant","model":%q,"content":[{"type":"text","text":%s}]}}`, id, fields, model, quoted(text))
	}
	read, _ := conversation(transcripts.ClaudeCode, []byte(strings.Join([]string{
		line("1", "<synthetic>", "", "No response requested."), line("2", "<synthetic>", `"isApiErrorMessage":true,`, "API Error: 529"),
		line("3", "m", `"isApiErrorMessage":true,`, "API Error: 500"), line("4", "m", "", "It is <system-reminder>this</system-reminder>."),
	}, "\n")))
	_, others := personsTexts(read)
	if diff := cmp.Diff([]string{"It is <system-reminder>this</system-reminder>."}, others); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A long text of tags without ends takes time in proportion to its length.
func TestTagsWithoutAnEndAreReadOnce(t *testing.T) {
	const size = 1_000_000 // bytes
	lineartest.Check(t, size, func(n int) func() {
		line := []byte(`{"type":"user","uuid":"u","message":{"content":` + quoted("x "+strings.Repeat("<system-reminder> <T> ``` < ", n/28)) + `}}`)
		return func() { conversation(transcripts.ClaudeCode, line) }
	})
}

// The export of claude.ai has what was written in parts, or only as one text.
func TestReadExportOfClaudeAI(t *testing.T) {
	text := `[
{"uuid":"c1","name":"Tea","created_at":"2026-03-01T10:00:00.123456Z","updated_at":"2026-03-01T11:00:00Z","account":{"uuid":"a"},"chat_messages":[
 {"uuid":"m1","text":"Which tea?","content":[{"type":"text","text":"Which tea?"}],"sender":"human","created_at":"2026-03-01T10:00:00Z","attachments":[],"files":[]},
 {"uuid":"m2","text":"Thinking…\n\nGreen.","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"x"},{"type":"tool_result","content":[]},{"type":"text","text":"Green."}],"sender":"assistant","created_at":"2026-03-01T10:00:09Z"},
 {"uuid":"m3","text":"","content":[{"type":"tool_use","name":"x"}],"sender":"assistant"},
 {"uuid":"m4","text":"Why?","sender":"human","created_at":"2026-03-01T10:01:00Z"},
 {"uuid":"m5","text":"And how?","sender":"human","parent_message_uuid":"m2"},
 {"uuid":"m4","text":"twice","sender":"human"},
 {"uuid":"m6","text":"system","sender":"system"}]},
{"uuid":"c2","name":"","chat_messages":[]},
{"uuid":"c3"},
7]`
	got, wrong := []transcripts.Conversation{}, 0
	err := transcripts.ReadExport(transcripts.Claude, strings.NewReader(text), func(_ int, c transcripts.Conversation, err error) error {
		if err != nil {
			wrong++
			return nil
		}
		got = append(got, c)
		return nil
	})
	if err != nil || wrong != 2 {
		t.Errorf("%d are wrong, %v", wrong, err)
	}
	want := []transcripts.Conversation{
		{ID: "c1", Title: "Tea", At: at("2026-03-01T10:00:00.123456Z"), Turns: []transcripts.Turn{
			{ID: "m1", Person: true, Text: "Which tea?", At: at("2026-03-01T10:00:00Z")},
			{ID: "m2", After: "m1", Text: "Green.", At: at("2026-03-01T10:00:09Z")},
			{ID: "m4", After: "m2", Person: true, Text: "Why?", At: at("2026-03-01T10:01:00Z")},
			{ID: "m5", After: "m2", Person: true, Text: "And how?"},
		}},
		{ID: "c2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	err = transcripts.ReadExport(transcripts.ChatGPT, strings.NewReader(text), func(number int, _ transcripts.Conversation, err error) error {
		if number == 1 && (err == nil || !strings.Contains(err.Error(), "--from claude")) {
			t.Errorf("as an export of ChatGPT: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func FuzzClaudeAI(f *testing.F) {
	f.Add([]byte(`[{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"x","parent_message_uuid":"a"},{"uuid":"b","sender":"assistant","content":[1,null,{"type":"text","text":"\u0000y"}]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = transcripts.ReadExport(transcripts.Claude, strings.NewReader(string(text)), func(_ int, c transcripts.Conversation, wrong error) error {
			if wrong == nil {
				check(t, c)
			}
			return nil
		})
	})
}
