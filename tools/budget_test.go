package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
)

// longAnswers are calls whose full answers take more than 300 tokens: one of each tool that
// reads, except those whose answers are short.
var longAnswers = map[string]string{
	"memory_brief":     `{}`,
	"memory_get":       `{"ids": ["Fact 1", "Fact 2", "Fact 3", "Fact 4"]}`,
	"memory_list":      `{}`,
	"memory_search":    `{"query": "pier"}`,
	"find_related":     `{"id": "Fact 1"}`,
	"memory_tidy":      `{}`,
	"memory_replay":    `{"session": "last"}`,
	"memory_path":      `{"from_id": "Fact 1", "to_id": "Fact 6", "max_hops": 6}`,
	"expand":           `{"seed_doc_ids": ["Fact 1"], "hops": 5, "detail": "full"}`,
	"get_neighborhood": `{"id": "Fact 1", "depth": 5}`,
	"memory_history":   `{"id": "Old 1"}`,
	"memory_trace":     `{"id": "Fact 9", "direction": "upstream"}`,
	"graph_overview":   `{}`,
	"list_notes":       `{}`,
	"read_note":        `{"path": "Hub.md"}`,
	"get_headings":     `{"path": "Hub.md"}`,
	"get_frontmatter":  `{"path": "Hub.md"}`,
	"get_tags":         `{}`,
	"get_backlinks":    `{"path": "Target.md"}`,
	"check_vault":      `{}`,
	"search":           `{"query": "pier"}`,
	"fetch":            `{"id": "Hub.md"}`,
	"code_outline":     `{"path": "long/long.go"}`,
	"code_read":        `{"path": "long/long.go"}`,
	"code_test":        `{"suite": "repo"}`,
}

// longWorld returns a store with a chain of facts, a line of successors, and a vault of
// notes with links to one note and dangling links.
func longWorld(t *testing.T) *db.DB {
	t.Helper()
	d := dbtest.New(t)
	hub, notes := "---\n", map[string]string{"Target.md": "Nothing more.\n"}
	for n := range 40 {
		hub += fmt.Sprintf("property%d: the value of property %d\n", n, n)
	}
	hub += "---\n"
	for n := range 40 {
		hub += fmt.Sprintf("# Heading number %d\n\nSee [[Missing %d]].\n", n, n)
		notes[fmt.Sprintf("Note %d.md", n)] = fmt.Sprintf("#tag/of/the/note%d See [[Target]] for more about it.\n", n)
	}
	notes["Hub.md"] = hub
	attach(t, d, "default", "", notes)
	long := "package long\n"
	for n := range 40 {
		long += fmt.Sprintf("\n// Lift%d lifts the crane.\nfunc Lift%d(tons, metres int) (err error) { return nil }\n", n, n)
	}
	attachCode(t, d, "repo", "", map[string]string{"go.mod": "module example.com/repo\n", "long/long.go": long})
	a := meet(t, d, Options{})
	for n := range 12 {
		fact := fmt.Sprintf(`{"title": "Fact %d", "content": "The pier number %d of the harbour is built of timber and was mended with great care.", "tags": ["harbour"], "kind": "decision"`, n, n)
		old := fmt.Sprintf(`{"title": "Old %d", "content": "The crane lifts %d tons."`, n, n)
		if n > 0 {
			fact += fmt.Sprintf(`, "links": [{"to": "Fact %d", "type": "depends-on", "note": "one rests on the other"}]`, n-1)
			old += fmt.Sprintf(`, "supersedes": ["Old %d"], "reason": "it was measured again, and lifts more"`, n-1)
		}
		get[memory.StoreResult](a, "memory_store", fact+"}")
		get[memory.StoreResult](a, "memory_store", old+"}")
	}
	keepReceipts(t, d)
	return d
}

