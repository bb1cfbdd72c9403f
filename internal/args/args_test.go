package args_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"hence/internal/args"
	"hence/internal/fault"
)

type inner struct {
	Name   string   `json:"name"`
	Weight *float64 `json:"weight,omitempty" above:"0" max:"1"`
}

type call struct {
	ID     string         `json:"id" jsonschema:"which one"`
	Seeds  []string       `json:"seeds"`
	Mode   string         `json:"mode,omitempty" default:"fast" enum:"fast,slow"`
	Parts  []string       `json:"parts,omitempty" enum:"a,b"`
	Limit  int            `json:"limit,omitempty" default:"20" min:"1" max:"200"`
	Share  *float64       `json:"share,omitempty" default:"0.5" min:"0" max:"1"`
	Deep   *bool          `json:"deep,omitempty" default:"true"`
	Title  *string        `json:"title,omitempty"`
	Tags   *[]string      `json:"tags,omitempty"`
	Fields map[string]any `json:"fields,omitempty"`
	Links  []inner        `json:"links,omitempty" jsonschema:"edges"`
}

func TestCheck_Defaults(t *testing.T) {
	got := call{ID: "x", Seeds: []string{"y"}}
	if err := args.Check("do", &got); err != nil {
		t.Fatal(err)
	}
	half, yes := 0.5, true
	want := call{ID: "x", Seeds: []string{"y"}, Mode: "fast", Limit: 20, Share: &half, Deep: &yes}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a caller said stays, also where it is zero.
func TestCheck_KeepsWhatWasSaid(t *testing.T) {
	zero, no := 0.0, false
	want := call{ID: "x", Seeds: []string{"y"}, Mode: "slow", Parts: []string{"b", "a"}, Limit: 200, Share: &zero, Deep: &no}
	got := want
	if err := args.Check("do", &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheck_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*call)
		says   string
	}{
		"Missing":       {func(c *call) { c.ID = "" }, "do: id is missing"},
		"MissingList":   {func(c *call) { c.Seeds = nil }, "do: seeds is missing"},
		"EmptyList":     {func(c *call) { c.Seeds = []string{} }, "do: seeds is missing"},
		"Min":           {func(c *call) { c.Limit = -1 }, "do: limit is -1, and must be at least 1 and at most 200"},
		"Max":           {func(c *call) { c.Limit = 201 }, "do: limit is 201"},
		"NaN":           {func(c *call) { n := math.NaN(); c.Share = &n }, "do: share is NaN, and must be at least 0 and at most 1"},
		"Infinite":      {func(c *call) { n := math.Inf(1); c.Share = &n }, "do: share is +Inf"},
		"Enum":          {func(c *call) { c.Mode = "Fast" }, `do: mode is "Fast", and must be one of fast, slow`},
		"EnumOfList":    {func(c *call) { c.Parts = []string{"a", "c"} }, `do: parts[1] is "c", and must be one of a, b`},
		"NestedMissing": {func(c *call) { c.Links = []inner{{Name: "n"}, {}} }, "do: links[1].name is missing"},
		"NestedAbove":   {func(c *call) { c.Links = []inner{{Name: "n", Weight: new(float64)}} }, "do: links[0].weight is 0, and must be above 0 and at most 1"},
	} {
		t.Run(name, func(t *testing.T) {
			given := call{ID: "x", Seeds: []string{"y"}}
			c.change(&given)
			err := args.Check("do", &given)
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s", err, c.says)
			}
		})
	}
}

func asJSON(t *testing.T, s *jsonschema.Schema) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSchema(t *testing.T) {
	want := `{
 "type": "object",
 "properties": {
  "id": {"type": "string", "description": "which one"},
  "seeds": {"type": "array", "items": {"type": "string"}, "minItems": 1},
  "mode": {"type": "string", "default": "fast", "enum": ["fast", "slow"]},
  "parts": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
  "limit": {"type": "integer", "default": 20, "minimum": 1, "maximum": 200},
  "share": {"type": "number", "default": 0.5, "minimum": 0, "maximum": 1},
  "deep": {"type": "boolean", "default": true},
  "title": {"type": "string"},
  "tags": {"type": "array", "items": {"type": "string"}},
  "fields": {"type": "object"},
  "links": {"type": "array", "description": "edges", "items": {
   "type": "object",
   "properties": {"name": {"type": "string"}, "weight": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}},
   "required": ["name"],
   "additionalProperties": false
  }}
 },
 "required": ["id", "seeds"],
 "additionalProperties": false
}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, asJSON(t, args.Schema[call]()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Clients show arguments in the order of the schema.
func TestSchema_KeepsTheOrderOfFields(t *testing.T) {
	text := asJSON(t, args.Schema[call]())
	if a, b := strings.Index(text, `"seeds"`), strings.Index(text, `"deep"`); a < 0 || b < a {
		t.Errorf("seeds at %d, deep at %d", a, b)
	}
}

type record struct {
	ID    string   `json:"id"`
	Score *float64 `json:"score,omitempty"`
	key   int64
}

type end struct {
	Name string `json:"name"`
}

type result struct {
	end
	Record  record         `json:"record"`
	Ends    []end          `json:"ends" jsonschema:"both ends"`
	Other   *end           `json:"other,omitempty"`
	Tags    []string       `json:"tags"`
	Fields  map[string]any `json:"fields,omitempty"`
	Embeds  wrapped        `json:"embeds"`
	Count   int            `json:"count"`
	More    bool           `json:"more"`
	private int
}

type wrapped struct {
	record
	More *end `json:"more" jsonschema:"and more"`
}

func TestOutlineSchema(t *testing.T) {
	_, _ = record{}.key, result{}.private
	want := `{
 "type": "object",
 "properties": {
  "name": {"type": "string"},
  "record": {"type": "object"},
  "ends": {"type": "array"},
  "tags": {"type": "array"},
  "embeds": {"type": "object"}
 }
}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, asJSON(t, args.OutlineSchema[result]()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
