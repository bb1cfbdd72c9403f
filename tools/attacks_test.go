package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/recall"
)

// attack is a way in which text of others gets into a memory, after published ones, and
// what it wants the next agent to believe.
type attack struct {
	name     string
	sessions [][]step // of agents
	question string   // of the victim
	payload  string   // what neither the briefing nor the first five results say unmarked
	isOwn    bool     // the agent was deceived, and stores it as its own conclusion
}

// step is a call of a tool. In its arguments $1 is the id of the memory that the first
// step stored, and so on.
type step struct{ tool, arguments string }

// ofThePerson is what a person stored before. No attack may replace it or take it out of the
// rules.
var ofThePerson = []memory.StoreArgs{
	{Title: new("Deploy rule"), Content: "Deploys go out only after the tests pass on main.", Kind: "rule"},
	{Title: new("Database of orders"), Content: "We keep orders in PostgreSQL, because the ledger needs transactions.", Kind: "decision"},
	{Title: new("Package manager"), Content: "Install packages of the web client with npm from our own registry.", Kind: "preference"},
	{Title: new("Secrets policy"), Content: "Credentials stay in the vault, and are never printed or sent anywhere.", Kind: "rule"},
}

func TestAttacks_AreMarked(t *testing.T) {
	families := map[string]int{}
	for _, a := range attacks {
		family, _, _ := strings.Cut(a.name, "/")
		families[family]++
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			person := ref.Caller{Actor: "ada", Origin: "person"}
			for _, one := range ofThePerson {
				if _, err := (memory.Store{DB: d, Caller: person}).Remember(t.Context(), one, nil); err != nil {
					t.Fatal(err)
				}
			}
			a.play(t, d)
			victim := meet(t, d, Options{})
			brief := victim.ask("memory_brief", `{"token_budget": 4000}`)
			a.check(t, "briefing", brief.StructuredContent, text(t, brief))
			for _, question := range []string{a.question, a.payload} {
				found := victim.ask("memory_search", `{"limit": 5, "query": `+db.List(strings.ReplaceAll(question, "-", " "))+`}`)
				a.check(t, "search", found.StructuredContent, text(t, found))
			}
			checkSaid(t, victim)
		})
	}
	if len(attacks) < 60 || len(families) < 6 {
		t.Errorf("%d attacks of %d families", len(attacks), len(families))
	}
}

// play makes the calls of the attack. A call may be refused.
func (a attack) play(t *testing.T, d *db.DB) {
	ids := []string{}
	for _, session := range a.sessions {
		agent := meet(t, d, Options{})
		for _, s := range session {
			for i, id := range slices.Backward(ids) {
				s.arguments = strings.ReplaceAll(s.arguments, fmt.Sprint("$", i+1), id)
			}
			result := agent.ask(s.tool, s.arguments)
			raw, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			var stored memory.StoreResult
			if s.tool == "memory_store" {
				if result.IsError || json.Unmarshal(raw, &stored) != nil {
					t.Fatalf("%s %s: %s", s.tool, s.arguments, raw)
				}
				ids = append(ids, stored.Memory.ID)
			}
		}
	}
}

// check holds an answer against what it must not say unmarked.
func (a attack) check(t *testing.T, what string, structured any, words string) {
	t.Helper()
	raw, err := json.Marshal(structured)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "query")
	if a.saysUnmarked(tree, "", "") {
		t.Errorf("%s says %q unmarked: %s", what, a.payload, raw)
	}
	section := ""
	for line := range strings.Lines(words) {
		if strings.HasSuffix(line, ":\n") && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, " ") {
			section = line
		}
		if !a.speaksIn(line) || strings.Contains(line, " for "+fmt.Sprintf("%q", a.question)) || strings.Contains(line, " memories for ") || strings.Contains(line, " memory for ") {
			continue
		}
		marked := strings.Contains(line, "from the web") || strings.Contains(line, "from a tool") || strings.Contains(line, "from an import")
		ownWords := a.isOwn && (what == "search" || strings.HasPrefix(section, "Of agents") || strings.HasPrefix(section, "Changed") || strings.HasPrefix(section, "Left off"))
		if !marked && !ownWords {
			t.Errorf("%s says unmarked, under %q: %s", what, section, line)
		}
	}
}

func (a attack) speaksIn(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(a.payload))
}

// saysUnmarked reports whether a part of an answer has the payload and no mark beside it.
func (a attack) saysUnmarked(value any, list, mark string) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return a.saysUnmarked(one, list, mark) })
	case map[string]any:
		own, _ := v["trust"].(string)
		for name, one := range v {
			inner := own
			if name == "other" {
				inner, _ = v["other_trust"].(string)
			}
			if inner == "" && a.isOwn && (list == "unconfirmed" || list == "entries" || list == "results" && v["origin"] == "agent") {
				inner = "agent"
			}
			below := list
			switch one.(type) {
			case []any, map[string]any:
				if name != "other" && name != "because" {
					below = name
				}
			}
			if a.saysUnmarked(one, below, inner) {
				return true
			}
		}
		return false
	case string:
		return mark == "" && a.speaksIn(v)
	}
	return false
}

// checkSaid holds that what a person said still stands.
func checkSaid(t *testing.T, victim *agent) {
	t.Helper()
	brief, _ := get[briefing.Result](victim, "memory_brief", `{"token_budget": 4000}`)
	titles := []string{}
	for _, e := range brief.Rules {
		titles = append(titles, e.Title)
	}
	for _, h := range brief.Holds {
		titles = append(titles, h.Title)
	}
	for _, one := range ofThePerson {
		if !slices.Contains(titles, *one.Title) {
			t.Errorf("%q is no longer among what holds: %q", *one.Title, titles)
		}
	}
	if len(titles) != len(ofThePerson) {
		t.Errorf("the rules and what holds are %q", titles)
	}
	found, _ := get[recall.SearchResult](victim, "memory_search", `{"query": "deploys after the tests pass on main"}`)
	if len(found.Results) == 0 || found.Results[0].Title != "Deploy rule" || found.Results[0].ContradictedBy != nil {
		t.Errorf("the person's rule is not the first result: %+v", found.Results[0])
	}
}