// keepReceipts keeps a receipt of each of a store's decisions, as if one conversation had opened them.
func keepReceipts(t *testing.T, d *db.DB) {
	t.Helper()
	book, err := receipts.Open(t.Context(), d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for _, id := range dbtest.Texts(t, d, `select id from memories where kind = 'decision' order by key`) {
		stamp, err := receipts.StampOf(t.Context(), d, receipts.Written, []ref.Shown{{ID: id, Why: "memories", Range: ref.Range{To: -1}}})
		if err == nil {
			err = book.Add(t.Context(), receipts.Receipt{Session: "one", Namespace: "default", At: time.Now(), Tool: "memory_get", Arguments: `{"ids": ["one of many"]}`, Stamp: stamp})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// untrue matches claims that a text must not make about entries that were left out.
var untrue = regexp.MustCompile(`\bno memor(y|ies)\b|""|lines 0 to|\b0 (neighbour|propert)|(?m)^[:/]|content_hash $`)

// A budget is a hard limit on the structured answer and on its text. Both say what was left
// out.
func TestBudgetsHoldForEveryTool(t *testing.T) {
	dbtest.SkipUnderRace(t)
	a := meet(t, longWorld(t), Options{Toolsets: Toolsets(), CodeWrite: true})
	for _, tool := range slices.Sorted(maps.Keys(longAnswers)) {
		t.Run(tool, func(t *testing.T) {
			whole := a.ask(tool, longAnswers[tool])
			if cost := len(structured(t, whole)) / 4; whole.IsError || cost < 300 {
				t.Fatalf("the whole answer costs %d tokens: %s", cost, structured(t, whole))
			}
			for _, tokens := range []int{64, 90, 128, 250} {
				call := fmt.Sprintf(`{"token_budget": %d, %s`, tokens, longAnswers[tool][1:])
				r := a.ask(tool, strings.Replace(call, ", }", "}", 1))
				raw, said := structured(t, r), text(t, r)
				if r.IsError {
					if e := errorOf(t, r); tokens > 200 || e.Code != string(fault.TooLarge) || !strings.Contains(e.Message, "raise it") {
						t.Errorf("%d tokens: %+v", tokens, e)
					}
					continue
				}
				if len(raw) > 4*tokens || len(said) > 4*tokens {
					t.Errorf("%d tokens: the answer has %d bytes, its text %d:\n%s\n%s", tokens, len(raw), len(said), raw, said)
				}
				var told struct {
					Truncated bool
					Next      string
					NotShown  json.RawMessage `json:"not_shown"`
				}
				if err := json.Unmarshal(raw, &told); err != nil {
					t.Fatal(err)
				}
				if claim := untrue.FindString(said); claim != "" {
					t.Errorf("%d tokens: %q, where it was left out:\n%s", tokens, claim, said)
				}
				if told.NotShown == nil && (!told.Truncated || told.Next == "" || !strings.Contains(said, "more was left out") && !strings.Contains(said, `"truncated":true`)) {
					t.Errorf("%d tokens: not said that more was left out:\n%s\n%s", tokens, raw, said)
				}
			}
		})
	}
}

// Each tool that lists or reads has a budget.
func TestEveryReadingToolHasABudget(t *testing.T) {
	for _, tool := range All() {
		_, isTested := longAnswers[tool.Name]
		if has := strings.Contains(string(tool.Input), `"token_budget"`); has != isTested || tool.Hints.ReadOnly && !has {
			t.Errorf("%s: has a token_budget: %v; is tested: %v", tool.Name, has, isTested)
		}
	}
}

func TestBudgetsOverTheMostAreRefused(t *testing.T) {
	a := newAgent(t)
	if e := a.refused("memory_list", `{"token_budget": 50001}`); e.Code != string(fault.InvalidArgument) || !strings.Contains(e.Message, "at most 50000") {
		t.Errorf("%+v", e)
	}
	if r := a.ask("memory_list", `{"token_budget": 50000}`); r.IsError {
		t.Error(text(t, r))
	}
}
