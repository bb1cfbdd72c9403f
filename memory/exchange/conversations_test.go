package exchange_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/transcripts"
	"hence/memory/recall"
)

// transcripts returns a folder with a conversation in each format, and with other files.
func writeTranscripts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"claude-code.jsonl": "p/5b0e.jsonl", "codex.jsonl": "2026/04/rollout-1.jsonl", "conversations.json": "export/conversations.json"} {
		text, err := os.ReadFile(filepath.Join("transcripts/testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("SECRETKEY"), []byte("AK"+"IAQ7Z2X4T9M5R3LPW8"))
		path := filepath.Join(dir, to)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	if err := os.WriteFile(outside, []byte(`{"type":"user","uuid":"out","message":{"content":"OUTSIDE"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "p", "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestConversationsBecomeTurns(t *testing.T) {
	d, dir := dbtest.New(t), writeTranscripts(t)
	s := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	for format, want := range map[string][2]int{transcripts.ClaudeCode: {4, 5}, transcripts.Codex: {3, 3}, transcripts.ChatGPT: {3, 3}} {
		path := dir
		if format == transcripts.ClaudeCode {
			path = filepath.Join(dir, "p")
		}
		done, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: path, Format: format})
		if err != nil || done.Memories.Added != want[0] || done.Edges.Added != want[1] || done.Conversations != 1 {
			t.Fatalf("%s: %+v, %v", format, done, err)
		}
		again, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: path, Format: format})
		if err != nil || again.Memories.Added+again.Edges.Added != 0 || again.Memories.Present != want[0] {
			t.Errorf("%s again: %+v, %v", format, again, err)
		}
		if format == transcripts.ClaudeCode {
			said := strings.Join(done.Warnings, "\n")
			if !strings.Contains(said, "5b0e.jsonl: line 9 was left out: it is not a JSON object") || !strings.Contains(said, "1 secret was replaced (aws-key), 1 private part was dropped") {
				t.Errorf("warnings are %q", said)
			}
		}
	}
	want := []string{
		"session|import|chatgpt|2026-03-05T08:40:00.500Z|Leases and clocks|",
		"turn|person|ada|2026-03-05T08:40:02.000Z|How long may a clock drift?|",
		"turn|agent|gpt-5|2026-03-05T08:40:05.000Z|Less than half of the lease.|How long may a clock drift?",
		"session|import|claude-code|2026-03-11T09:00:05.000Z|claude-code, 2026-03-11: Why do jobs run twice after a failover?|",
		"turn|person|ada|2026-03-11T09:00:05.000Z|Why do jobs run twice after a failover?|",
		"turn|agent|claude-opus-4-5|2026-03-11T09:00:20.000Z|The lease is not renewed, so a second worker takes the job.|Why do jobs run twice after a failover?",
		"turn|person|ada|2026-03-11T09:01:00.000Z|Do that. The key is [secret: aws-key]|The lease is not renewed, so a second worker takes the job.",
		"session|import|codex|2026-04-02T10:00:00.000Z|codex, 2026-04-02: Add a test for leases|",
		"turn|person|ada|2026-04-02T10:00:01.000Z|Add a test for leases|",
		"turn|agent|gpt-5-codex|2026-04-02T10:00:09.000Z|The test expires a lease and counts the runs.|Add a test for leases",
	}
	got := dbtest.Texts(t, d, `
select concat_ws('|', m.kind, m.origin, m.actor, m.created_at, m.title, coalesce((select e.to_title from edge_list e where e.from_id = m.id and e.kind = 'follows'), ''))
from memories m
order by m.created_at, m.kind`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	if n := dbtest.Count(t, d, `select count(*) from edge_list where kind = 'part-of'`); n != 7 {
		t.Errorf("%d turns are part of a session, want 7", n)
	}
	for _, word := range []string{"OUTSIDE", "TOOL OUTPUT", "SIDE task", "META", "EDITED", "THOUGHT", "salary", "IAQ7Z2", "environment_context", "/clear"} {
		if n := dbtest.Count(t, d, `select count(*) from memories where content || title || properties like '%' || ? || '%'`, word); n != 0 {
			t.Errorf("%d memories have %q", n, word)
		}
	}
}

// The exports of two programs have one name, and may begin with a byte order mark, or be in
// UTF-16.
// A turn that was purged does not come back with the next import of its conversation, nor do the commands of a session.
func TestWhatWasPurgedOfAConversationStaysOut(t *testing.T) {
	for format, folder := range map[string]string{transcripts.ClaudeCode: "p", transcripts.Codex: "2026", transcripts.ChatGPT: "export"} {
		d, dir := dbtest.New(t), writeTranscripts(t)
		s := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
		a := transcripts.Args{Path: filepath.Join(dir, folder), Format: format}
		if _, err := transcripts.Import(t.Context(), s, a); err != nil {
			t.Fatal(err)
		}
		all := dbtest.Texts(t, d, `select id from memories order by id`)
		for n, id := range all {
			if _, err := memory.Store(s).Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
				t.Fatal(err)
			}
			again, err := transcripts.Import(t.Context(), s, a)
			if err != nil || again.Memories.Added != 0 || !strings.Contains(strings.Join(again.Warnings, "\n"), fmt.Sprintf("%d memor", n+1)) {
				t.Errorf("%s after %d of %d: %+v, %v", format, n+1, len(all), again, err)
			}
		}
		if left := dbtest.Texts(t, d, `select id from memories`); len(left) > 0 {
			t.Errorf("%s: %q are left", format, left)
		}
	}
}

func TestExportsOfClaudeAI(t *testing.T) {
	text := `[{"uuid":"c","name":"Tea","created_at":"2026-03-01T10:00:00Z","chat_messages":[
{"uuid":"m1","sender":"human","text":"Which tea?","created_at":"2026-03-01T10:00:00Z"},
{"uuid":"m2","sender":"assistant","content":[{"type":"text","text":"Green."}],"created_at":"2026-03-01T10:00:09Z"}]}]`
	for name, file := range map[string]string{"Plain": text, "Marked": "\uFEFF" + text, "UTF16": "\xff\xfe" + wide(text)} {
		t.Run(name, func(t *testing.T) {
			d, dir := dbtest.New(t), t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "conversations.json"), []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			s := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
			for round := range 2 {
				done, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: dir, Format: transcripts.Claude})
				if err != nil || done.Conversations != 1 || done.Turns != 2 || done.Memories.Added != 3-3*round || len(done.Undecided) > 0 {
					t.Errorf("round %d: %+v, %v", round, done, err)
				}
			}
			want := []string{"session import claude Tea", "turn person ada Which tea?", "turn agent claude Green."}
			got := dbtest.Texts(t, d, `select kind || ' ' || origin || ' ' || actor || ' ' || title from memories order by created_at, key`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("memories (-want +got):\n%s", diff)
			}
			_, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: dir, Format: transcripts.ChatGPT})
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "--from claude") {
				t.Errorf("as an export of ChatGPT: %v", err)
			}
		})
	}
}

func TestConversationsThatGrowAddTurns(t *testing.T) {
	d, path := dbtest.New(t), filepath.Join(t.TempDir(), "s.jsonl")
	s := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	text := ""
	for n, line := range []string{
		`{"type":"user","uuid":"1","sessionId":"s","message":{"content":"one"}}`,
		`{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"content":[{"type":"text","text":"two"}]}}`,
	} {
		text += line + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		dry, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: path, Format: transcripts.ClaudeCode, DryRun: true})
		if err != nil || !dry.DryRun {
			t.Errorf("dry run: %+v, %v", dry, err)
		}
		done, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: path, Format: transcripts.ClaudeCode})
		if err != nil || done.Turns != n+1 || done.Memories.Added != 2-n || done.Edges.Added != 1+n {
			t.Errorf("after %d lines: %+v, %v", n+1, done, err)
		}
	}
}

func TestWhereThereIsNoConversationSaysSo(t *testing.T) {
	s := ref.View{DB: dbtest.New(t)}
	dir := t.TempDir()
	for n := range 5 {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+n))+".jsonl"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, format, want string
		code               fault.Code
	}{
		{dir, "claud", "claude-code, chatgpt, codex", fault.InvalidArgument},
		{dir, transcripts.Codex, "no conversation of codex", fault.InvalidArgument},
		{dir, transcripts.ClaudeCode, "and 2 more were left out", fault.InvalidArgument},
		{filepath.Join(dir, "none"), transcripts.Codex, "cannot be read", fault.NotFound},
	} {
		_, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: c.path, Format: c.format})
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.path, c.format, err)
		}
	}
}

// Secrets in lines of another program are replaced; lines that Hence wrote are imported
// unchanged.
func TestForeignSecretsAreReplacedAndOwnOnesCounted(t *testing.T) {
	key := "AK" + "IAQ7Z2X4T9M5R3LPW8"
	d := dbtest.New(t)
	done, err := take(d, `{"type":"entity","name":"Deploy","entityType":"job","observations":["uses `+key+`","<private>x</private>runs at night"]}
{"type":"entity","name":"Ada","entityType":"person","observations":[]}
{"type":"relation","from":"Ada","to":"Deploy","relationType":"owns `+key+`"}
{"type":"memory","id":"own","title":"Own","content":"has `+key+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(done.Warnings, "; "); !strings.Contains(said, "2 secrets were replaced (aws-key ×2), 1 private part was dropped") || !strings.Contains(said, "1 part of the texts looks like a secret (aws-key); imported unchanged") {
		t.Errorf("warnings are %q", said)
	}
	got := dbtest.Texts(t, d, `select title || ': ' || content from memories order by title`)
	if diff := cmp.Diff([]string{"Ada: ", "Deploy: - uses [secret: aws-key]\n- runs at night\n", "Own: has " + key}, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	if n := dbtest.Count(t, d, `select count(*) from edge_list where rel = 'owns [secret: aws-key]'`); n != 1 {
		t.Errorf("%d edges have the masked word", n)
	}
}

// TestTurnsAreRankedBehindWhatWasStored searches for words that a turn has more of.
func TestTurnsAreRankedBehindWhatWasStored(t *testing.T) {
	d, dir := dbtest.New(t), writeTranscripts(t)
	caller := ref.Caller{Actor: "ada", Origin: "person"}
	if _, err := transcripts.Import(t.Context(), ref.View{DB: d, Caller: caller}, transcripts.Args{Path: filepath.Join(dir, "p"), Format: transcripts.ClaudeCode}); err != nil {
		t.Fatal(err)
	}
	title := "Leases"
	stored, err := memory.Store{DB: d, Caller: caller}.Remember(t.Context(), memory.StoreArgs{Title: &title, Content: "A worker renews the lease of its job, because after a failover a second one would take it; this was decided in March and is in the runbook.", Properties: db.Properties{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"lease renewed second worker job", "failover jobs"} {
		got, err := recall.Searcher{DB: d, Caller: caller}.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil || len(got.Results) < 2 || got.Results[0].ID != stored.Memory.ID {
			t.Errorf("%s: %+v, %v", query, got.Results, err)
		}
		turns, err := recall.Searcher{DB: d, Caller: caller}.Search(t.Context(), recall.SearchArgs{Query: query, Kinds: []string{"turn"}})
		if err != nil || len(turns.Results) == 0 {
			t.Errorf("%s among turns: %+v, %v", query, turns.Results, err)
		}
	}
}
