package briefing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/agents"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/projection"
)

// TestABriefingHasTheRulesOfAgentsOnce imports rules that some clients load themselves, and
// briefs each client.
func TestABriefingHasTheRulesOfAgentsOnce(t *testing.T) {
	d, home := dbtest.New(t), t.TempDir()
	for name, text := range map[string]string{
		"CLAUDE.md":                         "Answer shortly.",
		"projects/-src-queue/memory/one.md": "---\nname: lease-rule\ntype: feedback\n---\nNever renew late.",
		"projects/-src-queue/s.jsonl":       `{"cwd":"` + filepath.Join(home, "queue") + `"}`,
		"queue/x":                           "",
		"projects/-src-other/memory/two.md": "---\nname: other-rule\ntype: feedback\n---\nAlways ask.",
		"projects/-src-other/s.jsonl":       `{"cwd":"/nowhere/other"}`, // gone
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (agents.Importer{DB: d, Caller: ref.Caller{}}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: home, Name: "claude-code"}); err != nil {
		t.Fatal(err)
	}
	caller := func(client string) ref.Caller {
		return ref.Caller{Actor: client, Origin: "agent", Project: "queue"}
	}
	for client, want := range map[string][]string{
		"claude-code":      {"lease-rule"},
		"claude-code-next": {"lease-rule"},
		"claude":           {"CLAUDE.md of claude-code", "lease-rule"},
		"codex":            {"CLAUDE.md of claude-code", "lease-rule"},
	} {
		for how, text := range map[string]string{
			"server": brief(t, d, caller(client), briefing.Args{}).Text(),
			"hook":   brief(t, d, ref.Caller{Project: "queue"}, briefing.Args{Client: client}).Text(),
		} {
			for _, title := range []string{"CLAUDE.md of claude-code", "lease-rule", "other-rule"} {
				n := strings.Count(text, `"`+title+`"`)
				if expected := strings.Count(strings.Join(want, ",")+",", title+","); n != expected {
					t.Errorf("%s by the %s: %s is there %d times, want %d:\n%s", client, how, title, n, expected, text)
				}
			}
		}
	}
	if _, err := (memory.Store{DB: d, Caller: ref.Caller{}}).Remember(t.Context(), memory.StoreArgs{Content: "Answer at length.", Kind: "rule", Supersedes: []string{"CLAUDE.md of claude-code"}}, nil); err != nil {
		t.Fatal(err)
	}
	want := `"CLAUDE.md of claude-code" (` // and its id
	for client, says := range map[string]bool{"claude-code": true, "codex": false} {
		text := brief(t, d, caller(client), briefing.Args{}).Text()
		line := ""
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "- "+want) {
				line = l
			}
		}
		if strings.Contains(line, "and your client loads its file still") != says || !strings.Contains(text, "Answer at length.") {
			t.Errorf("%s is told:\n%s", client, text)
		}
	}
}
