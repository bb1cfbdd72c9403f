package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// What an agent stores waits for a person, who accepts it with a command that is killed at random moments, again and
// again. Each call waits or is done, never both, never neither; in the end all are done once.
func TestAKilledReviewLosesNoCall(t *testing.T) {
	dbtest.SkipUnderRace(t)
	t.Setenv("XDG_STATE_HOME", dbtest.Folder(t)) // the policy is that of the machine
	hence, file := program(t), filepath.Join(dbtest.Folder(t), "hence.db")
	run := func(words ...string) []byte {
		t.Helper()
		out, err := exec.Command(hence, append([]string{"--db", file}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", words, err, out)
		}
		return out
	}
	run("store", "Plan")
	run("review", "--policy", "all")
	const rounds, calls = 4, 5
	kills := 0
	for round := range rounds {
		a, err := startAgent(hence, file)
		if err != nil {
			t.Fatal(err)
		}
		for n := range calls {
			arguments := map[string]any{"content": fmt.Sprintf("call %d of round %d", n, round), "dedup": "off"}
			if n == 0 && round == 0 {
				arguments["supersedes"] = []string{"Plan"}
			}
			if err := a.call("memory_store", arguments, new(any)); err != nil {
				t.Fatal(err)
			}
		}
		a.kill()
		waiting := func() (keys []string) {
			var found struct {
				Proposals []struct {
					Key  string
					Call struct{ Arguments struct{ Content string } }
				}
			}
			if err := json.Unmarshal(run("review", "--json", "--limit", "50"), &found); err != nil {
				t.Fatal(err)
			}
			d, err := db.Open(t.Context(), file, db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("the file is not whole: %q, %v", problems, err)
			}
			times := map[string]int{}
			for _, p := range found.Proposals {
				keys = append(keys, p.Key)
				times[p.Call.Arguments.Content]++
			}
			for _, content := range dbtest.Texts(t, d, `select content from memories`) {
				times[content]++
			}
			for n := range calls {
				if content := fmt.Sprintf("call %d of round %d", n, round); times[content] != 1 {
					t.Errorf("%q waits or is there %d times, want once", content, times[content])
				}
			}
			if n := dbtest.Count(t, d, `select count(*) from memories where status = 'superseded'`); n != 0 && len(keys) > 0 && round == 0 || n != 1 && len(keys) == 0 {
				t.Errorf("%d calls wait, and %d memories are superseded", len(keys), n)
			}
			return keys
		}
		for patience := 10 * time.Millisecond; ; patience = patience * 3 / 2 {
			keys := waiting()
			if len(keys) == 0 || t.Failed() {
				break
			}
			accept := exec.Command(hence, "--db", file, "review", "--accept", strings.Join(keys, ","))
			if err := accept.Start(); err != nil {
				t.Fatal(err)
			}
			death := time.AfterFunc(rand.N(patience), func() { _ = accept.Process.Kill() })
			if err := accept.Wait(); death.Stop() && err != nil {
				t.Fatal(err)
			} else if err != nil {
				kills++
			}
		}
	}
	t.Logf("%d reviews were killed", kills)
}
