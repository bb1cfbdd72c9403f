package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/transcripts"
	"hence/memory/recall"
)

// importFiles writes files into a folder and imports it.
func importFiles(t *testing.T, d *db.DB, a transcripts.Args, files map[string]string) transcripts.Imported {
	t.Helper()
	a.Path = t.TempDir()
	for name, text := range files {
		path := filepath.Join(a.Path, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done, err := transcripts.Import(t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}, a)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func zst(t *testing.T, text string) string {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return string(e.EncodeAll([]byte(text), nil))
}

// turns returns what was said, and in which session.
func turns(t *testing.T, d *db.DB) []string {
	return dbtest.Texts(t, d, `
select m.content || ' in ' || (select group_concat(s.properties ->> 'session_id') from edge_list e join memories s on s.id = e.to_id where e.from_id = m.id and e.kind = 'part-of')
from memories m
where m.kind = 'turn'
  and m.origin <> 'import'
order by m.created_at, m.key`)
}

const (
	sessionFile = "rollout-2026-03-01T10-00-00-s1.jsonl"
	ranIn       = `{"timestamp":"2026-03-01T10:00:1%dZ","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c%d","arguments":"{\"cmd\":%s,\"workdir\":\"/shop\"}"}}
{"timestamp":"2026-03-01T10:00:2%dZ","type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":"Process exited with code %d\nOutput:\nPRINTED\n"}}
`
)

// ran returns a command of Codex with its answer.
func ran(n int, words string, exit int) string {
	return fmt.Sprintf(ranIn, n, n, strings.ReplaceAll(`"`+words+`"`, `"`, `\"`), n, n, exit)
}

func TestCompressedSessionsAreRead(t *testing.T) {
	text := rollout("s1", "", 0, "q1", "a1", "q2", "a2")
	both := []string{"q1 in s1", "a1 in s1", "q2 in s1", "a2 in s1"}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		says  string
	}{
		{"Compressed", map[string]string{sessionFile + ".zst": zst(t, text)}, both, ""},
		{"BesideThePlainOne", map[string]string{sessionFile + ".zst": zst(t, text), sessionFile: text}, both, ""},
		{"InSeveralFrames", map[string]string{sessionFile + ".zst": zst(t, text[:200]) + zst(t, text[200:])}, both, ""},
		{"NamedPlain", map[string]string{sessionFile: zst(t, text)}, both, ""},
		{"NotCompressed", map[string]string{sessionFile + ".zst": text}, both, ""},
		{"CutShort", map[string]string{sessionFile + ".zst": zst(t, text) + zst(t, strings.Repeat(text, 9))[:20]}, both, sessionFile + ": what comes after line"},
		{"Broken", map[string]string{sessionFile + ".zst": "\x28\xb5\x2f\xfdno frame", "rollout-2.jsonl": text}, both, sessionFile + ": what comes after line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			done := importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, c.files)
			if diff := cmp.Diff(c.want, turns(t, d)); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			if said := strings.Join(done.Warnings, "\n"); !strings.Contains(said, c.says) || c.says == "" && said != "" {
				t.Errorf("warnings are %q", said)
			}
			if again := importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: text}); again.Memories.Added+again.Edges.Added > 0 {
				t.Errorf("the plain file adds %+v", again)
			}
		})
	}
}

// A file that Codex has written anew, with other lines before the messages, adds only what is new.
func TestAFileWrittenAnewAddsNothing(t *testing.T) {
	d := dbtest.New(t)
	text := rollout("s1", "", 0, "q1", "a1", "q2")
	importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: text})
	lines := strings.SplitAfter(rollout("s1", "", 0, "q1", "a1", "q2", "a2"), "\n")
	anew := lines[0] + `{"type":"turn_context","payload":{"model":"m"}}` + "\n" + strings.Join(lines[1:], "")
	for round := range 2 {
		done := importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: anew})
		if done.Memories.Added != 1-round {
			t.Errorf("round %d: %+v", round, done)
		}
	}
	if diff := cmp.Diff([]string{"q1 in s1", "a1 in s1", "q2 in s1", "a2 in s1"}, turns(t, d)); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// The commands of a conversation are a memory that grows with it, and is found by their words behind what was said.
