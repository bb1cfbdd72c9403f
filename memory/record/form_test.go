package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/memory/record"
)

// A column that the order of a form does not name has its place in it, is read back, and is left out if it is empty.
func TestANewColumnIsInAForm(t *testing.T) {
	type edge struct {
		record.Edge
		Mood  string   `json:"mood" is:"stamped=said"`
		Doubt *float64 `json:"doubt" is:"null"`
		Seen  []string `json:"seen" is:""`
		Last  string   `json:"last" is:"beside"`
	}
	form := record.NewForm("edge", record.Except(record.Of[edge](), "declared"), func(c record.Column) string { return c.Line },
		`id! from! to! edge_type! rel! weight! origin! actor! note! valid_from! valid_to! created_at! basis … last`)
	const start = `{"type":"edge","id":"e","from":"","to":"","edge_type":"causes","rel":"","weight":0.5,"origin":"","actor":"","note":"<b>","valid_from":null,"valid_to":null,"created_at":""`
	for _, c := range []struct {
		name, further string
		edge          edge
	}{
		{"Empty", `}`, edge{}},
		{"Text", `,"mood":"glad","last":"x"}`, edge{Mood: "glad", Last: "x"}},
		{"Pointer", `,"doubt":0}`, edge{Doubt: new(0.0)}},
		{"List", `,"seen":["a"]}`, edge{Seen: []string{"a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.edge.ID, c.edge.Kind, c.edge.Weight, c.edge.Note = "e", "causes", 0.5, "<b>"
			text, err := form.Text(&c.edge)
			if want := start + c.further + "\n"; err != nil || string(text) != want {
				t.Errorf("the form is %s, want %s (%v)", text, want, err)
			}
			var again edge
			if err := form.Read(text, &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.edge, again); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
		})
	}
}

// What a form does not state stays, and null states nothing.
func TestAFormSetsWhatItStates(t *testing.T) {
	form := record.NewForm("", record.Memories, func(c record.Column) string { return c.Line }, `… title`)
	m := record.Memory{Title: "Old", Kind: "fact", Tags: []string{"a"}, Importance: 0.5}
	if err := form.Read([]byte(`{"title":"","kind":null,"tags":[],"importance":1}`), &m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(record.Memory{Kind: "fact", Tags: []string{}, Importance: 1}, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A time for which a column has null is stated, null or left out, and never "".
func TestAFormStatesNoEmptyTime(t *testing.T) {
	form := record.NewForm("", record.Memories, func(c record.Column) string { return c.Line }, `…`)
	for _, c := range record.Memories {
		if !c.IsTime() || !c.Is("null") {
			continue
		}
		text := fmt.Sprintf(`{%q:""}`, c.Line)
		if err := form.Read([]byte(text), &record.Memory{}); err == nil || !strings.HasPrefix(err.Error(), c.Line+` is ""`) {
			t.Errorf("%s: %v", text, err)
		}
		if err := c.ReadJSON("as", []byte(`""`), &record.Memory{}); err == nil || !strings.HasPrefix(err.Error(), `as is ""`) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
