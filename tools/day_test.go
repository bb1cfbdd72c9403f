package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools/stdio"
)

// answered is the answer to a call over stdio.
type answered struct {
	call, text string
	structured json.RawMessage
	tokens     int // of the text and the structure together
}

// converse has a conversation over stdio, as one client has it, and returns the answers.
func converse(t *testing.T, d *db.DB, calls [][2]string) []answered {
	t.Helper()
	s, err := New(d, ref.Caller{Actor: "claude", Origin: "agent", Project: "harbour"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var in, out strings.Builder
	for i, c := range calls {
		in.WriteString(toolCall(i+1, c[0], c[1]) + "\n")
	}
	if err := stdio.Serve(t.Context(), s, strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	all := make([]answered, len(calls))
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     int
			Result struct {
				IsError           bool
				StructuredContent json.RawMessage
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID < 1 || answer.Result.IsError {
			t.Fatalf("%v: %s", err, line)
		}
		r := answer.Result
		all[answer.ID-1] = answered{calls[answer.ID-1][0], r.Content[0].Text, r.StructuredContent, (len(r.Content[0].Text)+3)/4 + (len(r.StructuredContent)+3)/4}
	}
	return all
}

// learned are 25 facts with links among them, as one call stores them.
func learned() string {
	items := []string{
		`{"title": "Ask before a migration", "kind": "rule", "content": "Ask the harbour master before a migration of the ledger.", "pinned": true}`,
		`{"title": "Ledger in SQLite", "kind": "decision", "content": "The ledger of berths is one SQLite file on the quay server.", "importance": 0.9}`,
		`{"title": "Berths are read from the ledger", "kind": "decision", "content": "The board reads berths from the ledger every 30 seconds.", "links": [{"to": "#2", "type": "depends-on"}]}`,
		`{"title": "Backups by copying the file", "content": "The nightly backup copies the file of the ledger.", "links": [{"to": "#2", "type": "depends-on"}]}`,
		`{"title": "Restore takes 4 minutes", "content": "A restore from the copy took four minutes in March.", "links": [{"to": "#4", "type": "derived-from"}]}`,
	}
	for i := len(items); i < 25; i++ {
		items = append(items, fmt.Sprintf(`{"title": "Berth %d", "content": "Berth %d takes ships of up to %d metres.", "links": [{"to": "#3", "type": "relates-to"}]}`, i, i, 40+3*i))
	}
	return strings.Join(items, ", ")
}

// Two sessions of an agent: the first learns 25 facts in one call; the second begins
// with a briefing, changes a decision, is told what became stale, settles it, and ends
// with a checkpoint. docs/day.md shows it.
func TestAnAgentsDay(t *testing.T) {
	d := dbtest.New(t)
	first := converse(t, d, [][2]string{
		{"memory_checkpoint", `{"goal": "Learn how the harbour keeps its berths", "done": "Read the code of the board.", "next": "Choose where the ledger goes when there are two quays.", "learned": [` + learned() + `]}`},
		{"memory_update", `{"id": "Ledger in SQLite", "content": "The ledger of berths is one SQLite file on the quay server, until the second quay opens."}`},
	})
	if n := dbtest.Count(t, d, `select count(*) from memories where kind <> 'session'`); n != 25 {
		t.Fatalf("%d memories were learned, want 25", n)
	}
	second := converse(t, d, [][2]string{
		{"memory_brief", `{"about": "ledger"}`},
		{"memory_store", `{"title": "Ledger in PostgreSQL", "kind": "decision", "content": "The ledger of berths is a PostgreSQL database that both quays reach.", "supersedes": ["Ledger in SQLite"], "reason": "two quays write at once"}`},
		{"memory_verify", `{"id": "Berths are read from the ledger", "note": "the board asks the database as often"}`},
		{"memory_store", `{"title": "Backups by dump", "content": "The nightly backup dumps the database of the ledger.", "supersedes": ["Backups by copying the file"], "links": [{"to": "Ledger in PostgreSQL", "type": "depends-on"}]}`},
		{"memory_forget", `{"id": "Restore takes 4 minutes", "reason": "of the old backup"}`},
		{"memory_checkpoint", `{"goal": "Choose where the ledger goes", "done": "Chose PostgreSQL, and settled what rested on the file.", "next": "Measure a restore of the dump.", "learned": [{"content": "Both quays reach the database through the tunnel.", "links": [{"to": "Ledger in PostgreSQL", "type": "supports"}]}]}`},
	})
	third := converse(t, d, [][2]string{{"memory_brief", `{}`}})
	says := func(a answered, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(a.text, want) || !strings.Contains(string(a.structured), want) {
				t.Errorf("%s does not say %q in text and structure:\n%s\n%s", a.call, want, a.text, a.structured)
			}
		}
	}
	says(first[1], "Berths are read from the ledger", "Backups by copying the file")
	says(second[0], "Ask before a migration", "Berths are read from the ledger", "stale", "Choose where the ledger goes when there are two quays.")
	says(second[1], "Berths are read from the ledger", "Backups by copying the file", "Restore takes 4 minutes")
	says(second[5], "Choose where the ledger goes")
	says(third[0], "Measure a restore of the dump.", "Ledger in PostgreSQL")
	if n := dbtest.Count(t, d, `select count(*) from stale`); n != 0 {
		t.Errorf("%d memories are stale at the end, want none", n)
	}
	if brief := (len(second[0].text) + 3) / 4; brief > 1200 {
		t.Errorf("the briefing costs %d tokens", brief)
	}
	total := 0
	for i, session := range [][]answered{first, second, third} {
		for _, a := range session {
			t.Logf("session %d: %-18s %5d tokens, %d of them text", i+1, a.call, a.tokens, (len(a.text)+3)/4)
		}
	}
	for _, a := range second {
		total += a.tokens
	}
	if t.Logf("the second session: %d tokens of answers", total); total > 4000 {
		t.Errorf("the answers of the second session cost %d tokens, want at most 4,000", total)
	}
}