func TestCommandsAreFound(t *testing.T) {
	d := dbtest.New(t)
	args := transcripts.Args{Format: transcripts.Codex}
	text := rollout("s1", "", 0, "Why does it fail?", "Run make export ZSTD=1 to see.") + ran(1, "make export ZSTD=1", 2)
	if done := importFiles(t, d, args, map[string]string{sessionFile: text}); done.Commands != 1 || done.Memories.Added != 4 {
		t.Errorf("%+v", done)
	}
	text += ran(2, "curl -H 'Authorization: Bearer "+"ghp_"+"q7Zx2Rt9Lm4Kp8Wn3Vb6Yc1Hd5Jf0SgTaUe"+"' x", 0)
	done := importFiles(t, d, args, map[string]string{sessionFile: text})
	if done.Memories.Added != 0 || done.Memories.Changed != 1 || done.Memories.Present != 3 || len(done.Undecided) > 0 {
		t.Errorf("a command more: %+v", done)
	}
	if again := importFiles(t, d, args, map[string]string{sessionFile: text}); again.Memories.Changed+again.Memories.Added+again.LeftOut+again.Older != 0 {
		t.Errorf("again: %+v", again)
	}
	got := dbtest.Texts(t, d, `select title || '|' || content || '|' || (select to_title from edge_list where from_id = m.id and kind = 'part-of') from memories m where origin = 'import' and kind = 'turn'`)
	title := "codex, 2026-03-01: Why does it fail?"
	want := []string{"Commands: " + title + "|$ make export ZSTD=1 (exit 2, in /shop)\n$ curl -H 'Authorization: Bearer [secret: authorization]' x (in /shop)|" + title}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories where content like '%PRINTED%' or content like '%q7Zx2Rt9%'`); n != 0 {
		t.Errorf("%d memories have an output or a secret", n)
	}
	for _, query := range []string{"make export ZSTD=1", "kind:turn make export ZSTD=1"} {
		found, err := recall.Searcher{DB: d}.Search(t.Context(), recall.SearchArgs{Query: query, Limit: 10})
		if err != nil || len(found.Results) != 3 || found.Results[0].Title != "Run make export ZSTD=1 to see." || !strings.HasPrefix(found.Results[2].Title, "Commands: ") {
			t.Errorf("%s finds %+v, %v", query, found.Results, err)
		}
	}
	args.Outputs = true
	if done := importFiles(t, d, args, map[string]string{sessionFile: text}); done.Memories.Added != 1 || done.Memories.Changed != 0 {
		t.Errorf("with outputs: %+v", done)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories where title like 'Outputs: %' and content like '$ make export ZSTD=1 (exit 2, in /shop)'||char(10)||'PRINTED%'`); n != 1 {
		t.Errorf("%d memories have the output", n)
	}
}

