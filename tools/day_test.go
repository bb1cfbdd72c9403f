package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools/stdio"
)

// callAnswer is the answer to a call over stdio.
type callAnswer struct {
	call, text string
	structured json.RawMessage
	tokens     int // of the text and the structure together
}

// converse sends the calls of one client over stdio, and returns the answers.
func converse(t *testing.T, d *db.DB, calls [][2]string) []callAnswer {
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
	all := make([]callAnswer, len(calls))
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
		all[answer.ID-1] = callAnswer{calls[answer.ID-1][0], r.Content[0].Text, r.StructuredContent, (len(r.Content[0].Text)+3)/4 + (len(r.StructuredContent)+3)/4}
	}
	return all
}

// factsCall returns the arguments of a call that stores 25 facts with links among them.
func factsCall() string {
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

// Two sessions of an agent: the first stores 25 facts in one call; the second begins with a
// briefing, changes a decision, learns what became stale, settles it, and ends with a
// checkpoint. docs/day.md shows it, with the counts that this test compares.
func TestAnAgentsDay(t *testing.T) {
	d := dbtest.New(t)
	first := converse(t, d, [][2]string{
		{"memory_checkpoint", `{"goal": "Learn how the harbour keeps its berths", "done": "Read the code of the board.", "next": "Choose where the ledger goes when there are two quays.", "learned": [` + factsCall() + `]}`},
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
	says := func(a callAnswer, wants ...string) {
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
	for _, a := range second {
		total += a.tokens
	}
	if total > 4000 {
		t.Errorf("the answers of the second session cost %d tokens, want at most 4,000", total)
	}
	compareCounts(t, "../docs/day.md", slices.Concat(first, second))
}

// countRow matches a row of a table of docs/day.md: a call, and the tokens of its answer, as text
// and as text and structure.
var countRow = regexp.MustCompile(`(?m)^(\| \S.* \| )(\**)([0-9,]+)\**( \| )\**([0-9,]+)\**( \|)$`)

// compareCounts compares the counts in a page with those of the answers: a row for each
// answer, and a last row for the sum. With -update it writes them.
func compareCounts(t *testing.T, page string, answers []callAnswer) {
	t.Helper()
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, both, rows := 0, 0, 0
	after := regexp.MustCompile(`(?m)^\| call .*$|`+countRow.String()[len("(?m)"):]).ReplaceAllStringFunc(string(before), func(row string) string {
		parts := countRow.FindStringSubmatch(row)
		switch {
		case parts == nil: // the head of a table
			text, both = 0, 0
			return row
		case strings.Contains(parts[1], "**all**"):
			return fmt.Sprintf("%s**%s** | **%s** |", parts[1], thousands(text), thousands(both))
		case rows == len(answers) || !strings.Contains(parts[1], answers[rows].call):
			t.Fatalf("row %d of %s is not of a call of the conversation: %s", rows+1, page, row)
		}
		a := answers[rows]
		rows++
		text, both = text+(len(a.text)+3)/4, both+a.tokens
		return fmt.Sprintf("%s%s | %s |", parts[1], thousands((len(a.text)+3)/4), thousands(a.tokens))
	})
	if rows != len(answers) {
		t.Errorf("%s has %d calls, the conversation %d", page, rows, len(answers))
	}
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(before), after); diff != "" {
		t.Errorf("%s is not what was measured; go test ./tools -run Day -update writes it (-page +measured):\n%s", page, diff)
	}
}

// thousands writes a number with a comma before its last three digits.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
