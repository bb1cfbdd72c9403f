package budget

import (
	"strings"
	"testing"
)

type entry struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Parts []string `json:"parts"`
}

type counted struct {
	Items         []entry `json:"items"`
	TotalCount    int     `json:"total_count"`
	ReturnedCount int     `json:"returned_count"`
	Truncated     bool    `json:"truncated"`
}

type lists struct {
	First     []entry `json:"first"`
	Second    counted `json:"second"`
	Truncated bool    `json:"truncated"`
	Next      string  `json:"next"`
}

func TestHoldLists_TakesFromEachInTurn(t *testing.T) {
	long := strings.Repeat("word ", 30)
	all := lists{
		First:  []entry{{"a", long, []string{"x"}}, {"b", long, nil}, {"c", long, nil}},
		Second: counted{[]entry{{"d", long, nil}, {"e", long, nil}}, 9, 2, true},
	}
	for _, c := range []struct {
		tokens, first, second int
		cut                   bool
	}{
		{0, 3, 2, false}, {5000, 3, 2, false}, {180, 2, 1, false}, {140, 1, 1, false}, {70, 1, 0, true},
	} {
		got, err := HoldLists(t.Context(), "look", c.tokens, all, "First", "Second")
		if err != nil {
			t.Fatal(err)
		}
		if len(got.First) != c.first || len(got.Second.Items) != c.second || got.Second.ReturnedCount != c.second || got.Second.TotalCount != 9 {
			t.Errorf("%d tokens: %d and %d entries, want %d and %d (%+v)", c.tokens, len(got.First), len(got.Second.Items), c.first, c.second, got.Second)
		}
		isShort := c.first+c.second < 5
		if got.Truncated != isShort || isShort && got.Next != Next || !got.Second.Truncated {
			t.Errorf("%d tokens: truncated is %t, next %q, of the second %t", c.tokens, got.Truncated, got.Next, got.Second.Truncated)
		}
		if isCut := got.First[0].Title != long; isCut != c.cut || isCut != (len(got.First[0].Parts) == 0) || got.First[0].ID != "a" {
			t.Errorf("%d tokens: the first entry is %+v, cut: want %t", c.tokens, got.First[0], c.cut)
		}
	}
	if all.First[0].Title != long || len(all.First[0].Parts) != 1 {
		t.Error("the whole result was changed")
	}
	if _, err := HoldLists(t.Context(), "look", 10, all, "First", "Second"); err == nil {
		t.Error("ten tokens hold no result")
	}
}