// Codex writes how a command ended before it writes the answer with the output.
func TestAnOutputIsKeptBehindTheEndOfItsCommand(t *testing.T) {
	d := dbtest.New(t)
	call, output, _ := strings.Cut(ran(1, "make export", 2), "\n")
	end := `{"timestamp":"2026-03-01T10:00:15Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c1","exit_code":2,"aggregated_output":"PRINTED"}}`
	text := rollout("s1", "", 0, "Why?", "See.") + call + "\n" + end + "\n" + output
	importFiles(t, d, transcripts.Args{Format: transcripts.Codex, Outputs: true}, map[string]string{sessionFile: text})
	want := []string{"$ make export (exit 2, in /shop)", "$ make export (exit 2, in /shop)\nPRINTED"}
	if diff := cmp.Diff(want, dbtest.Texts(t, d, `select content from memories where origin = 'import' and kind = 'turn' order by 1`)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// What a person made of the memory of commands holds when the conversation grows.
func TestCommandsLeaveWhatAPersonDid(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s memory.Store, id string) error
		want string // of the memory once the conversation has grown
	}{
		"Nothing": {func(memory.Store, string) error { return nil }, "current [] $ make one (in /shop)\n$ make two (in /shop)"},
		"Forgotten": {func(s memory.Store, id string) error {
			_, err := s.Forget(t.Context(), memory.ForgetArgs{ID: id})
			return err
		}, "forgotten [] $ make one (in /shop)"},
		"Tagged": {func(s memory.Store, id string) error {
			_, err := s.Revise(t.Context(), memory.UpdateArgs{ID: id, Tags: &[]string{"builds"}})
			return err
		}, `current ["builds"] $ make one (in /shop)` + "\n$ make two (in /shop)"},
		"Reworded": {func(s memory.Store, id string) error {
			_, err := s.Revise(t.Context(), memory.UpdateArgs{ID: id, Content: new("I built it.")})
			return err
		}, "current [] I built it."},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			text := rollout("s1", "", 0, "q1", "a1") + ran(1, "make one", 0)
			importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: text})
			id := dbtest.Texts(t, d, `select id from memories where title like 'Commands: %'`)[0]
			if err := c.do(memory.Store{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}, id); err != nil {
				t.Fatal(err)
			}
			later := strings.ReplaceAll(ran(2, "make two", 0), "2026-03-01T", time.Now().Add(48*time.Hour).UTC().Format("2006-01-02T"))
			importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: text + later})
			if diff := cmp.Diff([]string{c.want}, dbtest.Texts(t, d, `select status || ' ' || tags || ' ' || content from memories where id = ?`, id)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Of very many commands the last ones are kept, also when there are more of them later.
func TestManyCommandsAreCut(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d, text := dbtest.New(t), rollout("s1", "", 0, "q1", "a1")
	for round := range 2 {
		for n := range 250 {
			id := fmt.Sprintf("%d-%d", round, n)
			text += strings.ReplaceAll(ran(1, "make "+id+" "+strings.Repeat("word ", 300), 0), "\"c1\"", "\"c"+id+"\"")
		}
		text = strings.ReplaceAll(text, "T10:00:2", fmt.Sprintf("T1%d:00:2", round))
		if done := importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{sessionFile: text}); done.Commands != 250*(round+1) {
			t.Errorf("%+v", done)
		}
		got := dbtest.Texts(t, d, `select content from memories where title like 'Commands: %'`)[0]
		last := fmt.Sprintf("$ make %d-249 word", round)
		if len(got) > 1<<18 || strings.Contains(got, " left out)\n") != (round > 0) || !strings.Contains(got, last) || strings.Contains(got, strings.Repeat("word ", 200)) {
			t.Errorf("round %d: %d bytes: %.80s", round, len(got), got)
		}
	}
}

