package transcripts_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/memory/exchange/transcripts"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// conversation reads the lines of a text, and returns the conversation and the numbers of
// wrong lines.
func conversation(format string, text []byte) (c transcripts.Conversation, wrong []int) {
	r := transcripts.NewReader(format, "file")
	for i, line := range bytes.Split(text, []byte("\n")) {
		if err := r.Line(i+1, line); err != nil {
			wrong = append(wrong, i+1)
		}
	}
	return r.Conversation(), wrong
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestWhatWasSaidIsRead(t *testing.T) {
	claude, wrong := conversation(transcripts.ClaudeCode, sample(t, "claude-code.jsonl"))
	if len(wrong) != 1 || wrong[0] != 9 {
		t.Errorf("wrong lines are %v, want 9", wrong)
	}
	codex, wrong := conversation(transcripts.Codex, sample(t, "codex.jsonl"))
	if len(wrong) != 0 {
		t.Errorf("wrong lines are %v", wrong)
	}
	all := []transcripts.Conversation{claude, codex}
	failures := 0
	err := transcripts.ReadExport(transcripts.ChatGPT, bytes.NewReader(sample(t, "conversations.json")), func(number int, c transcripts.Conversation, err error) error {
		if err != nil {
			failures++
			return nil
		}
		all = append(all, c)
		return nil
	})
	if err != nil || failures != 1 {
		t.Errorf("%d failures, %v", failures, err)
	}
	want := []transcripts.Conversation{
		{ID: "5b0e7c1e-7f43-4b8e-9d55-000000000001", Folder: "/home/ada/shop", Branch: "queue", At: at("2026-03-11T09:00:05Z"), Turns: []transcripts.Turn{
			{ID: "a1", Person: true, Text: "Why do jobs run twice after a failover?", At: at("2026-03-11T09:00:05Z")},
			{ID: "a4", After: "a1", Model: "claude-opus-4-5", Text: "The lease is not renewed, so a second worker takes the job.\n\nRenew it every 10 s.", At: at("2026-03-11T09:00:20Z")},
			{ID: "a6", After: "a4", Person: true, Text: "Do that. The key is SECRETKEY <private>and my salary</private>", At: at("2026-03-11T09:01:00Z")},
		}},
		{ID: "0196f3c2-0000-7000-8000-000000000002", Folder: "/home/ada/shop", Branch: "main", At: at("2026-04-02T10:00:00Z"), Turns: []transcripts.Turn{
			{ID: "5", Person: true, Text: "Add a test for leases", At: at("2026-04-02T10:00:01Z")},
			{ID: "9", After: "5", Model: "gpt-5-codex", Text: "The test expires a lease and counts the runs.", At: at("2026-04-02T10:00:09Z")},
		}},
		{ID: "c0ffee00-0000-4000-8000-000000000003", Title: "Leases and clocks", At: time.UnixMilli(1772700000500).UTC(), Turns: []transcripts.Turn{
			{ID: "n2", Person: true, Text: "How long may a clock drift?", At: time.Unix(1772700002, 0).UTC()},
			{ID: "n5", After: "n2", Model: "gpt-5", Text: "Less than half of the lease.", At: time.Unix(1772700005, 0).UTC()},
		}},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
}

func TestAnEditedMessageFollowsWhatItAnswers(t *testing.T) {
	c, _ := conversation(transcripts.ClaudeCode, []byte(`{"type":"user","uuid":"1","message":{"content":"first"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"content":"answer"}}
{"type":"user","uuid":"3","parentUuid":"1","message":{"content":"other branch"}}
{"type":"user","uuid":"2","parentUuid":"3","message":{"content":"the same id"}}
{"type":"user","parentUuid":"3","message":{"content":"no id"}}`))
	if len(c.Turns) != 3 || c.Turns[2].After != "1" || c.ID != "file" {
		t.Errorf("conversation is %+v", c)
	}
}

func TestAFileThatIsNoExportIsRefused(t *testing.T) {
	for _, text := range []string{"", "{}", "nothing", `"x"`, `[{"id": "x"`, "[1, 2"} {
		calls := 0
		err := transcripts.ReadExport(transcripts.ChatGPT, strings.NewReader(text), func(int, transcripts.Conversation, error) error { calls++; return nil })
		if err == nil {
			t.Errorf("%q is read, %d calls", text, calls)
		}
	}
}

func TestFilesOfAFormatAreKnownByTheirNames(t *testing.T) {
	for _, c := range []struct {
		format, name string
		want         bool
	}{
		{transcripts.ClaudeCode, "5b0e.jsonl", true}, {transcripts.ClaudeCode, "agent-1.jsonl", true}, {transcripts.ClaudeCode, "x.json", false},
		{transcripts.Codex, "rollout-2026.jsonl", true}, {transcripts.Codex, "rollout-2026.jsonl.zst", true}, {transcripts.Codex, "history.jsonl", false}, {transcripts.Codex, "rollout-2026.zst", false},
		{transcripts.ChatGPT, "conversations.json", true}, {transcripts.ChatGPT, "conversations-001.json", true}, {transcripts.ChatGPT, "user.json", false},
	} {
		if got := transcripts.Holds(c.format, c.name); got != c.want {
			t.Errorf("%s, %s: %v", c.format, c.name, got)
		}
	}
}

// check checks that each turn has a text and follows an earlier one.
func check(t *testing.T, c transcripts.Conversation) {
	seen := map[string]bool{"": true}
	for _, turn := range c.Turns {
		if !seen[turn.After] || seen[turn.ID] || turn.Text == "" || strings.Contains(turn.Text, "\x00") {
			t.Fatalf("turn %+v of %+v", turn, c)
		}
		seen[turn.ID] = true
	}
	for _, k := range c.Commands {
		if k.Words == "" && len(k.Files) == 0 || strings.ContainsAny(k.Words, "\x00\n") {
			t.Fatalf("command %+v of %+v", k, c)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add(false, sample(f, "claude-code.jsonl"))
	f.Add(true, sample(f, "codex.jsonl"))
	f.Add(true, sample(f, "codex-0.156.jsonl"))
	f.Add(true, []byte(`{"id":"x","timestamp":"2026-01-01T00:00:00Z"}`+"\n"+`{"type":"message","role":"user","content":"hi"}`))
	f.Add(true, []byte(codexCall("1", "exec_command", `{"cmd":"a"}`)+"\n"+codexOutput("1", "Process running with session ID 7")+"\n"+codexCall("2", "write_stdin", `{"session_id":7}`)+"\n"+codexItem("event_msg", `{"type":"item_completed","item":{"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"a"}]}}`)))
	f.Add(false, []byte(`{"type":"user","uuid":"1","parentUuid":"1","message":{"content":[1,null,{"type":"text","text":"\u0000x"}]}}`))
	f.Fuzz(func(t *testing.T, isCodex bool, text []byte) {
		c, _ := conversation(map[bool]string{false: transcripts.ClaudeCode, true: transcripts.Codex}[isCodex], text)
		check(t, c)
	})
}

func FuzzChatGPT(f *testing.F) {
	f.Add(sample(f, "conversations.json"))
	f.Add([]byte(`[{"id":"x","mapping":{"a":{"parent":"b","children":["b"]},"b":{"parent":"a","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["x"]}}}}}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = transcripts.ReadExport(transcripts.ChatGPT, bytes.NewReader(text), func(_ int, c transcripts.Conversation, wrong error) error {
			if wrong == nil {
				check(t, c)
			}
			return nil
		})
	})
}
