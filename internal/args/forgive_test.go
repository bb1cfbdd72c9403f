package args_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/args"
	"hence/internal/fault"
)

// walked has an argument of each group of synonyms.
type walked struct {
	IDs        []string `json:"ids,omitempty"`
	From       string   `json:"from_id,omitempty"`
	To         string   `json:"to,omitempty"`
	Depth      int      `json:"depth,omitempty" max:"5"`
	Kinds      []string `json:"kinds,omitempty"`
	PathPrefix []string `json:"path_prefix,omitempty"`
	Weighted   *bool    `json:"weighted,omitempty"`
	Sort       []string `json:"sort,omitempty" one:"true"`
	Links      []ends   `json:"links,omitempty"`
}

type ends struct {
	To   string   `json:"to,omitempty"`
	From string   `json:"from,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

func TestDecode_TakesSynonymsForOneAnother(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name, raw string
		want      walked
	}{
		{"IDForIDs", `{"id": "x"}`, walked{IDs: []string{"x"}}},
		{"SeedsForIDs", `{"seeds": ["x", "y"]}`, walked{IDs: []string{"x", "y"}}},
		{"SeedDocIDsForIDs", `{"seed_doc_ids": ["x"]}`, walked{IDs: []string{"x"}}},
		{"From", `{"from": "x"}`, walked{From: "x"}},
		{"To", `{"to_id": "x"}`, walked{To: "x"}},
		{"Hops", `{"hops": 3}`, walked{Depth: 3}},
		{"MaxHops", `{"max_hops": 3.0}`, walked{Depth: 3}},
		{"KindForKinds", `{"kind": "decision"}`, walked{Kinds: []string{"decision"}}},
		{"ProposeForKinds", `{"propose": "same"}`, walked{Kinds: []string{"same"}}},
		{"Under", `{"under": "a/b"}`, walked{PathPrefix: []string{"a/b"}}},
		{"NullBesideAValue", `{"id": null, "ids": ["x"], "hops": 2, "depth": null}`, walked{IDs: []string{"x"}, Depth: 2}},
		{"ListOfOneForOne", `{"from_id": ["x"], "depth": [2], "weighted": [true]}`, walked{From: "x", Depth: 2, Weighted: &yes}},
		{"OneForAList", `{"links": {"to_id": "x", "tags": "t"}}`, walked{Links: []ends{{To: "x", Tags: []string{"t"}}}}},
		{"OneOfWhatIsCalledOne", `{"sort": "a"}`, walked{Sort: []string{"a"}}},
		{"SeveralOfWhatIsCalledOne", `{"sort": ["a", "b"]}`, walked{Sort: []string{"a", "b"}}},
		{"InAList", `{"links": [{"from_id": ["x"]}, {"to": "y"}]}`, walked{Links: []ends{{From: "x"}, {To: "y"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got walked
			if err := args.Decode("do", json.RawMessage(c.raw), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecode_RefusesTwoNamesOfOneArgument(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"OwnAndSynonym", `{"id": "x", "ids": ["x"]}`, "ids and id mean the same; give one of them"},
		{"TwoSynonyms", `{"hops": 1, "max_hops": 1}`, "hops and max_hops mean the same; give one of them"},
		{"InAList", `{"links": [{"to": "x", "to_id": "y"}]}`, "links[0].to and links[0].to_id mean the same; give one of them"},
		{"OutOfBounds", `{"hops": 6}`, "depth is 6, and must be at most 5"},
		{"ListOfTwo", `{"from": ["x", "y"]}`, "from_id is of type array, and must be string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := args.Decode("do", json.RawMessage(c.raw), &walked{})
			if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != "do: "+c.want {
				t.Errorf("got %v\nwant do: %s", err, c.want)
			}
		})
	}
}

// A call that has both names means two things by them.
func TestDecode_KeepsNamesApartThatACallHasBoth(t *testing.T) {
	var got struct {
		ID  string   `json:"id,omitempty"`
		IDs []string `json:"ids,omitempty"`
	}
	if err := args.Decode("do", json.RawMessage(`{"id": "x", "ids": "y"}`), &got); err != nil || got.ID != "x" || len(got.IDs) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := args.Decode("do", json.RawMessage(`{"seeds": "x"}`), &got); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("seeds: %v, want invalid_argument", err)
	}
}

// typed has an argument of each type.
type typed struct {
	Seeds   []string       `json:"seeds,omitempty"`
	Tags    *[]string      `json:"tags,omitempty"`
	Mode    string         `json:"mode,omitempty" enum:"fast,slow"`
	Title   *string        `json:"title,omitempty"`
	Text    string         `json:"text,omitempty"`
	Limit   int            `json:"limit,omitempty" max:"50"`
	Share   *float64       `json:"share,omitempty"`
	Deep    *bool          `json:"deep,omitempty"`
	Fields  map[string]any `json:"fields,omitempty"`
	Any     any            `json:"any,omitempty"`
	Links   []ends         `json:"links,omitempty"`
	Learned []ends         `json:"learned,omitempty" text:"to"`
}

func TestDecode_ReadsJSONThatWasSentAsText(t *testing.T) {
	half, yes, empty, list := 0.5, true, "", `["a"]`
	for _, c := range []struct {
		name, raw string
		want      typed
	}{
		{"List", `{"seeds": "[\"a\", \"b\"]"}`, typed{Seeds: []string{"a", "b"}}},
		{"EmptyList", `{"tags": "[]"}`, typed{Tags: &[]string{}}},
		{"SpaceAround", `{"seeds": " [\"a\"]\n"}`, typed{Seeds: []string{"a"}}},
		{"WordsWithCommas", `{"tags": "x, y ,"}`, typed{Tags: &[]string{"x", "y"}}},
		{"TitleWithACommaIsOne", `{"seeds": "Ann, and Bob"}`, typed{Seeds: []string{"Ann, and Bob"}}},
		{"TitleThatIsAWikilink", `{"seeds": "[[Note]]"}`, typed{Seeds: []string{"[[Note]]"}}},
		{"TitleThatIsANumberInBrackets", `{"seeds": "[1]"}`, typed{Seeds: []string{"[1]"}}},
		{"TitleThatIsNull", `{"seeds": "null"}`, typed{Seeds: []string{"null"}}},
		{"Whole", `{"limit": "5"}`, typed{Limit: 5}},
		{"WholeInAList", `{"limit": ["5"]}`, typed{Limit: 5}},
		{"Number", `{"share": " 0.5 "}`, typed{Share: &half}},
		{"Boolean", `{"deep": "true"}`, typed{Deep: &yes}},
		{"PythonBoolean", `{"deep": "True"}`, typed{Deep: &yes}},
		{"Null", `{"limit": "null", "deep": "null", "fields": "null"}`, typed{}},
		{"Object", `{"fields": "{\"a\": \"[1]\"}"}`, typed{Fields: map[string]any{"a": "[1]"}}},
		{"ListOfObjects", `{"links": "[{\"to\": \"x\"}]"}`, typed{Links: []ends{{To: "x"}}}},
		{"OneObject", `{"links": "{\"to\": \"x\"}"}`, typed{Links: []ends{{To: "x"}}}},
		{"ObjectsInAList", `{"links": ["{\"to\": \"x\", \"tags\": \"[\\\"t\\\"]\"}"]}`, typed{Links: []ends{{To: "x", Tags: []string{"t"}}}}},
		{"TextsForObjects", `{"learned": ["a", {"to": "b"}, "{\"to\": \"c\"}", "[x] d"]}`, typed{Learned: []ends{{To: "a"}, {To: "b"}, {To: "c"}, {To: "[x] d"}}}},
		{"OneTextForObjects", `{"learned": "a, b"}`, typed{Learned: []ends{{To: "a, b"}}}},
		{"ListOfTextsAsText", `{"learned": "[\"a\", {\"to\": \"b\"}]"}`, typed{Learned: []ends{{To: "a"}, {To: "b"}}}},
		{"WholeCall", `"{\"limit\": 5}"`, typed{Limit: 5}},
		{"EmptyTextIsLeftOut", `{"seeds": "", "tags": " ", "mode": "", "limit": "", "share": "", "deep": "", "fields": "", "links": "", "text": ""}`, typed{}},
		{"EmptyTextOfAText", `{"title": ""}`, typed{Title: &empty}},
		{"TextStaysAText", `{"title": "[\"a\"]", "text": "5", "any": "[1]"}`, typed{Title: &list, Text: "5", Any: "[1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got typed
			if err := args.Decode("do", json.RawMessage(c.raw), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecode_RefusesTextThatHoldsSomethingElse(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"Word", `{"limit": "five"}`, "limit is of type string, and must be integer"},
		{"OutOfBounds", `{"limit": "51"}`, "limit is 51, and must be at most 50"},
		{"Fraction", `{"limit": "0.5"}`, "limit is of type number, and must be integer"},
		{"ListForAnObject", `{"fields": "[1]"}`, "fields is of type string, and must be object"},
		{"BrokenObject", `{"fields": "{\"a\": "}`, "fields is of type string, and must be object"},
		{"WordForABoolean", `{"deep": "yes"}`, "deep is of type string, and must be boolean"},
		{"WordForAnObject", `{"links": "x"}`, "links[0] is of type string, and must be object"},
		{"Call", `"x"`, "the call is of type string, and must be object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := args.Decode("do", json.RawMessage(c.raw), &typed{})
			if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != "do: "+c.want {
				t.Errorf("got %v\nwant do: %s", err, c.want)
			}
		})
	}
}

func TestCheck_TakesEveryWordOfADirection(t *testing.T) {
	type way struct {
		Path   string `json:"path,omitempty" enum:"any,forward,backward"`
		Expand string `json:"expand,omitempty" enum:"both,outgoing,incoming,forward,backward"`
		Notes  string `json:"notes,omitempty" enum:"incoming,outgoing"`
	}
	for given, want := range map[way]way{
		{"both", "any", "forward"}:           {"any", "both", "outgoing"},
		{"outgoing", "outgoing", "outgoing"}: {"forward", "outgoing", "outgoing"},
		{"incoming", "backward", "backward"}: {"backward", "backward", "incoming"},
	} {
		got := given
		if err := args.Check("walk", &got); err != nil || got != want {
			t.Errorf("%v is taken for %v, %v; want %v", given, got, err, want)
		}
		raw, _ := json.Marshal(given)
		got = way{}
		if err := args.Decode("walk", raw, &got); err != nil || args.Check("walk", &got) != nil || got != want {
			t.Errorf("%s is taken for %v, %v; want %v", raw, got, err, want)
		}
	}
	for _, given := range []way{{Notes: "both"}, {Path: "upstream"}} {
		if err := args.Check("walk", &given); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%v is taken, %v", given, err)
		}
	}
}
