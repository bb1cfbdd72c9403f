package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

// words are the texts that arguments are made of: names of memories, types of edge, times,
// and invalid ones.
var words = []string{
	"", " ", "One", "Two", "Three", "one", "nobody", "causes", "caused_by", "supersedes", "depends-on", "contradicts", "mentions",
	"2026-01-01T00:00:00Z", "2026-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-01-01", "a/b", "../x", "%", "_", "'", `"`, `"a`, "a*", "NEAR(", "AND",
	"tag:", "tag:a", "kind:fact -one", "path:x", "-", "\\", "\n", "é", "日本", "\u0000", "\ufffd", "🙂", "{}", "default", "fact", "019", "01900000",
}

// anyValue draws a value that a schema allows, or one that is nearly valid.
func anyValue(t *rapid.T, raw json.RawMessage) any {
	var s struct {
		Type       string
		Enum       []string
		Items      json.RawMessage
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	switch {
	case s.Enum != nil:
		return rapid.SampledFrom(s.Enum).Draw(t, "enum")
	case s.Type == "string":
		return rapid.SampledFrom(words).Draw(t, "word")
	case s.Type == "boolean":
		return rapid.Bool().Draw(t, "bool")
	case s.Type == "integer":
		return rapid.SampledFrom([]int{1, 2, 3, 5, 64, 100}).Draw(t, "integer")
	case s.Type == "number":
		return rapid.SampledFrom([]float64{0, 1e-300, 0.5, 1}).Draw(t, "number")
	case s.Type == "array":
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = anyValue(t, s.Items)
		}
		return list
	case s.Properties == nil:
		return map[string]any{
			rapid.SampledFrom(words).Draw(t, "name"): rapid.SampledFrom([]any{nil, true, 1.5, "a", []any{"a", nil}, map[string]any{"a": "b"}}).Draw(t, "property"),
		}
	}
	object := map[string]any{}
	for _, name := range s.Required {
		object[name] = anyValue(t, s.Properties[name])
	}
	names := rapid.SliceOfN(rapid.SampledFrom(keys(s.Properties)), 0, 4).Draw(t, "arguments")
	for _, name := range names {
		object[name] = anyValue(t, s.Properties[name])
	}
	return object
}

// Every call gets a result or an error that says what is wrong, whatever the arguments are.
// Results obey the schema and the token budget.
func TestCalls_NeverInternal(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "default", "", map[string]string{"One.md": "---\na: [b\n---\n# one\n[[a/b]]", "a/b.md": "---\na: b\n---\n#a [[One]] One\n"})
	attachCode(t, d, "repo", "", map[string]string{"go.mod": "module example.com/repo\n", "a/b.go": "package a\n\nfunc One() { Two() }\n\nfunc Two() {}\n"})
	a, all := meet(t, d, Options{Toolsets: Toolsets(), VaultWrite: true, CodeWrite: true}), All()
	dbtest.CheckTimes(t, 20)
	rapid.Check(t, func(r *rapid.T) {
		for _, title := range []string{"One", "Two", "Three"} {
			a.ask("memory_store", `{"title": "`+title+`", "content": "about `+title+`", "tags": ["a/b"], "properties": {"": 1.5}, "dedup": "strict"}`)
		}
		for range 12 {
			tool := rapid.SampledFrom(all).Draw(r, "tool")
			arguments, err := json.Marshal(anyValue(r, tool.Input))
			if err != nil {
				r.Fatal(err)
			}
			if result := a.ask(tool.Name, string(arguments)); !result.IsError {
				raw := a.checkResult(tool.Name, string(arguments), result)
				var given struct {
					TokenBudget int `json:"token_budget"`
				}
				if err := json.Unmarshal(arguments, &given); err != nil {
					r.Fatal(err)
				}
				if cost := (len(raw) + 3) / 4; given.TokenBudget > 0 && cost > given.TokenBudget {
					r.Errorf("%s %s: the answer costs %d tokens", tool.Name, arguments, cost)
				}
			} else if e := errorOf(t, result); e.Code == string(fault.Internal) {
				r.Fatalf("%s %s: %s", tool.Name, arguments, e.Message)
			}
		}
	})
}

func keys(m map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(m)) }