// The commands that a fork repeats are its origin's.
func TestCommandsOfForks(t *testing.T) {
	d := dbtest.New(t)
	lines := strings.SplitAfter(rollout("s1", "", 0, "q1", "a1"), "\n")
	parent := lines[0] + lines[1] + ran(1, "make one", 0) + lines[2]
	lines = strings.SplitAfter(rollout("s3", "s1", 30, "q1", "a1", "q2"), "\n")
	fork := lines[0] + lines[1] + ran(1, "make one", 0) + lines[2] + lines[3] + ran(2, "make two", 0)
	again := strings.SplitAfter(rollout("s1", "", 0, "q1", "a1", "q9"), "\n")
	resumed := again[0] + again[1] + ran(1, "make one", 0) + again[2] + again[3] + ran(3, "make three", 1)
	for round := range 2 {
		done := importFiles(t, d, transcripts.Args{Format: transcripts.Codex}, map[string]string{"rollout-1.jsonl": parent, "rollout-2.jsonl": fork, "rollout-3.jsonl": resumed})
		if done.Commands != 3 || round == 1 && done.Memories.Added+done.Memories.Changed+done.LeftOut > 0 {
			t.Errorf("round %d: %+v", round, done)
		}
	}
	got := dbtest.Texts(t, d, `select content || ' in ' || (select s.properties ->> 'session_id' from edge_list e join memories s on s.id = e.to_id where e.from_id = m.id and e.kind = 'part-of') from memories m where origin = 'import' and kind = 'turn' order by content`)
	want := []string{"$ make one (in /shop)\n$ make three (exit 1, in /shop) in s1", "$ make two (in /shop) in s3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// A talk with a helper is a conversation of its own, part of the agent's, if the helper said something.
func TestHelpersOfAnAgent(t *testing.T) {
	main := `{"type":"user","uuid":"u1","sessionId":"S","cwd":"/shop","timestamp":"2026-03-01T10:00:00Z","message":{"content":"Why is it slow?"}}
`
	helps := func(id, task, said string) string {
		text := fmt.Sprintf(`{"type":"user","uuid":"%[1]s1","agentId":%[1]q,"isSidechain":true,"sessionId":"S","cwd":"/shop","timestamp":"2026-03-01T10:01:00Z","message":{"content":%[2]q}}
{"type":"assistant","uuid":"%[1]s2","parentUuid":"%[1]s1","isSidechain":true,"sessionId":"S","cwd":"/shop","timestamp":"2026-03-01T10:01:01Z","message":{"model":"m","content":[{"type":"tool_use","id":"t%[1]s","name":"Bash","input":{"command":"go test -bench ."}}]}}
`, id, task)
		if said != "" {
			text += fmt.Sprintf(`{"type":"assistant","uuid":"%[1]s3","parentUuid":"%[1]s2","isSidechain":true,"sessionId":"S","timestamp":"2026-03-01T10:01:09Z","message":{"model":"m","content":[{"type":"text","text":%[2]q}]}}
`, id, said)
		}
		return text
	}
	files := map[string]string{
		"p/S.jsonl": main, "p/S/subagents/agent-h1.jsonl": helps("h1", "Measure the queue", "The lock is held for 9 s."),
		"p/S/subagents/agent-h2.jsonl": helps("h2", "Warmup", "Ready."), "p/agent-h3.jsonl": helps("h3", "Look around", ""),
	}
	said := []string{"Why is it slow? by person in S", "Measure the queue by agent in S/h1", "The lock is held for 9 s. by agent in S/h1"}
	for name, rounds := range map[string][]map[string]string{
		"Together": {files, files}, "TheHelperLater": {{"p/S.jsonl": main}, files},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			for _, files := range rounds {
				importFiles(t, d, transcripts.Args{Format: transcripts.ClaudeCode}, files)
			}
			got := dbtest.Texts(t, d, `
select m.content || ' by ' || m.origin || ' in ' || (select s.properties ->> 'session_id' from edge_list e join memories s on s.id = e.to_id where e.from_id = m.id and e.kind = 'part-of')
from memories m
where m.kind = 'turn' and m.origin <> 'import'
order by m.created_at, m.key`)
			if diff := cmp.Diff(said, got); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			got = dbtest.Texts(t, d, `select from_title || ' > ' || to_title from edge_list e join memories m on m.id = e.from_id where m.kind = 'session'`)
			if diff := cmp.Diff([]string{"claude-code helper, 2026-03-01: Measure the queue > claude-code, 2026-03-01: Why is it slow?"}, got); diff != "" {
				t.Errorf("sessions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"$ go test -bench . (no answer)"}, dbtest.Texts(t, d, `select content from memories where title like 'Commands: claude-code helper%'`)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}
