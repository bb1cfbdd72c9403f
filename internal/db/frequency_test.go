package db_test

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// often_of counts the occurrences of the phrases of a query, weighted by column, and tokens_of the
// tokens in a column.
func TestOftenOf(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (key, title, content, aliases) values
  (1, 'ant bee', 'ant ant cat dog', '["ant", "eel"]'),
  (2, 'cat', 'bee', '[]')`)
	for _, c := range []struct {
		name, match, function string
		want                  map[int64]float64
	}{
		{"WeightOfEachColumn", "ant", "often_of(section_search, 8.0, 4.0, 6.0, 3.0, 1.0)", map[int64]float64{1: 16}},
		{"NoWeight", "ant", "often_of(section_search, 8.0, 0.0, 0.0, 0.0, 0.0)", map[int64]float64{1: 8}},
		{"OneWhereNoneIsGiven", "ant", "often_of(section_search)", map[int64]float64{1: 4}},
		{"AnyPhrase", `"ant bee" OR cat`, "often_of(section_search, 8.0, 4.0, 6.0, 3.0, 1.0)", map[int64]float64{1: 9, 2: 8}},
		{"Phrase", `"ant cat"`, "often_of(section_search, 8.0)", map[int64]float64{1: 1}},
		{"TokensOfTitles", "cat", "tokens_of(section_search, 0)", map[int64]float64{1: 2, 2: 1}},
		{"TokensOfAliases", "cat", "tokens_of(section_search, 2)", map[int64]float64{1: 2, 2: 0}},
		{"TokensOfBodies", "cat", "tokens_of(section_search, 4)", map[int64]float64{1: 4, 2: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := scored(t.Context(), d, c.function, c.match)
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range c.want {
				if got[key] != want {
					t.Errorf("memory %d: %v, want %v", key, got[key], want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	for _, function := range []string{"tokens_of(section_search, 6)", "tokens_of(section_search, -1)", "tokens_of(section_search)"} {
		if _, err := scored(t.Context(), d, function, "cat"); err == nil || !strings.Contains(err.Error(), "range") {
			t.Errorf("%s: %v; want an error that says range", function, err)
		}
	}
}
