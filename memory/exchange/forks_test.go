package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/transcripts"
)

// rollout returns a session of Codex. Each word is a message, in turn of a person and of the model.
func rollout(id, forkOf string, second int, words ...string) string {
	fork := ""
	if forkOf != "" {
		fork = fmt.Sprintf(`,"forked_from_id":%q`, forkOf)
	}
	lines := []string{fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:%02dZ","type":"session_meta","payload":{"id":%q,"timestamp":"2026-03-01T10:00:%02dZ"%s}}`, second, id, second, fork)}
	for n, word := range words {
		role, kind := "user", "input_text"
		if n%2 == 1 {
			role, kind = "assistant", "output_text"
		}
		lines = append(lines, fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:%02dZ","type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}}`, second+n, role, kind, word))
	}
	return strings.Join(lines, "\n") + "\n"
}

// A conversation that was forked, resumed or archived comes in once, wherever its files are.
func TestForkedConversationsComeInOnce(t *testing.T) {
	parent := rollout("s1", "", 0, "q1", "a1", "q2", "a2")
	for _, c := range []struct {
		name  string
		files []string // in the order in which they are read
		first int      // how many of them an earlier import reads alone
		turns []string // with their place: after which turn, in which session
	}{
		{"ACopyOnly", []string{parent, rollout("s3", "s1", 30, "q1", "a1", "q2", "a2")}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1"}},
		{"GoesOn", []string{parent, rollout("s3", "s1", 30, "q1", "a1", "q2", "a2", "q3", "a3")}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q3 after a2 in s3", "a3 after q3 in s3"}},
		{"Earlier", []string{parent, rollout("s3", "s1", 30, "q1", "a1", "q9")}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q9 after a1 in s3"}},
		{"TheForkFirst", []string{rollout("s3", "s1", 30, "q1", "a1", "q9"), parent}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q9 after a1 in s3"}},
		{"AForkOfAFork", []string{rollout("s5", "s3", 50, "q1", "a1", "q9", "a9", "q10"), rollout("s3", "s1", 30, "q1", "a1", "q9", "a9"), parent}, 0,
			[]string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q9 after a1 in s3", "a9 after q9 in s3", "q10 after a9 in s5"}},
		{"OfNobodyKnown", []string{rollout("s3", "s0", 30, "q1", "a1")}, 0, []string{"q1 after  in s3", "a1 after q1 in s3"}},
		{"OfEachOther", []string{rollout("s3", "s4", 30, "q1"), rollout("s4", "s3", 40, "q1", "a1")}, 0, []string{"q1 after  in s4", "a1 after q1 in s4"}},
		{"OfItself", []string{rollout("s3", "s3", 30, "q1")}, 0, []string{"q1 after  in s3"}},
		{"ImportedBefore", []string{parent, rollout("s3", "s1", 30, "q1", "a1", "q9")}, 1, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q9 after a1 in s3"}},
		{"Archived", []string{parent, parent}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1"}},
		{"ResumedInAnotherFile", []string{parent, rollout("s1", "", 30, "q1", "a1", "q2", "a2", "q3")}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q3 after a2 in s1"}},
		{"ResumedWithoutACopy", []string{parent, rollout("s1", "", 30, "q7", "a7")}, 0, []string{"q1 after  in s1", "a1 after q1 in s1", "q2 after a1 in s1", "a2 after q2 in s1", "q7 after  in s1", "a7 after q7 in s1"}},
		{"TheSameWordsTwice", []string{rollout("s1", "", 0, "hi", "yes"), rollout("s2", "", 30, "hi", "yes")}, 0, []string{"hi after  in s1", "yes after hi in s1", "hi after  in s2", "yes after hi in s2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			s := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
			dir := t.TempDir()
			load := func(files []string) transcripts.Imported {
				t.Helper()
				for n, text := range files {
					path := filepath.Join(dir, fmt.Sprintf("rollout-%d.jsonl", n))
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				done, err := transcripts.Import(t.Context(), s, transcripts.Args{Path: dir, Format: transcripts.Codex})
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			if c.first > 0 {
				load(c.files[:c.first])
				for n := range c.first { // the next import does not have them
					if err := os.Remove(filepath.Join(dir, fmt.Sprintf("rollout-%d.jsonl", n))); err != nil {
						t.Fatal(err)
					}
				}
				load(c.files[c.first:])
			} else {
				load(c.files)
			}
			got := dbtest.Texts(t, d, `
select
  m.content || ' after ' || coalesce((select to_title from edge_list where from_id = m.id and kind = 'follows'), '') || ' in ' ||
  (select group_concat(s.properties ->> 'session_id') from edge_list e join memories s on s.id = e.to_id where e.from_id = m.id and e.kind = 'part-of')
from memories m
where m.kind = 'turn'
order by m.created_at, m.key`)
			if diff := cmp.Diff(c.turns, got); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			if c.first > 0 {
				return
			}
			if again := load(c.files); again.Memories.Added+again.Edges.Added+len(again.Undecided) != 0 {
				t.Errorf("a second time it adds %+v", again)
			}
		})
	}
}
