package args_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/args"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

func TestDecode(t *testing.T) {
	half, zero, no, title := 0.5, 0.0, false, "T"
	for _, c := range []struct {
		name, raw string
		want      call
	}{
		{"Required", `{"id": "x", "seeds": ["y"]}`, call{ID: "x", Seeds: []string{"y"}}},
		{"TextForAList", `{"id": "x", "seeds": "y", "tags": "z"}`, call{ID: "x", Seeds: []string{"y"}, Tags: &[]string{"z"}}},
		{"NullOfAFieldIsLeftOut", `{"id": "x", "seeds": ["y"], "links": [{"name": "n", "weight": null}]}`, call{ID: "x", Seeds: []string{"y"}, Links: []inner{{Name: "n"}}}},
		{"NullIsLeftOut", `{"id": "x", "seeds": ["y"], "limit": null, "deep": null, "fields": null, "links": null}`, call{ID: "x", Seeds: []string{"y"}}},
		{"WholeNumbers", `{"id": "x", "seeds": ["y"], "limit": 1.0e1}`, call{ID: "x", Seeds: []string{"y"}, Limit: 10}},
		{"ZerosAreKept", `{"id": "x", "seeds": ["y"], "share": 0, "deep": false}`, call{ID: "x", Seeds: []string{"y"}, Share: &zero, Deep: &no}},
		{"EmptyListIsKept", `{"id": "x", "seeds": ["y"], "tags": []}`, call{ID: "x", Seeds: []string{"y"}, Tags: &[]string{}}},
		{"LastOfTwo", `{"id": "a", "seeds": ["y"], "id": "x"}`, call{ID: "x", Seeds: []string{"y"}}},
		{"All", ` {"id": "x", "seeds": ["y", ""], "mode": "slow", "parts": ["b"], "limit": 3, "share": 0.5, "title": "T", "fields": {"a": [1]}, "links": [{"name": "n", "weight": 0.5}]} `,
			call{ID: "x", Seeds: []string{"y", ""}, Mode: "slow", Parts: []string{"b"}, Limit: 3, Share: &half, Title: &title, Fields: map[string]any{"a": []any{1.0}}, Links: []inner{{Name: "n", Weight: &half}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got call
			if err := args.Decode("do", json.RawMessage(c.raw), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecode_SaysWhatAMissingWordMayBe(t *testing.T) {
	var got struct {
		Mode string `json:"mode" required:"true" enum:"replace,append"`
	}
	err := args.Decode("do", json.RawMessage(`{}`), &got)
	if want := "do: mode is missing; give one of replace, append"; err == nil || err.Error() != want {
		t.Errorf("Decode: %v, want %s", err, want)
	}
}

func TestDecode_SaysAllThatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"Nothing", ``, "id and seeds are missing"},
		{"Null", `null`, "id and seeds are missing"},
		{"RequiredNull", `{"id": null, "seeds": ["x"]}`, "id is missing"},
		{"NotAnObject", `["x"]`, "the call is of type array, and must be object"},
		{"NotJSON", `{"id": `, "the arguments are not JSON"},
		{"NotJSONAtAll", `nonsense`, "the arguments are not JSON"},
		{"Unknown", `{"id": "x", "seeds": ["y"], "Limit": 3, "b": 1}`, `there is no argument "Limit", "b"; the arguments are id, seeds, mode, parts, limit, share, deep, title, tags, fields, links`},
		{"Several", `{"id": 1, "seeds": [], "mode": "x", "limit": 201}`,
			`id is of type number, and must be string; limit is 201, and must be at least 1 and at most 200; mode is "x", and must be one of fast, slow; seeds is empty, and must have at least 1`},
		{"ZeroThatWasGiven", `{"id": "x", "seeds": ["y"], "limit": 0}`, "limit is 0, and must be at least 1 and at most 200"},
		{"Fraction", `{"id": "x", "seeds": ["y"], "limit": 2.5}`, "limit is of type number, and must be integer"},
		{"HugeWhole", `{"id": "x", "seeds": ["y"], "limit": 1e99}`, "limit is 1e99, and must be at least 1 and at most 200"},
		{"HugeNumber", `{"id": "x", "seeds": ["y"], "share": 1e999}`, "share holds a number 1e999, which cannot be read"},
		{"Elements", `{"id": "x", "seeds": [1], "parts": ["a", "c"]}`, `parts[1] is "c", and must be one of a, b; seeds[0] is of type number, and must be string`},
		{"NullInside", `{"id": "x", "seeds": [null], "links": [{"name": null}, null]}`,
			"links[0].name is missing; links[1] is of type null, and must be object; seeds[0] is of type null, and must be string"},
		{"Nested", `{"id": "x", "seeds": ["y"], "links": [{"weight": 0, "two": 2}]}`,
			`links[0] has no field "two"; links[0].name is missing; links[0].weight is 0, and must be above 0 and at most 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := args.Decode("do", json.RawMessage(c.raw), &call{})
			if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != "do: "+c.want {
				t.Errorf("got %v\nwant do: %s", err, c.want)
			}
		})
	}
}

// Decode takes what the schema that clients read says, but for what it forgives:
// null for an argument or a field, an empty text for what is not a text, one value for a list and
// a list of one for a value.
func TestRapidDecodeTakesWhatTheSchemaTakes(t *testing.T) {
	schema, err := args.Schema[call]().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	leaves := []any{nil, true, 0, 1, -1, 200, 201, 0.5, 1.0, 1e20, "", "x", "fast", "a", map[string]any{}, []any{}}
	var value func(t *rapid.T, depth int) any
	value = func(t *rapid.T, depth int) any {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			if depth > 0 {
				return []any{value(t, depth-1), value(t, depth-1)}
			}
		case 1:
			if depth > 0 {
				return map[string]any{rapid.SampledFrom([]string{"name", "weight", "two"}).Draw(t, "field"): value(t, depth-1)}
			}
		}
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	good := map[string][]any{
		"id": {"x"}, "seeds": {[]any{"y"}}, "mode": {"fast"}, "parts": {[]any{"a"}}, "limit": {1, 2.0}, "share": {0.5}, "deep": {true},
		"title": {""}, "tags": {[]any{}}, "fields": {map[string]any{"a": nil}}, "links": {[]any{map[string]any{"name": "n", "weight": 1}}},
	}
	rapid.Check(t, func(t *rapid.T) {
		given := map[string]any{}
		for _, name := range []string{"id", "seeds", "mode", "parts", "limit", "share", "deep", "title", "tags", "fields", "links", "other"} {
			switch n := rapid.IntRange(0, 9).Draw(t, name); {
			case n < 6 && good[name] != nil:
				given[name] = rapid.SampledFrom(good[name]).Draw(t, "good")
			case n == 9:
				given[name] = value(t, 2)
			}
		}
		raw, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		var forgiven map[string]any
		if err := json.Unmarshal(raw, &forgiven); err != nil {
			t.Fatal(err)
		}
		links, _ := forgiven["links"].([]any)
		for _, link := range append(links, forgiven["links"]) {
			if fields, ok := link.(map[string]any); ok {
				maps.DeleteFunc(fields, func(name string, value any) bool { return value == nil && name != "two" })
			}
		}
		for name, value := range forgiven {
			if value == "" && good[name] != nil && name != "id" && name != "title" {
				delete(forgiven, name)
				continue
			}
			elements, isList := value.([]any)
			wantsList := slices.Contains([]string{"seeds", "parts", "tags", "links"}, name)
			switch {
			case value == nil && good[name] != nil:
				delete(forgiven, name)
			case value != nil && wantsList && !isList:
				forgiven[name] = []any{value}
			case !wantsList && len(elements) == 1:
				forgiven[name] = elements[0]
			}
		}
		refused := schema.Validate(forgiven)
		if err := args.Decode("do", raw, &call{}); (err == nil) != (refused == nil) {
			t.Errorf("%s\nDecode: %v\nschema: %v", raw, err, refused)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"id": "x", "seeds": "y", "limit": 1e400, "fields": {"a": {}}}`, `{"links": [{"name": 1e-400}], "limit": -0.0}`, `[`, "\x00", ` `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a call
		err := args.Decode("do", raw, &a)
		if err != nil && fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q: %v", raw, err)
		}
		if err == nil && len(raw) > 0 && (a.ID == "" && !json.Valid(raw) || len(a.Seeds) == 0) {
			t.Errorf("%q is taken for %+v", raw, a)
		}
	})
}
