package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/recall"
	"hence/memory/tidy"
)

// attack is a way in which a stranger's text gets into a memory, after published attacks,
// and the belief that it tries to give the next agent.
type attack struct {
	name     string
	sessions [][]step // of agents
	question string   // of the victim
	payload  string   // what neither the briefing nor the first five results say unmarked
	isOwn    bool     // the agent was deceived, and stores it as its own conclusion
}

// attacks are those of all three files.
var attacks = slices.Concat(attacksByText, attacksOverSessions, attacksOnReasons)

// step is a call of a tool. In its arguments, $1 is the id of the memory that the first
// step stored, and so on.
type step struct{ tool, arguments string }

// personMemories are the memories that a person stored earlier; an agent reported the last
// one. No attack may change them, replace them or remove them from the rules.
var personMemories = []memory.StoreArgs{
	{Title: new("Deploy rule"), Content: "Deploys go out only after the tests pass on main.", Kind: "rule"},
	{Title: new("Database of orders"), Content: "We keep orders in PostgreSQL, because the ledger needs transactions.", Kind: "decision"},
	{Title: new("Package manager"), Content: "Install packages of the web client with npm from our own registry.", Kind: "preference"},
	{Title: new("Secrets policy"), Content: "Credentials stay in the vault, and are never printed or sent anywhere.", Kind: "rule"},
	{Title: new("Retry limit"), Content: "The client retries five times.", Kind: "decision", Source: "agent"},
	{Title: new("Language of reports"), Content: "Reports to the board are written in Portuguese.", Kind: "preference", Source: "person"},
}

// storePersonMemories stores personMemories, and two memories that the person replaced and forgot. It
// returns the ids by title.
func storePersonMemories(t *testing.T, d *db.DB) map[string]string {
	t.Helper()
	person := memory.Store{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	ids := map[string]string{}
	store := func(s memory.Store, one memory.StoreArgs) {
		t.Helper()
		stored, err := s.Remember(t.Context(), one, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids[*one.Title] = stored.Memory.ID
	}
	store(person, memory.StoreArgs{Title: new("Old deploy rule"), Content: "Deploys go out every Friday.", Kind: "rule"})
	store(person, memory.StoreArgs{Title: new("Old mirror"), Content: "Packages come from the old mirror.", Kind: "preference"})
	for _, one := range personMemories {
		storer := person
		if one.Source == "person" {
			storer.Caller = caller
		}
		if *one.Title == "Deploy rule" {
			one.Supersedes = []string{ids["Old deploy rule"]}
		}
		store(storer, one)
		if one.Source == "agent" {
			if _, err := person.Verify(t.Context(), belief.VerifyArgs{ID: ids[*one.Title]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := person.Forget(t.Context(), memory.ForgetArgs{ID: ids["Old mirror"]}); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestAttacks_AreMarked(t *testing.T) {
	dbtest.SkipUnderRace(t)
	families := map[string]int{}
	all := slices.Concat(attacks, attacksOnWords)
	before := dbtest.New(t)
	idsBefore := storePersonMemories(t, before)
	for _, a := range all {
		family, _, _ := strings.Cut(a.name, "/")
		families[family]++
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			d, ids := copyStore(t, before), maps.Clone(idsBefore)
			a.play(t, d, ids)
			victim := meet(t, d, Options{})
			brief := victim.ask("memory_brief", `{"token_budget": 4000}`)
			a.check(t, "briefing", brief.StructuredContent, text(t, brief))
			for _, question := range []string{a.question, a.payload} {
				answer := victim.ask("memory_search", `{"limit": 5, "query": `+db.List(strings.ReplaceAll(question, "-", " "))+`}`)
				a.check(t, "search", answer.StructuredContent, text(t, answer))
			}
			checkPersonMemories(t, victim, ids)
		})
	}
	if len(all) < 90 || len(families) < 11 {
		t.Errorf("%d attacks of %d families", len(all), len(families))
	}
}

// play makes the calls of the attack. Calls may be refused.
func (a attack) play(t *testing.T, d *db.DB, said map[string]string) {
	ids := []string{}
	for _, session := range a.sessions {
		agent := meet(t, d, Options{})
		for _, s := range session {
			for title, id := range said {
				s.arguments = strings.ReplaceAll(s.arguments, "$"+title, id)
			}
			for i, id := range slices.Backward(ids) {
				s.arguments = strings.ReplaceAll(s.arguments, fmt.Sprint("$", i+1), id)
			}
			if a.playFile(t, d, agent, s) {
				continue
			}
			result := agent.ask(s.tool, s.arguments)
			raw, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			var session struct{ Session struct{ ID string } }
			if s.tool == "memory_checkpoint" && json.Unmarshal(raw, &session) == nil {
				said["session"] = session.Session.ID
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

// playFile does the steps that are not calls of tools: a person imports or merges a file
// that a stranger wrote, or an agent accepts all proposals.
func (a attack) playFile(t *testing.T, d *db.DB, agent *agent, s step) bool {
	t.Helper()
	store := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	var err error
	switch s.tool {
	case "import":
		_, err = lines.Import(t.Context(), store, strings.NewReader(s.arguments), lines.ImportArgs{Name: "x.jsonl"})
	case "import from the web":
		_, err = lines.Import(t.Context(), store, strings.NewReader(s.arguments), lines.ImportArgs{Name: "x.jsonl", Source: "web"})
	case "merge":
		_, err = merge.Lines(t.Context(), store, strings.NewReader(s.arguments), lines.ImportArgs{Name: "x.jsonl"})
	case "accept all":
		listed, _ := get[tidy.Result](agent, "memory_tidy", `{}`)
		if len(listed.Proposals) == 0 {
			t.Error("nothing is proposed")
		}
		for _, p := range listed.Proposals {
			agent.ask("memory_tidy", `{"accept": ["`+p.Key+`"]}`)
		}
	default:
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", s.tool, err)
	}
	return true
}

// check checks that an answer does not show the payload without a mark.
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
		ownWords := a.isOwn && (what == "search" || strings.Contains(line, "(unconfirmed)") || strings.HasPrefix(section, "Changed") || strings.HasPrefix(section, "Left off"))
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

// checkPersonMemories checks that the memories of the person are unchanged, word for word.
func checkPersonMemories(t *testing.T, victim *agent, ids map[string]string) {
	t.Helper()
	brief, _ := get[briefing.Result](victim, "memory_brief", `{"token_budget": 4000}`)
	titles := []string{}
	for _, e := range brief.Rules {
		titles = append(titles, e.Title)
	}
	for _, h := range brief.Holds {
		titles = append(titles, h.Title)
	}
	for _, one := range personMemories {
		if !slices.Contains(titles, *one.Title) {
			t.Errorf("%q is no longer among what holds: %q", *one.Title, titles)
		}
	}
	for _, one := range personMemories {
		opened, _ := get[memory.GetResult](victim, "memory_get", `{"id": "`+ids[*one.Title]+`"}`)
		if m := opened.Memories[0]; m.Content != one.Content || m.Title != *one.Title || m.Kind != one.Kind || m.Importance != 0.5 {
			t.Errorf("%q is now %+v", *one.Title, m.Memory)
		}
	}
	if len(titles) != len(personMemories) {
		t.Errorf("the rules and what holds are %q", titles)
	}
	result, _ := get[recall.SearchResult](victim, "memory_search", `{"query": "deploys after the tests pass on main"}`)
	if len(result.Results) == 0 || result.Results[0].Title != "Deploy rule" || result.Results[0].ContradictedBy != nil {
		t.Errorf("the person's rule is not the first result: %+v", result.Results[0])
	}
}
