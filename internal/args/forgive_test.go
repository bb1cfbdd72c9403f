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
			if _, err := args.Decode("do", json.RawMessage(c.raw), &got); err != nil {
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
			_, err := args.Decode("do", json.RawMessage(c.raw), &walked{})
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
	if _, err := args.Decode("do", json.RawMessage(`{"id": "x", "ids": "y"}`), &got); err != nil || got.ID != "x" || len(got.IDs) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := args.Decode("do", json.RawMessage(`{"seeds": "x"}`), &got); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("seeds: %v, want invalid_argument", err)
	}
}
